"""Tables of a run: its calls, and its predicted and observed effects."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.gui.kit.table import Column, TableModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import StateText, duration
from workbench.gui.shell.long_text import size_words
from workbench.records import CallTrace, Observation

MOST_CALLS = 10_000
"""So many calls of a run are shown."""


_CALL_WORDS = {
    "running": StateText("Running", "loader", "info"),
    "waiting": StateText("Waiting for you", "hourglass", "warning"),
    "done": StateText("Done", "check", "success"),
    "failed": StateText("Failed", "alert", "danger"),
    "refused": StateText("Refused", "ban", "danger"),
    "stopped": StateText("Stopped", "ban", "muted"),
    "held": StateText("Held back by the dry run", "clipboard", "info"),
}


def calls_model(theme: Theme, parent: QObject | None = None) -> TableModel[CallTrace]:
    """One row for each call: tool and state, arguments or failure, time, size."""
    columns = (
        Column[CallTrace](
            "Call",
            _call_name,
            icon=lambda call: (_call_word(call).icon, _call_word(call).tone),
            tip=_call_tip,
            accessible=lambda call: f"{_call_word(call).text}: {_call_name(call)}",
            letters=24,
        ),
        Column[CallTrace](
            "Arguments",
            lambda call: one_line(call.note or call.arguments, 200),
            tip=_call_tip,
            tone=lambda call: "danger" if call.note else "muted",
            letters=22,
        ),
        Column[CallTrace](
            "Time",
            lambda call: "…" if _is_open(call) else duration(call.ms),
            sort=lambda call: call.ms,
            tone=lambda call: "muted",
            right=True,
            letters=9,
            rank=1,
        ),
        Column[CallTrace](
            "Size",
            lambda call: "…" if _is_open(call) else size_words(call.bytes),
            sort=lambda call: call.bytes,
            tone=lambda call: "muted",
            right=True,
            letters=10,
            rank=2,
        ),
    )
    return TableModel(columns, lambda call: call.call_id, cap=MOST_CALLS, parent=parent, theme=theme)


def _call_name(call: CallTrace) -> str:
    return one_line(f"{call.server}.{call.tool}", 120)


def _call_word(call: CallTrace) -> StateText:
    return _CALL_WORDS.get(call.state) or StateText(one_line(call.state, 20), "circle", "muted")


def _call_tip(call: CallTrace) -> str:
    return f"{_call_word(call).text}: {call.server}.{call.tool}\n{call.note or call.arguments}"


def _is_open(call: CallTrace) -> bool:
    return call.state in ("running", "waiting")


_EFFECTS = {"tool": "Calls {}", "host": "Contacts {}", "written": "Writes {}", "deleted": "Deletes {}"}


def observations_model(theme: Theme, parent: QObject | None = None) -> TableModel[Observation]:
    """One row for each effect that was predicted or observed."""
    columns = (
        Column[Observation](
            "Effect",
            _effect_text,
            icon=lambda effect: (_effect_word(effect).icon, _effect_word(effect).tone),
            tip=lambda effect: f"{_effect_word(effect).text}: {effect.subject}",
            tone=_effect_tone,
            accessible=lambda effect: f"{_effect_word(effect).text}: {_effect_text(effect)}",
            letters=40,
        ),
        Column[Observation]("Predicted", _prediction_text, tone=_effect_tone, letters=20),
        Column[Observation]("Observed", _observed_text, tone=_effect_tone, letters=22),
    )
    return TableModel(columns, lambda effect: f"{effect.kind} {effect.subject}", parent=parent, theme=theme)


def _effect_text(effect: Observation) -> str:
    return _EFFECTS.get(effect.kind, "{}").format(one_line(effect.subject, 160))


def _prediction_text(effect: Observation) -> str:
    line = f"line {effect.line}" if effect.line else "yes"
    return "unknown" if effect.predicted is None else line if effect.predicted else "no"


def _observed_text(effect: Observation) -> str:
    parts = [_times(effect.times)] if effect.times else []
    if effect.refused:
        parts.append(f"refused {_times(effect.refused)}" if effect.refused > 1 else "refused")
    return ", ".join(parts) or "no"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _effect_tone(effect: Observation) -> str:
    if effect.unforeseen:
        return "danger"
    return "" if effect.times or effect.refused else "muted"


def _effect_word(effect: Observation) -> StateText:
    if effect.unforeseen:
        return StateText("Unexpected", "alert", "danger")
    if not effect.times and not effect.refused:
        return StateText("Predicted, did not happen", "circle", "muted")
    if effect.refused and not effect.times:
        return StateText("Refused", "ban", "warning")
    if effect.predicted:
        return StateText("As predicted", "check", "success")
    return StateText("Happened", "circle", "info")
