"""Base of the pages of resources and prompts: rows, a filtered list, and a page that loads when it is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import OffersChanged
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import mime_icon
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label, search_box
from workbench.gui.kit.rows import KEY, Row, row_data
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import cost, duration
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import ShowServer
from workbench.records import Content, Fault, Offers, Prompt, Resource, ResourceTemplate, ServerState, ServerStatus
from workbench.records.common_types import count_of

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class OfferEntry(Struct, frozen=True):
    """A resource, template or prompt in a list. Its row is built when it is painted."""

    key: str
    search_text: str  # case-folded
    row: Callable[[], Row]


class OfferModel(QAbstractListModel):
    """The entries that match the filter, in the given order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[OfferEntry] = ()
        self._shown: Sequence[OfferEntry] = ()
        self._filter: tuple[str, ...] = ()

    def show_entries(self, entries: Sequence[OfferEntry]) -> None:
        self.beginResetModel()
        self._all = entries
        self._shown = self._matching()
        self.endResetModel()

    def filter(self, text: str) -> None:
        """Show entries with all these words."""
        words = tuple(text.casefold().split())
        if words != self._filter:
            self.beginResetModel()
            self._filter = words
            self._shown = self._matching()
            self.endResetModel()

    def repaint_rows(self) -> None:
        """The content of rows changed, but not which rows there are."""
        if self._shown:
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))

    def total(self) -> int:
        return len(self._all)

    def find(self, key: str) -> QModelIndex:
        """The index of a key; invalid if it is not shown."""
        row = next((row for row, entry in enumerate(self._shown) if entry.key == key), None)
        return QModelIndex() if row is None else self.index(row)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        entry = self._shown[index.row()]
        return entry.key if role == KEY else row_data(entry.row(), role)

    def _matching(self) -> Sequence[OfferEntry]:
        if not self._filter:
            return self._all
        return [entry for entry in self._all if all(word in entry.search_text for word in self._filter)]


def resource_row(resource: Resource, *, subscribed: bool = False, updated: bool = False) -> Row:
    badges = (("updated", "warning"),) if updated else ()
    if subscribed:
        badges = (*badges, ("subscribed", "info"))
    return Row(
        key=resource.uri,
        title=one_line(resource.title or resource.name, 200),
        detail=one_line(resource.uri, 300),
        aside=" · ".join(part for part in (one_line(resource.mime, 60), _size(resource.size)) if part),
        icon=mime_icon(resource.mime),
        badges=badges,
        tip=visible(resource.description),
    )


def template_row(template: ResourceTemplate) -> Row:
    return Row(
        key=template_key(template),
        title=one_line(template.title or template.name, 200),
        detail=one_line(template.template, 300),
        aside=one_line(template.mime, 60),
        icon="pencil",
        badges=(("template", "accent"),),
        tip=visible(template.description),
    )


def prompt_row(prompt: Prompt) -> Row:
    return Row(
        key=prompt.name,
        title=one_line(prompt.title or prompt.name, 200),
        detail=one_line(prompt.description or prompt.name, 300),
        aside=count_of(len(prompt.arguments), "argument") if prompt.arguments else "",
        icon="message",
        tip=f"{visible(prompt.name)}\n{visible(prompt.description)}",
    )


def template_key(template: ResourceTemplate) -> str:
    """A key that no resource can have: addresses contain no line break."""
    return f"template\n{template.template}"


def cost_text(ms: float, size: int, tokens: int) -> str:
    """Time, size and tokens of an answer."""
    return " · ".join((duration(ms), size_words(size), cost(tokens)))


def content_text(content: Content) -> str:
    """Address and type of a part of an answer."""
    texts = (one_line(content.uri, 80), one_line(content.mime or content.kind, 60))
    return " · ".join(text for text in texts if text)


def _size(size: int) -> str:
    return size_words(size) if size >= 0 else ""


_FILTER_MS = 80  # after the last key


