"""One audit entry in full: its facts and its detail as JSON."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from workbench.gui.audit.audit_model import RunTitle, actor_of, sentence_of
from workbench.gui.kit.facts import FactsGrid
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row, scroll_area
from workbench.gui.kit.lists import paragraph
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import clock, duration
from workbench.gui.results.token_chips import MarkMenu, TokenChips
from workbench.gui.shell.context import Context
from workbench.records import Entry

_FOCUS_RING = """
QScrollArea { border: 1px solid transparent; }
QScrollArea:focus { border: 1px solid palette(link); }
"""


class EntryCard(QFrame):
    """Shows an entry beside a list of entries; hidden without one."""

    def __init__(self, context: Context, run_title: RunTitle, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = self._theme = context.theme
        self._run_title = run_title
        mark(self, kind="side")
        self._title = paragraph("", "heading")
        self._facts = FactsGrid(theme)
        self.timeline = QPushButton(icon("list"), "Timeline")
        self._detail = PlainEdit()
        self._detail.setReadOnly(True)
        self._detail.setAccessibleName("Detail of the entry")
        mark(self._detail, kind="code")
        self.tokens = TokenChips(self._detail, context)
        MarkMenu(self._detail, context, self.tokens)
        page, button = QWidget(), row(None, self.timeline, None)
        parts = column(page, self._title, self._facts, button, margins=(theme.unit * 3,) * 4, spacing=theme.unit * 2)
        parts.addWidget(self._detail, 1000)
        parts.addStretch(1)
        area = scroll_area(page)
        area.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # the arrow keys scroll it
        area.setAccessibleName("The entry in full")
        area.setStyleSheet(_FOCUS_RING)
        column(self, area, margins=(1, 0, 0, 0))
        self.setFocusProxy(area)
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
                "Who": actor_of(entry),
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
