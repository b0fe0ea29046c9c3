"""The page of a server's resources: find one, read it, be told when it changes."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from workbench.events import Event, ResourcesUpdated
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.models.offer_rows import OfferEntry
from workbench.gui.rows import Row
from workbench.gui.server.offer_list import OfferList
from workbench.gui.server.offer_page import OfferPage
from workbench.gui.server.offer_words import resource_row, template_key, template_row
from workbench.gui.server.resource_detail import ResourceDetail
from workbench.records import Offers, Resource, ResourceTemplate, ServerState

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
        self.detail.said.connect(self.say)

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
