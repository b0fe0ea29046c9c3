"""The exit codes of all commands. Scripts rely on them: printed by `--help`, never renumbered."""

from __future__ import annotations

DONE, FAULT, USAGE, BROKEN, NOT_RUNNING, TOOL_ERROR, UNANSWERED, REFUSED = range(8)
INTERRUPTED = 130  # as shells say it for Ctrl+C

MEANING = {
    DONE: "done",
    FAULT: "a fault, or a check that did not go as expected; the sentence is on stderr",
    USAGE: "wrong usage",
    BROKEN: "the audit is not whole",
    NOT_RUNNING: "no core runs",
    TOOL_ERROR: "the tool answered that it failed",
    UNANSWERED: "approval is needed first: --yes for a risky call, --allow for a new server, or a terminal",
    REFUSED: "the analysis or the user refused the program",
    INTERRUPTED: "interrupted",
}
