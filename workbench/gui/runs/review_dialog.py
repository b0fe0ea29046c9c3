"""The Review dialog: everything that waits for the user, one request after the other, by keyboard or mouse."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedWidget, QWidget

from workbench.events import CallHeld
from workbench.gui.kit.dialogs import LaterDialog, fit_to_screen
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, tool_button
from workbench.gui.kit.rows import RowsModel
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.runs.agent_menu import AgentMenu, agent_name
from workbench.gui.runs.decision_dialog import DecisionDialog
from workbench.gui.runs.denial_undo import DenialUndo
from workbench.gui.runs.review_group import GroupPanel, sorted_rows
from workbench.gui.runs.review_keys import KeyAnswers, KeyTable
from workbench.gui.runs.review_queue import ReviewQueue, queue_row, waiting_programs
from workbench.gui.shell.context import Context
from workbench.records import Decision, DecisionOutcome, HeldCallAnswer, RequestGroup
from workbench.records.common_types import count_of

_DRAW_MS = 20  # several changes at once are drawn together
_EMPTY_MS = 1_500  # an empty queue closes by itself
_NOT_TOLD = " The agent has not been told yet."
_LIST_LETTERS = 44  # width of the list at first
_ARROWS: dict[int, int] = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
_PLAIN = ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)


class ReviewDialog(LaterDialog):
    """One per window. The list is at the left, the selected request at the right; after a decision the next request
    opens in its place. Escape and × put it away: everything keeps waiting."""

    page_finished = Signal(object)
    """Carries the page of a request that was decided or has ended."""
    in_view = Signal(bool)
    """The dialog was shown or hidden: the clocks of requests are stopped while it is shown."""

    def __init__(
        self, context: Context, make_page: Callable[[str], DecisionDialog | None], parent: QWidget | None = None
    ) -> None:
        """`make_page` makes the page of a waiting request by its id; None if it no longer waits."""
        super().__init__(parent)
        self._context = context
        self._make_page = make_page
        self._pages: list[DecisionDialog] = []
        self._queue = ReviewQueue(context.store)
        self._current = ""  # the key of the entry that is shown
        self._grouped: frozenset[str] = frozenset()  # the programs that the core was asked about
        self._was_in_lists = False  # the lists had the keyboard when the last answer was accepted
        self._together: set[str] = set()  # requests that are being decided together
        self._decided: dict[DecisionDialog, tuple[str, ...]] = {}  # pages whose denial can be undone
        self._answered = 0  # since the dialog opened, for "3 of 25"
        self.only_own = False
        """Whether it opened by itself for a request of the user's own call: it does not go on to other requests."""
        self._lay_out()
        self._soon = QTimer(self, singleShot=True, interval=_DRAW_MS)
        self._soon.timeout.connect(self._draw)
        self._tick = QTimer(self, interval=1_000)
        self._tick.timeout.connect(self._draw_rows)
        self._closing = QTimer(self, singleShot=True, interval=_EMPTY_MS)
        self._closing.timeout.connect(self._close_empty)
        context.store.requests_changed.connect(self._soon.start)
        context.store.on(CallHeld, self._call_held)

    # what is shown

    def page_of(self, request_id: str) -> DecisionDialog | None:
        """The page of a request, also while another one is shown."""
        return next((page for page in self._pages if page.request_id == request_id), None)

    def page(self) -> DecisionDialog | None:
        """The page that is shown."""
        page = self._stack.currentWidget()
        return page if isinstance(page, DecisionDialog) else None

    def order(self) -> tuple[str, ...]:
        """The keys of the entries in the order of the list."""
        return tuple(self._queue.order)

    def page_in_front(self) -> DecisionDialog | None:
        """The page that the user sees, unless it is over."""
        page = self.page()
        return page if page is not None and self.isVisible() and not page.is_over else None

    def show_request(self, request_id: str = "") -> None:
        """Bring a request to the front; without an id, the one that was shown last, or the first one."""
        if not self.isVisible():
            self._answered = 0
        key = self._queue.groups.key_of(request_id)
        if not self.isVisible():
            self._queue.order = []  # what ends first is at the front again
        self._collect(key)
        key = key or (self._current if self._current in self._queue.order else "")
        self._list_shown(len(self._queue.order) > 1)
        if self._queue.order:
            self._show(key or self._queue.order[0], request_id)
        self.come_back()
        if (page := self.page()) is not None:
            page.take_focus()

    def pages(self) -> tuple[DecisionDialog, ...]:
        return tuple(self._pages)

    def _add(self, page: DecisionDialog) -> DecisionDialog:
        page.embed()
        page.put_away_wanted.connect(self.put_away)
        page.decided.connect(partial(self._answer_accepted, page))
        page.ended.connect(partial(self._request_ended, page))
        page.finished.connect(partial(self._page_finished, page))
        for button in page.findChildren(QPushButton):
            button.installEventFilter(self)  # Qt would move to another button at an arrow key
        self._pages.append(page)
        self._stack.addWidget(page)
        return page

    def _collect(self, kept: str) -> None:
        """Read what waits now. `kept` is in the list in any case."""
        self._queue.collect(kept)
        self._draw_rows()
        self._regroup()

    def _draw(self) -> None:
        page = self.page()
        self._collect(self._current if page is not None else "")
        if page is not None:
            self._show_group(page.request_id)
        if self.isVisible() and page is None and self._queue.order and not self.only_own:
            self._list_shown(len(self._queue.order) > 1)
            self._show(self._queue.order[0])

    def _draw_rows(self) -> None:
        now = time.time()
        rows = [queue_row(entry, now) for entry in self._queue.listed()]
        with QSignalBlocker(self.list):  # Qt selects another row where the selected one gives way to its group
            self.model.show_rows(rows)
        self._mark_current()
        self._name()

    def _mark_current(self) -> None:
        """Select the row of the request that is shown, without showing it again."""
        index = self.model.find(self._current)
        if index.isValid() and self.list.key() != self._current:
            with QSignalBlocker(self.list):
                self.list.setCurrentIndex(index)
            self.list.scrollTo(index)

    def _name(self) -> None:
        """Say in the title which request of how many this is."""
        page, waiting = self.page(), self._queue.count()
        title = page.windowTitle() if page is not None else "Nothing waits for you"
        if page is not None and waiting + self._answered > 1 and self._current in self._queue.order:
            place = self._answered + self._queue.count(until=self._queue.place(self._current)) + 1
            title = f"{place:,} of {waiting + self._answered:,} · {title}"
        self.setWindowTitle(title)

    def _list_shown(self, shown: bool) -> None:
        self._side.setVisible(shown)

    def _in_lists(self) -> bool:
        """Whether the list or the table of a group has the keyboard."""
        return self.list.hasFocus() or self.group.table.hasFocus()

    def _show(self, key: str, member: str = "", *, keeps_keyboard: bool | None = None) -> None:
        """Show an entry, of a group one of its programs. The keyboard stays in the lists if it is there."""
        entry = self._queue.get(key)
        members = entry.members if entry is not None else (key,)
        table = self._queue.groups.table(key)
        first = sorted_rows(table.rows)[0].run_id if table is not None else ""
        request_id = next((one for one in (member, first) if one in members), members[0])
        page = self._page_for(request_id)
        if page is None:  # it ended a moment ago, and its event comes
            return
        self._keys.cancel()
        self._closing.stop()
        self._current = key
        if keeps_keyboard is None:
            keeps_keyboard = self._in_lists()
        self._stack.setCurrentWidget(page)
        self._show_group(request_id)
        if not (keeps_keyboard and self._in_lists()):  # the table may have gone
            page.take_focus()
        self._mark_current()
        self._name()

    def _page_for(self, request_id: str) -> DecisionDialog | None:
        """The page of a request. One that has ended gives way if the request waits again."""
        page = self.page_of(request_id)
        if page is not None and page.is_over and request_id in self._context.store.runs:
            if not self._context.store.runs[request_id].awaits_answer:
                return page
            self._pages.remove(page)
            self._stack.removeWidget(page)
            page.done(0)
            page = None
        if page is None and (made := self._make_page(request_id)) is not None:
            page = self._add(made)
        return page

    def _show_group(self, member: str) -> None:
        entry, queue = self._queue.get(self._current), self._queue
        several = entry is not None and len(entry.members) > 1
        self.group.show_group(queue.groups.table(self._current) if several else None, queue.waiting_runs(), member)

    def _show_empty(self) -> None:
        self._current, self._answered = "", 0  # what comes later is counted anew
        self.group.show_group(None, {}, "")
        self._stack.setCurrentWidget(self._empty)
        self._list_shown(False)
        self._name()
        self._empty.setFocus(Qt.FocusReason.OtherFocusReason)
        self._closing.start()

    def _close_empty(self) -> None:
        if self.undo.active:
            self._closing.start()
        elif self.page() is None:
            self.put_away()

    # groups

    def _regroup(self) -> None:
        """Ask the core again which programs have the same form, when others wait than before."""
        waiting = frozenset(self._queue.waiting_runs())
        if waiting == self._grouped:
            return
        self._grouped = waiting
        if len(waiting) > 1:
            request = self._context.api.group_requests(tuple(sorted(waiting)))
            self._context.tasks.run("group requests", request, self._take_groups)
        else:
            self._take_groups(())

    def _take_groups(self, groups: tuple[RequestGroup, ...]) -> None:
        page = self.page()
        self._queue.groups.take(groups)
        member = page.request_id if page is not None else ""
        if member in self._queue.waiting_runs():
            self._current = self._queue.groups.key_of(member)
        self._collect(self._current if page is not None else "")
        if page is not None:
            self._show_group(member)

    def _select_member(self, run_id: str) -> None:
        self._show(self._current, run_id)

    def _deny_ticked(self) -> None:
        self._decide_ticked(allow=False)

    def _allow_ticked(self) -> None:
        if not self.group.obstacle():
            self._decide_ticked(allow=True)

    def _decide_ticked(self, *, allow: bool) -> None:
        page = self.page()
        seconds = page.seconds_open() if page is not None else 0.0
        programs = waiting_programs(self._context.store, self._queue.groups)
        decisions = tuple(
            Decision(
                run.id,
                run.proposal.sha,
                allow,
                "you",
                at=time.time(),
                seconds=seconds,
                fingerprint=run.fingerprint,
                also=tuple(same.id for same in programs.get(run.id, ())[1:]),
                undoable=not allow,
            )
            for run in self.group.ticked()
        )
        if decisions:
            self._together |= {one.run_id for one in decisions}
            self._queue.note_places()
            request = self._context.api.decide_many(decisions)
            self._context.tasks.run("decide about several programs", request, partial(self._decided_many, allow))

    def _decided_many(self, allow: bool, outcomes: tuple[DecisionOutcome, ...]) -> None:
        """Say how many answers were accepted, and go on."""
        accepted = tuple(one.request_id for one in outcomes if not one.problem)
        self._together -= {one.request_id for one in outcomes}
        self._was_in_lists = self._in_lists()
        problems = [one.problem for one in outcomes if one.problem]
        self._answered += len(accepted)
        self._queue.groups.note_answered(accepted, self._context.store)
        word = "Allowed" if allow else "Denied"
        self.say(" ".join([f"{word} {count_of(len(accepted), 'request')}.", *problems[:1]]))
        if not allow and accepted:
            self._offer_undo(accepted)
        place = self._queue.place(self._current)
        for page in [page for page in self._pages if page.request_id in accepted]:
            self._drop(page)
        self._current = ""
        self._go_on(place)
        self._draw_rows()

    # what changes

    def _call_held(self, event: CallHeld) -> None:
        """More calls joined a held call: it keeps its place under its new id."""
        if event.before:
            self._queue.rename(event.before, event.held_call.id)
            if self._current == event.before:
                self._current = event.held_call.id

    def _answer_accepted(self, page: DecisionDialog, answer: object) -> None:
        """An answer was accepted, and its page is about to disappear: Qt gives its focus to whatever is next."""
        self._was_in_lists = self._in_lists()
        self._queue.note_places()
        if isinstance(answer, Decision | HeldCallAnswer) and answer.allow:
            rule = isinstance(answer, Decision) and answer.offer
            page.parting = "Allowed. A rule was made." if rule else "Allowed."
        if isinstance(answer, Decision):
            self._queue.groups.note_answered((answer.run_id, *answer.also), self._context.store)
        elif isinstance(answer, HeldCallAnswer):
            self._queue.groups.note_answered((answer.held_call_id,), self._context.store)
        if isinstance(answer, Decision) and not answer.allow:
            self._decided[page] = (answer.run_id, *answer.also)
        elif isinstance(answer, HeldCallAnswer) and not answer.allow:
            self._decided[page] = (answer.held_call_id,)

    def _request_ended(self, page: DecisionDialog) -> None:
        """The request that is shown was answered elsewhere, or its time is up: say so, also once its page has closed,
        and whether an answer was under way."""
        if self.page() is page and self.isVisible() and page.request_id not in self._together:
            was_answering = page.answer_refused or self._keys.is_allowing
            self._keys.cancel()
            page.parting = page.ending_sentence(unused=was_answering)
            self.say(page.parting)

    def _page_finished(self, page: DecisionDialog, result: int = 0) -> None:
        """A request was decided or has ended: the next one takes its place."""
        denied = self._decided.pop(page, ())
        if page not in self._pages:
            return
        if denied and page.undo_until:
            self._offer_undo(denied, page.undo_until)
        shown = self._stack.currentWidget() is page
        place = self._queue.place(self._current)
        self._answered += int(page.is_over and page.request_id not in self._together)
        self._pages.remove(page)
        still_waits = not result and page.request_id in self._queue.waiting_ids()
        if shown and self.isVisible() and not still_waits:
            self._go_on(place)
        elif shown and still_waits:  # closed without an answer
            self._stack.setCurrentWidget(self._empty)
            self.put_away()
        elif shown:
            self._current = ""
            self._stack.setCurrentWidget(self._empty)
        self._stack.removeWidget(page)
        self._draw_rows()
        if page.parting:
            self.say(page.parting)
        self.page_finished.emit(page)

    def _drop(self, page: DecisionDialog) -> None:
        """Remove the page of a request that was decided together with others."""
        self._pages.remove(page)
        if self._stack.currentWidget() is page:
            self._stack.setCurrentWidget(self._empty)
        self._stack.removeWidget(page)
        page.done(0)

    def _go_on(self, place: int) -> None:
        """Show the entry at this place of the list, after the one that was there is gone."""
        later = self._queue.order[place:]
        self._queue.drop_ended({page.request_id for page in self._pages})
        order = self._queue.order
        if self.only_own:
            self._stack.setCurrentWidget(self._empty)
            self.put_away()
        elif order:
            self._list_shown(self._side.isVisible() or len(order) > 1)
            following = next((key for key in later if key in order), order[-1])
            self._show(following, keeps_keyboard=self._was_in_lists)
        else:
            self._show_empty()
        self._was_in_lists = False

    # undo, and all requests of one agent

    def _offer_undo(self, ids: tuple[str, ...], until: float = 0.0) -> None:
        """`until`: as the core said; else as long as the core holds such denials back."""
        runs = (self._context.store.runs.get(run_id) for run_id in ids)
        known = [run.denied_until for run in runs if run is not None and run.denied_until]
        self.undo.offer(ids, until or max(known, default=0.0))
        if self.undo.active:
            self.say(f"Denied {count_of(len(ids), 'request')}.{_NOT_TOLD}")

    def _undo_expired(self) -> None:
        self.say(self.status_text().removesuffix(_NOT_TOLD))

    def _undone(self, ids: tuple[str, ...]) -> None:
        """What was denied waits again: show it."""
        self._answered = max(0, self._answered - len(ids))
        back = self._queue.put_back(ids, self._current)
        self._draw_rows()
        self._regroup()
        self.say("The denial was undone." if len(ids) == 1 else f"{len(ids):,} denials were undone.")
        if back and self.isVisible():
            self._show(back[0], ids[0])
        elif back:
            entry = self._queue.get(back[0])
            self.show_request(ids[0] if entry is not None and ids[0] in entry.members else back[0])

    def _open_menu(self) -> None:
        """What can be done about all requests of the agent in front, and agents that are muted."""
        entry = self._queue.get(self._current)
        sessions = entry.sessions if entry is not None else ()
        counts = [(session, len(self._queue.ids_of_session(session))) for session in sessions]
        menu = AgentMenu(self._context, counts, self)
        menu.deny_wanted.connect(self._deny_agent)
        menu.popup(self.agent_button.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def _deny_agent(self, session: str, mute: bool) -> None:
        self._queue.note_places()
        self._together |= set(self._queue.ids_of_session(session))
        name = agent_name(self._context, session)
        request = self._context.api.deny_agent(session, "", mute, True)
        self._context.tasks.run("deny all of an agent", request, partial(self._agent_denied, name, mute))

    def _agent_denied(self, name: str, mute: bool, outcomes: tuple[DecisionOutcome, ...]) -> None:
        self._decided_many(False, outcomes)
        if mute:
            self.say(f"{name} is muted: its requests are denied until it connects again or you unmute it.")

    # keys

    def _step(self, by: int) -> None:
        self._collect(self._current if self.page() is not None else "")  # an event may have come a moment ago
        self._forget_sentence()
        if order := self._queue.order:
            place = order.index(self._current) + by if self._current in order else 0
            self._list_shown(len(order) > 1)
            self._show(order[max(0, min(place, len(order) - 1))])

    def _toggle_keys(self) -> None:
        self._list_shown(True)
        self.keys_table.setVisible(self.keys_table.isHidden())

    def say(self, sentence: str) -> None:
        """Show a sentence below the request, until something else happens."""
        self._said.setText(sentence)

    def _forget_sentence(self) -> None:
        """The user goes to another request: what was said about the last answer was read."""
        if not self.undo.active:
            self.say("")

    def status_text(self) -> str:
        """The sentence below the request."""
        return self._said.full_text()

    def _key_acts(self) -> dict[int, Callable[[], object]]:
        return {
            Qt.Key.Key_J: partial(self._step, 1),
            Qt.Key.Key_K: partial(self._step, -1),
            Qt.Key.Key_A: self._keys.allow,
            Qt.Key.Key_D: self._keys.deny,
            Qt.Key.Key_E: partial(self._keys.press, "edit_button"),
            Qt.Key.Key_R: partial(self._keys.press, "reason_button"),
            Qt.Key.Key_T: partial(self._keys.press, "trust_button"),
            Qt.Key.Key_L: self.put_away,
            Qt.Key.Key_U: self.undo.undo,
        }

    def _shift_acts(self) -> dict[int, Callable[[], object]]:
        return {Qt.Key.Key_A: self._keys.allow_group, Qt.Key.Key_D: self._keys.deny_group}

    def _handle_key(self, event: QKeyEvent) -> bool:
        """Do what a letter stands for. Text fields take letters before they come here."""
        key = event.key()
        if key != Qt.Key.Key_A:
            self._keys.cancel()
        if event.modifiers() & _PLAIN:
            return False
        if event.text() == "?":
            act: Callable[[], object] | None = self._toggle_keys
        else:
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            act = (self._shift_acts() if shift else self._key_acts()).get(key)
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
        """The list would search for the letters that are typed in it; on a button, arrow keys lead as J and K."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if not isinstance(watched, QPushButton):
                return self._handle_key(event)
            if (by := _ARROWS.get(event.key())) and not event.modifiers() & _PLAIN:
                self._keys.cancel()
                self._step(by)
                return True
        return super().eventFilter(watched, event)

    def put_away(self) -> None:
        """Hide the dialog; everything keeps waiting. Escape cancels an allow that was begun first."""
        if self._keys.is_allowing:
            self._keys.cancel()
            return
        if self._keys.cancel_group():
            return
        self.only_own = False
        if self.undo.active:
            self._context.say("Denied. The agent has not been told yet.", undo="run.undo_denial")
        super().put_away()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closed by the application: no page answers."""
        self._keys.cancel()
        if not event.spontaneous():
            for page in tuple(self._pages):
                page.done(0)
        super().closeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fit_to_screen(self)
        self._tick.start()
        self.in_view.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._tick.stop()
        self.in_view.emit(False)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        page = self.page()
        if event.type() is QEvent.Type.ActivationChange and page is not None and not page.is_over:
            self._keys.cancel()
            page.restart_settling()
            self.group.restart_settling()

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
        self.group = GroupPanel(theme)
        self.group.table.installEventFilter(self)
        self.group.member_selected.connect(self._select_member)
        self.group.allow_wanted.connect(self._allow_ticked)
        self.group.deny_wanted.connect(self._deny_ticked)
        self._keys = KeyAnswers(self.group, self.page, self.say)
        right = QWidget()
        column(right, self.group, self._stack, grows=self._stack)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self._side)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        letter = self.fontMetrics().averageCharWidth()
        self._side.setMinimumWidth(letter * 20)
        split.setSizes([letter * _LIST_LETTERS, unit * 270])
        self._said = ForeignLabel(elide=True)
        self._help = tool_button("help", "Show the keys (?)", theme, self._toggle_keys)
        self.undo = DenialUndo(self._context)
        self.undo.undone.connect(self._undone)
        self.undo.expired.connect(self._undo_expired)
        self.agent_button = tool_button("agent", "All requests of this agent…", theme, self._open_menu)
        foot = Strip(theme)
        for widget in (self._said, self.undo, self.agent_button, self._help):
            foot.row.addWidget(widget, int(widget is self._said))
        foot.setMinimumHeight(self.undo.sizeHint().height() + unit * 3)  # the button moves nothing when it comes
        column(self, split, foot, grows=split)
        self.resize(QSize(unit * 330, unit * 185).boundedTo(self.screen().availableSize()))

    def _selected(self) -> None:
        if (key := self.list.key()) and key != self._current:
            self._forget_sentence()
            self._show(key)

    def _enter(self, _key: str) -> None:
        if (page := self.page()) is not None:
            page.take_focus()
