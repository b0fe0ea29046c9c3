"""What differs between two definitions: descriptions word by word, everything else place by place. Pure, no Qt."""

from __future__ import annotations

import difflib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from msgspec import Struct
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from workbench.events import DefinitionsBlocked, Event, ToolsChanged, ToolsWarned
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.faults import FaultCard, Question
from workbench.gui.kit.json_text import identical
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label, lead_focus
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import clock
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.records import ChangeKind, DefinitionChange, Fault, JsonValue, Moment, ServerState, ToolWarning

_WORDS = 3_000  # more of them are compared line by line
_ROWS = 500
_VALUE = 300  # characters of a value in its row
_DEEP = 60
_MISSING = object()


class Piece(Struct, frozen=True):
    """A stretch of a text: kept, gone or come."""

    kind: str  # "=", "-", "+"
    text: str


class Spot(Struct, frozen=True):
    """A place of a definition whose value is another one."""

    path: str
    before: str  # JSON text; empty: it was not there
    after: str


def words_changed(before: str, after: str) -> tuple[Piece, ...]:
    """Both texts in one: what left stands before what came in its place."""
    old, new = _pieces(before), _pieces(after)
    if max(len(old), len(new)) > _WORDS:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return tuple(_joined(_raw_pieces(old, new)))


def _joined(pieces: list[Piece]) -> Iterator[Piece]:
    """Blanks between two changes belong to them: a replaced sentence reads as one that left and one that came."""
    gone, come, waiting = "", "", ""
    for piece in pieces:
        if piece.kind == "=" and (gone or come) and piece.text.isspace() and "\n" not in piece.text:
            waiting += piece.text
        elif piece.kind == "=":
            yield from _change(gone, come)
            yield Piece("=", waiting + piece.text)
            gone, come, waiting = "", "", ""
        else:
            gone, come, waiting = gone + waiting, come + waiting, ""
            gone, come = (gone + piece.text, come) if piece.kind == "-" else (gone, come + piece.text)
    yield from _change(gone, come)
    if waiting:
        yield Piece("=", waiting)


def _change(gone: str, come: str) -> Iterator[Piece]:
    if gone:
        yield Piece("-", gone)
    if come:
        yield Piece("+", come)


def _raw_pieces(old: list[str], new: list[str]) -> list[Piece]:
    found: list[Piece] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=len(old) > _WORDS).get_opcodes():
        if kind == "equal":
            found.append(Piece("=", "".join(old[a:b])))
            continue
        if a < b:
            found.append(Piece("-", "".join(old[a:b])))
        if c < d:
            found.append(Piece("+", "".join(new[c:d])))
    return found


def places_changed(before: JsonValue, after: JsonValue, *, without: frozenset[str] = frozenset()) -> tuple[Spot, ...]:
    """By path, in the order of the new definition; the named places at the top are left out."""
    found = []
    for spot in _compare("", before, after, without, 0):
        found.append(spot)
        if len(found) >= _ROWS:
            break
    return tuple(found)


def _compare(path: str, before: JsonValue, after: JsonValue, without: frozenset[str], depth: int) -> Iterator[Spot]:
    if identical(before, after):
        return
    if depth < _DEEP and isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*after, *before)):
            if path or key not in without:
                yield from _compare(
                    f"{path}.{key}" if path else str(key),
                    before.get(key, _MISSING), after.get(key, _MISSING), without, depth + 1,
                )  # fmt: skip
    elif depth < _DEEP and isinstance(before, list) and isinstance(after, list) and _worth(before, after):
        for place, (one, other) in enumerate(zip_longest(before, after, fillvalue=_MISSING)):
            yield from _compare(f"{path}[{place}]", one, other, without, depth + 1)
    else:
        yield Spot(path, _shown(before), _shown(after))


def _worth(before: list[JsonValue], after: list[JsonValue]) -> bool:
    """Lists of objects are looked into; lists of words are told whole."""
    return any(isinstance(item, Mapping | list) for item in (*before, *after))


def _shown(value: object) -> str:
    if value is _MISSING:
        return ""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _VALUE else f"{text[:_VALUE]}…"


def _pieces(text: str) -> list[str]:
    return [part for part in re.split(r"(\s+|[^\w\s])", text) if part]


_TEXTS = ("title", "description")
_LONGEST = 200_000  # characters of one definition


