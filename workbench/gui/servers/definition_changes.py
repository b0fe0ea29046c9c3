"""The page of changed tool definitions: a word diff of texts, a list of changed values of everything else."""

from __future__ import annotations

import difflib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest

from msgspec import Struct
from PySide6.QtGui import QAction, QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from workbench.events import DefinitionsBlocked, ToolsChanged, ToolsWarned
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import identical
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState, Strip, label
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import clock
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.servers.server_tree import CHANGE_WORDS
from workbench.gui.shell.context import Context
from workbench.records import ChangeKind, DefinitionChange, Fault, JsonValue, Moment, ServerState, ToolWarning
from workbench.records.common_types import count_of

_MOST_WORDS = 3_000  # longer texts are compared line by line
_MOST_VALUES = 500
_LONGEST_VALUE = 300  # characters
_DEEPEST = 60
_WIDE = 80  # letters of width from which list and change are side by side
_MISSING = object()


class TextPiece(Struct, frozen=True):
    """A part of the merged texts of a diff."""

    kind: str  # "=" unchanged, "-" removed, "+" added
    text: str


class ChangedValue(Struct, frozen=True):
    """A value of a definition that changed."""

    path: str
    before: str  # JSON text; empty if the value was added
    after: str  # empty if it was removed


def diff_texts(before: str, after: str) -> tuple[TextPiece, ...]:
    """Both texts merged; removed text comes before the text that replaces it.

    Changes with only blanks between them are one change, so that a replaced sentence is one removal and one addition.
    """
    old, new = _split_words(before), _split_words(after)
    if max(len(old), len(new)) > _MOST_WORDS:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    steps = difflib.SequenceMatcher(None, old, new, autojunk=len(old) > _MOST_WORDS).get_opcodes()
    pieces: list[TextPiece] = []
    removed, added = "", ""
    for number, (kind, a, b, c, d) in enumerate(steps):
        gone, come = "".join(old[a:b]), "".join(new[c:d])
        between = 0 < number < len(steps) - 1 and gone.isspace() and "\n" not in gone
        if kind != "equal" or between:
            removed, added = removed + gone, added + come
            continue
        pieces += (TextPiece("-", removed), TextPiece("+", added), TextPiece("=", gone))
        removed, added = "", ""
    pieces += (TextPiece("-", removed), TextPiece("+", added))
    return tuple(piece for piece in pieces if piece.text)


def find_changed_values(
    before: JsonValue, after: JsonValue, *, without: frozenset[str] = frozenset()
) -> tuple[ChangedValue, ...]:
    """In the order of the new definition, without these keys of its top level."""
    return tuple(islice(_compare("", before, after, without, 0), _MOST_VALUES))


def _compare(
    path: str, before: JsonValue, after: JsonValue, without: frozenset[str], depth: int
) -> Iterator[ChangedValue]:
    if identical(before, after):
        return
    if depth < _DEEPEST and isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*after, *before)):
            if path or key not in without:
                yield from _compare(
                    f"{path}.{key}" if path else str(key),
                    before.get(key, _MISSING), after.get(key, _MISSING), without, depth + 1,
                )  # fmt: skip
    elif depth < _DEEPEST and isinstance(before, list) and isinstance(after, list) and _has_containers(before, after):
        for number, (old, new) in enumerate(zip_longest(before, after, fillvalue=_MISSING)):
            yield from _compare(f"{path}[{number}]", old, new, without, depth + 1)
    else:
        yield ChangedValue(path, _value_text(before), _value_text(after))


def _has_containers(before: list[JsonValue], after: list[JsonValue]) -> bool:
    """Lists of objects or lists are compared item by item, lists of plain values as a whole."""
    return any(isinstance(item, Mapping | list) for item in (*before, *after))


def _value_text(value: object) -> str:
    if value is _MISSING:
        return ""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _split_words(text: str) -> list[str]:
    return [part for part in re.split(r"(\s+|[^\w\s])", text) if part]


_TEXTS = ("title", "description")
_LONGEST_TEXT = 200_000  # characters of a definition


