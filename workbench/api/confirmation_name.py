"""The name that a user types before a risky program is allowed, the same in a window and in a terminal."""

from __future__ import annotations

from typing import Final

from workbench.records import Risk, Verdict

LONGEST: Final = 80  # letters that anybody would type
_ORDER: Final = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)


def confirmation_name(verdict: Verdict) -> str:
    """The tool or target that makes a program risky; a short word where nothing has a name."""
    worst = sorted(verdict.findings, key=lambda finding: -_ORDER.index(finding.risk))
    named = [finding.subject.strip() for finding in worst if finding.subject.strip()]
    used = [use.tool for use in verdict.tools]
    return next((name for name in (*named, *used) if len(name) <= LONGEST and name.isprintable()), "allow")
