"""The palette finds and does anything: tools, resources, prompts and skills by meaning, ranked as agents find them;
actions, servers and saved calls by a few letters.
"""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QTabBar, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import OffersChanged, ServerChanged, SkillsChanged, ToolsChanged
from workbench.gui.kit.picker import Picker
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line
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
_FIRST = 4  # actions and servers that are listed before what the core found
_AGAIN_MS = 350  # when the core has news that are not in its index yet
_MOST_TRIES = 12  # times it is asked again
_BEGIN = ("demo.connect", "server.add", "servers.import")  # what brings tools where there are none
_TABS: tuple[tuple[str, tuple[FindKind, ...]], ...] = (
    ("All", ()),
    ("Tools", (FindKind.TOOL,)),
    ("Resources", (FindKind.RESOURCE, FindKind.TEMPLATE)),
    ("Prompts", (FindKind.PROMPT,)),
    ("Skills", (FindKind.SKILL,)),
    ("Actions", ()),
)
_ALL, _SKILLS, _ACTIONS = 0, 4, 5  # places of tabs
_KEYS = "↑ ↓ to move · Enter to go · Tab for another kind · Esc to close"


class Palette(Picker):
    """Search box over everything. Actions are listed at once; results of the core are added when it answers."""

    WIDTH = 180

    def __init__(self, context: Context, parent: QWidget, words: str = "") -> None:
        super().__init__(context.theme, "Search or run anything", None, parent, empty="Searching…")
        self._context = context
        self._commands = context.commands
        self._actions = action_targets(context.commands)
        self._places: list[Target] = []  # servers and saved calls
        self._finds: Finds | None = None  # the last answer
        self._fault = ""
        self._requests: dict[str, Request] = {}  # by the key of the row
        self._missing: dict[str, str] = {}  # why a row cannot be done, by its key
        self._asking = False
        self._question = 0  # grows with everything typed
        self._entered = False  # Enter came before the answer
        self._tries = _MOST_TRIES
        self._again = QTimer(self, singleShot=True, interval=_AGAIN_MS)
        self._again.timeout.connect(self._ask)
        self.tabs = QTabBar()
        for title, _ in _TABS:
            self.tabs.addTab(title)
        self.tabs.setAccessibleName("What to search for")
        self.tabs.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        if isinstance(layout := self.layout(), QVBoxLayout):
            layout.insertWidget(1, self.tabs)
        self.field.setPlaceholderText("Ask or type: who are my customers, send_mail, connect…")
        self.field.setText(words)
        self.field.textChanged.connect(self._typed)
        self.tabs.currentChanged.connect(self._typed)
        self._draw()
        for kind in (ToolsChanged, OffersChanged, SkillsChanged, ServerChanged):
            context.store.on(kind, self._index_changed)
        context.store.linked.connect(self._core_returned)
        context.commands.changed.connect(self._actions_changed)
        context.tasks.run("palette", self._load())
        self._ask()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}.get(Qt.Key(event.key()), 0)
            if step:
                self.tabs.setCurrentIndex((self.tabs.currentIndex() + step) % self.tabs.count())
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.field.end(False)  # the user continues the text that it was opened with

    def fitting_height(self) -> int:
        """The same for any number of rows: they change with each letter."""
        return min(self._context.theme.unit * 120, self._owner.window().height() * 2 // 3)

    # what the core finds

    def _index_changed(self, _event: object) -> None:
        self._again.start()

    def _actions_changed(self) -> None:
        self._actions = action_targets(self._commands)
        self._draw()

    def _core_returned(self) -> None:
        self._context.tasks.run("palette", self._load())
        self._typed()

    async def _load(self) -> None:
        try:
            saved = await self._context.api.saved_calls()
        except WorkbenchError:
            return  # the list shows the fault already, because `find` fails in the same way
        self._places = [*server_targets(self._context.store.servers.values()), *saved_targets(saved)]
        self._draw()

    def _typed(self) -> None:
        self._question += 1
        self._entered = self.moved = False
        self._tries = _MOST_TRIES
        self._ask()

    def _ask(self) -> None:
        if self.tabs.currentIndex() == _ACTIONS:
            self._finds = None
            self._draw()
        elif not self._asking:
            self._asking = True
            self._context.tasks.run("find", self._find())

    async def _find(self) -> None:
        """Ask until the answer fits the current text."""
        number = -1
        while number != self._question and self.tabs.currentIndex() != _ACTIONS:
            number = self._question
            kinds = tuple(map(str, _TABS[self.tabs.currentIndex()][1]))
            try:
                self._finds, self._fault = await self._context.api.find(self.field.text(), kinds, SHOWN), ""
            except WorkbenchError as fault:
                self._finds, self._fault = None, f"{fault.message} {fault.hint}".strip()
        self._asking = False
        self._draw()
        if self._finds is not None and not self._finds.fresh and self._tries:
            self._tries -= 1
            self._again.start()
        if self._entered:
            self.pick(self.list.key())

    # showing

    def _draw(self) -> None:
        """Select the first row, unless the user has moved to another one since the last letter."""
        self.show_rows(self._rows(), self.list.key() if self.moved else "")
        total = self._finds.total if self._finds is not None and self.tabs.currentIndex() != _ACTIONS else 0
        shown = len(self._finds.finds) if self._finds is not None else 0
        self.set_foot(f"{shown} of {total} · {_KEYS}" if total > shown else _KEYS)

    def _rows(self) -> list[Row]:
        """Names that contain the text come first, then actions that start with it, then everything else."""
        self._requests, self._missing = {}, {}
        finds = self._finds.finds if self._finds is not None and self.tabs.currentIndex() != _ACTIONS else ()
        words = self.field.text().strip()
        exact = [find for find in finds if any(reason.at is FoundIn.EXACT for reason in find.reasons)]
        exact += [find for find in finds if find not in exact and in_name(find, words)]
        matches = self._local_matches(words)
        few = _FIRST if words and finds else SHOWN
        first = [self._target(target) for target in matches.named]
        first += [self._match(find) for find in exact]
        first += [self._target(target) for target in matches.strong[:few]]
        rest = [self._target(target) for target in matches.unavailable[: few // 2]]
        if words or self.tabs.currentIndex() != _ALL:
            rest += [self._match(find) for find in finds if find not in exact]
        rest += [self._target(target) for target in matches.weak[:SHOWN]]
        notes = self._notes(bool(first or rest), {row.key for row in first})
        return [*notes, *first, *rest] if self._fault or not words else [*first, *notes, *rest]

    def _local_matches(self, words: str) -> LocalMatches:
        tab = self.tabs.currentIndex()
        found = sort_targets(words, [*self._actions, *self._places]) if tab in (_ALL, _ACTIONS) else LocalMatches()
        return replace(found, unavailable=[]) if tab == _ALL and not words else found

    def _match(self, find: Find) -> Row:
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
        if self._finds is None or self.tabs.currentIndex() in (_SKILLS, _ACTIONS):
            return [] if found or self._asking else [_section("Nothing here contains these words or letters.")]
        if not any(number for kind, number in self._finds.known.items() if kind != FindKind.SKILL):
            words = "No tools are known yet. Connect a server to find what it offers."
            offered = action_targets(self._commands, _BEGIN)
            begin = [self._target(target) for target in offered if target.row.key not in shown and not target.missing]
            return [_section(words), *(replace(row, key=f"begin:{row.key}") for row in begin)]
        if found or self._asking:
            return []
        return [_section("Nothing contains these words or means nearly the same. Try fewer or different words.")]

    # choosing

    def enter(self) -> None:
        """Return before the answer has arrived opens the result of the typed text, not of a part of it."""
        self._entered = self._asking
        if not self._asking:
            super().enter()

    def pick(self, key: str) -> None:
        self._entered = False
        if key in self._missing:
            self.set_foot(self._missing[key])
        elif (request := self._requests.get(key.removeprefix("begin:"))) is not None:
            super().pick(key)
            self._context.go(request)


def _section(words: str) -> Row:
    return Row(f"note:{words}", words, section=True)
