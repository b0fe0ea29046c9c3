"""The one table of what a person can do. Menus, shortcuts, the palette and the help window are made from it.

Data only, no Qt: what an action does is bound by the pane it belongs to or by the window, and a test says that all are.
"""

from __future__ import annotations

from workbench.gui.action import LINKED, SERVER, Action
from workbench.gui.audit_actions import AUDIT_ACTIONS
from workbench.gui.call_actions import CALL_ACTIONS
from workbench.gui.editor_actions import EDITOR_ACTIONS
from workbench.gui.file_actions import FILE_ACTIONS
from workbench.gui.privacy_actions import PRIVACY_ACTIONS
from workbench.gui.registry_actions import REGISTRY_ACTIONS
from workbench.gui.run_actions import RUN_ACTIONS
from workbench.gui.skill_actions import SKILL_ACTIONS

UNLINKED = "unlinked"  # a person has to bring it back
SERVER_RUNS = "server-runs"
SERVER_RESTS = "server-rests"
SERVER_REMOTE = "server-remote"  # it is reached by an address
SERVER_PLAIN = "server-plain"  # its entry holds what looks like a secret


CATEGORIES = ("Workbench", "Servers", "Calls", "Programs", "Editor", "Runs", "Skills", "Files", "Audit", "View", "Help")
"""The menus, in order."""

SECTIONS = frozenset({
    "agent.connect", "secrets.open", "privacy.open", "core.sandbox", "window.close",
    "server.connect", "servers.all", "servers.import", "ask.answer",
    "calls.open", "tool.json", "result.find",
    "editor.reopen", "editor.comment", "editor.compare",
    "skill.new", "files.changes", "pane.next", "theme.switch", "layout.room",
})  # fmt: skip
"""Actions above which a menu has a line: a long menu is read in parts."""

