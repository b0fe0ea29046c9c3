"""Which action of the table does what in the pane of programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import methodcaller
from typing import Any, Final

EDITOR_DEEDS: Final[Mapping[str, Callable[[Any], object]]] = {  # Any: an EditorPane, imported when it is first needed
    "editor.new": methodcaller("new_program"),
    "editor.open": methodcaller("open_file"),
    "editor.save": methodcaller("save"),
    "editor.save_as": methodcaller("save_as"),
    "editor.rename": methodcaller("rename"),
    "editor.close": methodcaller("close_front"),
    "editor.reopen": methodcaller("reopen"),
    "editor.next_tab": methodcaller("step", 1),
    "editor.previous_tab": methodcaller("step", -1),
    "editor.move_right": methodcaller("move_tab", 1),
    "editor.move_left": methodcaller("move_tab", -1),
    "editor.replace": methodcaller("seek", replacing=True),
    "editor.find_next": methodcaller("find_on", 1),
    "editor.find_previous": methodcaller("find_on", -1),
    "editor.line": lambda pane: pane.deeds.go_to(),
    "editor.comment": lambda pane: pane.deeds.comment(),
    "editor.complete": lambda pane: pane.deeds.propose(),
    "editor.call": lambda pane: pane.deeds.show_call(),
    "editor.explain": lambda pane: pane.deeds.explain(),
    "editor.problem": lambda pane: pane.deeds.problem(1),
    "editor.problem_before": lambda pane: pane.deeds.problem(-1),
    "editor.problems": lambda pane: pane.deeds.all_problems(),
    "editor.compare": lambda pane: pane.deeds.compare(),
    "editor.history": lambda pane: pane.deeds.earlier_runs(),
    "editor.larger": lambda pane: pane.looks.zoom(1),
    "editor.smaller": lambda pane: pane.looks.zoom(-1),
    "editor.usual": lambda pane: pane.looks.zoom(0),
    "editor.scheme": lambda pane: pane.deeds.choose_scheme(),
}
