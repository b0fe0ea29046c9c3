"""Decides whether the user is asked about a program, from its verdict and the settings.

Blocked and refused programs stay so. A program of high or critical risk always asks, whoever wrote it. One of medium
risk asks unless the user lets all of them pass, or it only adds data (`additive_programs.py`).
"""

from __future__ import annotations

from workbench.permissions.tool_annotations import unasked
from workbench.records import Gate, Risk, Verdict
from workbench.settings import Settings


def decide_gate(verdict: Verdict, settings: Settings, *, force: bool = False) -> Gate:
    """Blocked, refused, ask or auto for this verdict under these settings; `force`: its author wants a person to look.
    What a rule of the person's allows weighs no more, except where the whole is critical."""
    if verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        return verdict.gate
    if force or verdict.asks:
        return Gate.ASK
    return (
        Gate.AUTO
        if is_auto_approved_as_additive(verdict, settings) or unasked(residual_risk(verdict), settings)
        else Gate.ASK
    )


def is_auto_approved_as_additive(verdict: Verdict, settings: Settings) -> bool:
    """Whether nobody is asked only because there is nothing in it to decide; its calls are watched the closer."""
    return verdict.mild and settings.approval_auto_mild and not unasked(residual_risk(verdict), settings)


def isolation_risk(verdict: Verdict, settings: Settings) -> Risk:
    """The risk that isolation goes by: what only adds at a server can break out no better than what only reads."""
    return Risk.LOW if verdict.mild and settings.approval_auto_mild else residual_risk(verdict)


def residual_risk(verdict: Verdict) -> Risk:
    """The risk that is left when what a rule allows is taken off; of what is critical nothing is taken off."""
    if verdict.unsettled is None or verdict.risk is Risk.CRITICAL:
        return verdict.risk
    return verdict.unsettled
