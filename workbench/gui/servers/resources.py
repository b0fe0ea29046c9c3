"""The page of resources and templates: a list, and the content of the selected one."""

from __future__ import annotations

import asyncio
import time
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import ResourcesUpdated
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
    cost_text,
    resource_row,
    template_key,
    template_row,
)
from workbench.gui.servers.template_arguments import ArgumentField, ArgumentsArea, ArgumentsForm
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.records import Completion, Fault, Offers, Outcome, Resource, ResourceTemplate, ServerState
from workbench.records.resources_and_prompts import expand, optional

_KEPT_ANSWERS = 16  # shown again when the user returns to a resource


class ResourceDetail(QWidget):
    """The description, address, arguments and content of one resource or template."""

    was_read = Signal(str)
    """Carries the address that was read."""

    def __init__(self, context: Context, server: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._server = server
        self._key = ""
        self._uri = ""
        self._template: ResourceTemplate | None = None
        self._values: dict[str, dict[str, str]] = {}  # by template
        self._answers: dict[str, Outcome] = {}  # by address
        self._subscriptions: frozenset[str] = frozenset()
        self._subscribable = False
        self._request: asyncio.Future[None] | None = None
        self.arguments: ArgumentsForm | None = None
        self._area: ArgumentsArea | None = None
        self._build()

    def show_resource(self, resource: Resource) -> None:
        self._template = None
        self._present(resource.uri, resource.title or resource.name, resource.description)
        self._take_address(resource.uri)

    def show_template(self, template: ResourceTemplate) -> None:
        self._template = template
        self._present(template_key(template), template.title or template.name, template.description)
        not_required = optional(template.template)
        fields = [ArgumentField(name, required=name not in not_required) for name in template.variables]
        self.arguments = ArgumentsForm(self._context, fields, partial(self._complete, template.template))
        self.arguments.fill(self._values.get(self._key, {}))
        self.arguments.changed.connect(self._update_address)
        self.arguments.submitted.connect(self.read)
        self._area = ArgumentsArea(self.arguments, self._context.theme.unit * 24)
        self._form.addWidget(self._area)
        self._update_address()

    def key(self) -> str:
        """The key of the shown entry."""
        return self._key

    def show_subscriptions(self, uris: frozenset[str], *, subscribable: bool) -> None:
        self._subscriptions, self._subscribable = uris, subscribable
        self._draw_subscription()

    def mark_updated(self, uris: frozenset[str]) -> None:
        """The server announced changes; say so if the shown content is outdated."""
        if self._uri in uris and self._uri in self._answers:
            message = f"The server announced a change at {clock(time.time())}."
            self.notice.show_fault(Fault(message, "The content below is older. Read the resource again."), tone="info")

    def focus_arguments(self) -> None:
        """Focus the first argument, or the button if there is none."""
        (self.arguments or self._read).setFocus(Qt.FocusReason.TabFocusReason)

    def read(self) -> None:
        """Read the resource; cancels an earlier request."""
        if not self._key or (self.arguments is not None and not self.arguments.validate()):
            return
        if self._request is not None:
            self._request.cancel()
        self._read.setEnabled(False)
        self.summary.setText("Reading…")
        self._request = self._context.tasks.run("read a resource", self._fetch(self._uri))
        self._request.add_done_callback(self._ended)

    async def _fetch(self, uri: str) -> None:
        try:
            outcome = await self._context.api.read_resource(self._server, uri)
        except WorkbenchError as fault:
            outcome = Outcome("", ok=False, fault=Fault(fault.message, fault.hint))
        self._answers.pop(uri, None)
        self._answers[uri] = outcome
        while len(self._answers) > _KEPT_ANSWERS:
            self._answers.pop(next(iter(self._answers)))
        if uri == self._uri:
            self.notice.show_fault(None)
            self._show_answer(outcome)
        if outcome.ok:
            self.was_read.emit(uri)

    def _ended(self, reading: asyncio.Future[None]) -> None:
        if reading is self._request:
            self._request = None
            self._read.setEnabled(True)

    def _show_answer(self, outcome: Outcome | None) -> None:
        self.fault.show_fault(outcome.fault if outcome else None)
        self._read.setText("Read again" if outcome else "Read")
        if outcome is None:
            self.summary.setText("")
            self._pages.setCurrentWidget(self._empty)
            self._empty.say("Not read yet", "Press Read, or Enter in the list.")
        elif outcome.ok:
            self.summary.setText(cost_text(outcome.ms, outcome.bytes, outcome.tokens))
            self.result.show_outcome(outcome)
            self._pages.setCurrentWidget(self.result)
        else:
            self.summary.setText("")
            self._empty.say("No content", "The server reported the error above.")
            self._pages.setCurrentWidget(self._empty)

    def _present(self, key: str, title: str, description: str) -> None:
        self._key = key
        if self._area is not None:
            self._form.removeWidget(self._area)
            self._area.hide()
            self._area.deleteLater()
            self._area = self.arguments = None
        self.title.setText(title)
        say(self._description, description)
        self._tools.show()

    def _update_address(self) -> None:
        """Expand the template with the current values."""
        if self.arguments is None or self._template is None:
            return
        self._values[self._key] = self.arguments.values()
        self._take_address(expand(self._template.template, self.arguments.values()))

    def _take_address(self, uri: str) -> None:
        self._uri = uri
        self.address.setText(uri)
        self.notice.show_fault(None)
        self._show_answer(self._answers.get(uri))
        self._draw_subscription()

    def _draw_subscription(self) -> None:
        on = self._uri in self._subscriptions
        self.subscribe.setVisible(self._subscribable)
        self.subscribe.setChecked(on)
        self.subscribe.setText("Subscribed" if on else "Subscribe")

    def _toggle(self, on: bool) -> None:
        """The button shows the state in the server, so it changes when the server has answered."""
        uri = self._uri
        self.subscribe.setChecked(uri in self._subscriptions)
        if self.arguments is None or self.arguments.validate():
            self._context.tasks.run("subscribe", self._change(uri, on=on))

    async def _change(self, uri: str, *, on: bool) -> None:
        try:
            await self._context.api.subscribe_resource(self._server, uri, on)
        except WorkbenchError as fault:
            if uri == self._uri:
                self.fault.show_fault(Fault(fault.message, fault.hint))

    async def _complete(self, template: str, name: str, typed: str, others: dict[str, str]) -> Completion:
        return await self._context.api.complete(self._server, "resource", template, name, typed, others)

    def copy_address(self) -> None:
        QGuiApplication.clipboard().setText(self._uri)
        self._context.say("Copied the address.")

    def _build(self) -> None:
        unit = self._context.theme.unit
        self.title, self.address = ForeignLabel("", elide=True), ForeignLabel("", elide=True)
        self._description = yielding()
        mark(self.title, role="heading")
        mark(self._description, role="muted")
        mark(self.address, role="mono")
        self.notice, self.fault = FaultCard(self._context.theme), FaultCard(self._context.theme)
        self.result = ResultView(self._context)
        sentence = "Select a resource. Its content appears here."
        self._empty = EmptyState(self._context.theme, "file", "No resource selected", sentence)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.result)
        self._pages.setMinimumHeight(unit * 8)  # in a low window the arguments have priority
        head = QVBoxLayout()
        head.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        head.setSpacing(unit)
        for part in (self.title, self._description, self.address):
            head.addWidget(part)
        self._form = QVBoxLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._form)
        column.addWidget(self._buttons(unit))
        column.addWidget(self.notice)
        column.addWidget(self.fault)
        column.addWidget(self._pages, 1)

    def _buttons(self, unit: int) -> QWidget:
        self._tools = QWidget()
        row = QHBoxLayout(self._tools)
        row.setContentsMargins(unit * 3, unit, unit * 3, unit)
        row.setSpacing(unit * 2)
        self._read = QPushButton(icon("eye", "on_accent"), "Read")
        self._read.setToolTip("Read the content (Ctrl+Enter)")
        mark(self._read, kind="primary")
        self._read.clicked.connect(self.read)
        self.subscribe = QPushButton(icon("bolt", "muted"), "Subscribe")
        self.subscribe.setCheckable(True)
        self.subscribe.setToolTip("Let the server announce changes of this resource")
        self.subscribe.clicked.connect(self._toggle)
        self.summary = ForeignLabel("", elide=True)
        mark(self.summary, role="muted")
        copy = tool_button("copy", "Copy address", self._context.theme)
        copy.clicked.connect(self.copy_address)
        for widget in (self._read, self.subscribe):
            row.addWidget(widget)
        row.addWidget(self.summary, 1)
        row.addWidget(copy)
        self._tools.hide()
        return self._tools


