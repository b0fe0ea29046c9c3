"""The Review dialog: everything that waits for the user, one request after the other, by keyboard or mouse."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QSplitter, QStackedWidget, QWidget

from workbench.events import CallHeld
from workbench.gui.kit.dialogs import LaterDialog, fit_to_screen
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label, tool_button
from workbench.gui.kit.rows import RowsModel
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.runs.decision_dialog import DecisionDialog
from workbench.gui.runs.review_queue import QueueEntry, in_order, queue_entries, queue_row
from workbench.gui.shell.context import Context

_DRAW_MS = 20  # several changes at once are drawn together
_DENY_MS = 300  # a key that was meant for the request before denies nothing
_EMPTY_MS = 1_500  # an empty queue closes by itself
_LIST_LETTERS = 34  # width of the list at first
_PLAIN = ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
_KEYS: Final = (
    ("J  ↓", "Next request"),
    ("K  ↑", "Previous request"),
    ("A", "Allow; A or Return confirms. High risk: A, A, Return"),
    ("D", "Deny"),
    ("R", "Deny with a reason"),
    ("E", "Edit"),
    ("L  Esc", "Later: everything keeps waiting"),
    ("U", "Undo the last denial"),
    ("?", "Show or hide these keys"),
)
_CONFIRM = "Press A or Return to allow. Any other key cancels."
_CONFIRM_RISKY = "High risk: read what is marked, then press A again."
_CONFIRM_LAST = "High risk: press Return to allow. Any other key cancels."


class KeyTable(QWidget):
    """The keys of the Review dialog."""

    def __init__(self, unit: int) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(unit * 3, unit * 2, unit * 2, unit * 2)
        grid.setHorizontalSpacing(unit * 3)
        grid.setVerticalSpacing(unit)
        grid.setColumnStretch(1, 1)
        for place, (keys, meaning) in enumerate(_KEYS):
            grid.addWidget(label(keys, "key"), place, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(ForeignLabel(meaning, role="muted"), place, 1)


class ReviewDialog(LaterDialog):
    """One per window. The list is at the left, the selected request at the right; after a decision the next request
    opens in its place. Escape and × put it away: everything keeps waiting."""

    page_finished = Signal(object)
    """Carries the page of a request that was decided or has ended."""

    def __init__(
        self, context: Context, make_page: Callable[[str], DecisionDialog | None], parent: QWidget | None = None
    ) -> None:
        """`make_page` makes the page of a waiting request by its id; None if it no longer waits."""
        super().__init__(parent)
        self._context = context
        self._make_page = make_page
        self._pages: list[DecisionDialog] = []
        self._entries: dict[str, QueueEntry] = {}
        self._order: list[str] = []
        self._current = ""  # the id of the request that is shown
        self._answered = 0  # since the dialog opened, for "3 of 25"
        self._armed = 0  # how often A was pressed for the request that is shown
        self.only_own = False
        """Whether it opened by itself for a request of the user's own call: it does not go on to other requests."""
        self._lay_out()
        self._soon = QTimer(self, singleShot=True, interval=_DRAW_MS)
        self._soon.timeout.connect(self._draw)
        self._tick = QTimer(self, interval=1_000)
        self._tick.timeout.connect(self._draw_rows)
        self._closing = QTimer(self, singleShot=True, interval=_EMPTY_MS)
        self._closing.timeout.connect(self._close_empty)
        store = context.store
        for changed in (store.runs_loaded, store.run_changed, store.held_calls_changed, store.elicitations_changed):
            changed.connect(self._changed)
        store.on(CallHeld, self._call_held)

    # what is shown

    def page_of(self, request_id: str) -> DecisionDialog | None:
        """The page of a request, also while another one is shown."""
        return next((page for page in self._pages if page.request_id == request_id), None)

    def page(self) -> DecisionDialog | None:
        """The page that is shown."""
        page = self._stack.currentWidget()
        return page if isinstance(page, DecisionDialog) else None

    def order(self) -> tuple[str, ...]:
        """The requests in the order of the list."""
        return tuple(self._order)

    def page_in_front(self) -> DecisionDialog | None:
        """The page that the user sees, unless it is over."""
        page = self.page()
        return page if page is not None and self.isVisible() and not page.is_over else None

    def show_request(self, request_id: str = "") -> None:
        """Bring a request to the front; without an id, the one that was shown last, or the first one."""
        if not self.isVisible():
            self._answered = 0
        self._collect(request_id)
        request_id = request_id or (self._current if self._current in self._order else "")
        self._list_shown(len(self._order) > 1)
        if self._order:
            self._show(request_id or self._order[0])
        self.come_back()
        if (page := self.page()) is not None:
            page.take_focus()

    def pages(self) -> tuple[DecisionDialog, ...]:
        return tuple(self._pages)

    def _add(self, page: DecisionDialog) -> DecisionDialog:
        page.embed()
        page.put_away_wanted.connect(self.put_away)
        page.finished.connect(partial(self._page_finished, page))
        self._pages.append(page)
        self._stack.addWidget(page)
        return page

    def _collect(self, kept: str) -> None:
        """Read what waits now. `kept` is in the list in any case."""
        entries = queue_entries(self._context.store)
        self._entries |= {entry.key: entry for entry in entries}
        self._order = in_order(self._order, entries, kept)
        if kept and kept not in self._order:
            self._order.append(kept)
        self._draw_rows()

    def _draw(self) -> None:
        page = self.page()
        self._collect(page.request_id if page is not None else "")
        if self.isVisible() and page is None and self._order and not self.only_own:
            self._show(self._order[0])

    def _draw_rows(self) -> None:
        now = time.time()
        rows = [queue_row(self._entries[key], now) for key in self._order if key in self._entries]
        self.model.show_rows(rows)
        self._mark_current()
        self._name()

    def _mark_current(self) -> None:
        """Select the row of the request that is shown, without showing it again."""
        index = self.model.find(self._current)
        if index.isValid() and self.list.key() != self._current:
            self.list.blockSignals(True)
            self.list.setCurrentIndex(index)
            self.list.blockSignals(False)
            self.list.scrollTo(index)

    def _name(self) -> None:
        """Say in the title which request of how many this is."""
        page, waiting = self.page(), len(self._order)
        title = page.windowTitle() if page is not None else "Nothing waits for you"
        if page is not None and waiting + self._answered > 1 and self._current in self._order:
            place = self._answered + self._order.index(self._current) + 1
            title = f"{place:,} of {waiting + self._answered:,} · {title}"
        self.setWindowTitle(title)

    def _list_shown(self, shown: bool) -> None:
        self._side.setVisible(shown)

    def _show(self, request_id: str) -> None:
        """Show a request. The keyboard stays in the list if it is there."""
        page = self.page_of(request_id)
        if page is None and (made := self._make_page(request_id)) is not None:
            page = self._add(made)
        if page is None:  # it ended a moment ago, and its event comes
            return
        self._disarm()
        self._closing.stop()
        self._current = page.request_id
        in_list = self.list.hasFocus() and self._side.isVisible()
        self._stack.setCurrentWidget(page)
        if not in_list:
            page.take_focus()
        self._mark_current()
        self._name()

    def _show_empty(self) -> None:
        self._current = ""
        self._stack.setCurrentWidget(self._empty)
        self._list_shown(False)
        self._name()
        self._empty.setFocus(Qt.FocusReason.OtherFocusReason)
        self._closing.start()

    def _close_empty(self) -> None:
        if self.page() is None:
            self.put_away()

    # what changes

    def _changed(self) -> None:
        self._soon.start()

    def _call_held(self, event: CallHeld) -> None:
        """More calls joined a held call: it keeps its place under its new id."""
        if event.before and event.before in self._order:
            self._order = [event.held_call.id if key == event.before else key for key in self._order]
            if self._current == event.before:
                self._current = event.held_call.id

    def _page_finished(self, page: DecisionDialog, _result: int = 0) -> None:
        """A request was decided or has ended: the next one takes its place."""
        if page not in self._pages:
            return
        self._pages.remove(page)
        key, shown = page.request_id, self._stack.currentWidget() is page
        place = self._order.index(key) if key in self._order else 0
        self._order = [other for other in self._order if other != key]
        self._answered += int(page.is_over)
        if shown and self.isVisible():
            self._go_on(place)
        elif shown:
            self._current = ""
            self._stack.setCurrentWidget(self._empty)
        self._stack.removeWidget(page)
        self._draw_rows()
        self.page_finished.emit(page)

    def _go_on(self, place: int) -> None:
        waiting = {entry.key for entry in queue_entries(self._context.store)}
        self._order = [key for key in self._order if key in waiting or self.page_of(key) is not None]
        if self.only_own:
            self._stack.setCurrentWidget(self._empty)
            self.put_away()
        elif self._order:
            self._list_shown(self._side.isVisible() or len(self._order) > 1)
            self._show(self._order[min(place, len(self._order) - 1)])
        else:
            self._show_empty()

    # keys

    def _step(self, by: int) -> None:
        if self._order:
            place = self._order.index(self._current) + by if self._current in self._order else 0
            self._list_shown(len(self._order) > 1)
            self._show(self._order[max(0, min(place, len(self._order) - 1))])

    def _allow(self) -> None:
        """A: the first press leads to the button, the last one allows. High risk takes Return at the end."""
        page = self.page()
        if page is None or page.is_over:
            return
        if not page.allow_button.settled():
            self.say("The request has just appeared. Read it, then press A.")
        elif page.obstacle():
            self.say(page.show_obstacle())
        elif page.is_risky and self._armed == 0:
            page.show_obstacle()
            self._arm(_CONFIRM_RISKY)
        elif self._armed == 0:
            page.allow_button.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._arm(_CONFIRM)
        elif page.is_risky:
            page.allow_button.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._arm(_CONFIRM_LAST)
        else:
            self._disarm()
            page.allow()

    def _arm(self, sentence: str) -> None:
        self._armed += 1
        self.say(sentence)

    def _disarm(self) -> None:
        if self._armed:
            self._armed = 0
            self.say("")
            page = self.page()
            if page is not None and page.allow_button.hasFocus():
                page.take_focus()

    def _deny(self) -> None:
        page = self.page()
        if page is not None and page.seconds_open() * 1_000 >= _DENY_MS:
            self._click(page.deny_button)

    def _press(self, name: str) -> None:
        """Press a button of the page, if it has one."""
        self._click(getattr(self.page(), name, None))

    def _click(self, button: QAbstractButton | None) -> None:
        if button is not None and button.isVisible() and button.isEnabled():
            button.click()

    def _toggle_keys(self) -> None:
        self._list_shown(True)
        self.keys_table.setVisible(self.keys_table.isHidden())

    def say(self, sentence: str) -> None:
        """Show a sentence below the request, until something else happens."""
        self._said.setText(sentence)

    def _key_acts(self) -> dict[int, Callable[[], object]]:
        return {
            Qt.Key.Key_J: partial(self._step, 1),
            Qt.Key.Key_K: partial(self._step, -1),
            Qt.Key.Key_A: self._allow,
            Qt.Key.Key_D: self._deny,
            Qt.Key.Key_E: partial(self._press, "edit_button"),
            Qt.Key.Key_R: partial(self._press, "reason_button"),
            Qt.Key.Key_L: self.put_away,
        }

    def _handle_key(self, event: QKeyEvent) -> bool:
        """Do what a letter stands for. Text fields take letters before they come here."""
        key = event.key()
        if key != Qt.Key.Key_A:
            self._disarm()
        if event.modifiers() & _PLAIN:
            return False
        if event.text() == "?":
            act: Callable[[], object] | None = self._toggle_keys
        else:
            act = None if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else self._key_acts().get(key)
        if act is not None and not event.isAutoRepeat():
            act()
        return act is not None

    # what Qt calls

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses a button only on the page itself: QDialog would press the page's default button from here."""
        if self._handle_key(event) or event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The list would search for the letters that are typed in it."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._handle_key(event)
        return super().eventFilter(watched, event)

    def put_away(self) -> None:
        """Hide the dialog; everything keeps waiting. Escape cancels an allow that was begun first."""
        if self._armed:
            self._disarm()
            return
        self.only_own = False
        super().put_away()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closed by the application: no page answers."""
        self._disarm()
        if not event.spontaneous():
            for page in tuple(self._pages):
                page.done(0)
        super().closeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fit_to_screen(self)
        self._tick.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        page = self.page()
        if event.type() is QEvent.Type.ActivationChange and page is not None and not page.is_over:
            self._disarm()
            page.restart_settling()

    # layout

    def _lay_out(self) -> None:
        theme, unit = self._context.theme, self._context.theme.unit
        self.model = RowsModel(self)
        self.list = RowsView(theme, "Requests that wait for you", self)
        self.list.setModel(self.model)
        self.list.installEventFilter(self)
        self.list.selection_changed.connect(self._selected)
        self.list.chosen.connect(self._enter)
        self.keys_table = KeyTable(unit)
        self.keys_table.hide()
        self._side = QWidget()
        column(self._side, self.list, self.keys_table, grows=self.list)
        self._stack = QStackedWidget()
        self._empty = EmptyState(theme, "check", "Nothing waits for you", "New requests appear here.")
        self._stack.addWidget(self._empty)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self._side)
        split.addWidget(self._stack)
        split.setStretchFactor(1, 1)
        letter = self.fontMetrics().averageCharWidth()
        self._side.setMinimumWidth(letter * 20)
        split.setSizes([letter * _LIST_LETTERS, unit * 270])
        self._said = ForeignLabel(elide=True)
        self._help = tool_button("help", "Show the keys (?)", theme, self._toggle_keys)
        foot = Strip(theme)
        for widget in (self._said, self._help):
            foot.row.addWidget(widget, int(widget is self._said))
        column(self, split, foot, grows=split)
        self.resize(QSize(unit * 330, unit * 185).boundedTo(self.screen().availableSize()))

    def _selected(self) -> None:
        if (key := self.list.key()) and key != self._current:
            self._show(key)

    def _enter(self, _key: str) -> None:
        if (page := self.page()) is not None:
            page.take_focus()
