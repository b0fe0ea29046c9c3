"""Base of the pages of resources and prompts: a filtered list, and the selected entry with its arguments and answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from workbench.errors import WorkbenchError
from workbench.events import OffersChanged
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import ForeignLabel, show_text, wrapping_label
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import cost, duration
from workbench.gui.servers.filtered_list import FilteredList, FilteredModel
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.servers.template_arguments import ArgumentField, ArgumentsForm
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import ShowServer
from workbench.records import Completion, Fault, Offers, Outcome, PromptAnswer, ServerState, ServerStatus

Answer = TypeVar("Answer", Outcome, PromptAnswer)
_KEPT_ANSWERS = 16  # shown again when the user returns to an entry with the same arguments
_RELOAD_MS = 150  # several changes in this time are loaded once
_WIDE = 90  # letters of width from which list and detail are side by side


class OfferDetail(QWidget, Generic[Answer]):
    """Description, arguments and answer of one entry. The answer is that of the current arguments."""

    verb, symbol, tooltip = "", "", ""  # of the button
    copy_action, copied = "", ""
    nothing_selected = not_requested = failed = ("", "")  # title and sentence in the place of an answer

    was_answered = Signal(str)
    """Carries the address that the server answered for."""

    def __init__(self, context: Context, server: str, view: QWidget) -> None:
        super().__init__()
        self.context = context
        self.server = server
        self.view = view
        self.key = ""  # of the entry
        self.address = ""  # the entry with its arguments
        self.arguments = ArgumentsForm(context, (), self.complete)
        self._values: dict[str, dict[str, str]] = {}  # by key
        self.answers: dict[str, Answer] = {}  # by address
        self._request: asyncio.Future[None] | None = None
        self.title, self._description = ForeignLabel("", elide=True, role="heading"), wrapping_label()
        self.summary = ForeignLabel("", elide=True, role="muted")
        self.notice, self.fault = Notice(context.theme), Notice(context.theme)
        self.request_button = QPushButton(icon(self.symbol, "on_accent"), self.verb)
        self.request_button.setToolTip(f"{self.tooltip} (Ctrl+Enter)")
        self.request_button.clicked.connect(self.request)
        mark(self._description, role="muted")
        mark(self.request_button, kind="primary")
        self.empty = EmptyState(context.theme, self.symbol, *self.nothing_selected)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(view)
        unit = context.theme.unit
        self._pages.setMinimumHeight(unit * 8)  # in a low window the arguments have priority
        margins = (unit * 3, unit * 2, unit * 3, unit)
        self.head = column(None, self.title, self._description, margins=margins, spacing=unit)
        self._form = column(None, self.arguments)
        self._foot = QWidget()
        parts = (self.request_button, self.summary)
        self.buttons = row(self._foot, *parts, grows=self.summary, margins=margins, spacing=unit * 2)
        self._foot.hide()
        column(self, self.head, self._form, self._foot, self.notice, self.fault, self._pages, grows=self._pages)

    # for subclasses

    async def ask_server(self, address: str) -> Answer:
        raise NotImplementedError

    async def complete(self, argument: str, typed: str, others: dict[str, str]) -> Completion:
        """The server's suggestions for an argument."""
        raise NotImplementedError

    def make_address(self) -> str:
        """The address for the current arguments."""
        raise NotImplementedError

    def show_content(self, answer: Answer) -> str:
        """Show an answer. Returns what the summary says before its cost."""
        raise NotImplementedError

    def update_controls(self) -> None:
        """Show what depends on the address and the answer. Called after each change of them."""

    def copied_text(self) -> str:
        """What the context menu copies."""
        return self.key

    # for the page

    def present(self, key: str, title: str, description: str, fields: Sequence[ArgumentField]) -> None:
        """Show an entry; its arguments are as the user left them."""
        self.key = key
        self._form.removeWidget(self.arguments)
        self.arguments.hide()
        self.arguments.deleteLater()
        self.arguments = ArgumentsForm(self.context, fields, self.complete)
        self.arguments.fill(self._values.get(key, {}))
        self.arguments.changed.connect(self._take_arguments)
        self.arguments.submitted.connect(self.request)
        self._form.addWidget(self.arguments)
        self.title.setText(title)
        show_text(self._description, description)
        self._foot.show()
        self._take_arguments()

    def open(self) -> None:
        """Focus the first argument; an entry without arguments is requested at once."""
        if self.arguments.fields:
            self.arguments.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.request()

    def request(self) -> None:
        """Ask the server; cancels an earlier request."""
        if not self.key or not self.arguments.validate():
            return
        if self._request is not None:
            self._request.cancel()
        self.summary.setText("Waiting for the server…")
        self._request = self.context.tasks.run(f"{self.verb} {self.key}", self._fetch(self.address))

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.copied_text())
        self.context.say(self.copied)

    def shows_answer(self) -> bool:
        """Whether an answer is on screen, and no fault or hint in its place."""
        return self._pages.currentWidget() is self.view

    def answer(self) -> Answer | None:
        """The server's answer for the current address; None if it was not requested."""
        return self.answers.get(self.address)

    async def _fetch(self, address: str) -> None:
        answer = await self.ask_server(address)
        self.answers.pop(address, None)
        self.answers[address] = answer
        while len(self.answers) > _KEPT_ANSWERS:
            self.answers.pop(next(iter(self.answers)))
        if address == self.address:
            self.notice.show_fault(None)
            self._show_answer()
        if answer.fault is None:
            self.was_answered.emit(address)

    def _take_arguments(self) -> None:
        self._values[self.key] = self.arguments.values()
        self.address = self.make_address()
        self.notice.show_fault(None)
        self._show_answer()

    def _show_answer(self) -> None:
        answer = self.answer()
        self.fault.show_fault(answer.fault if answer else None)
        self.request_button.setText(f"{self.verb} again" if answer else self.verb)
        shows = answer is not None and answer.fault is None
        self._pages.setCurrentWidget(self.view if shows else self.empty)
        self.summary.setText("")
        if answer is None or answer.fault is not None:
            self.empty.say(*(self.failed if answer else self.not_requested))
        else:
            parts = (self.show_content(answer), duration(answer.ms), size_words(answer.bytes), cost(answer.tokens))
            self.summary.setText(" · ".join(part for part in parts if part))
        self.update_controls()


