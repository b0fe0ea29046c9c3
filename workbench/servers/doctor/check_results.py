"""Constructors for the results of a check: good, doubt, bad, skipped."""

from __future__ import annotations

from workbench.records import Check, CheckState


def good(name: str, sentence: str, detail: str = "") -> Check:
    return Check(name, CheckState.GOOD, sentence, "", detail)


def doubt(name: str, sentence: str, fix: str = "", detail: str = "") -> Check:
    return Check(name, CheckState.DOUBT, sentence, fix, detail)


def bad(name: str, sentence: str, fix: str = "", detail: str = "") -> Check:
    return Check(name, CheckState.BAD, sentence, fix, detail)


def skipped(name: str, sentence: str, fix: str = "") -> Check:
    return Check(name, CheckState.SKIPPED, sentence, fix)
