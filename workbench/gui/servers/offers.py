"""What resources, prompts and templates have in common: rows, list, page that loads when it is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, OffersChanged
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import mime_icon
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label, search_box
from workbench.gui.kit.rows import KEY, Row, row_data
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import cost, duration
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import ShowServer
from workbench.records import Content, Fault, Offers, Prompt, Resource, ResourceTemplate, ServerState, ServerStatus

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class OfferEntry(Struct, frozen=True):
    """One thing a server offers, as a list needs it."""

    key: str
    words: str  # casefolded; what a filter looks into
    row: Callable[[], Row]


class OfferRows(QAbstractListModel):
    """Entries in the order given, those that fit the filter."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[OfferEntry] = ()
        self._shown: Sequence[OfferEntry] = ()
        self._needle: tuple[str, ...] = ()

    def show_entries(self, entries: Sequence[OfferEntry]) -> None:
        self.beginResetModel()
        self._all = entries
        self._shown = self._fitting()
        self.endResetModel()

    def filter(self, text: str) -> None:
        """Show entries that have all these words."""
        needle = tuple(text.casefold().split())
        if needle != self._needle:
            self.beginResetModel()
            self._needle = needle
            self._shown = self._fitting()
            self.endResetModel()

    def redraw(self) -> None:
        """What rows say has changed, though not which there are."""
        if self._shown:
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))

    def total(self) -> int:
        return len(self._all)

    def find(self, key: str) -> QModelIndex:
        """The place of a key; invalid when it is not shown."""
        place = next((at for at, entry in enumerate(self._shown) if entry.key == key), None)
        return QModelIndex() if place is None else self.index(place)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        entry = self._shown[index.row()]
        return entry.key if role == KEY else row_data(entry.row(), role)

    def _fitting(self) -> Sequence[OfferEntry]:
        if not self._needle:
            return self._all
        return [entry for entry in self._all if all(word in entry.words for word in self._needle)]


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
    blanks = len(prompt.arguments)
    return Row(
        key=prompt.name,
        title=one_line(prompt.title or prompt.name, 200),
        detail=one_line(prompt.description or prompt.name, 300),
        aside=f"{blanks} arguments" if blanks else "",
        icon="message",
        tip=f"{visible(prompt.name)}\n{visible(prompt.description)}",
    )


def template_key(template: ResourceTemplate) -> str:
    """Apart from addresses, which hold no line break."""
    return f"template\n{template.template}"


def figures(ms: float, size: int, tokens: int) -> str:
    """What something cost, in one line."""
    return " · ".join((duration(ms), size_words(size), cost(tokens)))


def part_words(part: Content) -> str:
    """One part of an answer, in one line."""
    kind = part.mime or part.kind
    return " · ".join(word for word in (one_line(part.uri, 80), one_line(kind, 60)) if word)


def _size(size: int) -> str:
    return size_words(size) if size >= 0 else ""


_PAUSE_MS = 80


