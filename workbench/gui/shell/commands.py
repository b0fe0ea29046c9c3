"""Makes Qt actions from the table and ties them to what they do; an action that is still running cannot start again."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.shell.actions import ACTIONS, MENUS, Action, Condition, Entries, Menu, action_named
from workbench.gui.shell.tasks import Tasks

Work = Callable[[], Coroutine[Any, Any, object] | None]  # Any: what a coroutine yields concerns the loop alone


class Commands(QObject):
    """The actions of one window."""

    changed = Signal()
    """Other actions are enabled now."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._work: dict[str, Work] = {}
        self._early: list[str] = []  # what was asked for before anything could do it
        self._busy: set[str] = set()
        self._true: set[Condition] = set()
        self._actions = {entry.id: self._make(entry) for entry in ACTIONS}
        self._renew()

    def attach(self, window: QWidget) -> None:
        """Make the shortcuts work in this window."""
        window.addActions(list(self._actions.values()))

    def fill_menu_bar(self, bar: QMenuBar) -> None:
        """Make the menus of the window."""
        for menu in MENUS:
            self._fill(bar.addMenu(_with_mnemonic(menu.title)), menu.entries)

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def bind(self, name: str, work: Work) -> None:
        """Say what an action does; a coroutine runs as a task."""
        if name not in self._actions:
            raise KeyError(name)
        self._work[name] = work
        if name in self._early:
            self._early.remove(name)
            QTimer.singleShot(0, self._actions[name].trigger)

    def bound(self) -> frozenset[str]:
        return frozenset(self._work)

    def set_condition(self, condition: Condition, holds: bool) -> None:
        """Set whether a condition of the table holds."""
        if holds != (condition in self._true):
            (self._true.add if holds else self._true.discard)(condition)
            self._renew()

    def disabled_reason(self, name: str) -> str:
        """Why an action is disabled, in a few words; empty if it is enabled."""
        if name in self._busy:
            return "it is under way"
        return next((condition.missing for condition in action_named(name).when if condition not in self._true), "")

    def do(self, name: str) -> None:
        """Trigger an action as if the user had chosen it; does nothing while it is disabled."""
        self._actions[name].trigger()

    def _fill(self, menu: QMenu, entries: Entries) -> None:
        for entry in entries:
            if isinstance(entry, Menu):
                self._fill(menu.addMenu(entry.title), entry.entries)
            elif entry is None:
                menu.addSeparator()
            else:
                menu.addAction(self[entry.id])

    def _make(self, entry: Action) -> QAction:
        action = QAction(entry.text, self)
        action.setObjectName(entry.id)
        action.setCheckable(entry.checkable)
        action.setToolTip(tip(entry))
        action.setStatusTip(entry.help)
        if entry.icon:
            action.setIcon(icon(entry.icon))
        action.setAutoRepeat(entry.repeats)
        if entry.keys:
            action.setShortcut(QKeySequence(entry.keys))
        action.triggered.connect(partial(self._triggered, entry.id))
        return action

    def _triggered(self, name: str, _checked: bool = False) -> None:
        if name not in self._work:  # a shortcut in the first moments, before the window is complete
            self._early.append(name)
            return
        work = self._work[name]()
        if work is None:
            return
        self._busy.add(name)
        self._renew()
        task = self._tasks.run(name, work)
        task.add_done_callback(lambda _: self._ended(name))

    def _ended(self, name: str) -> None:
        self._busy.discard(name)
        self._renew()

    def _renew(self) -> None:
        for entry in ACTIONS:
            self._actions[entry.id].setEnabled(entry.id not in self._busy and self._true.issuperset(entry.when))
        self.changed.emit()


def _with_mnemonic(title: str) -> str:
    """The title of a top menu with the mark of the letter that opens it together with Alt."""
    letters: dict[str, str] = {}  # by title
    for menu in MENUS:
        letters[menu.title] = next(one for one in menu.title if one.lower() not in letters.values()).lower()
    at = title.lower().index(letters[title])
    return f"{title[:at]}&{title[at:]}"


def tip(entry: Action) -> str:
    """The tooltip of an action: its help and its keys."""
    keys = f" ({keys_text(entry.keys)})" if entry.keys else ""
    return f"{entry.help}{keys}"


def keys_text(keys: str) -> str:
    """A shortcut as this platform writes it."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
