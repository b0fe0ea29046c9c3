"""What a program touches in all, in a few rows below its effects, and how much there is to read."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from workbench.records import Verdict

_MOST = 12  # names in one row; how many more there are is said


def impact_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """A title and its words for each row; none for a verdict that knows nothing of it."""
    found = verdict.impact
    rows = [
        (_word("Changes"), _names(found.changed)),
        (_word("Reads"), _names(found.read)),
        (_word("Tries to contact"), _names(found.networks)),
        (_word("Tries to run"), _names(found.commands)),
        (_word("Tools that send"), _names(found.tools.get("sends", ()))),
        (_word("Tools that change"), _names(found.tools.get("changes", ()))),
        (_word("Tools that add"), _names(found.tools.get("adds", ()))),
        (_word("Tools that read"), _names(found.tools.get("reads", ()))),
        (_word("Cannot be undone"), _count(found.lasting)),
        (_word("Known at run time only"), _count(found.unnamed)),
        (_word("To read"), _effort(verdict)),
    ]
    return [(title, words) for title, words in rows if words]


def _names(names: tuple[str, ...]) -> str:
    more = _word(" and {0} more").format(len(names) - _MOST) if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def _count(number: int) -> str:
    return "" if not number else _word("1 effect") if number == 1 else _word("{0} effects").format(number)


def _effort(verdict: Verdict) -> str:
    """Says how long reading takes; it is no sign of risk."""
    if not verdict.lines:
        return ""
    lines = _word("1 line") if verdict.lines == 1 else _word("{0} lines").format(verdict.lines)
    forks = _word("1 branch or loop") if verdict.forks == 1 else _word("{0} branches and loops").format(verdict.forks)
    return f"{lines}, {forks}" if verdict.forks else lines


def _word(text: str) -> str:
    return QCoreApplication.translate("ImpactRows", text)