class OfferList(QWidget):
    """Moving looks at an entry (`looked`); Enter or a click wants it (`wanted`). Both carry its key."""

    looked = Signal(str)
    wanted = Signal(str)

    def __init__(self, theme: Theme, name: str, finder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = OfferRows(self)
        self.view = RowsView(theme, name, self)
        self.view.setUniformItemSizes(True)
        self.view.setModel(self.model)
        self.finder = search_box(finder, finder)
        self._count = label("", "muted")
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._none = EmptyState(theme, "search", "Nothing has these words", "Try fewer letters.")
        self._none.offer(text="Clear the filter").clicked.connect(self.finder.clear)
        self._lay_out(theme)
        self.finder.textChanged.connect(self._pause.start)
        self.finder.returnPressed.connect(self._to_first)
        self._pause.timeout.connect(self._sift)
        self.view.chosen.connect(self.wanted)
        self.view.clicked.connect(self._clicked)
        self.view.selectionModel().currentChanged.connect(self._moved)
        self.setFocusProxy(self.view)

    def show_entries(self, entries: Sequence[OfferEntry]) -> None:
        """Become these; the chosen one stays chosen, and the list stays where it was scrolled to."""
        key, place = self.view.key(), self.view.verticalScrollBar().value()
        self.model.show_entries(entries)
        self._tell()
        if (index := self.model.find(key)).isValid():
            self.view.selectionModel().blockSignals(True)
            self.view.setCurrentIndex(index)
            self.view.selectionModel().blockSignals(False)
            self.view.verticalScrollBar().setValue(place)

    def choose(self, key: str) -> bool:
        """Go to an entry, whatever the filter says; False when there is none."""
        if not self.model.find(key).isValid():
            self.finder.clear()
            self._sift()
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
        strip.row.addWidget(self._count)
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._none)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(stacked, 1)

    def _sift(self) -> None:
        self._pause.stop()
        key = self.view.key()
        self.model.filter(self.finder.text())
        self._tell()
        if (index := self.model.find(key)).isValid():
            self.view.setCurrentIndex(index)

    def _tell(self) -> None:
        shown, total = self.model.rowCount(), self.model.total()
        self._count.setText(str(total) if shown == total else f"{shown} of {total}")
        self._stack.setCurrentWidget(self.view if shown or not total else self._none)

    def _to_first(self) -> None:
        self._sift()
        if self.model.rowCount():
            self.view.setCurrentIndex(self.model.index(0))
            self.view.setFocus(Qt.FocusReason.TabFocusReason)

    def _clicked(self) -> None:
        if key := self.view.key():
            self.wanted.emit(key)

    def _moved(self, index: QModelIndex) -> None:
        if index.isValid():
            self.looked.emit(self.view.key() or str(self.model.data(index, KEY)))


_RELOAD_MS = 150  # changes of a moment are loaded once
_WIDE = 90  # letters of width from which list and detail stand beside each other


class OfferPage(ServerPage):
    """Subclasses say what they load (`load`), how they show it, and what they call it."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._stale = True
        self._seen = False
        self._pause = QTimer(self, singleShot=True, interval=_RELOAD_MS)
        self._pause.timeout.connect(self._load_if_seen)
        self._trouble = FaultCard(context.theme)
        self.empty = EmptyState(context.theme, "server", "", "")
        self._overview = self.empty.offer(text="Go to the overview")
        self._overview.clicked.connect(self._to_overview)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._trouble)
        column.addWidget(stacked, 1)

    async def load(self) -> Offers:
        """Fetch what the page shows, and show it."""
        raise NotImplementedError

    def count(self, offers: Offers) -> int:
        """How many of the page's things there are."""
        raise NotImplementedError

    def nothing(self) -> tuple[str, str]:
        """Title and sentence where a running server offers none."""
        raise NotImplementedError

    def say(self, words: str) -> None:
        self.context.say(words)

    def hear(self, event: Event) -> None:
        if isinstance(event, OffersChanged) and event.server == self.server:
            self.refresh()

    def refresh(self) -> None:
        self._stale = True
        self._pause.start()

    def look(self, *, seen: bool) -> None:
        self._seen = seen
        if seen:
            self._load_if_seen()

    def show_state(self, state: ServerState) -> None:
        before = self.state.status
        super().show_state(state)
        if state.status is not before:
            self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _WIDE
        self.split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def _load_if_seen(self) -> None:
        if self._stale and self._seen:
            self._stale = False
            self.context.tasks.run("read what a server offers", self._load())

    async def _load(self) -> None:
        try:
            offers = await self.load()
        except WorkbenchError as fault:
            self._trouble.show_fault(Fault(fault.message, fault.hint))
            return
        left_out = Fault("Some of it was left out.", "", "\n".join(offers.warnings))
        self._trouble.show_fault(left_out if offers.warnings else None, tone="warning")
        if self.count(offers):
            self._show(self.split)
        else:
            self._show(self.empty)
            self._say(offers)

    def _say(self, offers: Offers) -> None:
        """Why there is nothing to see, and what to do about it."""
        status = self.state.status
        self._overview.setVisible(not offers.known and status is not ServerStatus.STARTING)
        if offers.known:
            self.empty.say(*self.nothing())
        elif status in (ServerStatus.STARTING, ServerStatus.READY):
            self.empty.say("Reading what it offers…", "It appears here by itself.")
        else:
            words = "Connect it in the list of servers on the left: what it offers appears here."
            self.empty.say("This server has not run yet", words)

    def _show(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page)

    def _to_overview(self) -> None:
        self.context.go(ShowServer(self.server, "overview"))
