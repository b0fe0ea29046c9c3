"""Moves the keyboard focus, and gives keys to whom the user means: Tab order, Return on buttons, shortcuts in texts."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)

from workbench.gui.shell.actions import ACTIONS


def step_focus(window: QMainWindow, *, forward: bool) -> bool:
    """Focus the next visible widget that takes the focus. Returns whether there was one."""
    stops = tab_stops(window)
    if not stops:
        return False
    here = QApplication.focusWidget()
    while here is not None and here not in stops and here.focusProxy() is not None:
        here = here.focusProxy()
    target = stops[_next_stop(window, stops, here, forward)]
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    target.setFocus(reason)
    _bring_into_view(target)
    return True


def tab_stops(window: QMainWindow) -> list[QWidget]:
    """Where Tab stops, in order; panes in hidden tabs are skipped."""
    places = [part for part in _visible_children(window) if not part.visibleRegion().isEmpty()]
    middle = window.centralWidget()
    first = [part for part in places if part is window.menuBar()]
    left = [part for part in places if middle and part.geometry().right() < middle.x() and part not in first]
    centre = [part for part in places if part is middle]
    last = [part for part in places if part is window.statusBar()]
    rest = [part for part in places if part not in (*first, *left, *centre, *last)]
    ordered = [*first, *_in_reading_order(left), *centre, *_in_reading_order(rest), *last]
    return [stop for part in ordered for stop in _stops(part)]


def _next_stop(window: QMainWindow, stops: list[QWidget], here: QWidget | None, forward: bool) -> int:
    """The next stop; a widget that is not a stop counts as being at the place of its neighbours."""
    if here is None:
        return 0 if forward else -1
    if here in stops:
        return (stops.index(here) + (1 if forward else -1)) % len(stops)
    around = here.parentWidget()
    while around is not None and around is not window:
        inside = [place for place, stop in enumerate(stops) if around.isAncestorOf(stop)]
        if inside:
            return inside[0] if forward else inside[-1]
        around = around.parentWidget()
    return 0 if forward else -1


def _stops(part: QWidget) -> list[QWidget]:
    takes = bool(part.focusPolicy() & Qt.FocusPolicy.TabFocus) and part.focusProxy() is None and part.isEnabled()
    found = [part] if takes else []
    for child in _in_reading_order(_visible_children(part)):
        found += _stops(child)
    return found


def _visible_children(part: QWidget) -> list[QWidget]:
    children = [child for child in part.children() if isinstance(child, QWidget)]
    return [
        child for child in children if child.isVisibleTo(part) and not child.isWindow() and not child.size().isEmpty()
    ]


def _in_reading_order(parts: list[QWidget]) -> list[QWidget]:
    """From top to bottom, and from left to right where widgets are beside each other."""
    rows: list[list[QWidget]] = []
    for part in sorted(parts, key=lambda one: one.y()):
        if rows and part.y() <= rows[-1][0].geometry().center().y():
            rows[-1].append(part)
        else:
            rows.append([part])
    return [part for row in rows for part in sorted(row, key=lambda one: one.x())]


def _bring_into_view(target: QWidget) -> None:
    around = target.parentWidget()
    while around is not None:
        inner = around.widget() if isinstance(around, QScrollArea) else None
        if isinstance(around, QScrollArea) and inner is not None and inner.isAncestorOf(target):
            around.ensureWidgetVisible(target)
        around = around.parentWidget()


_BUTTONS = (QPushButton, QToolButton)
_WATCHED = (*_BUTTONS, QLineEdit, QPlainTextEdit)
_SHORTCUTS = {QKeySequence(entry.keys).toString() for entry in ACTIONS if entry.keys.startswith("Ctrl+")}
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)


class FocusKeys(QObject):
    """On the focused button, Return acts as Space, which Qt presses on release, and not for a held key. In the focused
    text the window's own shortcuts work although Qt has an editing command for some of them, such as Ctrl+E.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._move)
        self._move(None, app.focusWidget())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return False
        if event.type() == QEvent.Type.ShortcutOverride and not isinstance(watched, _BUTTONS):
            if QKeySequence(event.keyCombination()).toString() in _SHORTCUTS:
                event.ignore()
                return True
            return False
        if event.type() not in _KEYS or event.key() not in _RETURN or not isinstance(watched, _BUTTONS):
            return False
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        none = Qt.KeyboardModifier.NoModifier
        space = QKeyEvent(event.type(), Qt.Key.Key_Space, none, " ", event.isAutoRepeat())
        QCoreApplication.sendEvent(watched, space)
        return True

    def _move(self, before: QWidget | None, now: QWidget | None) -> None:
        if isinstance(before, _WATCHED):
            before.removeEventFilter(self)
        if isinstance(now, _WATCHED):
            now.installEventFilter(self)


def open_context_menu() -> None:
    """Open the context menu of what has the focus, as the menu key does."""
    if (widget := QApplication.focusWidget()) is not None:
        place = widget.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
        inside = place.center().toPoint() if isinstance(place, QRectF) and place.isValid() else widget.rect().center()
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, inside, widget.mapToGlobal(inside))
        QCoreApplication.sendEvent(widget, event)
