"""What a person can do with the workspace: the part of the table that the pane Files binds."""

from __future__ import annotations

from workbench.gui.action import LINKED, Action

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
