"""Turns a verdict into what happens next, given what the person has set; the rules' own word is never softened.

Blocked and refused stay as they are. A high or critical program always asks, whoever wrote it. One of medium risk asks
unless the person lets all of them pass, or there is nothing in it to decide (`mild.py`).
"""

from __future__ import annotations

from workbench.permissions.tool_annotations import unasked
from workbench.records import Gate, Risk, Verdict
from workbench.settings import Settings


def gate(verdict: Verdict, settings: Settings, *, force: bool = False) -> Gate:
    """Blocked, refused, ask or auto for this verdict under these settings; `force`: its author wants a person to look.
    What a rule of the person's allows weighs no more, except where the whole is critical."""
    if verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        return verdict.gate
    if force or verdict.asks:
        return Gate.ASK
    return Gate.AUTO if spared(verdict, settings) or unasked(weight(verdict), settings) else Gate.ASK


def spared(verdict: Verdict, settings: Settings) -> bool:
    """Whether nobody is asked only because there is nothing in it to decide; its calls are watched the closer."""
    return verdict.mild and settings.approval_auto_mild and not unasked(weight(verdict), settings)


def isolated_as(verdict: Verdict, settings: Settings) -> Risk:
    """The risk that isolation goes by: what only adds at a server can break out no better than what only reads."""
    return Risk.LOW if verdict.mild and settings.approval_auto_mild else weight(verdict)


def weight(verdict: Verdict) -> Risk:
    """The risk that is left when what a rule allows is taken off; of what is critical nothing is taken off."""
    if verdict.unsettled is None or verdict.risk is Risk.CRITICAL:
        return verdict.risk
    return verdict.unsettled
