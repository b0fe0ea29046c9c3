"""The page of resources and templates: a list, and the content of the selected one."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QPushButton

from workbench.errors import WorkbenchError
from workbench.events import ResourcesUpdated
from workbench.gui.kit.icons import icon, mime_icon
from workbench.gui.kit.lists import tool_button
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.wording import clock
from workbench.gui.results.result_view import ResultView
from workbench.gui.servers.filtered_list import FilteredModel
from workbench.gui.servers.offers import OfferDetail, OfferPage
from workbench.gui.servers.template_arguments import ArgumentField
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import size_words
from workbench.records import Completion, Fault, Offers, Outcome, Resource, ResourceTemplate, ServerState
from workbench.records.resources_and_prompts import expand, optional

Listed = Resource | ResourceTemplate


def entry_key(entry: Listed) -> str:
    """The address of a resource. The key of a template has a line break, which no address contains."""
    return entry.uri if isinstance(entry, Resource) else f"template\n{entry.template}"


def _search_text(entry: Listed) -> str:
    last = (entry.uri, entry.mime) if isinstance(entry, Resource) else (entry.template, entry.description)
    return "\n".join((entry.name, entry.title, *last))


class ResourceDetail(OfferDetail[Outcome]):
    """The content of a resource, and whether the server announces its changes."""

    verb, symbol, tooltip = "Read", "eye", "Read the content"
    copy_action, copied = "Copy address", "Copied the address."
    nothing_selected = ("No resource selected", "Select a resource. Its content appears here.")
    not_requested = ("Not read yet", "Press Read, or Enter in the list.")
    failed = ("No content", "The server reported the error above.")

    def __init__(self, context: Context, server: str) -> None:
        self.result = ResultView(context)
        super().__init__(context, server, self.result)
        self._entry: Listed | None = None
        self._announced: dict[str, str] = {}  # addresses whose answer is outdated, with the time of the announcement
        self._subscriptions: frozenset[str] = frozenset()
        self._subscribable = False
        self.address_label = ForeignLabel("", elide=True, role="mono")
        self.head.addWidget(self.address_label)
        self.subscribe = QPushButton(icon("bolt", "muted"), "Subscribe")
        self.subscribe.setCheckable(True)
        self.subscribe.setToolTip("Let the server announce changes of this resource")
        self.subscribe.clicked.connect(self._toggle)
        copy = tool_button("copy", self.copy_action, context.theme)
        copy.clicked.connect(self.copy)
        self.buttons.insertWidget(1, self.subscribe)
        self.buttons.addWidget(copy)

    def show_entry(self, entry: Listed) -> None:
        self._entry = entry
        fields: list[ArgumentField] = []
        if isinstance(entry, ResourceTemplate):
            not_required = optional(entry.template)
            fields = [ArgumentField(name, required=name not in not_required) for name in entry.variables]
        self.present(entry_key(entry), entry.title or entry.name, entry.description, fields)

    def show_subscriptions(self, uris: frozenset[str], *, subscribable: bool) -> None:
        self._subscriptions, self._subscribable = uris, subscribable
        self.update_controls()

    def mark_updated(self, uris: tuple[str, ...]) -> None:
        """The server announced changes. An answer that was read before is not shown again, only left on screen."""
        for uri in uris:
            if self.answers.pop(uri, None) is not None:
                self._announced[uri] = clock(time.time())
        self._show_announcement()

    def _show_announcement(self) -> None:
        if when := self._announced.get(self.address):
            hint = "The content below is older. " if self.shows_answer() else ""
            fault = Fault(f"The server announced a change at {when}.", f"{hint}Read the resource again.")
            self.notice.show_fault(fault, tone="info")

    async def ask_server(self, address: str) -> Outcome:
        try:
            return await self.context.api.read_resource(self.server, address)
        except WorkbenchError as fault:
            return Outcome("", ok=False, fault=Fault(fault.message, fault.hint))

    async def complete(self, argument: str, typed: str, others: dict[str, str]) -> Completion:
        template = self.key.removeprefix("template\n")
        return await self.context.api.complete(self.server, "resource", template, argument, typed, others)

    def make_address(self) -> str:
        if isinstance(self._entry, ResourceTemplate):
            return expand(self._entry.template, self.arguments.values())
        return self.key

    def show_content(self, answer: Outcome) -> str:
        self.result.show_outcome(answer)
        return ""

    def update_controls(self) -> None:
        if (answer := self.answer()) is not None and answer.fault is None:
            self._announced.pop(self.address, None)
        self._show_announcement()
        self.address_label.setText(self.address)
        on = self.address in self._subscriptions
        self.subscribe.setVisible(self._subscribable)
        self.subscribe.setChecked(on)
        self.subscribe.setText("Subscribed" if on else "Subscribe")

    def copied_text(self) -> str:
        return self.address

    def _toggle(self, on: bool) -> None:
        """The button shows the state in the server, so it changes when the server has answered."""
        self.subscribe.setChecked(self.address in self._subscriptions)
        if self.arguments.validate():
            self.context.tasks.run("subscribe", self._subscribe(self.address, on=on))

    async def _subscribe(self, uri: str, *, on: bool) -> None:
        try:
            await self.context.api.subscribe_resource(self.server, uri, on)
        except WorkbenchError as fault:
            if uri == self.address:
                self.fault.show_fault(Fault(fault.message, fault.hint))


_PAGE = 1_000  # resources that the core returns at once
_MOST_MARKED = 1_000  # addresses whose change is marked in the list


class ResourcesPage(OfferPage):
    """Templates come first. A resource with an announced change is marked until it is read."""

    title, search = "Resources and templates", "Filter resources"
    no_entries = ("This server has no resources", "Resources are texts, pictures and data. Tools work without them.")
    detail: ResourceDetail

    def __init__(self, context: Context, state: ServerState) -> None:
        model = FilteredModel(entry_key, _search_text, self._row)
        super().__init__(context, state, model, ResourceDetail(context, state.config.name))
        self._subscriptions: frozenset[str] = frozenset()
        self._updated: dict[str, None] = {}  # addresses, the latest announcement last
        self._entries: dict[str, Listed] = {}
        self.detail.was_answered.connect(self._clear_update_mark)
        context.store.on(ResourcesUpdated, self._resources_updated)

    async def fetch(self) -> Offers:
        offers = await self.context.api.offers(self.server)
        resources: list[Resource] = []
        while page := await self.context.api.resources(self.server, len(resources)):
            resources += page
            if len(page) < _PAGE:
                break
        self._subscriptions = frozenset(offers.subscriptions)
        listed: list[Listed] = [*offers.templates, *resources]
        self._entries = {entry_key(entry): entry for entry in listed}
        self.list.show_entries(self._entries.values())
        self.detail.show_subscriptions(self._subscriptions, subscribable=offers.subscribable)
        return offers

    def show_entry(self, key: str) -> None:
        self.detail.show_entry(self._entries[key])

    def find_key(self, item: str) -> str:
        """A resource by its address, or a template."""
        return item if item in self._entries else f"template\n{item}"

    def _resources_updated(self, event: ResourcesUpdated) -> None:
        if event.server == self.server:
            self._updated.update(dict.fromkeys(uri for uri in event.uris if uri in self._entries))
            while len(self._updated) > _MOST_MARKED:
                self._updated.pop(next(iter(self._updated)))
            self.detail.mark_updated(event.uris)
            self.list.model.repaint_rows()

    def _clear_update_mark(self, uri: str) -> None:
        if uri in self._updated:
            del self._updated[uri]
            self.list.model.repaint_rows()

    def _row(self, entry: Listed) -> Row:
        aside, badges = [one_line(entry.mime, 60)], [("template", "accent")]
        if isinstance(entry, Resource):
            aside.append(size_words(entry.size) if entry.size >= 0 else "")
            badges = [("updated", "warning")] if entry.uri in self._updated else []
            badges += [("subscribed", "info")] if entry.uri in self._subscriptions else []
        return Row(
            key=entry_key(entry),
            title=one_line(entry.title or entry.name, 200),
            detail=one_line(entry.uri if isinstance(entry, Resource) else entry.template, 300),
            aside=" · ".join(part for part in aside if part),
            icon=mime_icon(entry.mime) if isinstance(entry, Resource) else "pencil",
            badges=tuple(badges),
            tip=visible(entry.description),
        )
