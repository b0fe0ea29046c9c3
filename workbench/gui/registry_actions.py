"""The part of the action table about the list of servers: its entries, their order, and other apps."""

from __future__ import annotations

from workbench.gui.action import LINKED, SERVER, SERVER_REMOVABLE, SERVER_REMOVED, Action

REGISTRY_ACTIONS: tuple[Action, ...] = (
    Action(
        "servers.all",
        "All servers",
        "Compare all servers side by side: state, speed, memory, calls and errors.",
        "Servers",
        "list",
        "Ctrl+Shift+I",
        (LINKED,),
    ),
    Action(
        "server.edit",
        "Edit server…",
        "Change its name, command or address, category, and what goes with it.",
        "Servers",
        "pencil",
        "F2",
        (LINKED, SERVER_REMOVABLE),
    ),
    Action(
        "server.trust",
        "Trust server…",
        "Choose whether to trust the server's annotations, and allow or deny its tools for programs.",
        "Servers",
        "shield",
        when=(LINKED, SERVER),
    ),
    Action(
        "server.duplicate",
        "Duplicate server",
        "Write the same entry once more, under a free name.",
        "Servers",
        "copy",
        when=(LINKED, SERVER_REMOVABLE),
    ),
    Action(
        "server.switch",
        "Enable or disable server",
        'Write "disabled" into its entry, as other clients understand it, or take it out.',
        "Servers",
        "pause",
        when=(LINKED, SERVER_REMOVABLE),
    ),
    Action(
        "server.up",
        "Move server up",
        "Change the order, here and in .mcp.json; Alt+Up does it in the list.",
        "Servers",
        "chevron-up",
        when=(LINKED, SERVER_REMOVABLE),
    ),
    Action(
        "server.down",
        "Move server down",
        "Change the order, here and in .mcp.json; Alt+Down does it in the list.",
        "Servers",
        "chevron-down",
        when=(LINKED, SERVER_REMOVABLE),
    ),
    Action(
        "server.restore",
        "Put the removed server back",
        "Undo the last removal: its entry comes back as it was, and where it was.",
        "Servers",
        "undo",
        when=(LINKED, SERVER_REMOVED),
    ),
    Action(
        "server.remove",
        "Remove server",
        "Take the server out of the project's .mcp.json; it can be put back.",
        "Servers",
        "trash",
        when=(LINKED, SERVER_REMOVABLE),
    ),
    Action(
        "servers.import",
        "Import servers from other apps…",
        "Take over servers from Claude, Cursor, VS Code and others; off until you tick them.",
        "Servers",
        "download",
        when=(LINKED,),
    ),
    Action(
        "servers.export",
        "Write servers to another app…",
        "Put servers of this project into another app's settings, after you saw every line.",
        "Servers",
        "external",
        when=(LINKED,),
    ),
)
