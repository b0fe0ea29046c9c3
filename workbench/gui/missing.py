"""Why an action cannot be done now: for each condition of the table, what is missing where it does not hold."""

from __future__ import annotations

from workbench.gui.action import EDITOR, LINKED, SERVER, SERVER_REMOVABLE, SERVER_REMOVED
from workbench.gui.actions import SERVER_PLAIN, SERVER_REMOTE, SERVER_RESTS, SERVER_RUNS, UNLINKED
from workbench.gui.audit_actions import ENTRY_RUN
from workbench.gui.call_actions import CALL, REMOVED_CALL, SAVED_CALL
from workbench.gui.file_actions import CHANGED, FILE, PLAIN_FILE
from workbench.gui.run_actions import FINDINGS, KEEPABLE, RECORDABLE, STOPPABLE, WAITING
from workbench.gui.skill_actions import DRAFT, KEPT, LIVING, RETIRED, SKILL

MISSING = {
    LINKED: "the core is not connected",
    UNLINKED: "the core is connected",
    EDITOR: "no program is in front",
    SERVER: "no server is chosen",
    SERVER_REMOVABLE: "no server of .mcp.json is chosen",
    SERVER_REMOVED: "no server was removed",
    SERVER_RUNS: "no running server is chosen",
    SERVER_RESTS: "no stopped server is chosen",
    SERVER_REMOTE: "no server at an address is chosen",
    SERVER_PLAIN: "no server with a plain secret is chosen",
    ENTRY_RUN: "no entry of a run is chosen",
    CALL: "no call is chosen",
    SAVED_CALL: "no call is saved",
    REMOVED_CALL: "no call was removed",
    FILE: "no file is chosen",
    PLAIN_FILE: "no plain file is chosen",
    CHANGED: "no change is chosen",
    WAITING: "no run is waiting",
    FINDINGS: "no run with findings is chosen",
    STOPPABLE: "no run is under way",
    KEEPABLE: "no run that went well is in the output",
    RECORDABLE: "no run with calls is in the output",
    SKILL: "no skill is chosen",
    DRAFT: "no draft is chosen",
    KEPT: "no kept skill is chosen",
    LIVING: "no skill is chosen",
    RETIRED: "no retired skill is chosen",
}
