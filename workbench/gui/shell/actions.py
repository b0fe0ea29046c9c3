"""The table of everything that the user can do. Menus, shortcuts, the palette and the help are made from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from msgspec import Struct


class Condition(Struct, frozen=True):
    """Must hold for an action to be enabled."""

    missing: str  # what the user is told while it does not hold


LINKED = Condition("the core is not connected")
UNLINKED = Condition("the core is connected")
EDITOR = Condition("no program is in front")
SERVER = Condition("no server is selected")
SERVER_REMOVABLE = Condition("no server of .mcp.json is selected")
SERVER_REMOVED = Condition("no server was removed")
SERVER_RUNS = Condition("no running server is selected")
SERVER_RESTS = Condition("no stopped server is selected")
SERVER_REMOTE = Condition("no remote server is selected")
SERVER_PLAIN = Condition("no server with a secret in plain text is selected")
ENTRY_RUN = Condition("no entry of a run is selected")
CALL = Condition("no call is selected")
SAVED_CALL = Condition("no call is saved")
REMOVED_CALL = Condition("no call was deleted")
FILE = Condition("no file is selected")
PLAIN_FILE = Condition("no plain file is selected")
CHANGED = Condition("no change that can be undone is selected")
WAITING = Condition("nothing waits")
WAITING_PROGRAM = Condition("no program waits")
HELD_CALL = Condition("no call is held")
MUTED = Condition("no agent is muted")
ELICITATION = Condition("no server asks")
FINDINGS = Condition("no run with findings is selected")
STOPPABLE = Condition("no run is under way")
KEEPABLE = Condition("no successful run is in the output")
RECORDABLE = Condition("no run with calls is in the output")
SKILL = Condition("no skill is selected")
DRAFT = Condition("no draft is selected")
KEPT = Condition("no kept skill is selected")
LIVING = Condition("no skill that can run is selected")
RETIRED = Condition("no retired skill is selected")

PAGES = {"hidden": "privacy.open", "try": "privacy.try", "marks": "privacy.marks", "kinds": "privacy.kinds"}


class Action(Struct, frozen=True):
    """One thing that the user can do."""

    id: str
    text: str
    icon: str
    keys: str
    when: tuple[Condition, ...]  # all must hold
    help: str  # one sentence
    checkable: bool = False
    repeats: bool = False  # again and again while its keys are held down


class Menu(Struct, frozen=True):
    """A menu, or a menu inside a menu. None is a separator."""

    title: str
    entries: Entries

    def actions(self) -> Iterator[Action]:
        """The actions of this menu and the menus inside it, in their order."""
        for entry in self.entries:
            if isinstance(entry, Menu):
                yield from entry.actions()
            elif entry is not None:
                yield entry


Entries: TypeAlias = tuple[Action | Menu | None, ...]
SEPARATOR: Final = None

# fmt: off
MENUS: Final = (
    Menu("File", (
        Action("project.open", "Open project…", "folder", "", (),
               "Open another folder as a project, in a window of its own."),
        SEPARATOR,
        Action("editor.new", "New program", "plus", "Ctrl+T", (),
               "Open an empty program in a new tab."),
        Action("editor.open", "Open file…", "folder", "Ctrl+O", (),
               "Open a program or a JSON, Markdown or TOML file in a tab."),
        Action("editor.example", "Open an example…", "book", "", (),
               "Open a starter skill as a new program."),
        Action("editor.save", "Save", "save", "Ctrl+S", (EDITOR,),
               "Write the program to its file; a skill's program becomes the draft of its next version."),
        Action("editor.save_as", "Save as…", "save", "Ctrl+Alt+S", (EDITOR,),
               "Write the program to another file."),
        Action("editor.rename", "Rename…", "pencil", "Shift+F2", (EDITOR,),
               "Rename the tab and its file."),
        Action("tab.close", "Close tab", "close", "Ctrl+W", (),
               "Close the tool, program or page in front. You can reopen it."),
        Action("tab.reopen", "Reopen closed tab", "undo", "Ctrl+Shift+T", (),
               "Open the tab that was closed last."),
        SEPARATOR,
        Action("tool.save", "Save the open call…", "save", "Ctrl+Shift+S", (LINKED,),
               "Save the open form as a file of the project."),
        Action("result.save", "Save the result…", "save", "", (),
               "Write the complete answer to a file."),
        Menu("Workspace", (
            Action("files.find", "Find a file", "search", "Ctrl+Shift+O", (),
                   "Go to the filter above the files."),
            Action("files.open", "Show file", "eye", "", (LINKED, FILE),
                   "Show a file of the workspace: text, tree, table or picture."),
            Action("files.new", "New file…", "plus", "Ctrl+Alt+N", (LINKED,),
                   "Create a text file in the selected folder."),
            Action("files.folder", "New folder…", "folder", "", (LINKED,),
                   "Create a folder in the selected folder."),
            Action("files.rename", "Rename or move…", "pencil", "", (LINKED, FILE),
                   "Change the name or folder of the selected file."),
            Action("files.remove", "Delete files…", "trash", "", (LINKED, FILE),
                   "Delete the selected files. You can undo this under Changes."),
            SEPARATOR,
            Action("files.bring", "Import files…", "download", "", (LINKED,),
                   "Copy files into the workspace. You can also drop them on the Files pane."),
            Action("files.take", "Save a copy…", "save", "", (LINKED, PLAIN_FILE),
                   "Copy the selected file to a folder outside the workspace."),
            Action("files.copy_path", "Copy the path", "copy", "", (FILE,),
                   "Copy the path of the selected file."),
            Action("files.outside", "Show in file manager", "external", "", (),
                   "Open the folder of the selected file in your file manager."),
            SEPARATOR,
            Action("files.changes", "Changes", "history", "Ctrl+Shift+U", (LINKED,),
                   "List the changes of files by programs and by you, newest first."),
            Action("files.undo", "Undo changes…", "undo", "Ctrl+Alt+Z", (LINKED, CHANGED),
                   "Show what undoing the selected changes would do, then undo them."),
            Action("files.forget", "Delete earlier states…", "archive", "", (LINKED,),
                   "Delete the earlier states of files that are kept for undo. The files stay as they are."),
            Action("cache.clear", "Clear cached answers", "refresh", "", (LINKED,),
                   "Delete the answers of tools that are cached for programs."),
        )),
        SEPARATOR,
        Action("settings.open", "Settings…", "settings", "Ctrl+,", (LINKED,),
               "Change how the workbench behaves: search, default, value and file of every setting."),
        Action("secrets.open", "Secrets…", "key", "", (LINKED,),
               "Show which secrets are stored and where, add, replace or delete one."),
        SEPARATOR,
        Action("window.close", "Close the window", "close", "Ctrl+Q", (),
               "Close this window; agents keep the core."),
    )),
    Menu("Edit", (
        Action("edit.undo", "Undo", "undo", "", (),
               "Undo the last change of the focused text.", repeats=True),
        Action("edit.redo", "Redo", "redo", "", (),
               "Redo the change that was undone last.", repeats=True),
        SEPARATOR,
        Action("edit.cut", "Cut", "cut", "", (),
               "Move the selected text to the clipboard."),
        Action("edit.copy", "Copy", "copy", "", (),
               "Copy the selected text or rows to the clipboard."),
        Action("edit.paste", "Paste", "clipboard", "", (),
               "Insert the text of the clipboard."),
        Action("edit.select_all", "Select all", "select", "", (),
               "Select everything in the focused text or list."),
        SEPARATOR,
        Action("result.find", "Find", "search", "Ctrl+F", (),
               "Search in the program or the answer in front."),
        Action("editor.replace", "Find and replace", "search", "Ctrl+H", (EDITOR,),
               "Find and replace text in the program, also with regular expressions."),
        Action("editor.find_next", "Find next", "chevron-down", "F3", (EDITOR,),
               "Go to the next match.", repeats=True),
        Action("editor.find_previous", "Find previous", "chevron-up", "Shift+F3", (EDITOR,),
               "Go to the previous match.", repeats=True),
        Action("editor.line", "Go to line or symbol…", "list", "Ctrl+G", (EDITOR,),
               "Type a line number, or part of the name of a function, class or heading."),
        SEPARATOR,
        Menu("Arguments", (
            Action("tool.json", "Switch between form and JSON", "code", "Ctrl+J", (),
                   "Edit the tool's arguments as fields or as JSON text."),
            Action("tool.paste", "Paste JSON as arguments", "copy", "Ctrl+Shift+V", (),
                   "Fill the open tool's form from the clipboard."),
            Action("tool.back", "Bring back the last arguments", "undo", "", (),
                   "Fill the form with the arguments that were sent or replaced last."),
            Action("tool.reset", "Reset the form", "refresh", "Ctrl+Shift+R", (),
                   "Give the open tool's form its initial values."),
            Action("tool.copy", "Save or copy the open call", "copy", "Ctrl+Shift+C", (LINKED,),
                   "Open the menu below the form: Python, JSON-RPC, curl, command line."),
        )),
        Menu("Program", (
            Action("editor.comment", "Comment or uncomment", "message", "Ctrl+/", (EDITOR,),
                   "Turn the selected lines into comments, or back into code."),
            Action("editor.complete", "Complete name", "bolt", "Ctrl+Space", (EDITOR,),
                   "List the names that fit at the cursor: tools, skills and the standard library."),
            Action("editor.call", "Show parameters", "info", "Ctrl+Shift+Space", (EDITOR,),
                   "Show the parameters of the call at the cursor."),
            Action("editor.explain", "Explain name", "help", "Ctrl+F1", (EDITOR,),
                   "Show the documentation of the name at the cursor, and the problems there."),
            SEPARATOR,
            Action("editor.problem", "Next problem", "alert", "F8", (EDITOR,),
                   "Go to the next problem and show its text."),
            Action("editor.problem_before", "Previous problem", "alert", "Shift+F8", (EDITOR,),
                   "Go to the previous problem and show its text."),
            Action("editor.problems", "All problems…", "list", "Ctrl+Shift+M", (EDITOR,),
                   "List all problems of this program."),
            SEPARATOR,
            Action("editor.compare", "Compare with…", "copy", "Ctrl+Shift+D", (EDITOR,),
                   "Show the differences to the file, a skill, a run or another tab, line by line."),
            Action("editor.history", "Earlier runs…", "history", "Ctrl+Shift+H", (EDITOR,),
                   "Open the program of an earlier run in a tab."),
        )),
    )),
    Menu("View", (
        Action("palette.open", "Search or run anything…", "search", "Ctrl+K", (),
               "Find any tool, resource, prompt or skill by meaning, and any action or server by a few letters."),
        Action("welcome.show", "Welcome page", "home", "", (),
               "Show the three ways to use the workbench."),
        Action("editor.show", "Write a program", "code", "Ctrl+E", (),
               "Go to the editor, where a program can use every tool."),
        Action("servers.all", "All servers", "list", "Ctrl+Shift+I", (LINKED,),
               "Compare all servers: state, speed, memory, calls and errors."),
        Action("privacy.open", "Personal data…", "eye-off", "Ctrl+Shift+P", (LINKED,),
               "Show what was masked in each session, where it came from and where it went."),
        SEPARATOR,
        Menu("Panes", (
            Action("pane.servers", "Go to Servers", "server", "Ctrl+1", (),
                   "Put the keyboard into the list of servers and tools."),
            Action("pane.centre", "Go to the centre", "layout", "Ctrl+2", (),
                   "Put the keyboard into the tool, editor or welcome page."),
            Action("pane.runs", "Go to Runs", "hourglass", "Ctrl+3", (),
                   "Put the keyboard into the list of runs."),
            Action("pane.output", "Go to Output", "terminal", "Ctrl+4", (),
                   "Put the keyboard into the output of runs."),
            Action("pane.audit", "Go to Audit", "list", "Ctrl+5", (),
                   "Put the keyboard into the audit."),
            Action("pane.skills", "Go to Skills", "book", "Ctrl+6", (),
                   "Put the keyboard into the skill library."),
            Action("pane.calls", "Go to Calls", "history", "Ctrl+7", (),
                   "Put the keyboard into saved calls and the history."),
            Action("pane.files", "Go to Files", "folder", "Ctrl+8", (),
                   "Put the keyboard into the files of programs."),
            SEPARATOR,
            Action("pane.next", "Next pane", "arrow-right", "F6", (),
                   "Move the keyboard to the next pane."),
            Action("pane.previous", "Previous pane", "arrow-left", "Shift+F6", (),
                   "Move the keyboard to the previous pane."),
        )),
        Menu("Tabs", (
            Action("tab.next", "Next tab", "arrow-right", "Ctrl+Tab", (),
                   "Go to the next tool or program, or to the next page if there is only one.", repeats=True),
            Action("tab.previous", "Previous tab", "arrow-left", "Ctrl+Shift+Tab", (),
                   "Go to the previous tool or program, or to the previous page if there is only one.", repeats=True),
            SEPARATOR,
            Action("tab.move_right", "Move tab right", "arrow-right", "Ctrl+Shift+PgDown", (),
                   "Swap the tab with the one to its right.", repeats=True),
            Action("tab.move_left", "Move tab left", "arrow-left", "Ctrl+Shift+PgUp", (),
                   "Swap the tab with the one to its left.", repeats=True),
        )),
        SEPARATOR,
        Action("layout.room", "Give the centre more room", "layout", "F9", (),
               "Hide the panes at the right and below, or show them again."),
        Action("layout.reset", "Reset layout", "layout", "", (),
               "Return every pane to its initial place."),
        SEPARATOR,
        Action("theme.switch", "Switch between light and dark", "moon", "Ctrl+Shift+L", (),
               "Change the colours of the window."),
        Action("theme.system", "Follow the system's colours", "sun", "", (),
               "Use the light or dark colours of the desktop."),
        Menu("Code", (
            Action("editor.larger", "Larger text", "plus", "Ctrl++", (EDITOR,),
                   "Show programs in a larger font.", repeats=True),
            Action("editor.smaller", "Smaller text", "minus", "Ctrl+-", (EDITOR,),
                   "Show programs in a smaller font.", repeats=True),
            Action("editor.usual", "Default text size", "eye", "Ctrl+0", (EDITOR,),
                   "Show programs in the window's font size."),
            Action("editor.scheme", "Colour scheme…", "sun", "", (EDITOR,),
                   "Choose the colours of code, separately for the light and the dark theme."),
        )),
    )),
    Menu("Servers", (
        Action("server.add", "Add a server…", "plus", "Ctrl+Shift+N", (LINKED,),
               "Add a server to this project's .mcp.json."),
        Action("servers.import", "Import servers from other clients…", "download", "", (LINKED,),
               "Copy servers from Claude, Cursor, VS Code and others. You choose which ones."),
        Action("servers.export", "Export servers to another client…", "external", "", (LINKED,),
               "Write servers of this project to another client's settings. You see every changed line first."),
        Action("demo.connect", "Connect the demo server", "server", "", (LINKED,),
               "Start the built-in demo server. It works offline."),
        SEPARATOR,
        Action("server.connect", "Connect", "plug", "", (LINKED, SERVER_RESTS),
               "Start the server. Before the first start you see its full command."),
        Action("server.disconnect", "Disconnect", "unplug", "", (LINKED, SERVER_RUNS),
               "Stop the server."),
        Action("server.restart", "Restart", "refresh", "Ctrl+F5", (LINKED, SERVER_RUNS),
               "Stop the server and start it again, for example after you changed its code. Forms keep their content."),
        Action("server.open", "Open server", "server", "Ctrl+I", (LINKED, SERVER),
               "Show the overview, resources, prompts, log, protocol and other pages of the server."),
        Action("server.doctor", "Find out why…", "search", "", (LINKED, SERVER),
               "Check the command or address, the connection, the first answer and the protocol of the server."),
        Action("server.sign_in", "Sign in…", "user", "", (LINKED, SERVER_REMOTE),
               "Sign in at a remote server and see each step."),
        Action("server.trust", "Trust…", "shield", "", (LINKED, SERVER),
               "Choose whether to trust the server's annotations, and set rules for its tools."),
        SEPARATOR,
        Action("server.edit", "Edit…", "pencil", "F2", (LINKED, SERVER_REMOVABLE),
               "Change the name, command or address, category and other fields of the server's entry."),
        Action("server.duplicate", "Duplicate", "copy", "", (LINKED, SERVER_REMOVABLE),
               "Add a copy of the server's entry under a new name."),
        Action("server.switch", "Enable or disable", "pause", "", (LINKED, SERVER_REMOVABLE),
               'Set or remove "disabled" in the server\'s entry, which other clients respect too.'),
        Action("server.up", "Move up", "chevron-up", "", (LINKED, SERVER_REMOVABLE),
               "Move the server up in the list and in .mcp.json. In the list: Alt+Up."),
        Action("server.down", "Move down", "chevron-down", "", (LINKED, SERVER_REMOVABLE),
               "Move the server down in the list and in .mcp.json. In the list: Alt+Down."),
        Action("server.move_secrets", "Move secrets out of .mcp.json…", "key", "", (LINKED, SERVER_PLAIN),
               "Store the secrets of the server's entry in the keyring, and refer to them there."),
        Action("server.remove", "Remove", "trash", "", (LINKED, SERVER_REMOVABLE),
               "Remove the server from this project's .mcp.json. You can restore it."),
        Action("server.restore", "Restore removed server", "undo", "", (LINKED, SERVER_REMOVED),
               "Undo the last removal of a server. Its entry returns to its former place."),
        SEPARATOR,
        Action("servers.find", "Find a tool", "search", "Ctrl+Shift+F", (),
               "Filter the list of servers and tools."),
        Action("servers.reload", "Reload .mcp.json", "reload", "F5", (LINKED,),
               "Read .mcp.json again, for example after another program changed it."),
        Action("ask.answer", "Answer a request of a server", "message", "Ctrl+Shift+J", (LINKED, ELICITATION),
               "Open the oldest request of a server for your input."),
    )),
    Menu("Run", (
        Action("front.start", "Run what is in front", "play", "Ctrl+Return", (LINKED,),
               "Call the open tool, or run the program in the editor."),
        Action("editor.go_on", "Run and keep the variables", "layers", "Ctrl+Shift+Return", (LINKED,),
               "Run the program in the editor with the variables and imports of the last one that was run this way."),
        Action("editor.dry_run", "Start a dry run", "list", "Ctrl+Alt+Return", (LINKED,),
               "Run the program in the editor with its side effects held back, then choose which of them to allow."),
        Action("run.stop", "Stop the run", "stop", "Ctrl+.", (LINKED, STOPPABLE),
               "End the selected run, or the only one that is running."),
        SEPARATOR,
        Action("run.keep", "Keep the run as a skill…", "bookmark", "Ctrl+Shift+K", (LINKED, KEEPABLE),
               "Make a skill of the program in the output, for agents to use again."),
        Action("run.record", "Record the run for tests…", "history", "", (LINKED, RECORDABLE),
               "Record the calls and answers of the run in the output as a test of a skill."),
        Action("run.sarif", "Save findings as SARIF…", "save", "", (LINKED, FINDINGS),
               "Write the findings about the selected run's program to a file that editors and code hosts read."),
        Action("states.open", "REPL sessions…", "layers", "", (LINKED,),
               "Show whose variables are kept between programs and how much memory they use; end a session."),
        SEPARATOR,
        Menu("Saved calls", (
            Action("calls.open", "Open call", "tool", "", (LINKED, CALL),
                   "Show the call in its tool's form, with its arguments."),
            Action("calls.again", "Call again", "play", "", (LINKED, CALL),
                   "Check a saved call, or repeat a call of the history in its form."),
            Action("calls.keep", "Save call…", "bookmark", "", (LINKED, CALL),
                   "Give the call a name, a collection and expectations of its answer."),
            Action("calls.remove", "Delete call…", "trash", "", (LINKED, CALL),
                   "Delete a saved call, which you can restore, or a call of the history."),
            Action("calls.undo", "Restore deleted call", "undo", "", (LINKED, REMOVED_CALL),
                   "Restore the saved call that was deleted last."),
            SEPARATOR,
            Action("calls.check", "Check every saved call", "shield-check", "", (LINKED, SAVED_CALL),
                   "Repeat all saved calls in order and compare the answers. Risky calls are skipped."),
            Action("history.clear", "Clear the history…", "close", "", (LINKED,),
                   "Delete all calls of the history permanently. Saved calls stay."),
        )),
        Action("tool.trust", "Trust of the open tool", "shield", "", (LINKED,),
               "Show the rules for the open tool, and your own annotations in place of its server's."),
    )),
    Menu("Agents", (
        Action("agent.connect", "Connect an agent…", "agent", "", (),
               "Show how an agent connects to this workbench, ready to copy."),
        Action("agent.example", "Watch an agent ask", "play", "", (LINKED,),
               "Start a real example agent that proposes a program and waits for your decision."),
        Action("agent.pause", "Pause or resume agents", "pause", "", (LINKED,),
               "Refuse new programs and all calls of agents in all your projects, until you resume them here."),
        SEPARATOR,
        Action("run.review", "Review what waits", "hourglass", "Ctrl+R", (LINKED, WAITING),
               "Open the Review dialog, at the selected run if it waits, else at the request whose time ends first."),
        Action("run.undo_denial", "Undo the last denial", "undo", "", (LINKED,),
               "Let a program or call wait again that you denied a few seconds ago."),
        Action("run.dry_run", "Start a dry run of the waiting program", "list", "Ctrl+Alt+R", (LINKED, WAITING_PROGRAM),
               "Run the selected waiting program with its side effects held back. It still waits for your decision."),
        Action("held_call.decide", "Decide on a waiting call", "hourglass", "Ctrl+Shift+G", (LINKED, HELD_CALL),
               "Open the held call of a running program whose time ends first."),
        Action("agents.unmute", "Unmute agents", "agent", "", (LINKED, MUTED),
               "Let agents whose requests you denied at once ask again."),
        SEPARATOR,
        Action("phones.open", "Phones…", "key", "", (LINKED,),
               "Pair a phone that answers approval requests of low and medium risk, and revoke paired ones."),
        Action("permissions.open", "What you allowed…", "shield-check", "", (LINKED,),
               "Show the rules you made for programs, tools, servers and hosts, how often each decided; revoke any."),
        Action("network.open", "Network…", "globe", "", (LINKED,),
               "Show the hosts that programs may reach, the project's offers and attempts; add or remove a host."),
        Action("core.sandbox", "Sandbox strength…", "shield", "", (LINKED,),
               "Show the isolation that was probed on this machine."),
        Action("core.tokens", "Tokens and savings…", "tokens", "", (LINKED,),
               "Show how many model tokens programs used and saved, for each conversation and with these tools."),
        SEPARATOR,
        Menu("Personal data", (
            Action("privacy.try", "Try the detector", "search", "", (LINKED,),
                   "Paste text or JSON to see what would be masked, why, and what a model would read."),
            Action("privacy.marks", "Always or never masked", "bookmark", "", (LINKED,),
                   "Show and remove values, patterns and keys that are always or never masked, or add one."),
            Action("privacy.kinds", "Kinds of personal data", "settings", "", (LINKED,),
                   "Choose which kinds of personal data are masked, and whether masking is on."),
        )),
        Menu("Audit", (
            Action("audit.dashboard", "Dashboard…", "chart", "Ctrl+Alt+D", (LINKED,),
                   "Show tokens saved, runs by risk, response times, masked data and decisions, or save a report."),
            Action("audit.timeline", "Show timeline", "list", "Ctrl+Alt+T", (LINKED, ENTRY_RUN),
                   "Show the steps of the selected entry's run, with their durations and calls."),
            Action("audit.find", "Search the audit", "search", "Ctrl+Shift+A", (),
                   "Go to the search field of the audit."),
            Action("audit.filter", "Filter the audit…", "filter", "Ctrl+Alt+F", (LINKED,),
                   "Show only entries with a time, agent, session, server, tool, risk or outcome."),
            Action("audit.export", "Export these entries…", "download", "", (LINKED,),
                   "Save the listed entries and their hashes as a JSON or CSV file."),
            Action("audit.verify", "Verify the audit", "shield-check", "", (LINKED,),
                   "Check that no entry of the audit was changed or removed."),
        )),
    )),
    Menu("Skills", (
        Action("skill.new", "New skill…", "plus", "Ctrl+Alt+K", (LINKED,),
               "Create a draft of a skill and open it in the editor."),
        Action("skill.import", "Import skills…", "download", "", (LINKED,),
               "Review the skills in a folder, zip file or git checkout, and import them."),
        SEPARATOR,
        Action("skill.show", "Show skill", "book", "", (LINKED, SKILL),
               "Open the page of the selected skill: description, code, versions and tests."),
        Action("skill.open", "Edit skill", "pencil", "", (LINKED, SKILL),
               "Open the code of the selected skill in the editor."),
        Action("skill.run", "Run skill…", "play", "", (LINKED, LIVING),
               "Enter the arguments of the selected skill and run it."),
        Action("skill.test", "Test skill", "check", "", (LINKED, LIVING),
               "Replay the recordings of the selected skill offline and report differences."),
        Action("skill.keep", "Keep draft…", "bookmark", "", (LINKED, DRAFT),
               "Review the draft and keep it as a skill that agents can use."),
        SEPARATOR,
        Action("skill.rename", "Rename skill…", "pencil", "", (LINKED, LIVING),
               "Rename the selected skill with its folder, SKILL.md, function and versions."),
        Action("skill.tags", "Tag skill…", "list", "", (LINKED, LIVING),
               "Set the tags of the selected skill."),
        Action("skill.export", "Export skill…", "save", "", (LINKED, SKILL),
               "Save the selected skill as a zip file that other clients can read."),
        Action("skill.discard", "Discard draft…", "trash", "", (LINKED, DRAFT),
               "Remove the draft of the selected skill from the list. Its files are moved, not deleted."),
        Action("skill.retire", "Retire skill…", "archive", "", (LINKED, KEPT),
               "Hide the selected skill from agents. It is not deleted."),
        Action("skill.back", "Restore skill", "undo", "", (LINKED, RETIRED),
               "Let agents find the selected retired skill again."),
        SEPARATOR,
        Action("skills.retired", "Show retired skills", "eye", "", (),
               "List retired skills too.", checkable=True),
    )),
    Menu("Help", (
        Action("help.open", "All actions and keys", "help", "F1", (),
               "List all commands."),
        Action("help.docs", "Documentation", "book", "", (),
               "Open the documentation that came with this version."),
        SEPARATOR,
        Action("help.machine", "Check this machine…", "shield-check", "", (LINKED,),
               "Check whether this machine and this project have what the workbench needs."),
        Action("core.again", "Connect to the core again", "reload", "", (UNLINKED,),
               "Start the core and connect to it, after it stopped."),
        Action("help.report", "Report a problem…", "flag", "", (),
               "Collect versions, changed settings and the last errors, to read and copy."),
        SEPARATOR,
        Action("help.about", "About MCP Workbench", "info", "", (),
               "Show the version, the licence, and the libraries it is built with."),
    )),
)
# fmt: on

ACTIONS: Final = tuple(action for menu in MENUS for action in menu.actions())
_NAMED: Final = {action.id: action for action in ACTIONS}
_MENU_TITLES: Final = {action.id: menu.title for menu in MENUS for action in menu.actions()}


def action_named(name: str) -> Action:
    """Find an action by its id."""
    return _NAMED[name]


def menu_of(action: str) -> str:
    """The title of the menu that an action is in."""
    return _MENU_TITLES[action]
