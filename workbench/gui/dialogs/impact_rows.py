"""What a program touches in all, in a few rows below its effects, and how much there is to read."""

from __future__ import annotations

from workbench.records import Verdict

_MOST = 12  # names in one row; how many more there are is said


def impact_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """A title and its words for each row; none for a verdict that knows nothing of it."""
    found = verdict.impact
    rows = [
        ("Changes", _names(found.changed)),
        ("Reads", _names(found.read)),
        ("Tries to contact", _names(found.networks)),
        ("Tries to run", _names(found.commands)),
        ("Tools that send", _names(found.tools.get("sends", ()))),
        ("Tools that change", _names(found.tools.get("changes", ()))),
        ("Tools that add", _names(found.tools.get("adds", ()))),
        ("Tools that read", _names(found.tools.get("reads", ()))),
        ("Cannot be undone", _count(found.lasting)),
        ("Known at run time only", _count(found.unnamed)),
        ("To read", _effort(verdict)),
    ]
    return [(title, words) for title, words in rows if words]


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def _count(number: int) -> str:
    return "" if not number else "1 effect" if number == 1 else f"{number} effects"


def _effort(verdict: Verdict) -> str:
    """Says how long reading takes; it is no sign of risk."""
    if not verdict.lines:
        return ""
    lines = "1 line" if verdict.lines == 1 else f"{verdict.lines} lines"
    forks = "1 branch or loop" if verdict.forks == 1 else f"{verdict.forks} branches and loops"
    return f"{lines}, {forks}" if verdict.forks else lines
