"""Shows where the values of a held call came from."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit, reading_box, units
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.records import ValueOrigin
from workbench.records.common_types import count_of
from workbench.records.stated_facts import KIND_TEXTS

_MOST_VALUES = 8  # that are shown; more are counted
_MOST_PATHS = 3  # arguments that are named for one value
_EXCERPT_LINES = 4  # of the text around a value, before it scrolls


class EvidenceView(QWidget):
    """Where the values of a call came from: the value, the answer that held it, and the text around it there."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._column = column(self, spacing=theme.unit * 2)
        self._shown: tuple[ValueOrigin, ...] = ()

    def show_origins(self, origins: Sequence[ValueOrigin], run_id: str) -> None:
        """Called again when more calls joined; the same values are not drawn again."""
        self.setVisible(bool(origins))
        if tuple(origins) == self._shown:
            return
        self._shown = tuple(origins)
        while (item := self._column.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        if origins:
            self._column.addWidget(label("Where its values came from", "section"))
        values = self._join_paths(origins)
        for origin in values[:_MOST_VALUES]:
            self._column.addWidget(self._card(origin, run_id))
        if len(values) > _MOST_VALUES:
            self._column.addWidget(label(f"and {len(values) - _MOST_VALUES:,} more", "muted"))

    def _join_paths(self, origins: Sequence[ValueOrigin]) -> list[ValueOrigin]:
        """The same value from the same answer is shown once, with the arguments that it goes to."""
        paths: dict[ValueOrigin, list[str]] = {}
        for origin in origins:
            paths.setdefault(replace(origin, path=""), []).append(origin.path)
        joined = []
        for origin, names in paths.items():
            more = len(names) - _MOST_PATHS
            rest = f" and {count_of(more, 'more argument')}" if more > 0 else ""
            joined.append(replace(origin, path=", ".join(names[:_MOST_PATHS]) + rest))
        return joined

    def _card(self, origin: ValueOrigin, run_id: str) -> QWidget:
        value = ForeignLabel(f"{origin.path} = {one_line(origin.value, 200)}", breaks=True)
        where = "an earlier answer that is no longer stored"
        if origin.tool:
            when = "in this run" if origin.run_id == run_id else "in an earlier run"
            where = f"the answer of {origin.server}.{origin.tool}, {when}"
        kinds = ", ".join(KIND_TEXTS.get(kind, kind) for kind in origin.kinds)
        source = ForeignLabel(f"from {where} ({kinds})" if kinds else f"from {where}", role="muted")
        excerpt = [self._excerpt(origin)] if origin.around else []
        card = QFrame()
        mark(card, kind="card")
        column(card, value, source, *excerpt, margins=(self._theme.unit * 2,) * 4, spacing=self._theme.unit)
        return card

    def _excerpt(self, origin: ValueOrigin) -> PlainEdit:
        """The text around the value, with the value marked."""
        before, _, rest = origin.around.partition("\x02")
        value, _, after = rest.partition("\x03")
        before, value, after = (visible(part) for part in _widened(before, value, after, origin.value))
        text = f"{before}{value}{after}"
        view = reading_box(text, f"The text around the value of {origin.path}")
        view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        width = self.fontMetrics().averageCharWidth() * 60  # of a narrow window
        rows = view.fontMetrics().horizontalAdvance(text) // max(1, width) + 1
        rows += min(_EXCERPT_LINES, text.count("\n"))
        view.setFixedHeight(view.fontMetrics().lineSpacing() * max(2, min(_EXCERPT_LINES, rows)) + self._theme.unit * 3)
        cursor = QTextCursor(view.document())
        start, end = units(before, len(before)), units(before + value, len(before) + len(value))
        cursor.setPosition(view.document_place(start))
        cursor.setPosition(view.document_place(end), QTextCursor.MoveMode.KeepAnchor)
        format_ = QTextCharFormat()
        format_.setBackground(self._theme.soft("danger", 0.35))
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = cursor, format_
        view.setExtraSelections([selection])
        return view


def _widened(before: str, match: str, after: str, value: str) -> tuple[str, str, str]:
    """Extend a match to all of the value around it: the core marks only the part by which it found the value."""
    best = before, match, after
    place = value.find(match) if match else -1
    while place >= 0:
        left = _same_length(before[::-1], value[:place][::-1])
        right = _same_length(after, value[place + len(match) :])
        if left + right + len(match) > len(best[1]):
            end = len(before) - left
            best = before[:end], f"{before[end:]}{match}{after[:right]}", after[right:]
        place = value.find(match, place + 1)
    return best


def _same_length(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (first, second) in pairs if first != second), min(len(one), len(other)))
