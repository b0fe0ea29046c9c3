"""Masked values: their tokens, where each value came from and went, and a way to reveal it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QRect, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import AgentsChanged, EntryWritten
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.layouts import column, row, scroll_area
from workbench.gui.kit.list_pane import SEARCH_MS, menu_action
from workbench.gui.kit.lists import EmptyState, Strip, label, lead_focus, paragraph, search_box, tool_button
from workbench.gui.kit.table import Table, TableModel
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import clock, kind_label
from workbench.gui.privacy.rows import read_by, session_text, value_columns
from workbench.gui.results.masking_cards import (
    EVERYWHERE,
    HERE,
    PASSES_NOW,
    ExplanationCard,
    RevealCard,
    place_name,
)
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import Request, ShowRun, ShowServer, ShowTool
from workbench.records import HiddenValue, Place, PrivacyQuery, PrivacyReport, PrivacySession, Revealed
from workbench.records.common_types import count_of

MOST_RUNS = 8  # runs that the card names
PAGE = 200  # values of a request
RELOAD_MS = 400


class MaskedValueCard(QFrame):
    """One masked value: why it was masked, where it came from, and which tools, agents and runs received it."""

    shown = Signal(object)
    """Carries the Revealed that the user looked at."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._session = ""
        self._value: HiddenValue | None = None
        mark(self, kind="side")
        self.token = ForeignLabel()
        mark(self.token, role="mono")
        self.kind = label("", "badge")
        mark(self.kind, tone="info")
        self.reveal = QPushButton("Reveal")
        self.reveal.setToolTip("Show the value (Return). The audit records that you looked, without the value.")
        self.reveal.clicked.connect(self.reveal_now)
        self.why = QPushButton("Why?")
        self.why.setToolTip("Why this was masked, and what can be done about it (Shift+F4)")
        self._body = QVBoxLayout()
        self._lay_out(context.theme.unit)
        self.show_value("", None)

    def show_value(self, session: str, value: HiddenValue | None) -> None:
        self._session, self._value = session, value
        for button in (self.reveal, self.why):
            button.setEnabled(value is not None)
        self.kind.setVisible(value is not None)
        self.token.setText(value.token if value else "Select a value to see where it came from and where it went.")
        while (item := self._body.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        if value is not None:
            self.kind.setText(kind_label(value.kind))
            self._fill(value)

    def reveal_now(self) -> None:
        """Show the value beside the button."""
        if self._value is not None:
            card = RevealCard(self._context, self._session, self.reveal, held=True)
            place = QRect(self.reveal.mapToGlobal(self.reveal.rect().topLeft()), self.reveal.size())
            card.shown.connect(self.shown)
            card.look(self._value.token, place)

    def _fill(self, value: HiddenValue) -> None:
        if value.why:
            self._add_section("Why", [paragraph(value.why)])
        sources = [self._place_row(place) for place in value.came]
        shown = {place.server for place in value.came}
        sources += [self._link(server, ShowServer(server)) for server in value.sources if server not in shown]
        self._add_section("Came from", sources or [label("made by the program", "muted")])
        targets = [self._place_row(place) for place in value.went]
        self._add_section("Went to", targets or [label("no tool received it", "muted")])
        reads: list[QWidget] = [label("no model has read it yet", "muted")]
        if value.times:
            runs = [self._link(f"Run {run[-6:]}", ShowRun(run)) for run in value.runs[-MOST_RUNS:]]
            reads = [label(read_by(value), "muted"), *runs]
        self._add_section("Token read", reads)

    def _place_row(self, place: Place) -> QWidget:
        request = ShowTool(place.server, place.tool) if place.tool else ShowServer(place.server)
        parts: list[QWidget] = [self._link(place_name(place), request)]
        if place.run_id:
            parts.append(self._link(f"run {place.run_id[-6:]}", ShowRun(place.run_id)))
        parts.append(label(clock(place.at) if place.at else "", "muted"))
        line = QWidget()
        row(line, *parts, None, spacing=self._context.theme.unit * 2)
        return line

    def _link(self, text: str, request: Request) -> QPushButton:
        button = QPushButton(text.replace("&", "&&"))
        mark(button, kind="link")
        button.clicked.connect(partial(self._context.go, request))
        return button

    def _add_section(self, title: str, rows: Sequence[QWidget]) -> None:
        self._body.addWidget(label(title, "section"))
        for part in rows:
            wraps = isinstance(part, ForeignLabel)
            self._body.addWidget(part, 0, Qt.AlignmentFlag(0) if wraps else Qt.AlignmentFlag.AlignLeft)
        self._body.addSpacing(self._context.theme.unit * 2)

    def _lay_out(self, unit: int) -> None:
        page = QWidget()
        head = row(None, self.kind, self.token, self.why, self.reveal, spacing=unit, grows=self.token)
        self._body.setSpacing(unit)
        column(page, head, self._body, None, margins=(unit * 4, unit * 3, unit * 4, unit * 4), spacing=unit)
        column(self, scroll_area(page), margins=(1, 0, 0, 0))
        self.setMinimumWidth(unit * 60)


class ValuesTable(QWidget):
    """A table of masked values with a search box; without values the empty state is shown."""

    searched = Signal(str)
    """Carries the text of the search box, a moment after the last key."""

    def __init__(self, context: Context, empty: EmptyState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.revealed: dict[str, str] = {}  # values that the user looked at while the page was open
        self.model: TableModel[HiddenValue] = TableModel(
            value_columns(self.revealed), lambda value: value.token, parent=self
        )
        self.view: Table[HiddenValue] = Table(context.theme, "Masked values", self.model)
        self.strip = Strip(context.theme, self)
        self.finder = search_box("Token, reason, tool or complete value", "Filter: Masked values")
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.view)
        self._stack.addWidget(empty)
        self._stack.setCurrentWidget(empty)
        self._empty = empty
        self._pause = QTimer(self, singleShot=True, interval=SEARCH_MS)
        self._pause.timeout.connect(lambda: self.searched.emit(self.search_text()))
        self.finder.textChanged.connect(self._pause.start)
        self.finder.returnPressed.connect(self._enter_table)
        self.strip.row.addWidget(self.finder, 1)
        column(self, self._stack)
        lead_focus(self, self._stack)

    def show_values(self, values: Sequence[HiddenValue]) -> None:
        self.model.replace(values)
        self._stack.setCurrentWidget(self.view if values else self._empty)

    def show_value(self, found: Revealed) -> None:
        """Show a value that the user has revealed, until the page is left."""
        self.revealed[found.token] = found.value
        if (record := self.model.find(found.token)) is not None:
            self.model.add_or_replace(record)

    def hide_values(self) -> None:
        if self.revealed:
            self.revealed.clear()
            self.model.replace(self.model.records())

    def key(self) -> str:
        """The token of the selected row, or nothing."""
        return self.view.key()

    def search_text(self) -> str:
        return self.finder.text().strip()

    def _enter_table(self) -> None:
        """Return in the search box goes to the first row."""
        if self.model.rowCount():
            self.view.setCurrentIndex(self.model.index(0, 0))
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)


