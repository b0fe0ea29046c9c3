"""One audit entry in full: its facts and its detail as JSON."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.audit.audit_model import RunTitle, sentence_of
from workbench.gui.kit.facts import FactsGrid
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import clock, duration
from workbench.gui.results.token_chips import TokenChips
from workbench.gui.shell.context import Context
from workbench.records import Entry


class EntryCard(QFrame):
    """Shows an entry beside a list of entries; hidden without one."""

    def __init__(self, context: Context, run_title: RunTitle, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = self._theme = context.theme
        self._run_title = run_title
        mark(self, kind="side")
        self._title = label("", "heading")
        self._title.setWordWrap(True)
        self._facts = FactsGrid(theme)
        self.timeline = QPushButton(icon("list"), "Timeline")
        self._detail = PlainEdit()
        self._detail.setReadOnly(True)
        self._detail.setAccessibleName("Detail of the entry")
        mark(self._detail, kind="code")
        self.tokens = TokenChips(self._detail, context)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(*(theme.unit * 3,) * 4)
        column.setSpacing(theme.unit * 2)
        column.addWidget(self._title)
        column.addWidget(self._facts)
        column.addWidget(self.timeline, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._detail, 1000)
        column.addStretch(1)
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
        note = entry.note
        self._title.setText(visible(sentence_of(entry, self._run_title)))
        self.tokens.show_tokens_of(note.session)
        self._facts.show_facts(
            {
                "Entry": f"{entry.seq:,} · {clock(entry.at)}",
                "Kind": note.kind,
                "Who": note.actor,
                "Session": note.session,
                "Run": note.run_id,
                "Tool": f"{note.server}.{note.tool}" if note.tool else note.server,
                "Risk": note.risk,
                "Took": duration(note.ms) if note.ms else "",
                "Outcome": "" if note.ok else "failed or was refused",
                "Chain": f"{entry.previous[:10]} → {entry.hash[:10]}",
            }
        )
        self.timeline.setVisible(bool(note.run_id))
        self._detail.setVisible(bool(note.detail))
        self._detail.setFont(self._theme.mono(-1))
        self._detail.setPlainText(visible(json.dumps(dict(note.detail), indent=2, ensure_ascii=False, default=str)))
