"""One resource, or one template with its blanks: what the server says of it, and what it holds, side by side."""

from __future__ import annotations

import asyncio
import time
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.fault_card import FaultCard
from workbench.gui.icons import icon
from workbench.gui.result import ResultView
from workbench.gui.server.blanks import Blank, Blanks, BlanksArea
from workbench.gui.server.offer_words import figures, template_key
from workbench.gui.server.yielding import say, yielding
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState, tool_button
from workbench.gui.words import clock
from workbench.records import Completion, Fault, Outcome, Resource, ResourceTemplate
from workbench.records.resources_and_prompts import expand, optional

_KEPT = 16  # answers kept, so that going back shows them again


class ResourceDetail(QWidget):
    """`show_resource` or `show_template` opens one; `read` fetches what it holds."""

    was_read = Signal(str)
    """Carries the address that was read."""
    said = Signal(str)

    def __init__(self, context: Context, server: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._server = server
        self._key = ""
        self._uri = ""
        self._template: ResourceTemplate | None = None
        self._typed: dict[str, dict[str, str]] = {}  # by template
        self._answers: dict[str, Outcome] = {}  # by address
        self._subscriptions: frozenset[str] = frozenset()
        self._subscribable = False
        self._reading: asyncio.Future[None] | None = None
        self._blanks: Blanks | None = None
        self._area: BlanksArea | None = None
        self._build()

    def show_resource(self, resource: Resource) -> None:
        self._template = None
        self._present(resource.uri, resource.title or resource.name, resource.description)
        self._take_address(resource.uri)

    def show_template(self, template: ResourceTemplate) -> None:
        self._template = template
        self._present(template_key(template), template.title or template.name, template.description)
        choices = optional(template.template)
        blanks = [Blank(name, required=name not in choices) for name in template.variables]
        self._blanks = Blanks(self._context, blanks, partial(self._complete, template.template))
        self._blanks.fill(self._typed.get(self._key, {}))
        self._blanks.changed.connect(self._filled)
        self._blanks.submitted.connect(self.read)
        self._area = BlanksArea(self._blanks, self._context.theme.unit * 24)
        self._form.addWidget(self._area)
        self._filled()

    def key(self) -> str:
        """Which entry of the list this is."""
        return self._key

    def show_subscriptions(self, uris: frozenset[str], *, subscribable: bool) -> None:
        self._subscriptions, self._subscribable = uris, subscribable
        self._draw_subscription()

    def updated(self, uris: frozenset[str]) -> None:
        """The server says that something changed; if it is what one looks at, that is said here."""
        if self._uri in uris and self._uri in self._answers:
            words = f"The server says that this changed at {clock(time.time())}."
            self._news.show_fault(Fault(words, "What stands below is older. Read it again."), tone="info")

    def take_keyboard(self) -> None:
        """To the first blank, or to the button."""
        (self._blanks or self._read).setFocus(Qt.FocusReason.TabFocusReason)

    def read(self) -> None:
        """Ask the server; an earlier question nobody waits for any more is taken back."""
        if not self._key or (self._blanks is not None and not self._blanks.complete()):
            return
        if self._reading is not None:
            self._reading.cancel()
        self._read.setEnabled(False)
        self._words.setText("Reading…")
        self._reading = self._context.tasks.run("read a resource", self._fetch(self._uri))
        self._reading.add_done_callback(self._ended)

    async def _fetch(self, uri: str) -> None:
        try:
            outcome = await self._context.api.read_resource(self._server, uri)
        except WorkbenchError as fault:
            outcome = Outcome("", ok=False, fault=Fault(fault.message, fault.hint))
        self._answers.pop(uri, None)
        self._answers[uri] = outcome
        while len(self._answers) > _KEPT:
            self._answers.pop(next(iter(self._answers)))
        if uri == self._uri:
            self._news.show_fault(None)
            self._show_answer(outcome)
        if outcome.ok:
            self.was_read.emit(uri)

    def _ended(self, reading: asyncio.Future[None]) -> None:
        if reading is self._reading:
            self._reading = None
            self._read.setEnabled(True)

    def _show_answer(self, outcome: Outcome | None) -> None:
        self._fault.show_fault(outcome.fault if outcome else None)
        whole = outcome is not None and outcome.ok
        self._read.setText("Read again" if outcome else "Read")
        if outcome is None:
            self._words.setText("")
            self._pages.setCurrentWidget(self._empty)
            self._empty.say("Not read yet", "Press Read, or Enter in the list.")
        elif whole:
            self._words.setText(figures(outcome.ms, outcome.bytes, outcome.tokens))
            self.result.show_outcome(outcome)
            self._pages.setCurrentWidget(self.result)
        else:
            self._words.setText("")
            self._empty.say("Nothing to show", "The reason stands above.")
            self._pages.setCurrentWidget(self._empty)

    def _present(self, key: str, title: str, description: str) -> None:
        self._key = key
        if self._area is not None:
            self._form.removeWidget(self._area)
            self._area.hide()
            self._area.deleteLater()
            self._area = self._blanks = None
        self._title.setText(title)
        say(self._description, description)
        self._tools.show()

    def _filled(self) -> None:
        """The address grows while the blanks are filled."""
        if self._blanks is None or self._template is None:
            return
        self._typed[self._key] = self._blanks.values()
        self._take_address(expand(self._template.template, self._blanks.values()))

    def _take_address(self, uri: str) -> None:
        self._uri = uri
        self._address.setText(uri)
        self._news.show_fault(None)
        self._show_answer(self._answers.get(uri))
        self._draw_subscription()

    def _draw_subscription(self) -> None:
        on = self._uri in self._subscriptions
        self._subscribe.setVisible(self._subscribable)
        self._subscribe.setChecked(on)
        self._subscribe.setText("Subscribed" if on else "Subscribe")

    def _toggle(self, on: bool) -> None:
        """The mark follows the server's answer, not the press."""
        uri = self._uri
        self._subscribe.setChecked(uri in self._subscriptions)
        if self._blanks is None or self._blanks.complete():
            self._context.tasks.run("subscribe", self._change(uri, on=on))

    async def _change(self, uri: str, *, on: bool) -> None:
        try:
            await self._context.api.subscribe_resource(self._server, uri, on)
        except WorkbenchError as fault:
            if uri == self._uri:
                self._fault.show_fault(Fault(fault.message, fault.hint))

    async def _complete(self, template: str, name: str, typed: str, others: dict[str, str]) -> Completion:
        return await self._context.api.complete(self._server, "resource", template, name, typed, others)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._uri)
        self.said.emit("The address is in the clipboard.")

    def _build(self) -> None:
        unit = self._context.theme.unit
        self._title, self._address = ForeignLabel("", elide=True), ForeignLabel("", elide=True)
        self._description = yielding()
        mark(self._title, role="heading")
        mark(self._description, role="muted")
        mark(self._address, role="mono")
        self._news, self._fault = FaultCard(self._context.theme), FaultCard(self._context.theme)
        self.result = ResultView(self._context)
        words = "Choose a resource on the left: what it holds stands here."
        self._empty = EmptyState(self._context.theme, "file", "No resource chosen", words)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.result)
        self._pages.setMinimumHeight(unit * 8)  # where it is low, the blanks to fill in matter more
        head = QVBoxLayout()
        head.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        head.setSpacing(unit)
        for part in (self._title, self._description, self._address):
            head.addWidget(part)
        self._form = QVBoxLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._form)
        column.addWidget(self._buttons(unit))
        column.addWidget(self._news)
        column.addWidget(self._fault)
        column.addWidget(self._pages, 1)

    def _buttons(self, unit: int) -> QWidget:
        self._tools = QWidget()
        row = QHBoxLayout(self._tools)
        row.setContentsMargins(unit * 3, unit, unit * 3, unit)
        row.setSpacing(unit * 2)
        self._read = QPushButton(icon("eye", "on_accent"), "Read")
        self._read.setToolTip("Fetch what it holds (Ctrl+Enter)")
        mark(self._read, kind="primary")
        self._read.clicked.connect(self.read)
        self._subscribe = QPushButton(icon("bolt", "muted"), "Subscribe")
        self._subscribe.setCheckable(True)
        self._subscribe.setToolTip("Have the server tell when this changes")
        self._subscribe.clicked.connect(self._toggle)
        self._words = ForeignLabel("", elide=True)
        mark(self._words, role="muted")
        copy = tool_button("copy", "Copy the address", self._context.theme)
        copy.clicked.connect(self._copy)
        for widget in (self._read, self._subscribe):
            row.addWidget(widget)
        row.addWidget(self._words, 1)
        row.addWidget(copy)
        self._tools.hide()
        return self._tools
