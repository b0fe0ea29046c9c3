"""What a person can do with runs: the part of the table that the list of runs binds."""

from __future__ import annotations

from workbench.gui.action import LINKED, Action

WAITING = "waiting"  # a run waits for a decision
FINDINGS = "findings"  # a run whose reading found something is chosen
STOPPABLE = "stoppable"  # a run that can be stopped is chosen or under way
KEEPABLE = "keepable"  # the run in the output can become a skill
RECORDABLE = "recordable"  # the calls of the run in the output can become a recording

RUN_OFFERS = (KEEPABLE, RECORDABLE)

RUN_ACTIONS: tuple[Action, ...] = (
    Action(
        "run.review",
        "Review the waiting run",
        "Open the approval of the run whose time ends first.",
        "Runs",
        "hourglass",
        "Ctrl+R",
        (LINKED, WAITING),
    ),
    Action(
        "run.dry_run",
        "Start a dry run of the waiting program",
        "Run the chosen waiting program with its side effects held back; it goes on waiting for your answer.",
        "Runs",
        "list",
        "Ctrl+Alt+R",
        (LINKED, WAITING),
    ),
    Action(
        "run.sarif",
        "Save findings as SARIF…",
        "Write what was found in the program of the chosen run into a file that editors and code hosts read.",
        "Runs",
        "save",
        "",
        (LINKED, FINDINGS),
    ),
    Action(
        "run.stop",
        "Stop the run",
        "End the chosen run, or the only one under way.",
        "Runs",
        "stop",
        "Ctrl+.",
        (LINKED, STOPPABLE),
    ),
    Action(
        "run.keep",
        "Keep the run as a skill…",
        "Make a skill of the program in the output, for agents to use again.",
        "Runs",
        "bookmark",
        "Ctrl+Shift+K",
        (LINKED, KEEPABLE),
    ),
    Action(
        "run.record",
        "Record the run for tests…",
        "Test a skill against what the run in the output asked and was told.",
        "Runs",
        "history",
        when=(LINKED, RECORDABLE),
    ),
)
