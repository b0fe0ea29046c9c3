"""List rows for masked values, marks and findings of the detector."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from workbench.gui.kit.rows import Row, grouped
from workbench.gui.kit.table import Column
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import ago, kind_label
from workbench.gui.results.masking_cards import EVERYWHERE, HERE, place_name
from workbench.records import HiddenValue, PrivacyMark, PrivacySession, StrictnessEffect, TriedSpan
from workbench.records.common_types import count_of

_NEW_SECONDS = 60
SCOPES = {EVERYWHERE: "in every project", HERE: "only in this project"}
_TARGETS = {"value": "value", "pattern": "pattern", "key": "key name"}


def mark_rows(marks: Iterable[PrivacyMark]) -> list[Row]:
    """Marks that mask something, then marks that never mask something."""
    marks = tuple(marks)
    return grouped(
        ("hide", "Always masked", [_mark_row(mark) for mark in marks if mark.hide]),
        ("pass", "Never masked: models see it", [_mark_row(mark) for mark in marks if not mark.hide]),
    )


def span_rows(text: str, spans: Sequence[TriedSpan]) -> list[Row]:
    """The findings of the detector in a text, each with its reason."""
    return [
        Row(
            key=str(number),
            title=one_line(text[span.start : span.end], 120),
            detail=f"Why: {one_line(span.why, 120)}",
            icon="eye-off",
            tone="info",
            badges=((kind_label(span.kind), "info"),),
            mono=True,
        )
        for number, span in enumerate(spans)
    ]


def session_text(session: PrivacySession) -> str:
    """A session in the list of sessions."""
    author = one_line(session.author, 40) if session.agent else "you, in this window"
    gone = "" if session.here else " (disconnected)"
    return f"{author}{gone} · {count_of(session.tokens, 'token')}"


HIDDEN_TEXT = "••••••"  # in place of a value that is not revealed


def value_columns(revealed: Mapping[str, str]) -> tuple[Column[HiddenValue], ...]:
    """The columns of masked values. `revealed`: the values that the user has looked at, by token."""
    return (
        Column("Token", lambda value: value.token, icon=_value_icon, letters=17, mono=True),
        Column("Value", lambda value: one_line(revealed.get(value.token, HIDDEN_TEXT), 120), letters=11),
        Column("Kind", lambda value: kind_label(value.kind), letters=14, rank=3),
        Column("Why", lambda value: value.why, tip=lambda value: value.why, letters=27, rank=4),
        Column("Came from", came_from, tip=came_from, letters=18, rank=1),
        Column("Went to", went_to, tip=went_to, letters=10, rank=5),
        Column("Read by", read_by, tip=read_by, letters=16, rank=2),
    )


def came_from(value: HiddenValue) -> str:
    """The calls and servers that supplied a value."""
    calls = dict.fromkeys(place_name(place) for place in value.came)
    servers = dict.fromkeys(value.sources) if not calls else {}
    return ", ".join(one_line(name, 60) for name in (*calls, *servers)) or "made by the program"


def went_to(value: HiddenValue) -> str:
    """The tools that received a value."""
    return ", ".join(dict.fromkeys(place_name(place) for place in value.went)) or "no tool"


def read_by(value: HiddenValue) -> str:
    """The agents that received a token, and how often."""
    if not value.times:
        return "no model"
    readers = ", ".join(one_line(name, 40) for name in value.readers) or "your programs"
    return f"{readers} · {count_of(value.times, 'time')}"


def effect_text(effect: StrictnessEffect) -> str:
    """`210 values masked, 3 words more than now, 12 words fewer than now`."""
    words = [f"{count_of(effect.more, 'word')} more than now"] if effect.more else []
    words += [f"{count_of(effect.fewer, 'word')} fewer than now"] if effect.fewer else []
    return ", ".join((f"{count_of(effect.values, 'value')} masked", *words))


def _value_icon(value: HiddenValue) -> tuple[str, str]:
    is_elsewhere = any(place.server not in value.sources for place in value.went)
    return "lock", "warning" if is_elsewhere else "info"


def _mark_row(mark: PrivacyMark) -> Row:
    is_project = mark.source == "project"
    return Row(
        key=mark.id,
        title=one_line(mark.text, 120),
        detail=f"{_TARGETS.get(mark.what, mark.what)} · {'set by the project' if is_project else _scope_and_age(mark)}",
        icon="eye-off" if mark.hide else "eye",
        tone="info" if mark.hide else "warning",
        badges=((kind_label(mark.kind), "info"),) if mark.hide else (),
        mono=True,
        faded=is_project,
    )


def _scope_and_age(mark: PrivacyMark) -> str:
    return f"{SCOPES[mark.scope]} · {_age(mark)}" if mark.scope in SCOPES else _age(mark)


def _age(mark: PrivacyMark) -> str:
    if not mark.made:
        return "added by you"
    is_new = time.time() - mark.made < _NEW_SECONDS
    return "added by you just now" if is_new else f"added by you {ago(mark.made)} ago"
