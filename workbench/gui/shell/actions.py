"""The one table of what the user can do. Menus, shortcuts, the palette and the help window are made from it."""

from __future__ import annotations

from dataclasses import dataclass

LINKED = "linked"  # the core is connected
EDITOR = "editor"  # the editor is in front
SERVER = "server"  # a server is chosen
SERVER_REMOVABLE = "server-removable"
SERVER_REMOVED = "server-removed"  # one can be put back


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do."""

    id: str
    text: str
    help: str  # one sentence
    category: str
    icon: str = ""
    keys: str = ""
    when: tuple[str, ...] = ()  # all of these must hold
    checkable: bool = False
    group: str = ""  # the submenu it stands in


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


CALL = "call"  # a call in the pane of calls is chosen
SAVED_CALL = "saved-call"  # there are saved calls
REMOVED_CALL = "removed-call"  # a saved call was taken away and can come back

CALL_ACTIONS: tuple[Action, ...] = (
    Action(
        "tool.save",
        "Save the open call…",
        "Save what is in the open form as a file of the project.",
        "Calls",
        "save",
        "Ctrl+Shift+S",
        (LINKED,),
    ),
    Action(
        "tool.copy",
        "Save or copy the open call",
        "Open the menu below the form: Python, JSON-RPC, curl, command line.",
        "Calls",
        "copy",
        "Ctrl+Shift+C",
        (LINKED,),
    ),
    Action(
        "tool.trust",
        "Trust of the open tool",
        "Show the rules about it and what you say of it in place of its server's hints.",
        "Calls",
        "shield",
        when=(LINKED,),
    ),
    Action(
        "calls.open",
        "Open call",
        "Show the call in its tool's form, with its arguments.",
        "Calls",
        "tool",
        when=(LINKED, CALL),
    ),
    Action(
        "calls.again",
        "Call again",
        "Check a saved call, or repeat one of the history in its form.",
        "Calls",
        "play",
        when=(LINKED, CALL),
    ),
    Action(
        "calls.check",
        "Check every saved call",
        "Make all saved calls in their order and compare the answers; risky ones are left out.",
        "Calls",
        "shield-check",
        when=(LINKED, SAVED_CALL),
    ),
    Action(
        "calls.keep",
        "Save or change call…",
        "Give the call a name, a collection and what is expected of its answer.",
        "Calls",
        "bookmark",
        when=(LINKED, CALL),
    ),
    Action(
        "calls.remove",
        "Delete saved call",
        "Take away a saved call, which can be brought back, or forget one of the history.",
        "Calls",
        "trash",
        when=(LINKED, CALL),
    ),
    Action(
        "calls.undo",
        "Bring the removed call back",
        "Put the saved call that was just removed back where it was.",
        "Calls",
        "undo",
        when=(LINKED, REMOVED_CALL),
    ),
    Action(
        "history.clear",
        "Clear the history…",
        "Forget every call that was kept, for good; saved calls stay.",
        "Calls",
        "close",
        when=(LINKED,),
    ),
)


_HERE = (EDITOR,)


_TABS, _SEEK, _NAMES, _PROBLEMS, _LOOKS = "Tabs", "Find and go to", "Names", "Problems", "Font and theme"
"""The submenus, so that the menu fits a low screen."""


def _action(name: str, text: str, words: str, icon: str, keys: str = "", group: str = "") -> Action:
    return Action(f"editor.{name}", text, words, "Editor", icon, keys, _HERE, group=group)


EDITOR_ACTIONS: tuple[Action, ...] = (
    _action("new", "New program", "Begin an empty program in a tab of its own.", "plus", "Ctrl+T"),
    _action("open", "Open a file…", "Open a program, a JSON, Markdown or TOML file in a tab.", "folder", "Ctrl+O"),
    _action("save", "Save", "Write the program to its file. A new program asks for a file name.", "save", "Ctrl+S"),
    _action("save_as", "Save as…", "Write the program to another file.", "save", "Ctrl+Alt+S"),
    _action("rename", "Rename…", "Give the tab another name, and its file with it.", "pencil", "Shift+F2"),
    _action("close", "Close the tab", "Close the program in front; its text can be brought back.", "close", "Ctrl+W"),
    _action(
        "reopen",
        "Reopen the closed tab",
        "Bring back the tab that was closed last.",
        "undo",
        "Ctrl+Shift+T",
        group=_TABS,
    ),
    _action("next_tab", "Next program", "Go to the tab at the right.", "arrow-right", "Ctrl+Tab", group=_TABS),
    _action(
        "previous_tab", "Previous program", "Go to the tab at the left.", "arrow-left", "Ctrl+Shift+Tab", group=_TABS
    ),
    _action(
        "move_right",
        "Move the tab right",
        "Change places with the tab at the right.",
        "arrow-right",
        "Ctrl+Shift+PgDown",
        group=_TABS,
    ),
    _action(
        "move_left",
        "Move the tab left",
        "Change places with the tab at the left.",
        "arrow-left",
        "Ctrl+Shift+PgUp",
        group=_TABS,
    ),
    _action(
        "replace",
        "Find and replace",
        "Open the bar to find and replace with, also by regular expressions.",
        "search",
        "Ctrl+H",
        group=_SEEK,
    ),
    _action("find_next", "Find the next place", "Go to the next hit.", "chevron-down", "F3", group=_SEEK),
    _action("find_previous", "Find the place before", "Go to the hit before.", "chevron-up", "Shift+F3", group=_SEEK),
    _action(
        "line",
        "Go to line or symbol…",
        "Type a line's number, or letters of a function, class or heading.",
        "list",
        "Ctrl+G",
        group=_SEEK,
    ),
    _action(
        "comment", "Comment or uncomment", "Make the chosen lines comments, or take that back.", "message", "Ctrl+/"
    ),
    _action(
        "complete",
        "Propose names",
        "Show what may be written here: tools, skills, and the standard library.",
        "bolt",
        "Ctrl+Space",
        group=_NAMES,
    ),
    _action(
        "call",
        "Show the call's parameters",
        "Show the parameters of the call the cursor is in.",
        "info",
        "Ctrl+Shift+Space",
        group=_NAMES,
    ),
    _action(
        "explain",
        "Explain the name",
        "Show what the name at the cursor stands for, and what was found there.",
        "help",
        "Ctrl+F1",
        group=_NAMES,
    ),
    _action(
        "problem",
        "Next problem",
        "Go to the next underlined place and say what is wrong.",
        "alert",
        "F8",
        group=_PROBLEMS,
    ),
    _action(
        "problem_before", "Problem before", "Go to the underlined place before.", "alert", "Shift+F8", group=_PROBLEMS
    ),
    _action(
        "problems",
        "All problems…",
        "List everything that was found in this program.",
        "list",
        "Ctrl+Shift+M",
        group=_PROBLEMS,
    ),
    _action(
        "compare",
        "Compare with…",
        "Show line by line what differs from the file, a skill, a run or another tab.",
        "copy",
        "Ctrl+Shift+D",
    ),
    _action("history", "Earlier runs…", "Open the program of an earlier run in a tab.", "history", "Ctrl+Shift+H"),
    _action("larger", "Larger letters", "Show programs larger.", "plus", "Ctrl++", group=_LOOKS),
    _action("smaller", "Smaller letters", "Show programs smaller.", "minus", "Ctrl+-", group=_LOOKS),
    _action("usual", "Usual letters", "Show programs as large as the window's text.", "eye", "Ctrl+0", group=_LOOKS),
    _action(
        "scheme",
        "Colours of code…",
        "Choose a colour scheme for programs, one for light and one for dark.",
        "sun",
        group=_LOOKS,
    ),
)
"""All of them need the editor in front."""


FILE = "file"  # a file or folder is chosen
PLAIN_FILE = "plain-file"  # it is a file that can be copied out
CHANGED = "changed"  # what somebody changed is chosen

FILE_ACTIONS: tuple[Action, ...] = (
    Action("files.find", "Find a file", "Go to the filter above the files.", "Files", "search", "Ctrl+Shift+O"),
    Action(
        "files.open",
        "Show file",
        "Show a file of the workspace: text, tree, table or picture.",
        "Files",
        "eye",
        when=(LINKED, FILE),
    ),
    Action(
        "files.new", "New file…", "Make a text file in the chosen folder.", "Files", "plus", "Ctrl+Alt+N", (LINKED,)
    ),
    Action("files.folder", "New folder…", "Make a folder in the chosen one.", "Files", "folder", when=(LINKED,)),
    Action(
        "files.rename",
        "Rename or move…",
        "Give the chosen file or folder another name or place.",
        "Files",
        "pencil",
        when=(LINKED, FILE),
    ),
    Action(
        "files.remove",
        "Delete files…",
        "Delete them from the workspace; “Changes” brings them back.",
        "Files",
        "trash",
        when=(LINKED, FILE),
    ),
    Action(
        "files.bring",
        "Bring files in…",
        "Copy files of yours into the workspace; they can be dropped on the pane, too.",
        "Files",
        "download",
        when=(LINKED,),
    ),
    Action(
        "files.take",
        "Save a copy elsewhere…",
        "Copy the chosen file out of the workspace.",
        "Files",
        "save",
        when=(LINKED, PLAIN_FILE),
    ),
    Action("files.copy_path", "Copy the path", "Copy where the chosen file lies.", "Files", "copy", when=(FILE,)),
    Action(
        "files.outside",
        "Show in the file manager",
        "Open the folder of the chosen file in your file manager.",
        "Files",
        "external",
    ),
    Action(
        "files.changes",
        "Changes",
        "List the runs and actions that changed files, newest first.",
        "Files",
        "history",
        "Ctrl+Shift+U",
        (LINKED,),
    ),
    Action(
        "files.undo",
        "Undo changes…",
        "Show what taking these changes back would do, and do it.",
        "Files",
        "undo",
        "Ctrl+Alt+Z",
        (LINKED, CHANGED),
    ),
    Action(
        "files.forget",
        "Forget earlier states…",
        "Delete what is kept for undoing; files stay as they are.",
        "Files",
        "archive",
        when=(LINKED,),
    ),
    Action(
        "cache.clear",
        "Clear kept answers",
        "Forget the answers of tools that are kept for programs.",
        "Files",
        "refresh",
        when=(LINKED,),
    ),
)


PAGES = {"hidden": "privacy.open", "try": "privacy.try", "marks": "privacy.marks", "kinds": "privacy.kinds"}
"""Which action opens which page."""

PRIVACY_ACTIONS: tuple[Action, ...] = (
    Action(
        "privacy.open",
        "Personal data…",
        "Show what was hidden from models in each conversation, where it came from and where it went.",
        "Workbench",
        "eye-off",
        "Ctrl+Shift+P",
        (LINKED,),
    ),
    Action(
        "privacy.try",
        "Try the detector",
        "Paste a text or JSON and see what would be hidden of it, why, and what a model would read.",
        "Workbench",
        "search",
        when=(LINKED,),
    ),
    Action(
        "privacy.marks",
        "What you marked as personal or harmless",
        "Show and take back what you said was missed or is not personal; add a value, a pattern or a key.",
        "Workbench",
        "bookmark",
        when=(LINKED,),
    ),
    Action(
        "privacy.kinds",
        "Kinds of personal data",
        "Choose which kinds are looked for, how eagerly, and whether anything is hidden at all.",
        "Workbench",
        "settings",
        when=(LINKED,),
    ),
)


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


SKILL = "skill"  # a skill is chosen
DRAFT = "draft"  # a draft is chosen
KEPT = "kept"  # a kept skill is chosen
LIVING = "living"  # a skill that is not retired is chosen
RETIRED = "retired"  # a retired one is chosen


def _skill_action(name: str, text: str, words: str, symbol: str, *when: str, keys: str = "") -> Action:
    return Action(name, text, words, "Skills", symbol, keys, (LINKED, *when))


SKILL_ACTIONS: tuple[Action, ...] = (
    _skill_action("skill.show", "Show skill", "Open its page: card, code, versions, tests.", "book", SKILL),
    _skill_action("skill.open", "Open skill", "Show the skill's program in the editor.", "pencil", SKILL),
    _skill_action("skill.run", "Run skill…", "Fill in its arguments and run it.", "play", LIVING),
    _skill_action("skill.test", "Test skill", "Play its recordings, offline, and say what differs.", "check", LIVING),
    _skill_action("skill.keep", "Keep draft…", "Make the draft a skill that agents can use.", "bookmark", DRAFT),
    _skill_action(
        "skill.new",
        "New skill…",
        "Name a skill, and write it in the editor from a beginning that runs.",
        "plus",
        keys="Ctrl+Alt+K",
    ),
    _skill_action(
        "skill.import",
        "Import skills…",
        "Look at a folder, zip file or git checkout, and take skills of it.",
        "download",
    ),
    _skill_action("skill.export", "Export skill…", "Pack it into a zip file that other clients read.", "save", SKILL),
    _skill_action("skill.rename", "Rename skill…", "Folder, card, function and versions follow.", "pencil", LIVING),
    _skill_action("skill.tags", "Tag skill…", "Say what it belongs to.", "list", LIVING),
    _skill_action("skill.back", "Restore skill", "Let agents find a retired skill again.", "undo", RETIRED),
    _skill_action(
        "skill.retire", "Retire skill…", "Hide a kept skill from agents; it is not deleted.", "archive", KEPT
    ),
    Action("skills.retired", "Show retired skills", "List retired skills too.", "Skills", "eye", "", (), True),
)


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