class OfferPage(ServerPage):
    """A list beside the selected entry. Loads only while it is seen."""

    title, search = "", ""
    no_entries = ("", "")  # title and sentence for a server without entries

    def __init__(
        self, context: Context, state: ServerState, model: FilteredModel[Any], detail: OfferDetail[Any]
    ) -> None:
        super().__init__(context, state)
        self._stale = True
        self._seen = False
        self._wanted = ""  # the entry to open once the list is loaded
        self._pause = QTimer(self, singleShot=True, interval=_RELOAD_MS)
        self._pause.timeout.connect(self._load_if_seen)
        self.fault = Notice(context.theme)
        self.empty = EmptyState(context.theme, "server", "", "")
        self._overview = self.empty.offer(text="Go to Overview")
        self._overview.clicked.connect(self._to_overview)
        self.list = FilteredList(context.theme, self.title, self.search, model)
        self.list.selected.connect(self._show_entry)
        self.list.opened.connect(self._open_entry)
        self.detail = detail
        request, copy = QAction(icon(detail.symbol), detail.verb, self), QAction(icon("copy"), detail.copy_action, self)
        request.triggered.connect(self._open_selected)
        copy.triggered.connect(detail.copy)
        self.list.set_menu(request, copy)
        self._split = AdaptiveSplit(_WIDE, (1, 2), self.list, detail)
        self._split.setFocusProxy(self.list)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._split)
        context.store.on(OffersChanged, self._offers_changed)
        column(self, self.fault, self._stack, grows=self._stack)

    # for subclasses

    async def fetch(self) -> Offers:
        """Read from the core what the page shows, and show it."""
        raise NotImplementedError

    def show_entry(self, key: str) -> None:
        """Show an entry of the list in the detail."""
        raise NotImplementedError

    def find_key(self, item: str) -> str:
        """The key of an entry that another part of the window names."""
        return item

    # ServerPage

    def load(self) -> None:
        self._stale = True
        self._pause.start()

    def set_seen(self, *, seen: bool) -> None:
        self._seen = seen
        if seen:
            self._load_if_seen()

    def show_state(self, state: ServerState) -> None:
        before = self.state.status
        super().show_state(state)
        if state.status is not before:
            self.load()

    def show_item(self, name: str) -> None:
        """Select an entry and open it."""
        self._wanted = name
        self._open_wanted()

    def run(self) -> bool:
        self.detail.request()
        return bool(self.detail.key)

    def _show_entry(self, key: str) -> None:
        if key != self.detail.key:
            self.show_entry(key)

    def _open_entry(self, key: str) -> None:
        self._show_entry(key)
        self.detail.open()

    def _open_selected(self) -> None:
        self._open_entry(self.list.key())

    def _open_wanted(self) -> None:
        if self._wanted and self.list.select(key := self.find_key(self._wanted)):
            self._wanted = ""
            self._open_entry(key)

    def _offers_changed(self, event: OffersChanged) -> None:
        if event.server == self.server:
            self.load()

    def _load_if_seen(self) -> None:
        if self._stale and self._seen:
            self._stale = False
            self.context.tasks.run("read resources and prompts", self._load())

    async def _load(self) -> None:
        try:
            offers = await self.fetch()
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        left_out = Fault("Some entries are invalid and were left out.", "", "\n".join(offers.warnings))
        self.fault.show_fault(left_out if offers.warnings else None, tone="warning")
        self._explain_empty(offers)
        page = self._split if self.list.model.total() else self.empty
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page)
        self._open_wanted()

    def _explain_empty(self, offers: Offers) -> None:
        status = self.state.status
        self._overview.setVisible(not offers.known and status is not ServerStatus.STARTING)
        if offers.known:
            self.empty.say(*self.no_entries)
        elif status in (ServerStatus.STARTING, ServerStatus.READY):
            self.empty.say("Reading…", "The list appears here when the server has answered.")
        else:
            self.empty.say("This server has not run yet", "Connect it to see its resources and prompts.")

    def _to_overview(self) -> None:
        self.context.go(ShowServer(self.server, "overview"))
