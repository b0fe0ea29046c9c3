"""What a person can do with the audit: the part of the table that its pane binds."""

from __future__ import annotations

from workbench.gui.action import LINKED, Action

ENTRY_RUN = "entry-run"  # an entry of a run is chosen in the audit

AUDIT_ACTIONS: tuple[Action, ...] = (
    Action(
        "audit.verify",
        "Verify the audit",
        "Check that no entry of the audit was changed or taken out.",
        "Audit",
        "shield-check",
        when=(LINKED,),
    ),
    Action("audit.find", "Search the audit", "Go to the audit's filter.", "Audit", "search", "Ctrl+Shift+A"),
    Action(
        "audit.filter",
        "Filter the audit by…",
        "Choose a time, an agent, a session, a server, a tool, a risk or an outcome to see entries of only.",
        "Audit",
        "filter",
        "Ctrl+Alt+F",
        (LINKED,),
    ),
    Action(
        "audit.road",
        "Show timeline",
        "Show each step of the chosen entry's run, how long it took, and the calls in it.",
        "Audit",
        "list",
        "Ctrl+Alt+T",
        (LINKED, ENTRY_RUN),
    ),
    Action(
        "audit.dashboard",
        "Dashboard…",
        "See tokens saved, runs by risk, times of servers, hidden personal data, how you decide; and make a report.",
        "Audit",
        "chart",
        "Ctrl+Alt+D",
        (LINKED,),
    ),
    Action(
        "audit.export",
        "Export these entries…",
        "Write the entries that are listed, with the hashes that chain them, into a JSON or CSV file.",
        "Audit",
        "download",
        when=(LINKED,),
    ),
)
