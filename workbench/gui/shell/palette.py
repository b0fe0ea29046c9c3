"""The one box that finds and does anything: tools, resources, prompts and skills by what is meant, ranked as agents
find them; actions, servers and saved calls by a few letters.
"""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QLineEdit, QTabBar, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import OffersChanged, ServerChanged, SkillsChanged, ToolsChanged
from workbench.gui.kit.lists import RowsView, label
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import mark
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import Request
from workbench.gui.shell.palette_matches import (
    LocalMatches,
    Target,
    action_targets,
    in_name,
    match_row,
    request_of,
    saved_targets,
    server_targets,
    sort_targets,
)
from workbench.records import Find, FindKind, Finds, FoundIn

SHOWN = 60
"""How many finds are listed; more words find the rest."""
_FIRST = 4  # actions and servers that stand before what the core found
_AGAIN_MS = 350  # when the core has news that are not in its index yet
_PATIENCE = 12  # times it is asked again
_BEGIN = ("demo.connect", "server.add", "servers.import")  # what brings tools where there are none
_ALL, _ACTIONS_TAB = 0, 5  # tabs
_KINDS = {
    _ALL: (),
    1: (FindKind.TOOL,),
    2: (FindKind.RESOURCE, FindKind.TEMPLATE),
    3: (FindKind.PROMPT,),
    4: (FindKind.SKILL,),
}