class OfferList(QWidget):
    """A filtered list of entries that builds rows only for what is visible."""

    selected = Signal(str)
    """Carries the key of the entry that the selection moved to."""
    opened = Signal(str)
    """Carries the key of the entry that Enter or a click opened."""

    def __init__(self, theme: Theme, name: str, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = OfferModel(self)
        self.view = RowsView(theme, name, self)
        self.view.setUniformItemSizes(True)
        self.view.setModel(self.model)
        self.finder = search_box(placeholder, placeholder)
        self.count = label("", "muted")
        self._pause = QTimer(self, singleShot=True, interval=_FILTER_MS)
        self._none = EmptyState(theme, "search", "No matches", "Clear the filter to see all entries.")
        self._none.offer(text="Clear the filter").clicked.connect(self.finder.clear)
        self._lay_out(theme)
        self.finder.textChanged.connect(self._pause.start)
        self.finder.returnPressed.connect(self._to_first)
        self._pause.timeout.connect(self._apply_filter)
        self.view.chosen.connect(self.opened)
        self.view.clicked.connect(self._clicked)
        self.view.selectionModel().currentChanged.connect(self._moved)
        self.setFocusProxy(self.view)

    def show_entries(self, entries: Sequence[OfferEntry]) -> None:
        """Replace the entries; selection and scroll position stay."""
        key, place = self.view.key(), self.view.verticalScrollBar().value()
        self.model.show_entries(entries)
        self._show_count()
        if (index := self.model.find(key)).isValid():
            self.view.selectionModel().blockSignals(True)
            self.view.setCurrentIndex(index)
            self.view.selectionModel().blockSignals(False)
            self.view.verticalScrollBar().setValue(place)

    def add_menu_actions(self, *actions: QAction) -> None:
        """Offer actions on the selected entry in its context menu."""
        self.view.addActions(list(actions))
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def select(self, key: str) -> bool:
        """Select an entry, whatever the filter is; False if there is none with this key."""
        if not self.model.find(key).isValid():
            self.finder.clear()
            self._apply_filter()
        index = self.model.find(key)
        if index.isValid():
            self.view.setCurrentIndex(index)
        return index.isValid()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.finder.text():
            self.finder.clear()
        elif event.key() == Qt.Key.Key_Down and self.finder.hasFocus():
            self._to_first()
        else:
            super().keyPressEvent(event)

    def _lay_out(self, theme: Theme) -> None:
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 1)
        strip.row.addWidget(self.count)
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._none)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(stacked, 1)

    def _apply_filter(self) -> None:
        self._pause.stop()
        key = self.view.key()
        self.model.filter(self.finder.text())
        self._show_count()
        if (index := self.model.find(key)).isValid():
            self.view.setCurrentIndex(index)

    def _show_count(self) -> None:
        shown, total = self.model.rowCount(), self.model.total()
        self.count.setText(f"{total:,}" if shown == total else f"{shown:,} of {total:,}")
        self._stack.setCurrentWidget(self.view if shown or not total else self._none)

    def _to_first(self) -> None:
        self._apply_filter()
        if self.model.rowCount():
            self.view.setCurrentIndex(self.model.index(0))
            self.view.setFocus(Qt.FocusReason.TabFocusReason)

    def _clicked(self) -> None:
        if key := self.view.key():
            self.opened.emit(key)

    def _moved(self, index: QModelIndex) -> None:
        if index.isValid():
            self.selected.emit(self.view.key() or str(self.model.data(index, KEY)))


_RELOAD_MS = 150  # several changes in this time are loaded once
_WIDE = 90  # letters of width from which list and detail are side by side


class OfferPage(ServerPage):
    """Subclasses implement `fetch`, `count` and `describe_empty`. Loads only while it is seen."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._stale = True
        self._seen = False
        self._pause = QTimer(self, singleShot=True, interval=_RELOAD_MS)
        self._pause.timeout.connect(self._load_if_seen)
        self.fault = FaultCard(context.theme)
        self.empty = EmptyState(context.theme, "server", "", "")
        self._overview = self.empty.offer(text="Go to Overview")
        self._overview.clicked.connect(self._to_overview)
        self.split = AdaptiveSplit(_WIDE, (1, 2))
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.split)
        context.store.on(OffersChanged, self._offers_changed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.fault)
        column.addWidget(stacked, 1)

    async def fetch(self) -> Offers:
        """Read from the core what the page shows, and show it."""
        raise NotImplementedError

    def count(self, offers: Offers) -> int:
        """The number of entries of the page."""
        raise NotImplementedError

    def describe_empty(self) -> tuple[str, str]:
        """Title and sentence for a server without entries."""
        raise NotImplementedError

    def load(self) -> None:
        self._stale = True
        self._pause.start()

    def _offers_changed(self, event: OffersChanged) -> None:
        if event.server == self.server:
            self.load()

    def set_seen(self, *, seen: bool) -> None:
        self._seen = seen
        if seen:
            self._load_if_seen()

    def show_state(self, state: ServerState) -> None:
        before = self.state.status
        super().show_state(state)
        if state.status is not before:
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
        if self.count(offers):
            self._show(self.split)
        else:
            self._show(self.empty)
            self._explain_empty(offers)

    def _explain_empty(self, offers: Offers) -> None:
        status = self.state.status
        self._overview.setVisible(not offers.known and status is not ServerStatus.STARTING)
        if offers.known:
            self.empty.say(*self.describe_empty())
        elif status in (ServerStatus.STARTING, ServerStatus.READY):
            self.empty.say("Reading…", "The list appears here when the server has answered.")
        else:
            self.empty.say("This server has not run yet", "Connect it to see its resources and prompts.")

    def _show(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page)

    def _to_overview(self) -> None:
        self.context.go(ShowServer(self.server, "overview"))
