"""Says why a program that was put before the user no longer waits."""

from __future__ import annotations

from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import was_denied
from workbench.records import Fault, Origin, Run, RunState


def how_it_ended(run: Run) -> Fault:
    """Why a run that was decided elsewhere no longer waits."""
    decision = run.decision
    by = f" by {one_line(decision.by, 60)}" if decision is not None and decision.by else ""
    if was_released(run):
        return Fault(f"The program runs now{by}.")
    if decision is not None and decision.allow:
        return Fault(f"This program was allowed elsewhere{by}.")
    if (was_denied(run) or run.denied_until) and decision is not None:
        return Fault(f"This program was denied elsewhere{by}.", decision.reason)
    if was_denied(run):
        own = run.proposal.origin is Origin.PERSON
        hint = "You can run it again." if own else "Its author can ask again."
        return Fault("Time is up: the program was denied.", hint)
    if run.state in (RunState.STOPPED, RunState.INTERRUPTED):
        return Fault("This run was stopped, so there is nothing left to decide.")
    return Fault("This program no longer waits.")


def was_released(run: Run) -> bool:
    """Whether it started by a rule, or because it needs no approval any more after a decision about a server."""
    decision = run.decision  # by "your rule of …", "your rules" or "your decision about …"
    return decision is not None and decision.allow and decision.by.startswith("your ")