class ChangeView(PlainEdit):
    """Shows a changed definition. Removed text is struck out, added text underlined: colour is not the only sign."""

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
        """Compare two definitions in JSON; an empty one did not exist."""
        if self._shown != (before, after):
            self._shown = (before, after)
            self._draw()

    def _draw(self) -> None:
        self.setFont(self._theme.mono())
        self.clear()
        before, after = (_parse(text) for text in self._shown)
        cursor = QTextCursor(self.document())
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            self._write_texts(cursor, before, after)
            self._write_values(cursor, find_changed_values(before, after, without=frozenset(_TEXTS)))
        else:
            definition = "\n".join(self._shown)[:_LONGEST_TEXT].strip()
            self.insert_at(cursor, visible(definition), self._format("-" if self._shown[0] else "="))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _write_texts(
        self, cursor: QTextCursor, before: Mapping[str, JsonValue], after: Mapping[str, JsonValue]
    ) -> None:
        for name in _TEXTS:
            old, new = (str(definition.get(name) or "")[:_LONGEST_TEXT] for definition in (before, after))
            if old != new:
                self._head(cursor, {"title": "Title", "description": "Description"}[name])
                for piece in diff_texts(old, new):
                    self.insert_at(cursor, visible(piece.text), self._format(piece.kind))
                self.insert_at(cursor, "\n\n", self._format("="))

    def _write_values(self, cursor: QTextCursor, values: tuple[ChangedValue, ...]) -> None:
        if values:
            self._head(cursor, "Schema and annotations")
        for changed in values:
            self.insert_at(cursor, f"{visible(changed.path)}\n", self._format("path"))
            for sign, value in (("-", changed.before), ("+", changed.after)):
                if value:
                    self.insert_at(cursor, f"  {sign} ", self._format("="))
                    self.insert_at(cursor, f"{visible(value)}\n", self._format(sign))

    def _head(self, cursor: QTextCursor, text: str) -> None:
        self.insert_at(cursor, f"{text}\n", self._format("head"))

    def _format(self, kind: str) -> QTextCharFormat:
        look = QTextCharFormat()
        look.setForeground(self._theme.colour("code_text"))
        if kind == "head":
            look.setFontWeight(QFont.Weight.DemiBold)
            look.setForeground(self._theme.colour("muted"))
        elif kind == "path":
            look.setForeground(self._theme.colour("code_key"))
        elif kind in "+-":
            tone = "success" if kind == "+" else "danger"
            look.setForeground(self._theme.colour(tone))
            look.setBackground(self._theme.soft(tone))
            look.setFontUnderline(kind == "+")
            look.setFontStrikeOut(kind == "-")
        return look


def _parse(text: str) -> JsonValue:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None