class Palette(QDialog):
    """Search box over everything. Actions are listed at once; results of the core are added when it answers."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget, words: str = "") -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Search or run anything")
        self.setObjectName("palette")
        self._context = context
        self._commands = commands
        self.request: Request | None = None
        """What was chosen; None when nothing was."""
        self._actions = action_targets(commands)
        self._places: list[Target] = []  # servers and saved calls
        self._finds: Finds | None = None  # the last answer
        self._fault = ""
        self._requests: dict[str, Request] = {}  # by the key of the row
        self._missing: dict[str, str] = {}  # why a row cannot be done, by its key
        self._asking = False
        self._asked = 0  # grows with everything typed
        self._entered = False  # Enter came before the answer
        self._again = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._patience = _PATIENCE
        self._make(words)
        self._draw()
        for kind in (ToolsChanged, OffersChanged, SkillsChanged, ServerChanged):
            context.store.on(kind, self._index_changed)
        context.store.linked.connect(self._core_returned)
        commands.changed.connect(self._actions_changed)
        context.tasks.run("palette", self._load())
        self._ask()

    def _index_changed(self, _event: object) -> None:
        """What can be found has changed."""
        self._again.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            match event.key():
                case Qt.Key.Key_Up | Qt.Key.Key_Down | Qt.Key.Key_PageUp | Qt.Key.Key_PageDown:
                    self.list.keyPressEvent(event)
                    return True
                case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self._enter()
                    return True
                case Qt.Key.Key_Tab | Qt.Key.Key_Backtab:
                    step = 1 if event.key() == Qt.Key.Key_Tab else -1
                    self.tabs.setCurrentIndex((self.tabs.currentIndex() + step) % self.tabs.count())
                    return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        window = self.parentWidget()
        if window is not None:
            width = min(self._context.theme.unit * 180, window.width() - self._context.theme.unit * 10)
            self.resize(width, min(self._context.theme.unit * 120, window.height() * 2 // 3))
            corner = window.mapToGlobal(window.rect().topLeft())
            self.move(corner.x() + (window.width() - width) // 2, corner.y() + self._context.theme.unit * 14)
        self.field.setFocus()
        self.field.end(False)  # words that it was opened with are gone on with, not typed over

    def changeEvent(self, event: QEvent) -> None:
        """A click elsewhere closes the palette."""
        super().changeEvent(event)
        left = event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow()
        if left and self.isVisible() and self.request is None:  # accepting hides it too, and must not become a refusal
            self.reject()

    # what it is made of

    def _make(self, words: str) -> None:
        self.field = QLineEdit(words)
        self.field.setPlaceholderText("Ask or type: who are my customers, send_mail, connect…")
        self.field.setAccessibleName(self.windowTitle())
        mark(self.field, kind="palette")
        self.field.installEventFilter(self)
        self.tabs = QTabBar()
        for word in ("All", "Tools", "Resources", "Prompts", "Skills", "Actions"):
            self.tabs.addTab(word)
        self.tabs.setAccessibleName("What is looked for")
        self.tabs.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.model = RowsModel(self)
        self.list = RowsView(self._context.theme, "What was found", self)
        self.list.setModel(self.model)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._foot = label("", "palette-foot")
        self._lay_out()
        self.list.chosen.connect(self._take)
        self.list.clicked.connect(self._clicked)
        self.field.textChanged.connect(self._typed)
        self.tabs.currentChanged.connect(self._typed)
        self._again.timeout.connect(self._ask)

    def _lay_out(self) -> None:
        line = QFrame()
        mark(line, kind="line")
        line.setFixedHeight(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        for part in (self.field, line, self.tabs):
            column.addWidget(part)
        column.addWidget(self.list, 1)
        column.addWidget(self._foot)

    # asking

    def _actions_changed(self) -> None:
        self._actions = action_targets(self._commands)
        self._draw()

    def _core_returned(self) -> None:
        self._context.tasks.run("palette", self._load())
        self._typed()

    async def _load(self) -> None:
        api = self._context.api
        try:
            saved = await api.saved_calls()
        except WorkbenchError:
            return  # the list says it already: the same happens to the question what can be found
        self._places = [*server_targets(self._context.store.servers.values()), *saved_targets(saved)]
        self._draw()

    def _typed(self) -> None:
        self._asked += 1
        self._entered = False
        self._patience = _PATIENCE
        self._ask()

    def _ask(self) -> None:
        if self.tabs.currentIndex() == _ACTIONS_TAB:
            self._finds = None
            self._draw()
        elif not self._asking:
            self._asking = True
            self._context.tasks.run("find", self._answered())

    async def _answered(self) -> None:
        """Ask until the answer fits the current text."""
        number = -1
        while number != self._asked and self.tabs.currentIndex() != _ACTIONS_TAB:
            number = self._asked
            kinds = tuple(str(kind) for kind in _KINDS[self.tabs.currentIndex()])
            try:
                self._finds, self._fault = await self._context.api.find(self.field.text(), kinds, SHOWN), ""
            except WorkbenchError as fault:
                self._finds, self._fault = None, f"{fault.message} {fault.hint}".strip()
        self._asking = False
        self._draw()
        if self._finds is not None and not self._finds.fresh and self._patience:
            self._patience -= 1
            self._again.start()
        if self._entered:
            self._take(self.list.key())

    # showing

    def _draw(self) -> None:
        """The first row is selected unless the user has moved to another row that is still listed."""
        kept = self.list.key() if self.list.currentIndex().row() > 0 else ""
        rows = self._rows()
        self.model.show_rows(rows)
        found = self.model.find(kept) if kept else self.model.index(-1)
        first = next((place for place, row in enumerate(rows) if not row.section), -1)
        self.list.setCurrentIndex(found if found.isValid() else self.model.index(first))
        if not found.isValid():
            self.list.scrollToTop()
        self._foot.setText(self._hint())

    def _rows(self) -> list[Row]:
        """Names that contain the text come first, then actions that start with it, then everything else."""
        self._requests, self._missing = {}, {}
        finds = self._finds.finds if self._finds is not None and self.tabs.currentIndex() != _ACTIONS_TAB else ()
        words = self.field.text().strip()
        exact = [one for one in finds if any(reason.at is FoundIn.EXACT for reason in one.reasons)]
        exact += [one for one in finds if one not in exact and in_name(one, words)]
        matches = self._local_matches(words)
        few = _FIRST if words and finds else SHOWN
        first = [self._target(target) for target in matches.named]
        first += [self._found(one) for one in exact]
        first += [self._target(target) for target in matches.strong[:few]]
        rest = [self._target(target) for target in matches.unavailable[: few // 2]]
        if words or self.tabs.currentIndex() != _ALL:
            rest += [self._found(one) for one in finds if one not in exact]
        rest += [self._target(target) for target in matches.weak[:SHOWN]]
        said = self._notes(bool(first or rest), {row.key for row in first})
        return [*said, *first, *rest] if self._fault or not words else [*first, *said, *rest]

    def _local_matches(self, words: str) -> LocalMatches:
        tab = self.tabs.currentIndex()
        found = sort_targets(words, [*self._actions, *self._places]) if tab in (_ALL, _ACTIONS_TAB) else LocalMatches()
        return replace(found, unavailable=[]) if tab == _ALL and not words else found

    def _found(self, find: Find) -> Row:
        row = match_row(find)
        self._requests[row.key] = request_of(find)
        return row

    def _target(self, target: Target) -> Row:
        self._requests[target.row.key] = target.request
        if target.missing:
            self._missing[target.row.key] = f"{target.row.title}: {target.missing}."
        return target.row

    def _notes(self, found: bool, shown: set[str]) -> list[Row]:
        """Headings that say that something is wrong or missing, and what to do."""
        if self._fault:
            return [_section(one_line(self._fault, 200))]
        if self._finds is None or self.tabs.currentIndex() in (4, _ACTIONS_TAB):
            return [] if found or self._asking else [_section("Nothing here has these words or letters.")]
        if not any(number for kind, number in self._finds.known.items() if kind != FindKind.SKILL):
            words = "No tools are known yet. Connect a server: what it offers is found from then on."
            offered = action_targets(self._commands, _BEGIN)
            begin = [self._target(target) for target in offered if target.row.key not in shown and not target.missing]
            return [_section(words), *(replace(row, key=f"begin:{row.key}") for row in begin)]
        if found or self._asking:
            return []
        return [_section("Nothing has these words or means nearly the same. Try fewer words, or other ones.")]

    def _hint(self) -> str:
        keys = "↑ ↓ to move · Enter to go · Tab for another kind · Esc to close"
        total = self._finds.total if self._finds is not None and self.tabs.currentIndex() != _ACTIONS_TAB else 0
        shown = len(self._finds.finds) if self._finds is not None else 0
        return f"{f'{shown} of {total}'} · {keys}" if total > shown else keys

    # choosing

    def _enter(self) -> None:
        """Return before the answer has arrived opens the result of the typed text, not of a part of it."""
        if self._asking:
            self._entered = True
        else:
            self._take(self.list.key())

    def _clicked(self) -> None:
        self._take(self.list.key())

    def _take(self, key: str) -> None:
        self._entered = False
        if key in self._missing:
            self._foot.setText(self._missing[key])
        elif (wish := self._requests.get(key.removeprefix("begin:"))) is not None:
            self.request = wish
            self.accept()


def _section(words: str) -> Row:
    return Row(f"said:{words}", words, section=True)
