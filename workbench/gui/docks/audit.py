"""The audit: everything that happened, live, filtered, verifiable; the chosen entry in full beside it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSplitter,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from workbench.events import EntryWritten, Event
from workbench.gui.calm_combo import CalmCombo
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.docks.entry_card import EntryCard
from workbench.gui.docks.review_chip import ReviewChip
from workbench.gui.models import audit as columns
from workbench.gui.models.audit import AuditModel
from workbench.gui.pane import Pane
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState, Strip, action_button, label, lead_focus, search_box
from workbench.records import ChainReport, Entry, EntryQuery

LETTERS = (6, 10, 15, 30, 17, 22, 13, 10, 10)
"""Widths of the columns in letters; the fourth takes what is left."""
LEAST_TELLING = (
    columns.TOKENS, columns.WHO, columns.MS, columns.TOOL, columns.RISK, columns.SEQ, columns.KIND,
)  # fmt: skip
FLUSH_MS = 60
"""Live entries are put in together after so long: a run of a thousand calls stays smooth."""


class AuditPane(Pane):
    """The table, its filters, and the chain's state."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.model = AuditModel(self)
        self.table = QTableView(self)
        self.finder = search_box(self.tr("Search what happened"), self.tr("Filter the audit by text"))
        self.kind = CalmCombo()
        self.chain = label("", "muted")
        self.figures = ReviewChip()
        self.card = EntryCard(context.theme, self)
        self._fresh: list[Entry] = []
        self._flush = QTimer(self, singleShot=True, interval=FLUSH_MS)
        self._pause = QTimer(self, singleShot=True, interval=150)
        self._empty = EmptyState(
            context.theme,
            "list",
            self.tr("Nothing to show"),
            self.tr("Every call, proposal, decision and refusal is written here and chained to the one before."),
        )
        self._make_table()
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        if isinstance(event, EntryWritten):
            self._fresh.append(event.entry)
            if event.entry.note.kind.startswith("run.decided"):
                self._ask_figures()
            if not self._flush.isActive():
                self._flush.start()

    def refresh(self) -> None:
        self._ask(self.model.query())
        self._ask_figures()

    def _ask_figures(self) -> None:
        self.context.tasks.run(
            "figures about decisions", self.context.questions.review_figures(), self.figures.show_figures
        )

    def _show_decisions(self) -> None:
        """Only what was decided, newest first."""
        self.kind.setCurrentIndex(self.kind.findData("run.decided"))

    def _make_table(self) -> None:
        unit = self.context.theme.unit
        self.table.setModel(self.model)
        self.table.setAccessibleName(self.tr("Audit entries"))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.setShowGrid(False)
        self.table.installEventFilter(self)
        self.table.setIconSize(QSize(unit * 3 + 1, unit * 3 + 1))
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + unit * 2)
        head = self.table.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(unit * 6)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(columns.WHAT, QHeaderView.ResizeMode.Stretch)
        width = self.fontMetrics().averageCharWidth()
        for column, letters in enumerate(LETTERS):
            self.table.setColumnWidth(column, width * letters)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.table and event.type() == QEvent.Type.Resize:
            self._fit_columns()
        return super().eventFilter(watched, event)

    def _fit_columns(self) -> None:
        """Where it is narrow the least telling columns go first; the entry beside the table has them all."""
        room = self.table.width() // max(1, self.fontMetrics().averageCharWidth())
        shown = sum(LETTERS)
        for column in LEAST_TELLING:
            self.table.setColumnHidden(column, shown > room)
            shown -= LETTERS[column] if shown > room else 0

    def _lay_out(self) -> None:
        theme = self.context.theme
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 2)
        self.kind.setAccessibleName(self.tr("Kind of entry"))
        for text, prefix in self._kinds():
            self.kind.addItem(text, prefix)
        strip.row.addWidget(self.kind)
        strip.row.addSpacing(theme.unit * 2)
        strip.row.addWidget(self.chain, 1)
        strip.row.addWidget(self.figures)
        strip.row.addWidget(action_button(self._commands["audit.verify"], theme))
        table = QWidget()
        self._stack = QStackedLayout(table)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        split = QSplitter()
        split.addWidget(table)
        split.addWidget(self.card)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        split.setSizes([theme.unit * 200, theme.unit * 80])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(split, 1)
        lead_focus(self, self._stack)

    def _kinds(self) -> tuple[tuple[str, str], ...]:
        return (
            (self.tr("Everything"), ""),
            (self.tr("Runs"), "run."),
            (self.tr("Decisions"), "run.decided"),
            (self.tr("Tool calls"), "call."),
            (self.tr("Servers"), "server."),
            (self.tr("Skills"), "skill."),
            (self.tr("Agents"), "agent."),
            (self.tr("Privacy"), "privacy."),
            (self.tr("Settings"), "setting."),
            (self.tr("Core"), "core."),
        )

    def _bind(self) -> None:
        self._flush.timeout.connect(self._grow)
        self._pause.timeout.connect(self._filter)
        self.finder.textChanged.connect(self._pause.start)
        self.kind.currentIndexChanged.connect(self._filter)
        self.model.wants.connect(self._ask)
        self.figures.clicked.connect(self._show_decisions)
        for changed in (self.model.modelReset, self.model.rowsInserted):
            changed.connect(self._fill)
        self.table.selectionModel().currentRowChanged.connect(self._selected)
        self._commands.bind("audit.verify", self._verify)

    def _ask(self, query: EntryQuery) -> None:
        self.context.tasks.run("audit", self._read(query))

    async def _read(self, query: EntryQuery) -> None:
        page = await self.context.questions.entries(query)
        chosen = self.model.entry(self.table.currentIndex())
        self.model.answer(query, page)
        if chosen is not None and not self.table.currentIndex().isValid():
            self.table.setCurrentIndex(self.model.find(chosen.seq))

    def _filter(self) -> None:
        self._pause.stop()
        self.model.filter(self.finder.text(), str(self.kind.currentData()))

    def _grow(self) -> None:
        fresh, self._fresh = self._fresh, []
        self.model.grow(fresh)

    def _fill(self) -> None:
        self._stack.setCurrentWidget(self.table if self.model.rowCount() else self._empty)
        self._selected()

    def _selected(self) -> None:
        self.card.show_entry(self.model.entry(self.table.currentIndex()))

    async def _verify(self) -> None:
        self._say(await self.context.questions.verify_audit())

    def _say(self, report: ChainReport) -> None:
        if report.whole:
            text = self.tr("✓ Unbroken: {} entries, head {}").format(report.entries, report.head[:12])
            mark(self.chain, tone="success")
        else:
            text = self.tr("✗ Broken at entry {}: {}").format(report.broken_at, report.reason)
            mark(self.chain, tone="danger")
        self.chain.setText(text)
        self.chain.setToolTip("" if report.whole else self.tr("Entries from there on cannot be trusted."))
