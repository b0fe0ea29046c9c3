"""What a person can do in the editor: the part of the table that `editor/deeds.py` ties to the pane of programs."""

from __future__ import annotations

from workbench.gui.action import EDITOR, Action

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
