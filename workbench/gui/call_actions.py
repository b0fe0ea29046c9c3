"""What a person can do with calls that stay: the part of the table that the pane of calls binds."""

from __future__ import annotations

from workbench.gui.action import LINKED, Action

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
