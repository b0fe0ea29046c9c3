"""The table of entries: columns that give way where it is narrow, and a menu that narrows down to what a row has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHeaderView,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.events import AuditVerifying, EntryWritten, Event
from workbench.gui.audit import audit_model as columns
from workbench.gui.audit.audit_model import AuditModel
from workbench.gui.audit.filters import ChipRow, Filter, FilterMenu, line, query_of, read, told, typed
from workbench.gui.audit.timeline import EntryCard, RoadDialog
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.lists import EmptyState, Strip, action_button, lead_focus, search_box
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.actions import ENTRY_RUN
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import ShowCode, ShowRun
from workbench.gui.shell.window_state import Layout
from workbench.records import ChainReport, Entry, EntryQuery, ReviewFigures

LETTERS = (9, 10, 15, 30, 17, 22, 13, 10, 10)
"""Widths of the columns in letters; the fourth takes what is left."""
LEAST_TELLING = (
    columns.TOKENS, columns.WHO, columns.MS, columns.TOOL, columns.RISK, columns.SEQ, columns.KIND,
)  # fmt: skip


class AuditTable(QTableView):
    """Enter shows the road of a run; the menu key opens the menu."""

    only = Signal(object)
    """Carries the Filter that the entries are to be narrowed down by."""
    road_wanted = Signal()

    def __init__(self, theme: Theme, model: AuditModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries = model
        unit = theme.unit
        self.setModel(model)
        self.setAccessibleName("Audit entries")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setIconSize(QSize(unit * 3 + 1, unit * 3 + 1))
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + unit * 2)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self.doubleClicked.connect(self.road_wanted)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(unit * 6)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(columns.WHAT, QHeaderView.ResizeMode.Stretch)
        width = self.fontMetrics().averageCharWidth()
        for column, letters in enumerate(LETTERS):
            self.setColumnWidth(column, width * letters)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.road_wanted.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow the least telling columns go first; the entry beside the table has them all."""
        super().resizeEvent(event)
        room = self.width() // max(1, self.fontMetrics().averageCharWidth())
        shown = sum(LETTERS)
        for column in LEAST_TELLING:
            self.setColumnHidden(column, shown > room)
            shown -= LETTERS[column] if shown > room else 0

    def _open_menu(self, place: QPoint) -> None:
        menu = self.narrowing()
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.viewport().mapToGlobal(place))

    def narrowing(self) -> QMenu | None:
        """The menu of the chosen entry."""
        entry = self._entries.entry(self.currentIndex())
        if entry is None:
            return None
        note, menu = entry.note, QMenu(self)
        if note.run_id:
            menu.addAction("Show timeline").triggered.connect(self.road_wanted)
            menu.addSeparator()
        values = (
            ("run", note.run_id), ("session", note.session), ("actor", note.actor), ("server", note.server),
            ("tool", note.tool), ("risk", note.risk), ("kind", note.kind), ("outcome", "" if note.ok else "failed"),
        )  # fmt: skip
        for field, value in values:
            if value:
                one = Filter(field, value)
                words = f"Only {told(one)}".replace("&", "&&")
                menu.addAction(words).triggered.connect(partial(self._choose, one))
        return menu

    def _choose(self, one: Filter, checked: bool = False) -> None:
        self.only.emit(one)