ACTIONS: tuple[Action, ...] = (
    Action(
        "palette.open",
        "Search or run anything…",
        "Find any tool, resource, prompt or skill by what you mean, and any action or server by a few letters.",
        "Workbench",
        "search",
        "Ctrl+K",
    ),
    Action(
        "agent.connect",
        "Connect an agent…",
        "Show how an agent reaches this workbench, ready to copy.",
        "Workbench",
        "agent",
    ),
    Action(
        "agent.example",
        "Watch an agent ask",
        "Start a real example agent that proposes a program and waits for your decision.",
        "Workbench",
        "play",
        when=(LINKED,),
    ),
    Action(
        "secrets.open",
        "Secrets…",
        "Show which secrets are stored and where, add, replace or delete one.",
        "Workbench",
        "key",
        when=(LINKED,),
    ),
    Action(
        "network.open",
        "Network…",
        "Show which places programs may reach, what the project offers, and what was tried; add or remove a place.",
        "Workbench",
        "globe",
        when=(LINKED,),
    ),
    Action(
        "permissions.open",
        "What you allowed…",
        "Show every rule you made for programs, tools, servers and hosts, how often it decided, and revoke one.",
        "Workbench",
        "shield-check",
        when=(LINKED,),
    ),
    *PRIVACY_ACTIONS,
    Action(
        "core.sandbox",
        "Sandbox strength…",
        "Show what isolation this machine gives, as it was probed.",
        "Workbench",
        "shield",
        when=(LINKED,),
    ),
    Action(
        "core.tokens",
        "Tokens and savings…",
        "Show what programs cost and saved a model, for each conversation, and whether they pay with these tools.",
        "Workbench",
        "tokens",
        when=(LINKED,),
    ),
    Action(
        "core.again",
        "Connect to the core again",
        "Start the core and connect, after it could not be brought back by itself.",
        "Workbench",
        "reload",
        when=(UNLINKED,),
    ),
    Action(
        "window.close", "Close the window", "Close this window; agents keep the core.", "Workbench", "close", "Ctrl+Q"
    ),
    Action(
        "server.add",
        "Add a server…",
        "Write a server into the project's .mcp.json.",
        "Servers",
        "plus",
        "Ctrl+Shift+N",
        (LINKED,),
    ),
    Action(
        "server.connect",
        "Connect server",
        "Start the server; its full command is shown before a first start.",
        "Servers",
        "plug",
        when=(LINKED, SERVER_RESTS),
    ),
    Action(
        "server.disconnect",
        "Disconnect server",
        "Stop the server's process.",
        "Servers",
        "unplug",
        when=(LINKED, SERVER_RUNS),
    ),
    Action(
        "server.restart",
        "Restart server",
        "Stop the server and start it again, for instance after its code has changed; forms keep what is in them.",
        "Servers",
        "refresh",
        "Ctrl+F5",
        (LINKED, SERVER_RUNS),
    ),
    Action(
        "server.open",
        "Open server",
        "Show everything about the server: how it runs, what it offers, what it says.",
        "Servers",
        "server",
        "Ctrl+I",
        (LINKED, SERVER),
    ),
    Action(
        "server.doctor",
        "Diagnose server",
        "Check the command or the address, the way there, the first answer and the protocol, one by one.",
        "Servers",
        "search",
        when=(LINKED, SERVER),
    ),
    Action(
        "server.sign_in",
        "Sign in at server…",
        "Open the page where you sign in at a server at an address, and see each step.",
        "Servers",
        "user",
        when=(LINKED, SERVER_REMOTE),
    ),
    Action(
        "server.move_secrets",
        "Move secrets out of .mcp.json…",
        "Keep what looks like a secret in its entry in the keyring, and refer to it there.",
        "Servers",
        "key",
        when=(LINKED, SERVER_PLAIN),
    ),
    *REGISTRY_ACTIONS,
    Action(
        "servers.reload",
        "Read .mcp.json again",
        "Take over what somebody changed in the file.",
        "Servers",
        "reload",
        "F5",
        (LINKED,),
    ),
    Action(
        "demo.connect",
        "Connect the demo server",
        "Start the built-in demo server; it works offline.",
        "Servers",
        "server",
        when=(LINKED,),
    ),
    Action(
        "ask.answer",
        "Answer a request of a server",
        "Open the oldest request of a server for your input.",
        "Servers",
        "message",
        "Ctrl+Shift+J",
        (LINKED,),
    ),
    Action(
        "held_call.decide",
        "Decide on a waiting call",
        "Open the call that waits in the middle of a run, the one whose time ends first.",
        "Programs",
        "hourglass",
        "Ctrl+Shift+G",
        (LINKED,),
    ),
    Action("servers.find", "Find a tool", "Go to the filter above the servers.", "Servers", "search", "Ctrl+Shift+F"),
    *CALL_ACTIONS,
    Action(
        "front.start",
        "Run what is in front",
        "Call the open tool, or run the program in the editor.",
        "Programs",
        "play",
        "Ctrl+Return",
        (LINKED,),
    ),
    Action(
        "editor.go_on",
        "Run and keep the variables",
        "Run the program in the editor where the last one run this way stopped: with its variables and imports.",
        "Programs",
        "layers",
        "Ctrl+Shift+Return",
        (LINKED,),
    ),
    Action(
        "editor.dry_run",
        "Start a dry run",
        "Run the program in the editor with its side effects held back, then choose which of them it may really do.",
        "Programs",
        "list",
        "Ctrl+Alt+Return",
        (LINKED,),
    ),
    Action(
        "tool.json",
        "Switch between form and JSON",
        "Edit the tool's arguments the other way.",
        "Programs",
        "code",
        "Ctrl+J",
    ),
    Action(
        "tool.paste",
        "Paste JSON as arguments",
        "Fill the open tool's form from the clipboard.",
        "Programs",
        "copy",
        "Ctrl+Shift+V",
    ),
    Action(
        "tool.reset",
        "Reset the form",
        "Give the open tool's form its first values again.",
        "Programs",
        "refresh",
        "Ctrl+Shift+R",
    ),
    Action(
        "tool.back",
        "Bring back the last arguments",
        "Fill the form with what was sent or replaced last.",
        "Programs",
        "undo",
    ),
    Action("result.find", "Find", "Search in the program or the answer in front.", "Programs", "search", "Ctrl+F"),
    Action("result.save", "Save the result…", "Write the whole answer into a file.", "Programs", "save"),
    Action(
        "editor.show",
        "Write a program",
        "Go to the editor, where a program can use every tool.",
        "Programs",
        "code",
        "Ctrl+E",
    ),
    *EDITOR_ACTIONS,
    *RUN_ACTIONS,
    Action(
        "states.open",
        "REPL sessions…",
        "Show whose variables are kept between programs, how much memory they take, and end one.",
        "Runs",
        "layers",
        when=(LINKED,),
    ),
    *SKILL_ACTIONS,
    *AUDIT_ACTIONS,
    *FILE_ACTIONS,
    Action(
        "pane.servers",
        "Go to Servers",
        "Put the keyboard into the list of servers and tools.",
        "View",
        "server",
        "Ctrl+1",
    ),
    Action(
        "pane.centre",
        "Go to the centre",
        "Put the keyboard into the tool, editor or welcome page.",
        "View",
        "layout",
        "Ctrl+2",
    ),
    Action("pane.runs", "Go to Runs", "Put the keyboard into the list of runs.", "View", "hourglass", "Ctrl+3"),
    Action("pane.output", "Go to Output", "Put the keyboard into the output of runs.", "View", "terminal", "Ctrl+4"),
    Action("pane.audit", "Go to Audit", "Put the keyboard into the audit.", "View", "list", "Ctrl+5"),
    Action("pane.skills", "Go to Skills", "Put the keyboard into the skill library.", "View", "book", "Ctrl+6"),
    Action(
        "pane.calls", "Go to Calls", "Put the keyboard into saved calls and the history.", "View", "history", "Ctrl+7"
    ),
    Action("pane.files", "Go to Files", "Put the keyboard into the files of programs.", "View", "folder", "Ctrl+8"),
    Action("pane.next", "Next pane", "Move the keyboard to the next pane.", "View", "arrow-right", "F6"),
    Action(
        "pane.previous", "Previous pane", "Move the keyboard to the pane before.", "View", "chevron-left", "Shift+F6"
    ),
    Action(
        "theme.switch",
        "Switch between light and dark",
        "Change the colours of the window.",
        "View",
        "moon",
        "Ctrl+Shift+L",
    ),
    Action("theme.system", "Follow the system's colours", "Be light or dark as the desktop is.", "View", "sun"),
    Action(
        "layout.room",
        "Give the centre more room",
        "Put the panes at the right and below away, or bring them back.",
        "View",
        "layout",
        "F9",
    ),
    Action("layout.reset", "Reset layout", "Give every pane its first place again.", "View", "layout"),
    Action("welcome.show", "Welcome page", "Show the three ways to use the workbench.", "Help", "home"),
    Action(
        "help.machine",
        "Check this machine…",
        "Look whether this machine and this project have what the workbench needs.",
        "Help",
        "shield-check",
        when=(LINKED,),
    ),
    Action("help.open", "All actions and keys", "List all commands.", "Help", "help", "F1"),
)


def action_named(name: str) -> Action:
    """The action of that id; asking for one that is not in the table is our own fault."""
    return next(action for action in ACTIONS if action.id == name)