class MaskedPage(QWidget):
    """Lists the masked values of a session, and follows what happens while it is visible."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._sessions: tuple[PrivacySession, ...] = ()
        self._values: dict[str, HiddenValue] = {}
        self._session_to_show = ""  # selected as soon as it is known
        self._user_chose = False  # else the first agent session with tokens is shown
        self.report: PrivacyReport | None = None
        theme = context.theme
        self.session, self.kind = CalmCombo(), CalmCombo()
        self.empty = EmptyState(theme, "shield-check", "", "", self)
        self.rows = ValuesTable(context, self.empty, self)
        self.card = MaskedValueCard(context)
        self.summary = ForeignLabel()
        mark(self.summary, role="muted")
        self.more = QPushButton("Show more")
        self.export = tool_button("save", "Save this list without the values…", theme)
        self.forget = tool_button("trash", "Delete all values of this session…", theme)
        self._reveal_action = menu_action(self, "Reveal", self.card.reveal_now, "eye")
        self._why_action = menu_action(self, "Why was this masked?", self._explain, "help")
        self._copy_action = menu_action(self, "Copy token", self._copy_token, "copy")
        self._pass_here = menu_action(self, "Never mask in this project", partial(self._never_mask, HERE), "eye")
        self._pass_anywhere = menu_action(self, "Never mask anywhere", partial(self._never_mask, EVERYWHERE), "eye")
        self._reload_soon = QTimer(self, singleShot=True, interval=RELOAD_MS)
        keys = QShortcut(QKeySequence("Shift+F4"), self.rows, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        keys.activated.connect(self._explain)
        self._lay_out()
        self._bind()

    def reload(self) -> None:
        """Load the sessions, and the masked values of the selected one."""
        self._context.tasks.run("masked values", self._read())

    def show_session(self, session: str) -> None:
        """Select a session; it may not be known yet."""
        self._session_to_show = session
        self.reload()

    def _call_recorded(self, event: EntryWritten) -> None:
        if event.entry.note.kind.startswith("call."):
            self._reload_if_visible()

    def _reload_if_visible(self, _changed: object = None) -> None:
        if self.isVisible() and not self._reload_soon.isActive():
            self._reload_soon.start()

    async def _read(self, after: int = 0) -> None:
        try:
            self._sessions = await self._context.api.privacy_sessions()
            self._fill_sessions()
            if not (session := self._session_id()):
                return
            kind = str(self.kind.currentData() or "")
            report = await self._context.api.privacy_report(
                PrivacyQuery(session, self.rows.search_text(), kind, after, PAGE)
            )
        except WorkbenchError as fault:
            self.summary.setText(f"{fault.message} {fault.hint}".strip())
            return
        before = self.report.values if after and self.report is not None else ()
        self._show(report, (*before, *report.values))

    def _show(self, report: PrivacyReport, values: tuple[HiddenValue, ...]) -> None:
        self.report = report
        self._values = {value.token: value for value in values}
        self._fill_kinds(report)
        self._explain_empty(report)
        self.rows.show_values(values)
        self.card.setVisible(bool(values))
        self.more.setVisible(len(values) < report.fitting)
        self.summary.setText(f"{len(values):,} of {report.fitting:,} shown" if values else "")
        self._show_selected()

    def _explain_empty(self, report: PrivacyReport) -> None:
        if not report.enabled:
            self.empty.say("Masking is off", "Models see all values. You can turn masking on under Kinds.")
        elif self.rows.search_text() or self.kind.currentData():
            self.empty.say("No value matches", "To find a value, enter the complete value.")
        else:
            self.empty.say(
                "No masked values in this session",
                "Personal data in answers of servers, such as names and phone numbers, reaches a model as a token."
                " Each token is listed here with where its value came from and went.",
            )

    def _fill_sessions(self) -> None:
        ids = [session.id for session in self._sessions]
        selected = self._session_to_show if self._session_to_show in ids else self._session_id()
        self._user_chose = self._user_chose or bool(self._session_to_show)
        if selected not in ids or not self._user_chose:
            agents = (session.id for session in self._sessions if session.agent and session.tokens)
            selected = next(agents, ids[0] if ids else "")
        self._session_to_show = ""
        self.session.show_choices({session.id: session_text(session) for session in self._sessions}, selected)

    def _fill_kinds(self, report: PrivacyReport) -> None:
        kinds = {each.kind: f"{kind_label(each.kind)} · {each.count:,}" for each in report.counts}
        every = f"All kinds · {sum(each.count for each in report.counts):,}"
        self.kind.show_choices({"": every, **kinds}, self.kind.currentData())

    def _session_id(self) -> str:
        return str(self.session.currentData() or "")

    def _session_chosen(self) -> None:
        self._user_chose = True

    def _show_selected(self) -> None:
        self.card.show_value(self._session_id(), self._values.get(self.rows.key()))

    def _load_more(self) -> None:
        self._context.tasks.run("masked values", self._read(len(self._values)))

    def _copy_token(self) -> None:
        QGuiApplication.clipboard().setText(self.rows.key())
        self._context.say("Token copied.")

    def _explain(self) -> None:
        if token := self.rows.key():
            box = self.rows.view.visualRect(self.rows.view.currentIndex())
            card = ExplanationCard(self._context, self._session_id(), self.rows.view)
            card.explain(token, QRect(self.rows.view.viewport().mapToGlobal(box.topLeft()), box.size()))

    def _never_mask(self, scope: str) -> None:
        request = self._context.api.never_mask_token(self._session_id(), self.rows.key(), scope)
        self._context.tasks.run("mark a value", request, lambda _: self._context.say(PASSES_NOW[scope]))

    def hideEvent(self, event: QHideEvent) -> None:
        self.rows.hide_values()
        super().hideEvent(event)

    def _start_export(self) -> None:
        self._context.tasks.run("save the list of masked values", self._export())

    async def _export(self) -> None:
        text = await self._context.api.privacy_export(self._session_id())
        self._context.save_file(self, "masked-values.json", text.encode("utf-8", "surrogatepass"))

    def _start_forget(self) -> None:
        self._context.tasks.run("delete values", self._forget())

    async def _forget(self) -> None:
        title = "Delete all values of this session?"
        sentence = "Its tokens lose their values, for you and for its programs. The audit keeps its entries."
        if await self._context.ask(title, sentence, "Delete", danger=True, parent=self.window()):
            number = await self._context.api.forget_values(self._session_id())
            self._context.say(f"Deleted {count_of(number, 'value')}.")
            self.reload()

    def _bind(self) -> None:
        store = self._context.store
        store.on(EntryWritten, self._call_recorded)
        store.on(AgentsChanged, self._reload_if_visible)
        store.run_changed.connect(self._reload_if_visible)
        self._reload_soon.timeout.connect(self.reload)
        self.session.activated.connect(self._session_chosen)
        for changed in (self.session.currentIndexChanged, self.kind.currentIndexChanged, self.rows.searched):
            changed.connect(self.reload)
        marks = (self._pass_here, self._pass_anywhere)
        self.rows.view.set_menu(lambda _: (self._reveal_action, self._why_action, self._copy_action, None, *marks))
        self.rows.view.selection_changed.connect(self._show_selected)
        self.rows.view.chosen.connect(self.card.reveal_now)
        self.card.shown.connect(self.rows.show_value)
        self.card.why.clicked.connect(self._explain)
        self.more.clicked.connect(self._load_more)
        self.export.clicked.connect(self._start_export)
        self.forget.clicked.connect(self._start_forget)

    def _lay_out(self) -> None:
        unit = self._context.theme.unit
        self.session.setAccessibleName("Session")
        self.kind.setAccessibleName("Kind of personal data")
        self.session.setMinimumContentsLength(16)
        self.more.hide()
        strip = self.rows.strip.row
        strip.insertWidget(0, self.session, 1)
        strip.insertWidget(1, self.kind, 1)
        strip.addWidget(self.export)
        strip.addWidget(self.forget)
        foot = row(None, self.summary, self.more, grows=self.summary, margins=(unit * 3, unit, unit * 3, unit))
        left = QWidget()
        column(left, self.rows, foot, grows=self.rows)
        split = AdaptiveSplit(150, (5, 2), left, self.card)
        column(self, self.rows.strip, split, grows=split)  # the strip is above both the list and the card
        self.setFocusProxy(self.rows)
