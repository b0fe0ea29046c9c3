"""Why an open question about a program does not need an answer any more."""

from __future__ import annotations

from workbench.gui.text import one_line
from workbench.records import Fault, Run, RunState


def ending(run: Run) -> Fault:
    """How a run ended that was not decided here."""
    decision = run.decision
    by = f" by {one_line(decision.by, 60)}" if decision is not None and decision.by else ""
    if decision is not None and decision.allow:
        return Fault(f"This was allowed elsewhere{by}.")
    if run.state is RunState.REFUSED and decision is not None:
        return Fault(f"This was denied elsewhere{by}.", decision.reason)
    if run.state is RunState.REFUSED:
        return Fault("Time ran out: the program was refused.")
    if run.state in (RunState.STOPPED, RunState.INTERRUPTED):
        return Fault("This run was stopped; nobody has to decide any more.")
    return Fault("This run does not wait any more.")
