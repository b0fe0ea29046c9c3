"""Where the values of a waiting call came from: each value, whose answer it stood in, and the words around it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QTextEdit, QVBoxLayout, QWidget

from workbench.gui.plain_edit import PlainEdit
from workbench.gui.text import ForeignLabel, one_line, visible
from workbench.gui.theme import Theme, mark
from workbench.gui.views import label
from workbench.records import ValueOrigin

_KINDS = {"untrusted": "outsiders can write there", "private": "private data"}
_SHOWN = 8  # origins that are shown; more are counted
_PATHS = 3  # places of one value that are named
_LINES = 4  # of the words around a value, before they scroll


class Evidence(QWidget):
    """Hidden while there is nothing to show."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.unit * 2)
        self._shown: tuple[ValueOrigin, ...] = ()

    def show_origins(self, origins: Sequence[ValueOrigin], run_id: str) -> None:
        """Told again when more calls joined; the same is not drawn again."""
        if tuple(origins) == self._shown:
            return
        self._shown = tuple(origins)
        while (item := self._column.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        if origins:
            self._column.addWidget(label("Where its values came from", "section"))
        several = self._joined(origins)
        for origin in several[:_SHOWN]:
            self._column.addWidget(self._card(origin, run_id))
        if len(several) > _SHOWN:
            self._column.addWidget(label(f"and {len(several) - _SHOWN} more", "muted"))

    def _joined(self, origins: Sequence[ValueOrigin]) -> list[ValueOrigin]:
        """The same value out of the same answer is told once, with all places it goes to."""
        paths: dict[ValueOrigin, list[str]] = {}
        for origin in origins:
            paths.setdefault(replace(origin, path=""), []).append(origin.path)
        more = " and {} more places"
        return [
            replace(one, path=", ".join(to[:_PATHS]) + (more.format(len(to) - _PATHS) if len(to) > _PATHS else ""))
            for one, to in paths.items()
        ]

    def _card(self, origin: ValueOrigin, run_id: str) -> QWidget:
        card = QFrame()
        mark(card, kind="card")
        unit = self._theme.unit
        column = QVBoxLayout(card)
        column.setContentsMargins(unit * 2, unit * 2, unit * 2, unit * 2)
        column.setSpacing(unit)
        column.addWidget(ForeignLabel(f"{origin.path} = {one_line(origin.value, 200)}", breaks=True))
        where = "an earlier answer that is not kept any more"
        if origin.tool:
            when = "in this run" if origin.run_id == run_id else "in an earlier run"
            where = f"the answer of {origin.server}.{origin.tool}, {when}"
        kinds = ", ".join(_KINDS.get(kind, kind) for kind in origin.kinds)
        words = ForeignLabel(f"stood in {where} ({kinds})")
        mark(words, role="muted")
        column.addWidget(words)
        if origin.around:
            column.addWidget(self._marked(origin))
        return card

    def _marked(self, origin: ValueOrigin) -> PlainEdit:
        before, _, rest = origin.around.partition("\x02")
        found, _, after = rest.partition("\x03")
        before, found, after = visible(before), visible(found), visible(after)
        view = PlainEdit(f"{before}{found}{after}")
        view.setReadOnly(True)
        view.setTabChangesFocus(True)
        view.setAccessibleName(f"Where the value of {origin.path} stood")
        view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        mark(view, kind="code")
        letters = self.fontMetrics().averageCharWidth() * 60  # of a narrow window
        rows = view.fontMetrics().horizontalAdvance(f"{before}{found}{after}") // max(1, letters) + 1
        rows += min(_LINES, f"{before}{found}{after}".count("\n"))
        view.setFixedHeight(view.fontMetrics().lineSpacing() * max(2, min(_LINES, rows)) + self._theme.unit * 3)
        cursor = QTextCursor(view.document())
        cursor.setPosition(view.document_place(_units(before)))
        cursor.setPosition(view.document_place(_units(before + found)), QTextCursor.MoveMode.KeepAnchor)
        format_ = QTextCharFormat()
        format_.setBackground(self._theme.soft("danger", 0.35))
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = cursor, format_
        view.setExtraSelections([selection])
        return view


def _units(text: str) -> int:
    """Qt counts in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
