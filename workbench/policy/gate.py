"""Turns a verdict into what happens next, given what the person has set; the rules' own word is never softened.

Blocked and refused stay as they are. A high or critical program always asks, whoever wrote it.
"""

from __future__ import annotations

from workbench.records import Gate, Risk, Verdict
from workbench.settings import Settings


def gate(verdict: Verdict, settings: Settings, *, force: bool = False) -> Gate:
    """Blocked, refused, ask or auto for this verdict under these settings; `force`: its author wants a person to look.
    What a rule of the person's allows weighs no more, except where the whole is critical."""
    if verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        return verdict.gate
    if force or verdict.asks:
        return Gate.ASK
    settled = verdict.unsettled is not None and verdict.risk is not Risk.CRITICAL
    risk = verdict.unsettled if settled else verdict.risk
    allowed = {Risk.LOW: settings.approval_auto_low, Risk.MEDIUM: settings.approval_auto_medium}
    return Gate.AUTO if risk is not None and allowed.get(risk, False) else Gate.ASK
