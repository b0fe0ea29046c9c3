"""One audit entry in full: its facts, its detail as JSON, and its place in the chain."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.context import Context
from workbench.gui.icons import icon
from workbench.gui.plain_edit import PlainEdit
from workbench.gui.privacy.token_chips import TokenChips
from workbench.gui.text import ForeignLabel, visible
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.gui.words import clock, duration
from workbench.records import Entry


class EntryCard(QFrame):
    """Beside the table."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = self._theme = context.theme
        self._title = label("", "heading")
        self._title.setWordWrap(True)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, ForeignLabel]] = []
        mark(self, kind="side")
        self._detail = PlainEdit()
        self._detail.setReadOnly(True)
        self._detail.setAccessibleName("Detail of the entry")
        mark(self._detail, kind="code")
        self._chips = TokenChips(self._detail, context)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(*(theme.unit * 3,) * 4)
        column.setSpacing(theme.unit * 2)
        column.addWidget(self._title)
        column.addLayout(self._grid)
        self.road = QPushButton(icon("list"), "Timeline")
        column.addWidget(self.road, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._detail, 1000)
        column.addStretch(1)
        self._grid.setHorizontalSpacing(theme.unit * 3)
        self._grid.setVerticalSpacing(theme.unit // 2)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 0, 0, 0)
        outer.addWidget(area)
        self.setMinimumWidth(theme.unit * 55)
        self.hide()

    def show_entry(self, entry: Entry | None) -> None:
        self.setVisible(entry is not None)
        if entry is None:
            return
        self._title.setText(visible(entry.note.summary))
        self._chips.show_tokens_of(entry.note.session)
        self._fill([(name, word) for name, word in self._facts(entry) if word])
        detail = json.dumps(dict(entry.note.detail), indent=2, ensure_ascii=False, default=str)
        self.road.setVisible(bool(entry.note.run_id))
        self._detail.setVisible(bool(entry.note.detail))
        self._detail.setFont(self._theme.mono(-1))
        self._detail.setPlainText(visible(detail))

    def _facts(self, entry: Entry) -> list[tuple[str, str]]:
        note = entry.note
        return [
            ("Entry", f"{entry.seq} · {clock(entry.at)}"),
            ("Kind", note.kind),
            ("Who", note.actor),
            ("Session", note.session),
            ("Run", note.run_id),
            ("Tool", f"{note.server}.{note.tool}" if note.tool else note.server),
            ("Risk", note.risk),
            ("Took", duration(note.ms) if note.ms else ""),
            ("Outcome", "" if note.ok else "did not work, or was refused"),
            ("Chain", f"{entry.previous[:10]} → {entry.hash[:10]}"),
        ]

    def _fill(self, facts: list[tuple[str, str]]) -> None:
        while len(self._rows) < len(facts):
            pair = (label("", "muted"), ForeignLabel(elide=True))
            self._grid.addWidget(pair[0], len(self._rows), 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(pair[1], len(self._rows), 1)
            self._rows.append(pair)
        for place, (name, value) in enumerate(self._rows):
            shown = place < len(facts)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                name.setText(facts[place][0])
                value.setText(facts[place][1])
