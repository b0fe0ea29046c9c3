"""Writes verdicts as a SARIF 2.1.0 log, for editors and code hosts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from workbench.records import Finding, JsonObject, Risk, Span, Verdict
from workbench.records.common_types import rank

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Risk.LOW: "note", Risk.MEDIUM: "warning", Risk.HIGH: "error", Risk.CRITICAL: "error"}


def sarif(verdicts: Iterable[tuple[str, Verdict]]) -> JsonObject:
    """Return one log with one run. Each program is an artifact with its given name."""
    every = list(verdicts)
    rules = sorted({finding.rule for _, verdict in every for finding in verdict.findings})
    driver: JsonObject = {
        "name": "MCP Workbench policy",
        "semanticVersion": f"{every[0][1].rules if every else '0'}.0.0",
        "rules": [{"id": rule} for rule in rules],
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "artifacts": [_artifact(name, verdict) for name, verdict in every],
                "results": [
                    _result(name, finding, number, rules)
                    for number, (name, verdict) in enumerate(every)
                    for finding in verdict.findings
                ],
            }
        ],
    }


def _artifact(name: str, verdict: Verdict) -> JsonObject:
    return {
        "location": {"uri": _uri(name)},
        "hashes": {"sha-256": verdict.sha},  # of the canonical text, which is what runs
        "description": {"text": verdict.sentence},
        "properties": {"risk": verdict.risk.value, "gate": verdict.gate.value},
    }


def _result(name: str, finding: Finding, artifact: int, rules: Sequence[str]) -> JsonObject:
    place: JsonObject = {"artifactLocation": {"uri": _uri(name), "index": artifact}, "region": _region(finding.span)}
    return {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": LEVELS[finding.risk],
        "rank": 25.0 * (rank(finding.risk) + 1),
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
        "properties": {"risk": finding.risk.value, "subject": finding.subject},
    }


def _region(span: Span) -> JsonObject:
    """Return the region of a span. Lines and columns start at 1; the end column is the one after the last character."""
    return {
        "startLine": span.line,
        "startColumn": span.column + 1,
        "endLine": max(span.end_line, span.line),
        "endColumn": max(span.end_column, span.column if span.end_line <= span.line else 0) + 1,
    }


def _uri(name: str) -> str:
    return quote(name, safe="/", errors="surrogateescape")
