"""What several findings mean together: a secret read and a way out, an encoded blob and code that is run."""

from __future__ import annotations

from workbench.policy.calls import outward
from workbench.policy.report import Report
from workbench.policy.tables.patterns import BLOB, HEX_ESCAPES, SHORTEST_BLOB
from workbench.records import EffectKind, Risk, Span


def look_at_text(report: Report, text: str) -> None:
    """Things that are seen in the text itself, before it is read as a program."""
    long = any(len(line) >= SHORTEST_BLOB for line in text.split("\n"))
    if match := BLOB.search(text) if long else None:
        span = _span(text, match.start(), match.end())
        report.fact("blob", span)
        report.add("text.blob", Risk.LOW, f"Holds {len(match.group())} characters of encoded data", span)
    if match := HEX_ESCAPES.search(text) if "\\x" in text else None:
        words = "Readable text is written as \\x escapes"
        report.add("text.escapes", Risk.MEDIUM, words, _span(text, match.start(), match.end()), effect=EffectKind.MAY)


def conclude(report: Report) -> None:
    """Add what follows from findings together."""
    facts = report.facts
    if "sensitive" in facts and "out" in facts:
        words = "Reads something sensitive and has a way to send it out"
        report.add("flow.sensitive", Risk.CRITICAL, words, facts["out"], effect=_certainty(report), reversible=False)
    if "blob" in facts and "code" in facts:
        words = "Holds encoded data and runs text as code: what runs cannot be read here"
        report.add("code.blob", Risk.CRITICAL, words, facts["code"], effect=EffectKind.MAY)


def _certainty(report: Report) -> EffectKind:
    """Refused only when each way out is: a tool that sends is a real one, and so is a host that may be reached."""
    if report.opened:
        return EffectKind.MAY
    return (
        EffectKind.REFUSED
        if report.facts["out"] == report.facts.get("network") and not _tools_send(report)
        else EffectKind.MAY
    )


def _tools_send(report: Report) -> bool:
    return report.dynamic or any(outward(use.tool) for use in report.uses.values())


def _span(text: str, start: int, end: int) -> Span:
    line, column = text.count("\n", 0, start) + 1, start - (text.rfind("\n", 0, start) + 1)
    return Span(line, column, line, column + end - start)