class ReviewChip(QPushButton):
    """Leads to the decisions; hidden until there is one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, kind="chip")
        self.hide()

    def show_figures(self, figures: ReviewFigures) -> None:
        self.setVisible(figures.decided > 0)
        words = "Allowed {0} of {1} · half within {2} s"
        median = figures.median_seconds
        text = words.format(figures.allowed, figures.decided, f"{median:.1f}" if median < 5 else f"{median:.0f}")
        hasty = f" · {figures.hasty} unread" if figures.hasty else ""
        self.setText(text + hasty)
        told = "Your newest {0} decisions about programs and calls, with the median of the time you looked."
        found = f" {figures.hasty} were allowed sooner than anybody can read." if figures.hasty else ""
        self.setToolTip(told.format(figures.decided) + found)
        self.setAccessibleName(f"{text + hasty}. Show the decisions")


FLUSH_MS = 60
"""Live entries are put in together after so long: a run of a thousand calls stays smooth."""


class AuditPane(Pane):
    """The table, its filters, and the chain's state."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._layout_file = Layout(context.paths)
        self.model = AuditModel(self)
        self.table = AuditTable(context.theme, self.model, self)
        self.finder = search_box("Search what happened, or server:demo risk:high since:7d", "Filter the audit by text")
        self.kind = CalmCombo()
        self.chips = ChipRow(context.theme, self)
        self.menu = FilterMenu(self)
        self.chain = ForeignLabel(elide=True)
        mark(self.chain, role="muted")
        self.figures = ReviewChip()
        self.card = EntryCard(context, self)
        self._fresh: list[Entry] = []
        self._shown = 0  # number of the entry that the card shows
        self._flush = QTimer(self, singleShot=True, interval=FLUSH_MS)
        self._pause = QTimer(self, singleShot=True, interval=150)
        self._empty = EmptyState(context.theme, "list", *self._nothing())
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        if isinstance(event, EntryWritten):
            self._fresh.append(event.entry)
            if event.entry.note.kind.startswith("run.decided"):
                self._ask_figures()
            if not self._flush.isActive():
                self._flush.start()
        elif isinstance(event, AuditVerifying):
            mark(self.chain, tone="")
            percent = 100 * event.done // max(1, event.entries)
            self.chain.setText(f"Verifying… {percent} % of {event.entries:,} entries")

    def refresh(self) -> None:
        self._shown = 0
        self._ask(self.model.query())
        self._ask_figures()

    def only(self, one: Filter) -> None:
        """See entries of this only, beside what is filtered by already."""
        self.chips.add((one,))

    # putting it together

    def _nothing(self) -> tuple[str, str]:
        if self.model.filtered:
            return "No entry matches", "Search for less, or take filters away."
        return (
            "Nothing to show",
            "Every call, proposal, decision and refusal is written here and chained to the one before.",
        )

    def _lay_out(self) -> None:
        theme = self.context.theme
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 2)
        self.kind.setAccessibleName("Kind of entry")
        for text, prefix in self._kinds():
            self.kind.addItem(text, prefix)
        strip.row.addWidget(self.kind)
        strip.row.addWidget(action_button(self._commands["audit.filter"], theme))
        strip.row.addSpacing(theme.unit * 2)
        strip.row.addWidget(self.chain, 1)
        strip.row.addWidget(self.figures)
        for name in ("audit.export", "audit.verify"):
            strip.row.addWidget(action_button(self._commands[name], theme))
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
        split.setSizes([theme.unit * 200, theme.unit * 90])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(self.chips)
        column.addWidget(split, 1)
        lead_focus(self, self._stack)

    def _kinds(self) -> tuple[tuple[str, str], ...]:
        return (
            ("Everything", ""),
            ("Runs", "run."),
            ("Decisions", "run.decided"),
            ("Tool calls", "call."),
            ("Servers", "server."),
            ("Skills", "skill."),
            ("Agents", "agent."),
            ("Privacy", "privacy."),
            ("Network", "connection."),
            ("Settings", "setting."),
            ("Core", "core."),
        )

    def _bind(self) -> None:
        self._flush.timeout.connect(self._grow)
        self._pause.timeout.connect(self._filter)
        self.finder.textChanged.connect(self._pause.start)
        self.finder.returnPressed.connect(self._take_typed)
        self.kind.currentIndexChanged.connect(self._filter)
        self.chips.bind(self._line)
        self.chips.show_chips((), self._layout_file.audit_filters)
        self.chips.changed.connect(self._filter)
        self.chips.recalled.connect(self._recall)
        self.chips.kept_changed.connect(self._keep_filters)
        self.menu.chosen.connect(self.only)
        self.menu.asked.connect(self._type)
        self.model.wants.connect(self._ask)
        self.model.counts.connect(self._count)
        self.model.looked.connect(self._looked)
        self.figures.clicked.connect(self._show_decisions)
        for changed in (self.model.modelReset, self.model.rowsInserted):
            changed.connect(self._fill)
        self.model.dataChanged.connect(self._selected)
        self.table.selectionModel().currentRowChanged.connect(self._selected)
        self.table.only.connect(self.only)
        self.table.road_wanted.connect(self._show_road)
        self.card.road.clicked.connect(self._show_road)
        self._commands.bind("audit.verify", self._verify)
        self._commands.bind("audit.export", self._export)
        self._commands.bind("audit.filter", self._open_menu)
        self._commands.bind("audit.road", self._show_road)

    # filtering

    def _line(self) -> str:
        """All of it, to be kept for later."""
        return line(self.finder.text().strip(), self.chips.filters)

    def _query(self) -> EntryQuery:
        words, filters = typed(self.finder.text())
        made = query_of(words, (*self.chips.filters, *filters))
        return made if made.kind else replace(made, kind=str(self.kind.currentData()))

    def _take_typed(self) -> None:
        """Enter makes chips of what was typed as `field:value`."""
        words, filters = typed(self.finder.text())
        if filters:
            self.finder.setText(words)
            self.chips.add(filters)

    def _filter(self) -> None:
        self._pause.stop()
        self.chips.show_chips(self.chips.filters)
        self.model.filter(self._query())

    def _recall(self, kept: str) -> None:
        text, filters = read(kept)
        self.finder.setText(text)
        self.chips.show_chips(filters)
        self._filter()

    def _keep_filters(self, kept: tuple[str, ...]) -> None:
        self._layout_file.audit_filters = kept

    def _type(self, field: str) -> None:
        """A time is typed where everything is typed."""
        self.finder.setText(f"{self.finder.text().strip()} {field}".lstrip())
        self.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        said = "Type a day or a time behind “{}”, such as 2026-11-05 or 2026-11-05T14:00, and press Enter."
        self.context.say(said.format(field))

    async def _open_menu(self) -> None:
        self.menu.fill(await self.context.api.facets())
        self.menu.popup(self.kind.mapToGlobal(self.kind.rect().bottomLeft()))

    def _show_decisions(self) -> None:
        """Only what was decided, newest first."""
        self.kind.setCurrentIndex(self.kind.findData("run.decided"))

    # reading

    def _ask(self, query: EntryQuery) -> None:
        self.context.tasks.run("audit", self._read(query))

    async def _read(self, query: EntryQuery) -> None:
        try:
            page = await self.context.api.entry_page(query)
        except WorkbenchError:
            self.model.lose(query)
            raise
        self._carefully(lambda: self.model.answer(query, page))

    def _count(self, query: EntryQuery) -> None:
        self.context.tasks.run("count entries", self._counted(query))

    async def _counted(self, query: EntryQuery) -> None:
        marks = await self.context.api.entry_marks(query)
        self._carefully(lambda: self.model.anchor(query, marks))

    def _carefully(self, change: Callable[[], None]) -> None:
        """The chosen entry stays chosen."""
        chosen = self.model.entry(self.table.currentIndex())
        change()
        if chosen is not None and not self.table.currentIndex().isValid():
            self.table.setCurrentIndex(self.model.find(chosen.seq))

    def _looked(self, reached: int) -> None:
        """A search that takes longer says how far back it is."""
        words = f"Looked back to entry {reached:,}; looking further…"
        self._empty.say(*(("Searching…", words) if reached else self._nothing()))

    def _ask_figures(self) -> None:
        asked = self.context.api.review_figures()
        self.context.tasks.run("figures about decisions", asked, self.figures.show_figures)

    def _grow(self) -> None:
        fresh, self._fresh = self._fresh, []
        self.model.grow(fresh)

    def _fill(self) -> None:
        self._stack.setCurrentWidget(self.table if self.model.rowCount() else self._empty)
        self._selected()

    # one entry

    def _selected(self) -> None:
        entry = self.model.entry(self.table.currentIndex())
        self._commands.hold(ENTRY_RUN, entry is not None and bool(entry.note.run_id))
        if entry is None and self.table.currentIndex().isValid():
            return  # its page is on the way
        if entry is not None and entry.seq == self._shown:
            return  # others came in above it; the detail that was fetched stays
        self._shown = entry.seq if entry is not None else 0
        self.card.show_entry(entry)
        if entry is not None and not entry.note.detail:
            self.context.tasks.run("entry", self.context.api.entry(entry.seq), self._whole)

    def _whole(self, entry: Entry) -> None:
        """Lists come without details."""
        now = self.model.entry(self.table.currentIndex())
        if now is not None and now.seq == entry.seq:
            self.card.show_entry(entry)

    def _show_road(self) -> None:
        entry = self.model.entry(self.table.currentIndex())
        if entry is not None and entry.note.run_id:
            dialog = RoadDialog(self.context, entry.note.run_id, self.window())
            dialog.road.code_wanted.connect(self._open_code)
            dialog.road.result_wanted.connect(self._open_result)
            dialog.open_soon()

    def _open_code(self, code: str, purpose: str) -> None:
        self.context.go(ShowCode(code, purpose))

    def _open_result(self, run_id: str) -> None:
        self.context.go(ShowRun(run_id))

    # the whole

    def _export(self) -> None:
        dialog = QFileDialog(self.window(), "Export these entries")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(["JSON (*.json)", "CSV (*.csv)"])
        dialog.selectFile("audit.json")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._export_to)
        dialog.open()

    def _export_to(self, file: str) -> None:
        form = "csv" if file.lower().endswith(".csv") else "json"
        asked = self.context.api.export_entries(replace(self.model.wanted, brief=False), file, form)
        self.context.say("Exporting…")
        said = "{0:,} entries were written into {1}."
        self.context.tasks.run("export the audit", asked, lambda count: self.context.say(said.format(count, file)))

    async def _verify(self) -> None:
        mark(self.chain, tone="")
        self.chain.setText("Verifying…")
        self._say(await self.context.api.verify_audit())

    def _say(self, report: ChainReport) -> None:
        if report.whole:
            text = f"✓ Unbroken: {report.entries} entries, head {report.head[:12]}"
            mark(self.chain, tone="success")
        else:
            text = f"✗ Broken at entry {report.broken_at}: {report.reason}. Nothing from there on can be trusted."
            mark(self.chain, tone="danger")
        self.chain.setText(text)
