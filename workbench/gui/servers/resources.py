"""One resource, or one template with its blanks: what the server says of it, and what it holds, side by side."""

from __future__ import annotations

import asyncio
import time
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, ResourcesUpdated
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import EmptyState, tool_button
from workbench.gui.kit.rows import Row
from workbench.gui.kit.shrinkable_label import say, yielding
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import clock
from workbench.gui.results.result_view import ResultView
from workbench.gui.servers.offers import (
    OfferEntry,
    OfferList,
    OfferPage,
    figures,
    resource_row,
    template_key,
    template_row,
)
from workbench.gui.servers.template_arguments import Blank, Blanks, BlanksArea
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.records import Completion, Fault, Offers, Outcome, Resource, ResourceTemplate, ServerState
from workbench.records.resources_and_prompts import expand, optional

_KEPT = 16  # answers kept, so that going back shows them again


class ResourceDetail(QWidget):
    """`show_resource` or `show_template` opens one; `read` fetches what it holds."""

    was_read = Signal(str)
    """Carries the address that was read."""

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
        self._context.say("The address is in the clipboard.")

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


_SLICE = 1_000  # resources the core tells at once
_MARKED = 1_000  # addresses whose change is marked in the list


class ResourcesPage(OfferPage):
    """Templates first, then resources; the detail beside them."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._resources: dict[str, Resource] = {}
        self._templates: dict[str, ResourceTemplate] = {}
        self._subscriptions: frozenset[str] = frozenset()
        self._updated: dict[str, None] = {}
        self._wanted = ""  # the address somebody asked for before the list had come
        self.list = OfferList(context.theme, "Resources and templates", "Find a resource")
        self.detail = ResourceDetail(context, self.server)
        self.split.addWidget(self.list)
        self.split.addWidget(self.detail)
        self.split.setSizes([300, 600])
        self.split.setFocusProxy(self.list)
        self.list.looked.connect(self._look_at)
        self.list.wanted.connect(self._want)
        self.detail.was_read.connect(self._was_read)

    def show_item(self, name: str) -> None:
        """Go to a resource by its address, or to a template, and read it."""
        self._wanted = name
        self._go()

    def run(self) -> bool:
        if not self.detail.key():
            return False
        self.detail.read()
        return True

    def hear(self, event: Event) -> None:
        super().hear(event)
        if isinstance(event, ResourcesUpdated) and event.server == self.server:
            self._updated.update(dict.fromkeys(uri for uri in event.uris if uri in self._resources))
            while len(self._updated) > _MARKED:
                self._updated.pop(next(iter(self._updated)))
            self.detail.updated(frozenset(event.uris))
            self.list.model.redraw()

    async def load(self) -> Offers:
        api = self.context.api
        offers = await api.offers(self.server)
        resources: list[Resource] = []
        while part := await api.resources(self.server, len(resources)):
            resources += part
            if len(part) < _SLICE:
                break
        self._resources = {one.uri: one for one in resources}
        self._templates = {template_key(one): one for one in offers.templates}
        self._subscriptions = frozenset(offers.subscriptions)
        self.list.show_entries(self._entries())
        self.detail.show_subscriptions(self._subscriptions, subscribable=offers.subscribable)
        self._go()
        return offers

    def count(self, offers: Offers) -> int:
        return len(self._resources) + len(self._templates)

    def nothing(self) -> tuple[str, str]:
        words = "Resources are texts, pictures and data that a server lets read. Its tools work without them."
        return "This server offers no resources", words

    def _entries(self) -> list[OfferEntry]:
        templates = [
            OfferEntry(key, _words(one.name, one.title, one.template, one.description), partial(template_row, one))
            for key, one in self._templates.items()
        ]
        return templates + [
            OfferEntry(uri, _words(one.name, one.title, uri, one.mime), partial(self._row, uri))
            for uri, one in self._resources.items()
        ]

    def _row(self, uri: str) -> Row:
        return resource_row(self._resources[uri], subscribed=uri in self._subscriptions, updated=uri in self._updated)

    def _look_at(self, key: str) -> None:
        if key == self.detail.key():
            return
        if (template := self._templates.get(key)) is not None:
            self.detail.show_template(template)
        elif (resource := self._resources.get(key)) is not None:
            self.detail.show_resource(resource)

    def _want(self, key: str) -> None:
        """A template is filled first; a resource is read at once."""
        self._look_at(key)
        if key in self._templates:
            self.detail.take_keyboard()
        else:
            self.detail.read()

    def _go(self) -> None:
        key = self._wanted if self._wanted in self._resources else f"template\n{self._wanted}"
        if self._wanted and self.list.choose(key):
            self._wanted = ""
            self._want(key)

    def _was_read(self, uri: str) -> None:
        if self._updated.pop(uri, "") is None:
            self.list.model.redraw()


def _words(*parts: str) -> str:
    return "\n".join(parts).casefold()