_PAGE = 1_000  # resources that the core returns at once
_MOST_MARKED = 1_000  # addresses whose change is marked in the list


class ResourcesPage(OfferPage):
    """The list of templates and resources beside the selected one."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._resources: dict[str, Resource] = {}
        self._templates: dict[str, ResourceTemplate] = {}
        self._subscriptions: frozenset[str] = frozenset()
        self._updated: dict[str, None] = {}
        self._wanted = ""  # the address to open once the list is loaded
        self.list = OfferList(context.theme, "Resources and templates", "Filter resources")
        self.detail = ResourceDetail(context, self.server)
        self.split.addWidget(self.list)
        self.split.addWidget(self.detail)
        self.split.setFocusProxy(self.list)
        self.list.selected.connect(self._show_entry)
        self.list.opened.connect(self._open_entry)
        self.detail.was_read.connect(self._clear_update_mark)
        context.store.on(ResourcesUpdated, self._resources_updated)
        read, copy_address = QAction(icon("eye"), "Read", self), QAction(icon("copy"), "Copy address", self)
        read.triggered.connect(self._open_selected)
        copy_address.triggered.connect(self.detail.copy_address)
        self.list.add_menu_actions(read, copy_address)

    def show_item(self, name: str) -> None:
        """Go to a resource by its address, or to a template, and read it."""
        self._wanted = name
        self._open_wanted()

    def run(self) -> bool:
        if not self.detail.key():
            return False
        self.detail.read()
        return True

    def _resources_updated(self, event: ResourcesUpdated) -> None:
        if event.server == self.server:
            self._updated.update(dict.fromkeys(uri for uri in event.uris if uri in self._resources))
            while len(self._updated) > _MOST_MARKED:
                self._updated.pop(next(iter(self._updated)))
            self.detail.mark_updated(frozenset(event.uris))
            self.list.model.repaint_rows()

    async def fetch(self) -> Offers:
        api = self.context.api
        offers = await api.offers(self.server)
        resources: list[Resource] = []
        while page := await api.resources(self.server, len(resources)):
            resources += page
            if len(page) < _PAGE:
                break
        self._resources = {resource.uri: resource for resource in resources}
        self._templates = {template_key(template): template for template in offers.templates}
        self._subscriptions = frozenset(offers.subscriptions)
        self.list.show_entries(self._entries())
        self.detail.show_subscriptions(self._subscriptions, subscribable=offers.subscribable)
        self._open_wanted()
        return offers

    def count(self, offers: Offers) -> int:
        return len(self._resources) + len(self._templates)

    def describe_empty(self) -> tuple[str, str]:
        return "This server has no resources", "Resources are texts, pictures and data. Tools work without them."

    def _entries(self) -> list[OfferEntry]:
        templates = [
            OfferEntry(key, _join(one.name, one.title, one.template, one.description), partial(template_row, one))
            for key, one in self._templates.items()
        ]
        return templates + [
            OfferEntry(uri, _join(one.name, one.title, uri, one.mime), partial(self._row, uri))
            for uri, one in self._resources.items()
        ]

    def _row(self, uri: str) -> Row:
        return resource_row(self._resources[uri], subscribed=uri in self._subscriptions, updated=uri in self._updated)

    def _show_entry(self, key: str) -> None:
        if key == self.detail.key():
            return
        if (template := self._templates.get(key)) is not None:
            self.detail.show_template(template)
        elif (resource := self._resources.get(key)) is not None:
            self.detail.show_resource(resource)

    def _open_entry(self, key: str) -> None:
        """Focus the arguments of a template; read a resource at once."""
        self._show_entry(key)
        if key in self._templates:
            self.detail.focus_arguments()
        else:
            self.detail.read()

    def _open_selected(self) -> None:
        if key := self.list.view.key():
            self._open_entry(key)

    def _open_wanted(self) -> None:
        key = self._wanted if self._wanted in self._resources else f"template\n{self._wanted}"
        if self._wanted and self.list.select(key):
            self._wanted = ""
            self._open_entry(key)

    def _clear_update_mark(self, uri: str) -> None:
        if self._updated.pop(uri, "") is None:
            self.list.model.repaint_rows()


def _join(*parts: str) -> str:
    return "\n".join(parts).casefold()
