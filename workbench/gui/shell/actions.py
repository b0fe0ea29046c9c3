"""The one table of what the user can do. Menus, shortcuts, the palette and the help window are made from it."""

from __future__ import annotations

from dataclasses import dataclass

# Conditions: an action is enabled while all of its conditions hold.
LINKED = "linked"  # the core is connected
EDITOR = "editor"  # the editor is in front
SERVER = "server"  # a server is chosen
SERVER_REMOVABLE = "server-removable"
SERVER_REMOVED = "server-removed"  # one can be put back
ENTRY_RUN = "entry-run"  # an entry of a run is chosen in the audit
CALL = "call"  # a call in the pane of calls is chosen
SAVED_CALL = "saved-call"  # there are saved calls
REMOVED_CALL = "removed-call"  # a saved call was taken away and can come back
FILE = "file"  # a file or folder is chosen
PLAIN_FILE = "plain-file"  # it is a file that can be copied out
CHANGED = "changed"  # what somebody changed is chosen
WAITING = "waiting"  # a run waits for a decision
FINDINGS = "findings"  # a run whose reading found something is chosen
STOPPABLE = "stoppable"  # a run that can be stopped is chosen or under way
KEEPABLE = "keepable"  # the run in the output can become a skill
RECORDABLE = "recordable"  # the calls of the run in the output can become a recording
SKILL = "skill"  # a skill is chosen
DRAFT = "draft"  # a draft is chosen
KEPT = "kept"  # a kept skill is chosen
LIVING = "living"  # a skill that is not retired is chosen
RETIRED = "retired"  # a retired one is chosen
UNLINKED = "unlinked"  # a person has to bring it back
SERVER_RUNS = "server-runs"
SERVER_RESTS = "server-rests"
SERVER_REMOTE = "server-remote"  # it is reached by an address
SERVER_PLAIN = "server-plain"  # its entry holds what looks like a secret


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that the user can do."""

    id: str
    text: str
    help: str  # one sentence
    icon: str = ""
    keys: str = ""
    when: tuple[str, ...] = ()  # conditions, all of which must hold
    checkable: bool = False


PAGES = {"hidden": "privacy.open", "try": "privacy.try", "marks": "privacy.marks", "kinds": "privacy.kinds"}

RUN_OFFERS = (KEEPABLE, RECORDABLE)


ACTIONS: tuple[Action, ...] = (
    # File
    Action("project.open", "Open project…", "Open another folder as a project, in a window of its own.", "folder"),
    Action("editor.new", "New program", "Open an empty program in a new tab.", "plus", "Ctrl+T"),
    Action(
        "editor.open",
        "Open file…",
        "Open a program or a JSON, Markdown or TOML file in a tab.",
        "folder",
        "Ctrl+O",
    ),
    Action("editor.example", "Open an example…", "Open a starter skill as a new program.", "book"),
    Action(
        "editor.save",
        "Save",
        "Write the program to its file; a skill's program becomes the draft of its next version.",
        "save",
        "Ctrl+S",
        (EDITOR,),
    ),
    Action("editor.save_as", "Save as…", "Write the program to another file.", "save", "Ctrl+Alt+S", (EDITOR,)),
    Action("editor.rename", "Rename…", "Rename the tab and its file.", "pencil", "Shift+F2", (EDITOR,)),
    Action(
        "editor.close",
        "Close tab",
        "Close the program in front. You can reopen it.",
        "close",
        "Ctrl+W",
        (EDITOR,),
    ),
    Action(
        "editor.reopen",
        "Reopen closed tab",
        "Open the tab that was closed last.",
        "undo",
        "Ctrl+Shift+T",
        (EDITOR,),
    ),
    Action(
        "tool.save",
        "Save the open call…",
        "Save what is in the open form as a file of the project.",
        "save",
        "Ctrl+Shift+S",
        (LINKED,),
    ),
    Action("result.save", "Save the result…", "Write the whole answer into a file.", "save"),
    Action("files.find", "Find a file", "Go to the filter above the files.", "search", "Ctrl+Shift+O"),
    Action(
        "files.open",
        "Show file",
        "Show a file of the workspace: text, tree, table or picture.",
        "eye",
        when=(
            LINKED,
            FILE,
        ),
    ),
    Action("files.new", "New file…", "Create a text file in the selected folder.", "plus", "Ctrl+Alt+N", (LINKED,)),
    Action("files.folder", "New folder…", "Create a folder in the selected folder.", "folder", when=(LINKED,)),
    Action(
        "files.rename",
        "Rename or move…",
        "Change the name or folder of the selected file.",
        "pencil",
        when=(
            LINKED,
            FILE,
        ),
    ),
    Action(
        "files.remove",
        "Delete files…",
        "Delete the selected files. You can undo this under Changes.",
        "trash",
        when=(
            LINKED,
            FILE,
        ),
    ),
    Action(
        "files.bring",
        "Import files…",
        "Copy files into the workspace. You can also drop them on the Files pane.",
        "download",
        when=(LINKED,),
    ),
    Action(
        "files.take",
        "Save a copy…",
        "Copy the selected file to a folder outside the workspace.",
        "save",
        when=(
            LINKED,
            PLAIN_FILE,
        ),
    ),
    Action("files.copy_path", "Copy the path", "Copy the path of the selected file.", "copy", when=(FILE,)),
    Action(
        "files.outside",
        "Show in file manager",
        "Open the folder of the selected file in your file manager.",
        "external",
    ),
    Action(
        "files.changes",
        "Changes",
        "List the changes of files by programs and by you, newest first.",
        "history",
        "Ctrl+Shift+U",
        (LINKED,),
    ),
    Action(
        "files.undo",
        "Undo changes…",
        "Show what undoing the selected changes would do, then undo them.",
        "undo",
        "Ctrl+Alt+Z",
        (
            LINKED,
            CHANGED,
        ),
    ),
    Action(
        "files.forget",
        "Delete earlier states…",
        "Delete the earlier states of files that are kept for undo. The files stay as they are.",
        "archive",
        when=(LINKED,),
    ),
    Action(
        "cache.clear",
        "Clear cached answers",
        "Delete the answers of tools that are cached for programs.",
        "refresh",
        when=(LINKED,),
    ),
    Action(
        "settings.open",
        "Settings…",
        "Change how the workbench behaves: search, default, value and file of every setting.",
        "settings",
        "Ctrl+,",
        (LINKED,),
    ),
    Action(
        "secrets.open",
        "Secrets…",
        "Show which secrets are stored and where, add, replace or delete one.",
        "key",
        when=(LINKED,),
    ),
    Action("window.close", "Close the window", "Close this window; agents keep the core.", "close", "Ctrl+Q"),
    # Edit
    Action("edit.undo", "Undo", "Take back the last change of the text that has the keyboard.", "undo"),
    Action("edit.redo", "Redo", "Make the change again that was taken back last.", "redo"),
    Action("edit.cut", "Cut", "Move the selected text to the clipboard.", "cut"),
    Action("edit.copy", "Copy", "Copy the selected text or rows to the clipboard.", "copy"),
    Action("edit.paste", "Paste", "Insert the text of the clipboard.", "clipboard"),
    Action("edit.select_all", "Select all", "Select everything in the text or list that has the keyboard.", "select"),
    Action("result.find", "Find", "Search in the program or the answer in front.", "search", "Ctrl+F"),
    Action(
        "editor.replace",
        "Find and replace",
        "Find and replace text in the program, also with regular expressions.",
        "search",
        "Ctrl+H",
        (EDITOR,),
    ),
    Action("editor.find_next", "Find next", "Go to the next hit.", "chevron-down", "F3", (EDITOR,)),
    Action("editor.find_previous", "Find previous", "Go to the previous hit.", "chevron-up", "Shift+F3", (EDITOR,)),
    Action(
        "editor.line",
        "Go to line or symbol…",
        "Type a line number, or part of the name of a function, class or heading.",
        "list",
        "Ctrl+G",
        (EDITOR,),
    ),
    Action("tool.json", "Switch between form and JSON", "Edit the tool's arguments the other way.", "code", "Ctrl+J"),
    Action(
        "tool.paste", "Paste JSON as arguments", "Fill the open tool's form from the clipboard.", "copy", "Ctrl+Shift+V"
    ),
    Action("tool.back", "Bring back the last arguments", "Fill the form with what was sent or replaced last.", "undo"),
    Action(
        "tool.reset", "Reset the form", "Give the open tool's form its first values again.", "refresh", "Ctrl+Shift+R"
    ),
    Action(
        "tool.copy",
        "Save or copy the open call",
        "Open the menu below the form: Python, JSON-RPC, curl, command line.",
        "copy",
        "Ctrl+Shift+C",
        (LINKED,),
    ),
    Action(
        "editor.comment",
        "Comment or uncomment",
        "Turn the selected lines into comments, or back into code.",
        "message",
        "Ctrl+/",
        (EDITOR,),
    ),
    Action(
        "editor.complete",
        "Complete name",
        "List the names that fit at the cursor: tools, skills and the standard library.",
        "bolt",
        "Ctrl+Space",
        (EDITOR,),
    ),
    Action(
        "editor.call",
        "Show parameters",
        "Show the parameters of the call at the cursor.",
        "info",
        "Ctrl+Shift+Space",
        (EDITOR,),
    ),
    Action(
        "editor.explain",
        "Explain name",
        "Show the documentation of the name at the cursor, and the problems there.",
        "help",
        "Ctrl+F1",
        (EDITOR,),
    ),
    Action(
        "editor.problem",
        "Next problem",
        "Go to the next problem and show its text.",
        "alert",
        "F8",
        (EDITOR,),
    ),
    Action(
        "editor.problem_before",
        "Previous problem",
        "Go to the previous problem and show its text.",
        "alert",
        "Shift+F8",
        (EDITOR,),
    ),
    Action(
        "editor.problems",
        "All problems…",
        "List all problems of this program.",
        "list",
        "Ctrl+Shift+M",
        (EDITOR,),
    ),
    Action(
        "editor.compare",
        "Compare with…",
        "Show the differences to the file, a skill, a run or another tab, line by line.",
        "copy",
        "Ctrl+Shift+D",
        (EDITOR,),
    ),
    Action(
        "editor.history",
        "Earlier runs…",
        "Open the program of an earlier run in a tab.",
        "history",
        "Ctrl+Shift+H",
        (EDITOR,),
    ),
    # View
    Action(
        "palette.open",
        "Search or run anything…",
        "Find any tool, resource, prompt or skill by what you mean, and any action or server by a few letters.",
        "search",
        "Ctrl+K",
    ),
    Action("welcome.show", "Welcome page", "Show the three ways to use the workbench.", "home"),
    Action("editor.show", "Write a program", "Go to the editor, where a program can use every tool.", "code", "Ctrl+E"),
    Action(
        "servers.all",
        "All servers",
        "Compare all servers: state, speed, memory, calls and errors.",
        "list",
        "Ctrl+Shift+I",
        (LINKED,),
    ),
    Action(
        "privacy.open",
        "Personal data…",
        "Show what was masked in each session, where it came from and where it went.",
        "eye-off",
        "Ctrl+Shift+P",
        (LINKED,),
    ),
    Action("pane.servers", "Go to Servers", "Put the keyboard into the list of servers and tools.", "server", "Ctrl+1"),
    Action(
        "pane.centre", "Go to the centre", "Put the keyboard into the tool, editor or welcome page.", "layout", "Ctrl+2"
    ),
    Action("pane.runs", "Go to Runs", "Put the keyboard into the list of runs.", "hourglass", "Ctrl+3"),
    Action("pane.output", "Go to Output", "Put the keyboard into the output of runs.", "terminal", "Ctrl+4"),
    Action("pane.audit", "Go to Audit", "Put the keyboard into the audit.", "list", "Ctrl+5"),
    Action("pane.skills", "Go to Skills", "Put the keyboard into the skill library.", "book", "Ctrl+6"),
    Action("pane.calls", "Go to Calls", "Put the keyboard into saved calls and the history.", "history", "Ctrl+7"),
    Action("pane.files", "Go to Files", "Put the keyboard into the files of programs.", "folder", "Ctrl+8"),
    Action("pane.next", "Next pane", "Move the keyboard to the next pane.", "arrow-right", "F6"),
    Action("pane.previous", "Previous pane", "Move the keyboard to the pane before.", "chevron-left", "Shift+F6"),
    Action("editor.next_tab", "Next program", "Go to the next tab.", "arrow-right", "Ctrl+Tab", (EDITOR,)),
    Action(
        "editor.previous_tab",
        "Previous program",
        "Go to the previous tab.",
        "arrow-left",
        "Ctrl+Shift+Tab",
        (EDITOR,),
    ),
    Action(
        "editor.move_right",
        "Move tab right",
        "Swap the tab with the one to its right.",
        "arrow-right",
        "Ctrl+Shift+PgDown",
        (EDITOR,),
    ),
    Action(
        "editor.move_left",
        "Move tab left",
        "Swap the tab with the one to its left.",
        "arrow-left",
        "Ctrl+Shift+PgUp",
        (EDITOR,),
    ),
    Action(
        "layout.room",
        "Give the centre more room",
        "Put the panes at the right and below away, or bring them back.",
        "layout",
        "F9",
    ),
    Action("layout.reset", "Reset layout", "Give every pane its first place again.", "layout"),
    Action(
        "theme.switch", "Switch between light and dark", "Change the colours of the window.", "moon", "Ctrl+Shift+L"
    ),
    Action("theme.system", "Follow the system's colours", "Be light or dark as the desktop is.", "sun"),
    Action("editor.larger", "Larger text", "Show programs in a larger font.", "plus", "Ctrl++", (EDITOR,)),
    Action("editor.smaller", "Smaller text", "Show programs in a smaller font.", "minus", "Ctrl+-", (EDITOR,)),
    Action("editor.usual", "Default text size", "Show programs in the window's font size.", "eye", "Ctrl+0", (EDITOR,)),
    Action(
        "editor.scheme",
        "Colour scheme…",
        "Choose the colours of code, separately for the light and the dark theme.",
        "sun",
        when=(EDITOR,),
    ),
    # Servers
    Action(
        "server.add", "Add a server…", "Add a server to this project's .mcp.json.", "plus", "Ctrl+Shift+N", (LINKED,)
    ),
    Action(
        "servers.import",
        "Import servers from other clients…",
        "Copy servers from Claude, Cursor, VS Code and others. You choose which ones.",
        "download",
        when=(LINKED,),
    ),
    Action(
        "servers.export",
        "Export servers to another client…",
        "Write servers of this project to another client's settings. You see every changed line first.",
        "external",
        when=(LINKED,),
    ),
    Action(
        "demo.connect",
        "Connect the demo server",
        "Start the built-in demo server. It works offline.",
        "server",
        when=(LINKED,),
    ),
    Action(
        "server.connect",
        "Connect",
        "Start the server. Before the first start you see its full command.",
        "plug",
        when=(
            LINKED,
            SERVER_RESTS,
        ),
    ),
    Action(
        "server.disconnect",
        "Disconnect",
        "Stop the server.",
        "unplug",
        when=(
            LINKED,
            SERVER_RUNS,
        ),
    ),
    Action(
        "server.restart",
        "Restart",
        "Stop the server and start it again, for example after you changed its code. Forms keep their content.",
        "refresh",
        "Ctrl+F5",
        (
            LINKED,
            SERVER_RUNS,
        ),
    ),
    Action(
        "server.open",
        "Open server",
        "Show the overview, resources, prompts, log, protocol and other pages of the server.",
        "server",
        "Ctrl+I",
        (
            LINKED,
            SERVER,
        ),
    ),
    Action(
        "server.doctor",
        "Diagnose",
        "Check the command or address, the connection, the first answer and the protocol of the server.",
        "search",
        when=(
            LINKED,
            SERVER,
        ),
    ),
    Action(
        "server.sign_in",
        "Sign in…",
        "Sign in at a remote server and see each step.",
        "user",
        when=(
            LINKED,
            SERVER_REMOTE,
        ),
    ),
    Action(
        "server.trust",
        "Trust…",
        "Choose whether to trust the server's annotations, and set rules for its tools.",
        "shield",
        when=(
            LINKED,
            SERVER,
        ),
    ),
    Action(
        "server.edit",
        "Edit…",
        "Change the name, command or address, category and other fields of the server's entry.",
        "pencil",
        "F2",
        (
            LINKED,
            SERVER_REMOVABLE,
        ),
    ),
    Action(
        "server.duplicate",
        "Duplicate",
        "Add a copy of the server's entry under a new name.",
        "copy",
        when=(
            LINKED,
            SERVER_REMOVABLE,
        ),
    ),
    Action(
        "server.switch",
        "Enable or disable",
        'Set or remove "disabled" in the server\'s entry, which other clients respect too.',
        "pause",
        when=(
            LINKED,
            SERVER_REMOVABLE,
        ),
    ),
    Action(
        "server.up",
        "Move up",
        "Move the server up in the list and in .mcp.json. In the list: Alt+Up.",
        "chevron-up",
        when=(
            LINKED,
            SERVER_REMOVABLE,
        ),
    ),
    Action(
        "server.down",
        "Move down",
        "Move the server down in the list and in .mcp.json. In the list: Alt+Down.",
        "chevron-down",
        when=(
            LINKED,
            SERVER_REMOVABLE,
        ),
    ),
    Action(
        "server.move_secrets",
        "Move secrets out of .mcp.json…",
        "Store the secrets of the server's entry in the keyring, and refer to them there.",
        "key",
        when=(
            LINKED,
            SERVER_PLAIN,
        ),
    ),
    Action(
        "server.remove",
        "Remove",
        "Remove the server from this project's .mcp.json. You can restore it.",
        "trash",
        when=(
            LINKED,
            SERVER_REMOVABLE,
        ),
    ),
    Action(
        "server.restore",
        "Restore removed server",
        "Undo the last removal of a server: its entry returns to its former place.",
        "undo",
        when=(
            LINKED,
            SERVER_REMOVED,
        ),
    ),
    Action("servers.find", "Find a tool", "Filter the list of servers and tools.", "search", "Ctrl+Shift+F"),
    Action(
        "servers.reload",
        "Reload .mcp.json",
        "Read .mcp.json again, for example after another program changed it.",
        "reload",
        "F5",
        (LINKED,),
    ),
    Action(
        "ask.answer",
        "Answer a request of a server",
        "Open the oldest request of a server for your input.",
        "message",
        "Ctrl+Shift+J",
        (LINKED,),
    ),
    # Run
    Action(
        "front.start",
        "Run what is in front",
        "Call the open tool, or run the program in the editor.",
        "play",
        "Ctrl+Return",
        (LINKED,),
    ),
    Action(
        "editor.go_on",
        "Run and keep the variables",
        "Run the program in the editor where the last one run this way stopped: with its variables and imports.",
        "layers",
        "Ctrl+Shift+Return",
        (LINKED,),
    ),
    Action(
        "editor.dry_run",
        "Start a dry run",
        "Run the program in the editor with its side effects held back, then choose which of them it may really do.",
        "list",
        "Ctrl+Alt+Return",
        (LINKED,),
    ),
    Action(
        "run.stop",
        "Stop the run",
        "End the chosen run, or the only one under way.",
        "stop",
        "Ctrl+.",
        (
            LINKED,
            STOPPABLE,
        ),
    ),
    Action(
        "run.keep",
        "Keep the run as a skill…",
        "Make a skill of the program in the output, for agents to use again.",
        "bookmark",
        "Ctrl+Shift+K",
        (
            LINKED,
            KEEPABLE,
        ),
    ),
    Action(
        "run.record",
        "Record the run for tests…",
        "Test a skill against what the run in the output asked and was told.",
        "history",
        when=(
            LINKED,
            RECORDABLE,
        ),
    ),
    Action(
        "run.sarif",
        "Save findings as SARIF…",
        "Write what was found in the program of the chosen run into a file that editors and code hosts read.",
        "save",
        when=(
            LINKED,
            FINDINGS,
        ),
    ),
    Action(
        "states.open",
        "REPL sessions…",
        "Show whose variables are kept between programs, how much memory they take, and end one.",
        "layers",
        when=(LINKED,),
    ),
    Action(
        "calls.open",
        "Open call",
        "Show the call in its tool's form, with its arguments.",
        "tool",
        when=(
            LINKED,
            CALL,
        ),
    ),
    Action(
        "calls.again",
        "Call again",
        "Check a saved call, or repeat one of the history in its form.",
        "play",
        when=(
            LINKED,
            CALL,
        ),
    ),
    Action(
        "calls.keep",
        "Save or change call…",
        "Give the call a name, a collection and what is expected of its answer.",
        "bookmark",
        when=(
            LINKED,
            CALL,
        ),
    ),
    Action(
        "calls.remove",
        "Delete saved call",
        "Take away a saved call, which can be brought back, or forget one of the history.",
        "trash",
        when=(
            LINKED,
            CALL,
        ),
    ),
    Action(
        "calls.undo",
        "Bring the removed call back",
        "Put the saved call that was just removed back where it was.",
        "undo",
        when=(
            LINKED,
            REMOVED_CALL,
        ),
    ),
    Action(
        "calls.check",
        "Check every saved call",
        "Make all saved calls in their order and compare the answers; risky ones are left out.",
        "shield-check",
        when=(
            LINKED,
            SAVED_CALL,
        ),
    ),
    Action(
        "history.clear",
        "Clear the history…",
        "Forget every call that was kept, for good; saved calls stay.",
        "close",
        when=(LINKED,),
    ),
    Action(
        "tool.trust",
        "Trust of the open tool",
        "Show the rules about it and what you say of it in place of its server's hints.",
        "shield",
        when=(LINKED,),
    ),
    # Agents
    Action("agent.connect", "Connect an agent…", "Show how an agent reaches this workbench, ready to copy.", "agent"),
    Action(
        "agent.example",
        "Watch an agent ask",
        "Start a real example agent that proposes a program and waits for your decision.",
        "play",
        when=(LINKED,),
    ),
    Action(
        "run.review",
        "Review the waiting run",
        "Open the approval of the run whose time ends first.",
        "hourglass",
        "Ctrl+R",
        (
            LINKED,
            WAITING,
        ),
    ),
    Action(
        "run.dry_run",
        "Start a dry run of the waiting program",
        "Run the chosen waiting program with its side effects held back; it goes on waiting for your answer.",
        "list",
        "Ctrl+Alt+R",
        (
            LINKED,
            WAITING,
        ),
    ),
    Action(
        "held_call.decide",
        "Decide on a waiting call",
        "Open the call that waits in the middle of a run, the one whose time ends first.",
        "hourglass",
        "Ctrl+Shift+G",
        (LINKED,),
    ),
    Action(
        "permissions.open",
        "What you allowed…",
        "Show every rule you made for programs, tools, servers and hosts, how often it decided, and revoke one.",
        "shield-check",
        when=(LINKED,),
    ),
    Action(
        "network.open",
        "Network…",
        "Show which places programs may reach, what the project offers, and what was tried; add or remove a place.",
        "globe",
        when=(LINKED,),
    ),
    Action(
        "core.sandbox",
        "Sandbox strength…",
        "Show what isolation this machine gives, as it was probed.",
        "shield",
        when=(LINKED,),
    ),
    Action(
        "core.tokens",
        "Tokens and savings…",
        "Show what programs cost and saved a model, for each conversation, and whether they pay with these tools.",
        "tokens",
        when=(LINKED,),
    ),
    Action(
        "privacy.try",
        "Try the detector",
        "Paste text or JSON to see what would be masked, why, and what a model would read.",
        "search",
        when=(LINKED,),
    ),
    Action(
        "privacy.marks",
        "Always or never masked",
        "Show and remove values, patterns and keys that are always or never masked, or add one.",
        "bookmark",
        when=(LINKED,),
    ),
    Action(
        "privacy.kinds",
        "Kinds of personal data",
        "Choose which kinds of personal data are masked, and whether masking is on.",
        "settings",
        when=(LINKED,),
    ),
    Action(
        "audit.dashboard",
        "Dashboard…",
        "Show tokens saved, runs by risk, response times, masked data and your decisions, or save a report.",
        "chart",
        "Ctrl+Alt+D",
        (LINKED,),
    ),
    Action(
        "audit.timeline",
        "Show timeline",
        "Show the steps of the selected entry's run, with their durations and calls.",
        "list",
        "Ctrl+Alt+T",
        (
            LINKED,
            ENTRY_RUN,
        ),
    ),
    Action("audit.find", "Search the audit", "Go to the search field of the audit.", "search", "Ctrl+Shift+A"),
    Action(
        "audit.filter",
        "Filter the audit…",
        "Show only entries with a time, agent, session, server, tool, risk or outcome.",
        "filter",
        "Ctrl+Alt+F",
        (LINKED,),
    ),
    Action(
        "audit.export",
        "Export these entries…",
        "Save the listed entries and their hashes as a JSON or CSV file.",
        "download",
        when=(LINKED,),
    ),
    Action(
        "audit.verify",
        "Verify the audit",
        "Check that no entry of the audit was changed or removed.",
        "shield-check",
        when=(LINKED,),
    ),
    # Skills
    Action(
        "skill.new",
        "New skill…",
        "Create a draft of a skill and open it in the editor.",
        "plus",
        "Ctrl+Alt+K",
        (LINKED,),
    ),
    Action(
        "skill.import",
        "Import skills…",
        "Review the skills in a folder, zip file or git checkout, and import them.",
        "download",
        when=(LINKED,),
    ),
    Action(
        "skill.show",
        "Show skill",
        "Open the page of the selected skill: description, code, versions and tests.",
        "book",
        when=(
            LINKED,
            SKILL,
        ),
    ),
    Action(
        "skill.open",
        "Edit skill",
        "Open the code of the selected skill in the editor.",
        "pencil",
        when=(
            LINKED,
            SKILL,
        ),
    ),
    Action(
        "skill.run",
        "Run skill…",
        "Enter the arguments of the selected skill and run it.",
        "play",
        when=(
            LINKED,
            LIVING,
        ),
    ),
    Action(
        "skill.test",
        "Test skill",
        "Replay the recordings of the selected skill offline and report differences.",
        "check",
        when=(
            LINKED,
            LIVING,
        ),
    ),
    Action(
        "skill.keep",
        "Keep draft…",
        "Review the draft and keep it as a skill that agents can use.",
        "bookmark",
        when=(
            LINKED,
            DRAFT,
        ),
    ),
    Action(
        "skill.rename",
        "Rename skill…",
        "Rename the selected skill with its folder, SKILL.md, function and versions.",
        "pencil",
        when=(
            LINKED,
            LIVING,
        ),
    ),
    Action(
        "skill.tags",
        "Tag skill…",
        "Set the tags of the selected skill.",
        "list",
        when=(
            LINKED,
            LIVING,
        ),
    ),
    Action(
        "skill.export",
        "Export skill…",
        "Save the selected skill as a zip file that other clients can read.",
        "save",
        when=(
            LINKED,
            SKILL,
        ),
    ),
    Action(
        "skill.retire",
        "Retire skill…",
        "Hide the selected skill from agents. It is not deleted.",
        "archive",
        when=(
            LINKED,
            KEPT,
        ),
    ),
    Action(
        "skill.back",
        "Restore skill",
        "Let agents find the selected retired skill again.",
        "undo",
        when=(
            LINKED,
            RETIRED,
        ),
    ),
    Action("skills.retired", "Show retired skills", "List retired skills too.", "eye", checkable=True),
    # Help
    Action("help.open", "All actions and keys", "List all commands.", "help", "F1"),
    Action("help.docs", "Documentation", "Open the documentation that came with this version.", "book"),
    Action(
        "help.machine",
        "Check this machine…",
        "Look whether this machine and this project have what the workbench needs.",
        "shield-check",
        when=(LINKED,),
    ),
    Action(
        "core.again",
        "Connect to the core again",
        "Start the core and connect, after it could not be brought back by itself.",
        "reload",
        when=(UNLINKED,),
    ),
    Action(
        "help.report",
        "Report a problem…",
        "Collect versions, settings that differ, and the last errors, to read and copy.",
        "flag",
    ),
    Action(
        "help.about",
        "About MCP Workbench",
        "Show the version, the licence, and the libraries it is built with.",
        "info",
    ),
)


def action_named(name: str) -> Action:
    """The action with this id."""
    return next(action for action in ACTIONS if action.id == name)


MISSING = {
    LINKED: "the core is not connected",
    UNLINKED: "the core is connected",
    EDITOR: "no program is in front",
    SERVER: "no server is selected",
    SERVER_REMOVABLE: "no server of .mcp.json is selected",
    SERVER_REMOVED: "no server was removed",
    SERVER_RUNS: "no running server is selected",
    SERVER_RESTS: "no stopped server is selected",
    SERVER_REMOTE: "no remote server is selected",
    SERVER_PLAIN: "no server with a secret in plain text is selected",
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