class ChangesPage(ServerPage):
    """The changes and warnings of a server at the left, the selected one at the right with its decision."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self._changes: dict[str, DefinitionChange] = {}
        self._warnings: dict[str, ToolWarning] = {}
        self._reading = 0  # number of the newest reading; answers to earlier ones are dropped
        self.empty = EmptyState(
            context.theme,
            "shield-check",
            "No changes",
            "The definition of each tool is pinned when you first see it. A changed tool is blocked until you approve "
            "its new definition here.",
        )
        self.list = ListPane(context.theme, "Changes and warnings", self.empty)
        self.since = CalmCombo()
        self.since.setAccessibleName("Compare with")
        self.since.setMinimumContentsLength(20)
        self.since.addItem("approved definitions", 0.0)
        self.summary = ForeignLabel()
        self.warning = Notice(context.theme)
        self.view = ChangeView(context.theme)
        self.approve = QPushButton("Approve change")
        self.approve_all = QPushButton("Approve all")
        self.mark_seen = QPushButton("Mark as seen")
        self._approve_action = QAction(icon("check"), "Approve change", self)
        self._lay_out(context.theme.unit)
        self._connect_signals()
        self._show(())

    def load(self) -> None:
        self._reading += 1
        self.context.tasks.run("read changes", self._read(self._reading, float(self.since.currentData())))

    def run(self) -> bool:
        """Ctrl+Enter approves the selected change."""
        if self.approve.isEnabled() and not self.approve.isHidden():
            self.approve.click()
            return True
        return False

    def _tools_changed(self, event: ToolsChanged | ToolsWarned | DefinitionsBlocked) -> None:
        if event.server == self.server:
            self.load()

    async def _read(self, reading: int, since: float) -> None:
        api = self.context.api
        history, warnings = await api.definition_history(self.server), tuple[ToolWarning, ...]()
        if since:
            changes = await api.compare_definitions(self.server, since, time.time())
        else:
            warnings = await api.warnings(self.server)
            changes = await api.definition_changes(self.server)
        if reading == self._reading:
            self._list_versions(history)
            self._warnings = {f"warning\n{number}": warning for number, warning in enumerate(warnings)}
            self._show(changes)

    def _list_versions(self, history: Sequence[Moment]) -> None:
        """Earlier definitions to compare with; the first one is the current one."""
        known = {self.since.itemData(number) for number in range(self.since.count())}
        for moment in history[1:]:
            if moment.at not in known:
                text = f"{clock(moment.at)}: version {moment.version or '?'}, {count_of(moment.tools, 'tool')}"
                self.since.addItem(one_line(text, 80), moment.at)

    def _show(self, changes: Sequence[DefinitionChange]) -> None:
        self._changes = {f"{number}\n{change.kind}\n{change.tool}": change for number, change in enumerate(changes)}
        rows = [_change_row(key, change) for key, change in self._changes.items()]
        rows += [_warning_row(key, warning) for key, warning in self._warnings.items()]
        self.list.show_rows(rows)
        self.approve_all.setVisible(sum(change.blocked for change in changes) > 1)
        self.mark_seen.setVisible(any(not change.blocked for change in changes) and not self.since.currentData())
        self._detail.setVisible(bool(rows))
        if rows and not self.list.key():
            self.list.select(rows[0].key)
        self._show_selected()

    def _show_selected(self) -> None:
        key = self.list.key()
        change, warning = self._changes.get(key), self._warnings.get(key)
        self.approve.setVisible(change is not None and change.blocked)
        self._approve_action.setEnabled(change is not None and change.blocked)
        self.view.setVisible(change is not None)
        if change is not None:
            self.summary.setText(self._describe(change))
            suspicious = Fault("The new definition is suspicious.", "\n".join(change.warnings))
            self.warning.show_fault(suspicious if change.warnings else None, tone="warning")
            self.view.show_change(change.before, change.after)
        elif warning is not None:
            self.summary.setText(warning.tool or "The whole server")
            self.warning.show_fault(Fault(warning.message, warning.why), tone="warning")
        else:
            self.summary.setText("")
            self.warning.show_fault(None)

    def _describe(self, change: DefinitionChange) -> str:
        if self.since.currentData():
            return f"{change.tool}: {change.kind!s} since then."
        if change.blocked and not change.before:
            happened = "has an approved definition that cannot be read"
        else:
            happened = {ChangeKind.CHANGED: "changed", ChangeKind.NEW: "is new"}.get(change.kind, "was removed")
        result = {ChangeKind.NEW: "It can be used.", ChangeKind.REMOVED: "The server no longer offers it."}.get(
            change.kind, "It is blocked for you and for agents until you approve the new definition."
        )
        return f"{change.tool} {happened} ({clock(change.at)}). {result}"

    def _approve_selected(self) -> None:
        change = self._changes.get(self.list.key())
        if change is not None and change.blocked:
            self.context.tasks.run("approve a definition", self._approve([change]))

    def _approve_all(self) -> None:
        blocked = [change for change in self._changes.values() if change.blocked]
        self.context.tasks.run("approve definitions", self._approve(blocked))

    async def _approve(self, changes: list[DefinitionChange]) -> None:
        """Several changes at once, and suspicious ones, need a confirmation."""
        suspicious = sum(bool(change.warnings) for change in changes)
        if (len(changes) > 1 or suspicious) and not await self._confirm(changes, suspicious):
            return
        hashes = {change.tool: change.hash for change in changes}
        changes_left = await self.context.api.approve_definitions(self.server, hashes)
        if not self.since.currentData():  # the user may have chosen a comparison meanwhile
            self._show(changes_left)

    async def _confirm(self, changes: list[DefinitionChange], suspicious: int) -> bool:
        names = ", ".join(one_line(change.tool, 60) for change in changes[:8]) + (" …" if len(changes) > 8 else "")
        several = f"Approve {len(changes):,} changed definitions?"
        title = several if len(changes) > 1 else "Approve a suspicious definition?"
        question = Question(self.context.theme, title, names, self.window())
        if suspicious:
            number = count_of(suspicious, "suspicious definition")
            question.show_note(f"{number}: read the warnings before you approve.", "warning")
        question.show_note("Models and programs get the new definitions from then on.")
        return await question.ask("Approve", danger=bool(suspicious), settles=True)

    def _mark_seen(self) -> None:
        self.context.tasks.run("mark changes as seen", self.context.api.mark_changes_seen(self.server))

    def _menu_actions(self, key: str) -> Sequence[QAction]:
        return (self._approve_action,) if key in self._changes else ()

    def _lay_out(self, unit: int) -> None:
        mark(self.approve, kind="primary")
        self.mark_seen.setToolTip("Mark new and removed tools as seen. Blocked tools stay blocked.")
        margins = (unit * 3, unit * 2, unit * 3, unit * 2)
        self.summary.setContentsMargins(*margins)
        foot = row(None, None, self.mark_seen, self.approve_all, self.approve, margins=margins, spacing=unit * 2)
        self._detail = QWidget()
        column(self._detail, self.summary, self.warning, self.view, foot, grows=self.view)
        strip = Strip(self.context.theme)
        strip.row.addWidget(label("Compare with", "muted"))
        strip.row.addWidget(self.since)
        strip.row.addStretch(1)
        split = AdaptiveSplit(_WIDE, (3, 7), self.list, self._detail)
        column(self, strip, split, grows=split)
        self.setFocusProxy(self.list)

    def _connect_signals(self) -> None:
        store = self.context.store
        store.on(ToolsChanged, self._tools_changed)
        store.on(ToolsWarned, self._tools_changed)
        store.on(DefinitionsBlocked, self._tools_changed)
        self.list.selection_changed.connect(self._show_selected)
        self.list.set_menu(self._menu_actions)
        self.approve.clicked.connect(self._approve_selected)
        self._approve_action.triggered.connect(self._approve_selected)
        self.approve_all.clicked.connect(self._approve_all)
        self.mark_seen.clicked.connect(self._mark_seen)
        self.since.currentIndexChanged.connect(self.load)


def _change_row(key: str, change: DefinitionChange) -> Row:
    word = CHANGE_WORDS[change.kind]
    text = word.text if change.blocked else str(change.kind)
    return Row(key, one_line(change.tool, 120), icon=word.icon, tone=word.tone, badges=((text, word.tone),))


def _warning_row(key: str, warning: ToolWarning) -> Row:
    title = one_line(warning.tool, 120) or one_line(warning.server, 120)
    return Row(key, title, icon="warning", tone="warning", badges=((warning.rule, "warning"),))
