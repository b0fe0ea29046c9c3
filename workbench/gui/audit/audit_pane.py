"""The Audit pane: the table of entries, its filters, the selected entry in full, and the state of the hash chain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QPushButton, QStackedLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import AuditVerifying, EntryWritten
from workbench.gui.audit.audit_model import SUMMARY, AuditModel
from workbench.gui.audit.entry_card import EntryCard
from workbench.gui.audit.filters import (
    ChipRow,
    Filter,
    FilterMenu,
    make_query,
    parse_saved_filter,
    parse_search,
    serialize_filter,
)
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.dialogs import ask_target
from workbench.gui.kit.layouts import column
from workbench.gui.kit.list_pane import menu_action
from workbench.gui.kit.lists import EmptyState, Strip, action_button, lead_focus, search_box
from workbench.gui.kit.table import Table
from workbench.gui.kit.text import one_line, show_text, wrapping_label
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import first_sentence
from workbench.gui.shell.actions import ENTRY_RUN
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import ShowRun
from workbench.gui.shell.window_state import Layout
from workbench.records import ChainReport, Entry, EntryQuery, ReviewFigures
from workbench.records.common_types import count_of

LIVE_MS = 60  # live entries are added together, so that a run of a thousand calls does not block the window
SEARCH_MS = 150
KINDS = {
    "": "Everything",
    "run.": "Runs",
    "run.decided": "Decisions",
    "call.": "Tool calls",
    "server.": "Servers",
    "skill.": "Skills",
    "agent.": "Agents",
    "privacy.": "Privacy",
    "hook.": "Other clients' own calls",
    "connection.": "Network",
    "setting.": "Settings",
    "core.": "Core",
}


class ReviewChip(QPushButton):
    """Sums up the user's decisions, and filters by them when pressed; hidden without decisions."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, kind="chip")
        self.hide()

    def show_figures(self, figures: ReviewFigures) -> None:
        self.setVisible(figures.decided > 0)
        median = figures.median_seconds
        text = f"Allowed {figures.allowed:,} of {figures.decided:,} · median {median:.{int(median < 5)}f} s"
        text += f" · {figures.hasty:,} unread" if figures.hasty else ""
        tip = f"Your latest {count_of(figures.decided, 'decision')} on programs and calls, with the median review time."
        if figures.hasty:
            tip += f" {hasty_sentence(figures.hasty)}"
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(f"{text}. Show the decisions")


def hasty_sentence(number: int) -> str:
    """How many requests the user allowed without enough time to read them."""
    return f"{count_of(number, 'request')} allowed faster than anyone can read." if number else ""


