"""Says in one plain sentence what a program does; a person reads it before anything else."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.policy.calls import outward, tool_risk
from workbench.policy.report import Noted, Report, Use
from workbench.policy.toolcalls import use_words
from workbench.records import EffectKind, Risk

MOST = 3  # things of one kind that are named; more are counted
ONLY_COMPUTES = "Only computes: it uses no tool, no file and no network."


def sentence(report: Report) -> str:
    """The worst first: what goes out or is destroyed, what changes, what the sandbox refuses, what is only read."""
    blocked = [note.finding.message for note in report.notes.values() if note.blocks]
    if blocked:
        return _ended(f"Cannot run: {_named(blocked, 'reasons')}")
    parts = [*_changing_tools(report), *_others(report), *_refused(report), *_reading_tools(report)]
    return " ".join(map(_ended, parts)) or ONLY_COMPUTES


def _changing_tools(report: Report) -> list[str]:
    changing = [use for use in report.uses.values() if tool_risk(use.tool) is not Risk.LOW]
    changing.sort(key=lambda use: (not outward(use.tool), use.line))
    return _listed(
        dict.fromkeys(use_words(use.tool, use.looped) for use in changing), "further tools that may change data"
    )


def _reading_tools(report: Report) -> list[str]:
    reading = [use for use in report.uses.values() if tool_risk(use.tool) is Risk.LOW]
    names = list(dict.fromkeys(_tool_name(use) for use in reading))
    if not names:
        return []
    return [f"Reads with {' and '.join(names)}" if len(names) < MOST else f"Reads with {len(names)} tools"]


def _others(report: Report) -> list[str]:
    """Effects that are no tool calls, the worse first; plain reading is not worth a word beside them."""
    notes = [
        note
        for note in report.notes.values()
        if _told(note) and note.effect and note.effect.kind is not EffectKind.REFUSED
    ]
    worth = [note for note in notes if note.finding.risk is not Risk.LOW] or notes
    worth.sort(key=lambda note: (-_weight(note), note.finding.span.line))
    return _listed(dict.fromkeys(note.finding.message for note in worth), "further effects")


def _refused(report: Report) -> list[str]:
    notes = [note for note in report.notes.values() if note.effect and note.effect.kind is EffectKind.REFUSED]
    telling = [n for n in notes if not n.finding.rule.endswith((".import", ".mention"))] or notes
    words = list(dict.fromkeys(_lowered(note.finding.message) for note in telling))
    if not words:
        return []
    more = f" and {len(words) - MOST} more such things" if len(words) > MOST else ""
    return [f"The sandbox will refuse what it tries: it {'; it '.join(words[:MOST])}{more}"]


def _told(note: Noted) -> bool:
    return note.finding.rule != "tool.call"


def _weight(note: Noted) -> int:
    return [Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL].index(note.finding.risk)


def _listed(words: Iterable[str], rest: str) -> list[str]:
    every = list(words)
    left = len(every) - MOST
    return every[:MOST] + ([f"And {left} {rest}"] if left > 0 else [])


def _named(words: list[str], noun: str) -> str:
    return _lowered(words[0]) if len(words) == 1 else f"{_lowered(words[0])}, and {len(words) - 1} more {noun}"


def _lowered(words: str) -> str:
    return words[:1].lower() + words[1:]


def _ended(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."


def _tool_name(use: Use) -> str:
    return f"{use.tool.server}.{use.tool.name}"