class ChangeView(PlainEdit):
    """Marks say it in shape, colour only helps."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self._shown = ("", "")
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(theme.unit * 3)
        self.setAccessibleName("What changed in the definition")
        mark(self, kind="code")
        theme.changed.connect(self._draw)

    def show_change(self, before: str, after: str) -> None:
        """Two definitions as JSON text; an empty one was not there, or is no more."""
        if self._shown != (before, after):
            self._shown = (before, after)
            self._draw()

    def _draw(self) -> None:
        self.setFont(self._theme.mono())
        self.clear()
        before, after = (_parsed(text) for text in self._shown)
        cursor = QTextCursor(self.document())
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            self._write_texts(cursor, before, after)
            self._write_places(cursor, places_changed(before, after, without=frozenset(_TEXTS)))
        else:
            whole = "\n".join(self._shown)[:_LONGEST].strip()
            self.insert_at(cursor, visible(whole), self._format("-" if self._shown[0] else "="))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _write_texts(
        self, cursor: QTextCursor, before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]
    ) -> None:
        for name in _TEXTS:
            old, new = (str(one.get(name) or "")[:_LONGEST] for one in (before, after))
            if old != new:
                self._head(cursor, {"title": "Title", "description": "Description"}[name])
                for piece in words_changed(old, new):
                    self.insert_at(cursor, _spoken(piece), self._format(piece.kind))
                self.insert_at(cursor, "\n\n", self._format("="))

    def _write_places(self, cursor: QTextCursor, spots: tuple[Spot, ...]) -> None:
        if spots:
            self._head(cursor, "Schema and annotations")
        for spot in spots:
            self.insert_at(cursor, f"{visible(spot.path)}\n", self._format("path"))
            for sign, value in (("-", spot.before), ("+", spot.after)):
                if value:
                    self.insert_at(cursor, f"  {sign} ", self._format("="))
                    self.insert_at(cursor, f"{visible(value)}\n", self._format(sign))

    def _head(self, cursor: QTextCursor, words: str) -> None:
        self.insert_at(cursor, f"{words}\n", self._format("head"))

    def _format(self, kind: str) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setForeground(self._theme.colour("code_text"))
        if kind == "head":
            made.setFontWeight(QFont.Weight.DemiBold)
            made.setForeground(self._theme.colour("muted"))
        elif kind == "path":
            made.setForeground(self._theme.colour("code_key"))
        elif kind in "+-":
            tone = "success" if kind == "+" else "danger"
            made.setForeground(self._theme.colour(tone))
            made.setBackground(self._theme.soft(tone))
            made.setFontUnderline(kind == "+")
            made.setFontStrikeOut(kind == "-")
        return made


def _spoken(piece: Piece) -> str:
    return visible(piece.text)


def _parsed(text: str) -> JsonValue:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None


_SIGNS = {
    ChangeKind.CHANGED: ("lock", "danger"),
    ChangeKind.NEW: ("plus", "info"),
    ChangeKind.REMOVED: ("minus", "muted"),
}


class ChangesPage(ServerPage):
    """A list on the left, the difference on the right, the decision below it."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._changes: dict[str, DefinitionChange] = {}
        self._warnings: dict[str, ToolWarning] = {}
        self.rows = RowsModel(self)
        self.list = RowsView(context.theme, "Changes and warnings")
        self.list.setModel(self.rows)
        self.since = CalmCombo()
        self.since.setAccessibleName("Compare with")
        self.since.setMinimumContentsLength(20)
        self.since.addItem("what you approved", 0.0)
        self.told = ForeignLabel("")
        self.odd = FaultCard(context.theme)
        self.view = ChangeView(context.theme)
        self.approve = QPushButton("Approve this change")
        self.approve_all = QPushButton("Approve all")
        self.seen = QPushButton("Seen")
        self._empty = EmptyState(
            context.theme,
            "shield-check",
            "Everything is as you saw it",
            "Each tool's definition was pinned when it was first seen. One that changes is blocked, and waits here.",
        )
        self._lay_out(context.theme.unit)
        self._bind()
        self._show(())

    def hear(self, event: Event) -> None:
        if isinstance(event, ToolsChanged | ToolsWarned | DefinitionsBlocked) and event.server == self.server:
            self.refresh()

    def refresh(self) -> None:
        self.context.tasks.run("read changes", self._read())

    def run(self) -> bool:
        """Ctrl+Enter approves what is in front."""
        if self.approve.isEnabled() and not self.approve.isHidden():
            self.approve.click()
            return True
        return False

    async def _read(self) -> None:
        api, since = self.context.api, float(self.since.currentData())
        self._offer(await api.definition_history(self.server))
        if since:
            self._warnings = {}
            self._show(await api.compare_definitions(self.server, since, time.time()))
            return
        self._warnings = {f"odd\n{number}": one for number, one in enumerate(await api.warnings(self.server))}
        self._show(await api.definition_changes(self.server))

    def _offer(self, moments: Sequence[Moment]) -> None:
        """Earlier moments to compare with; the newest one is now."""
        known = {self.since.itemData(place) for place in range(self.since.count())}
        for one in moments[1:]:
            if one.at not in known:
                words = f"{clock(one.at)}: version {one.version or '?'}, {one.tools} tools"
                self.since.addItem(one_line(words, 80), one.at)

    def _show(self, changes: Sequence[DefinitionChange]) -> None:
        chosen = self.list.key()
        self._changes = {f"{number}\n{one.kind}\n{one.tool}": one for number, one in enumerate(changes)}
        rows = [_row(key, one) for key, one in self._changes.items()]
        self.rows.show_rows([*rows, *(_odd_row(key, one) for key, one in self._warnings.items())])
        blocked = sum(one.blocked for one in changes)
        self.approve_all.setVisible(blocked > 1)
        self.seen.setVisible(any(not one.blocked for one in changes) and not self.since.currentData())
        self._stack.setCurrentIndex(1 if self.rows.rowCount() else 0)
        if self.rows.rowCount() and not (chosen and self.rows.find(chosen).isValid()):
            self.list.setCurrentIndex(self.rows.index(0))
        self._choose()

    def _choose(self) -> None:
        key = self.list.key()
        change, warning = self._changes.get(key), self._warnings.get(key)
        self.approve.setVisible(change is not None and change.blocked)
        self.view.setVisible(change is not None)
        if change is not None:
            self.told.setText(self._sentence(change))
            odd = Fault("The new definition is odd.", "\n".join(change.warnings)) if change.warnings else None
            self.odd.show_fault(odd, tone="warning")
            self.view.show_change(change.before, change.after)
        elif warning is not None:
            self.told.setText(warning.tool or "The whole server")
            self.odd.show_fault(Fault(warning.message, warning.why), tone="warning")
        else:
            self.told.setText("")
            self.odd.show_fault(None)

    def _sentence(self, change: DefinitionChange) -> str:
        when = clock(change.at)
        if self.since.currentData():
            return f"{change.tool}: {change.kind!s} since then."
        if change.blocked and not change.before:
            words = "What you approved of {0} cannot be read any more ({1}). Blocked until you approve this."
        elif change.kind is ChangeKind.CHANGED:
            words = "{0} changed ({1}). Blocked for you and for agents; the approved one stays in force."
        elif change.kind is ChangeKind.NEW:
            words = "{0} is new since you last looked ({1}). It can be used."
        else:
            words = "{0} is gone ({1}). Its server does not list it any more."
        return words.format(change.tool, when)

    def _approve(self) -> None:
        change = self._changes.get(self.list.key())
        if change is not None and change.blocked:
            self.context.tasks.run("approve a definition", self._approved([change]))

    def _approve_all(self) -> None:
        blocked = [one for one in self._changes.values() if one.blocked]
        self.context.tasks.run("approve definitions", self._approved(blocked))

    async def _approved(self, changes: list[DefinitionChange]) -> None:
        """What is odd, and what was not read one by one, is asked about."""
        odd = sum(bool(one.warnings) for one in changes)
        if (len(changes) > 1 or odd) and not await self._sure(changes, odd):
            return
        wanted = {one.tool: one.hash for one in changes}
        self._show(await self.context.api.approve_definitions(self.server, wanted))

    async def _sure(self, changes: list[DefinitionChange], odd: int) -> bool:
        names = ", ".join(one_line(one.tool, 60) for one in changes[:8]) + (" …" if len(changes) > 8 else "")
        title = f"Approve {len(changes)} changed definitions?"
        if len(changes) == 1:
            title = "Approve it although it is odd?"
        question = Question(self.context.theme, title, names, self.window())
        if odd:
            question.show_note(f"{odd} of them are odd; read why before you agree.", "warning")
        question.show_note("Models and programs get the new definitions from then on.")
        return await question.ask("Approve", danger=bool(odd))

    def _see(self) -> None:
        self.context.tasks.run("see changes", self.context.api.mark_changes_seen(self.server))

    def _lay_out(self, unit: int) -> None:
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.told.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        for part in (self.told, self.odd):
            column.addWidget(part)
        column.addWidget(self.view, 1)
        column.addStretch(0)
        foot = QHBoxLayout()
        foot.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        foot.setSpacing(unit * 2)
        foot.addStretch(1)
        mark(self.approve, kind="primary")
        for button in (self.seen, self.approve_all, self.approve):
            foot.addWidget(button)
        column.addLayout(foot)
        split = QSplitter()
        split.addWidget(self.list)
        split.addWidget(right)
        split.setChildrenCollapsible(False)
        split.setSizes([unit * 60, unit * 140])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        strip = Strip(self.context.theme)
        strip.row.addWidget(label("What is different from", "muted"))
        strip.row.addWidget(self.since)
        strip.row.addStretch(1)
        whole.addWidget(strip)
        pages = QWidget()
        self._stack = QStackedLayout(pages)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(split)
        whole.addWidget(pages)
        self.seen.setToolTip("Take the marks off new and removed tools; what is blocked stays blocked")
        lead_focus(self, self._stack)

    def _bind(self) -> None:
        self.list.selection_changed.connect(self._choose)
        self.approve.clicked.connect(self._approve)
        self.approve_all.clicked.connect(self._approve_all)
        self.seen.clicked.connect(self._see)
        self.since.currentIndexChanged.connect(self.refresh)


def _row(key: str, change: DefinitionChange) -> Row:
    picture, tone = _SIGNS[change.kind]
    word = "blocked" if change.blocked else str(change.kind)
    return Row(key, one_line(change.tool, 120), icon=picture, tone=tone, badges=((word, tone),))


def _odd_row(key: str, warning: ToolWarning) -> Row:
    title = one_line(warning.tool, 120) or one_line(warning.server, 120)
    return Row(key, title, icon="warning", tone="warning", badges=((warning.rule, "warning"),))