class AuditPane(Pane):
    """Lists the entries of the audit, newest first."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._layout_file = Layout(context.paths)
        self.model = AuditModel(self._run_title, self)
        self._show_run = menu_action(self, "Show run", self._open_run)
        self.table = Table(context.theme, "Audit entries", self.model, grows=SUMMARY)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.set_menu(self._menu_actions)
        self.finder = search_box("Search, or type server:demo risk:high since:7d", "Search the audit")
        self.kind = CalmCombo()
        self.chips = ChipRow(context.theme, self._current_filter, self)
        self.menu = FilterMenu(self)
        self.chain = wrapping_label()
        mark(self.chain, role="muted")
        self.chain.setContentsMargins(*(context.theme.unit * 3, context.theme.unit) * 2)
        self.chain.hide()
        self.figures = ReviewChip()
        self.card = EntryCard(context, self._run_title, self)
        self._live: list[Entry] = []
        self._shown = 0  # number of the entry in the card
        self._live_soon = QTimer(self, singleShot=True, interval=LIVE_MS)
        self._search_soon = QTimer(self, singleShot=True, interval=SEARCH_MS)
        self._empty = EmptyState(context.theme, "list", *self._empty_text())
        self._lay_out()
        self._bind()

    def reload(self) -> None:
        """Load the shown entries again."""
        self._shown = 0
        self.model.reload()
        self._load_figures()

    def add_filter(self, new: Filter) -> None:
        """Show only entries that match this filter too."""
        self.chips.add((new,))

    def _empty_text(self) -> tuple[str, str]:
        if self.model.is_filtered:
            return "No entry matches", "Change the search or remove filters."
        return "No entries yet", "Every call, program, decision and refusal is recorded here in a chain of hashes."

    def _lay_out(self) -> None:
        theme = self.context.theme
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 2)
        self.kind.setAccessibleName("Kind of entry")
        self.kind.show_choices(KINDS)
        strip.row.addWidget(self.kind)
        strip.row.addWidget(action_button(self._commands["audit.filter"], theme))
        strip.row.addStretch(1)
        strip.row.addWidget(self.figures)
        for name in ("audit.export", "audit.verify"):
            strip.row.addWidget(action_button(self._commands[name], theme))
        table = QWidget()
        self._stack = QStackedLayout(table)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        split = AdaptiveSplit(100, (7, 3), table, self.card)
        column(self, strip, self.chain, self.chips, split, grows=split)
        lead_focus(self, self._stack)

    def _bind(self) -> None:
        store, bind = self.context.store, self._commands.bind
        store.linked.connect(self.reload)
        store.on(EntryWritten, self._entry_written)
        store.on(AuditVerifying, self._verifying)
        self._live_soon.timeout.connect(self._add_live)
        self._search_soon.timeout.connect(self._filter)
        self.finder.textChanged.connect(self._search_soon.start)
        self.finder.returnPressed.connect(self._make_chips)
        for key, work in ((Qt.Key.Key_Down, self._enter_table), (Qt.Key.Key_Escape, self.finder.clear)):
            shortcut = QShortcut(QKeySequence(key), self.finder)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(work)
        self.kind.currentIndexChanged.connect(self._filter)
        self.chips.show_chips((), self._layout_file.audit_filters)
        self.chips.changed.connect(self._filter)
        self.chips.saved_chosen.connect(self._use_saved_filter)
        self.chips.saved_changed.connect(self._save_filters)
        self.menu.chosen.connect(self.add_filter)
        self.menu.time_wanted.connect(self._type_time)
        self.model.page_needed.connect(self._load_page)
        self.model.count_needed.connect(self._load_marks)
        self.model.search_progress.connect(self._show_progress)
        self.figures.clicked.connect(self._show_decisions)
        for changed in (self.model.modelReset, self.model.rowsInserted):
            changed.connect(self._rows_changed)
        self.model.dataChanged.connect(self._show_selected)
        self.table.selectionModel().currentRowChanged.connect(self._show_selected)
        self.table.chosen.connect(self._open_entry)
        self.card.timeline.clicked.connect(self._show_timeline)
        bind("audit.verify", self._verify)
        bind("audit.export", self._export)
        bind("audit.filter", self._open_filter_menu)
        bind("audit.timeline", self._show_timeline)

    # filtering

    def _current_filter(self) -> str:
        """The search and the chips, as they can be saved."""
        return serialize_filter(self.finder.text().strip(), self.chips.filters)

    def _query(self) -> EntryQuery:
        text, filters = parse_search(self.finder.text())
        query = make_query(text, (*self.chips.filters, *filters))
        return query if query.kind else replace(query, kind=str(self.kind.currentData()))

    def _make_chips(self) -> None:
        """Turn what was typed as `field:value` into chips."""
        text, filters = parse_search(self.finder.text())
        if filters:
            self.finder.setText(text)
            self.chips.add(filters)

    def _filter(self) -> None:
        self._search_soon.stop()
        self.chips.show_chips(self.chips.filters)
        self.model.set_query(self._query())

    def _use_saved_filter(self, saved: str) -> None:
        text, filters = parse_saved_filter(saved)
        self.finder.setText(text)
        self.chips.show_chips(filters)
        self._filter()

    def _save_filters(self, saved: tuple[str, ...]) -> None:
        self._layout_file.audit_filters = saved

    def _type_time(self, field: str) -> None:
        self.finder.setText(f"{self.finder.text().strip()} {field}".lstrip())
        self.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.context.say(
            f"Type a date or time after “{field}”, such as 2026-11-05 or 2026-11-05T14:00, and press Enter."
        )

    async def _open_filter_menu(self) -> None:
        self.menu.fill(await self.context.api.facets())
        self.menu.popup(self.kind.mapToGlobal(self.kind.rect().bottomLeft()))

    def _menu_actions(self, entry: Entry) -> list[QAction | None]:
        """What can be done with the run of an entry, and filters by the entry's values."""
        note, actions = entry.note, list[QAction | None]()
        if note.run_id:
            actions += [self._commands["audit.timeline"], self._show_run, None]
        values = (
            ("run", note.run_id), ("session", note.session), ("actor", note.actor), ("server", note.server),
            ("tool", note.tool), ("risk", note.risk), ("kind", note.kind), ("outcome", "" if note.ok else "failed"),
        )  # fmt: skip
        for new in (Filter(field, value) for field, value in values if value):
            text = f"Show only {new.label}".replace("&", "&&")
            actions.append(menu_action(self.table, text, partial(self.add_filter, new)))
        return actions

    def _enter_table(self) -> None:
        """Move the keyboard into the table, to the first row unless one is selected."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        if not self.table.key():
            self.table.selectRow(0)

    def _show_decisions(self) -> None:
        self.kind.setCurrentIndex(self.kind.findData("run.decided"))

    # loading

    def _load_page(self, query: EntryQuery) -> None:
        self.context.tasks.run("audit", self._read_page(query))

    async def _read_page(self, query: EntryQuery) -> None:
        try:
            page = await self.context.api.entry_page(query)
        except WorkbenchError:
            self.model.request_ended(query)
            raise
        self._keep_selection(partial(self.model.add_page, query, page))

    def _load_marks(self, query: EntryQuery) -> None:
        self.context.tasks.run("count entries", self._read_marks(query))

    async def _read_marks(self, query: EntryQuery) -> None:
        marks = await self.context.api.entry_marks(query)
        self._keep_selection(partial(self.model.set_marks, query, marks))

    def _keep_selection(self, change: Callable[[], None]) -> None:
        """Change the model; the selected entry stays selected where it is still in memory."""
        selected = self.model.record(self.table.currentIndex())
        change()
        if selected is not None and not self.table.currentIndex().isValid():
            self.table.select(str(selected.seq))

    def _show_progress(self, reached: int) -> None:
        searching = "Searching…", f"Searched back to entry {reached:,}."
        self._empty.say(*(searching if reached else self._empty_text()))

    def _load_figures(self) -> None:
        self.context.tasks.run("figures about decisions", self.context.api.review_figures(), self.figures.show_figures)

    def _entry_written(self, event: EntryWritten) -> None:
        self._live.append(event.entry)
        if event.entry.note.kind.startswith("run.decided"):
            self._load_figures()
        if not self._live_soon.isActive():
            self._live_soon.start()

    def _add_live(self) -> None:
        live, self._live = self._live, []
        self.model.add_live(live)

    def _rows_changed(self) -> None:
        self._stack.setCurrentWidget(self.table if self.model.rowCount() else self._empty)
        self._show_selected()

    # the selected entry

    def _run_title(self, run_id: str) -> str:
        run = self.context.store.runs.get(run_id)
        return one_line(run.proposal.purpose or first_sentence(run.proposal.code), 60) if run is not None else ""

    def _show_selected(self) -> None:
        entry = self.model.record(self.table.currentIndex())
        self._commands.set_condition(ENTRY_RUN, entry is not None and bool(entry.note.run_id))
        if entry is None and self.table.currentIndex().isValid():
            return  # its page is being loaded
        if entry is not None and entry.seq == self._shown:
            return  # entries were added above it; the card keeps the loaded detail
        self._shown = entry.seq if entry is not None else 0
        self.card.show_entry(entry)
        if entry is not None and not entry.note.detail:
            self.context.tasks.run("entry", self.context.api.entry(entry.seq), self._show_complete)

    def _show_complete(self, entry: Entry) -> None:
        """Pages come without details."""
        if entry.seq == self._shown:
            self.card.show_entry(entry)

    def _selected_run(self) -> str:
        entry = self.model.record(self.table.currentIndex())
        return entry.note.run_id if entry is not None else ""

    def _show_timeline(self, _key: str = "") -> None:
        if run_id := self._selected_run():
            from workbench.gui.audit.timeline import TimelineDialog

            TimelineDialog(self.context, run_id, self._run_title, self.window()).load_and_show()

    def _open_entry(self, _key: str) -> None:
        """Show the timeline of an entry's run; go into the card of an entry without one."""
        if self._selected_run():
            self._show_timeline()
        else:
            self.card.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open_run(self) -> None:
        if run_id := self._selected_run():
            self.context.go(ShowRun(run_id))

    # export and verification

    def _export(self) -> None:
        filters = ("JSON (*.json)", "CSV (*.csv)")
        ask_target(self.window(), "Export these entries", "audit.json", self.export_to, filters)

    def export_to(self, file: str) -> None:
        """Write all entries that match the filters into a CSV or JSON file."""
        self.context.tasks.run("export the audit", self._write(file))

    async def _write(self, file: str) -> None:
        self.context.say("Exporting…")
        form = "csv" if file.lower().endswith(".csv") else "json"
        number = await self.context.api.export_entries(replace(self.model.query, brief=False), file, form)
        self.context.say(f"Exported {number:,} {'entry' if number == 1 else 'entries'} to {file}.")

    async def _verify(self) -> None:
        self._show_chain("Verifying…", "")
        self._show_report(await self.context.api.verify_audit())

    def _verifying(self, event: AuditVerifying) -> None:
        percent = 100 * event.done // max(1, event.entries)
        self._show_chain(f"Verifying… {percent}% of {event.entries:,} entries", "")

    def _show_report(self, report: ChainReport) -> None:
        if report.whole:
            self._show_chain(f"✓ The audit is intact: {report.entries:,} entries, head {report.head[:12]}", "success")
        else:
            reason = f"{report.reason}. Do not trust entries from there on."
            self._show_chain(f"✗ The audit is not intact at entry {report.broken_at:,}: {reason}", "danger")

    def _show_chain(self, text: str, tone: str) -> None:
        mark(self.chain, tone=tone)
        show_text(self.chain, text)
