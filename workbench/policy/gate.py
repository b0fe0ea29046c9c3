"""Turns a verdict into what happens next, given what the person has set; the rules' own word is never softened.

Blocked and refused stay as they are. A high or critical program always asks, whoever wrote it.
"""

from __future__ import annotations

from workbench.records import Gate, Risk, Verdict
from workbench.settings import Settings


def gate(verdict: Verdict, settings: Settings) -> Gate:
    """Blocked, refused, ask or auto for this verdict under these settings."""
    if verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        return verdict.gate
    allowed = {Risk.LOW: settings.approval_auto_low, Risk.MEDIUM: settings.approval_auto_medium}
    return Gate.AUTO if allowed.get(verdict.risk, False) else Gate.ASK
