"""One hidden value: its token, the calls it came with and went into, the runs it was hidden in, a look behind it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.events import AgentsChanged, EntryWritten, Event, RunChanged
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.faults import Question
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label, search_box, tool_button
from workbench.gui.kit.rows import RowsModel
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import clock
from workbench.gui.privacy.rows import hidden_rows, session_words
from workbench.gui.results.saving import ask_and_save
from workbench.gui.results.token_chips import RevealCard, place_name
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import Request, ShowRun, ShowServer, ShowTool
from workbench.records import HiddenValue, Place, PrivacyQuery, PrivacyReport, PrivacySession

_RUNS = 8  # buttons at most


class HiddenCard(QFrame):
    """Beside the list."""

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
        self.reveal = QPushButton("Look behind it")
        self.reveal.setToolTip("Shows the value; the audit says that you looked, without the value (Return)")
        self.reveal.clicked.connect(self.reveal_now)
        self._body = QVBoxLayout()
        self._lay_out(context.theme.unit)
        self.show_value("", None)

    def show_value(self, session: str, value: HiddenValue | None) -> None:
        self._session, self._value = session, value
        self.reveal.setEnabled(value is not None)
        self.kind.setVisible(value is not None)
        self.token.setText(value.token if value else "Choose a value to see where it came from and went.")
        self._empty_body()
        if value is not None:
            self.kind.setText(value.kind)
            self._fill(value)

    def reveal_now(self) -> None:
        """Show the value beside the button."""
        if self._value is None:
            return
        card = RevealCard(self._context, self._session, self.reveal, held=True)
        place = QRect(self.reveal.mapToGlobal(self.reveal.rect().topLeft()), self.reveal.size())
        card.look(self._value.token, place)

    def _fill(self, value: HiddenValue) -> None:
        came = [self._place(place) for place in value.came]
        others = [self._server(one) for one in value.sources if one not in {place.server for place in value.came}]
        self._section("Came from", [*came, *others] or [self._quiet("a text of the model or of you")])
        went = [self._place(place) for place in value.went]
        self._section("Went to", went or [self._quiet("nowhere: no tool was given it")])
        times = f"{value.times} × in answers to the model"
        runs = [self._link(f"Run {run[-6:]}", ShowRun(run)) for run in value.runs[-_RUNS:]]
        seen = [self._quiet(times), *runs] if value.times else [self._quiet("no model has read it yet")]
        self._section("Its token was read", seen)

    def _place(self, place: Place) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(self._context.theme.unit * 2)
        wish = ShowTool(place.server, place.tool) if place.tool else ShowServer(place.server)
        line.addWidget(self._link(place_name(place), wish))
        if place.run_id:
            line.addWidget(self._link(f"run {place.run_id[-6:]}", ShowRun(place.run_id)))
        line.addWidget(self._quiet(clock(place.at) if place.at else ""))
        line.addStretch(1)
        return row

    def _server(self, server: str) -> QWidget:
        return self._link(server, ShowServer(server))

    def _link(self, words: str, wish: Request) -> QPushButton:
        button = QPushButton(words.replace("&", "&&"))
        mark(button, kind="link")
        button.clicked.connect(partial(self._context.go, wish))
        return button

    def _quiet(self, words: str) -> QWidget:
        return label(words, "muted")

    def _section(self, title: str, rows: list[QWidget]) -> None:
        self._body.addWidget(label(title, "section"))
        for row in rows:
            self._body.addWidget(row, 0, Qt.AlignmentFlag.AlignLeft)
        self._body.addSpacing(self._context.theme.unit * 2)

    def _empty_body(self) -> None:
        while (item := self._body.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def _lay_out(self, unit: int) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(*(unit * 4,) * 4)
        column.setSpacing(unit * 2)
        head = QHBoxLayout()
        head.addWidget(self.kind)
        head.addStretch(1)
        head.addWidget(self.reveal)
        column.addLayout(head)
        column.addWidget(self.token)
        self._body.setSpacing(unit)
        column.addLayout(self._body)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 0, 0, 0)
        outer.addWidget(area)
        self.setMinimumWidth(unit * 60)


PAGE = 200  # values that are asked for at once
_WIDE = 100  # letters of width below which the chosen value stands under the list
_PAUSE_MS = 400  # between what happens and looking again


class HiddenPage(QWidget):
    """Follows what happens while it is shown."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._sessions: tuple[PrivacySession, ...] = ()
        self._values: dict[str, HiddenValue] = {}
        self._wanted = ""  # a conversation that is to be chosen as soon as it is known
        self._picked = False  # somebody chose one
        self.report: PrivacyReport | None = None
        theme = context.theme
        self.session, self.kind = CalmCombo(), CalmCombo()
        self.finder = search_box("Token, server, tool or a whole value", "Find a hidden value")
        self.model = RowsModel(self)
        self.list = RowsView(theme, "Hidden values")
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(False)
        self.card = HiddenCard(context)
        self.words = ForeignLabel()
        mark(self.words, role="muted")
        self.more = QPushButton("Show more")
        self.empty = EmptyState(theme, "shield-check", "", "", self)
        self.export = tool_button("save", "Save what is known, without the values…", theme)
        self.forget = tool_button("trash", "Forget all values of this conversation…", theme)
        self._later = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        called = isinstance(event, EntryWritten) and event.entry.note.kind.startswith("call.")
        told = called or isinstance(event, AgentsChanged | RunChanged)
        if told and self.isVisible() and not self._later.isActive():
            self._later.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _WIDE
        self._split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def refresh(self) -> None:
        """Ask which conversations there are, and what was hidden in the chosen one."""
        self._context.tasks.run("read what was hidden", self._read())

    def show_session(self, session: str) -> None:
        """Choose one; it may not be known yet."""
        self._wanted = session
        self.refresh()

    async def _read(self, after: int = 0) -> None:
        try:
            self._sessions = await self._context.api.privacy_sessions()
            self._fill_sessions()
            if not (name := str(self.session.currentData() or "")):
                return
            query = PrivacyQuery(name, self.finder.text(), str(self.kind.currentData() or ""), after, PAGE)
            found = await self._context.api.privacy_report(query)
        except WorkbenchError as fault:
            self.words.setText(f"{fault.message} {fault.hint}".strip())
            return
        self._show(found, after)

    def _show(self, report: PrivacyReport, after: int) -> None:
        before = self.report.values if after and self.report is not None else ()
        self.report = report
        values = (*before, *report.values)
        self._values = {value.token: value for value in values}
        self.model.show_rows(hidden_rows(values))
        self._fill_kinds(report)
        self._say(report, len(values))
        self._choose()

    def _say(self, report: PrivacyReport, shown: int) -> None:
        self.more.setVisible(shown < report.fitting)
        self.words.setText(f"{shown:,} of {report.fitting:,} shown" if shown else "")
        searched = bool(self.finder.text() or self.kind.currentData())
        if not report.enabled:
            title, words = "Hiding is turned off", "Models see everything. Kinds turns it on again."
        elif searched:
            title, words = "Nothing fits", "A value is found by all of it, never by a part."
        else:
            title = "Nothing was hidden in this conversation yet"
            words = (
                "What a program reads from servers is looked through; each e-mail, phone number or name in it that goes"
                " to a model goes as a token, and stands here with where it came from and where it went."
            )
        self.empty.say(title, words)
        self._stack.setCurrentWidget(self._split if shown else self.empty)

    def _fill_sessions(self) -> None:
        names = [one.id for one in self._sessions]
        wanted = self._wanted if self._wanted in names else str(self.session.currentData() or "")
        if wanted not in names or not self._picked:  # an agent's says more than one's own
            wanted = next((one.id for one in self._sessions if one.agent and one.tokens), names[0] if names else "")
        self._picked = self._picked or bool(self._wanted)
        self._wanted = ""
        self.session.blockSignals(True)
        self.session.clear()
        for one in self._sessions:
            self.session.addItem(session_words(one), one.id)
        self.session.setCurrentIndex(max(0, self.session.findData(wanted)))
        self.session.blockSignals(False)

    def _fill_kinds(self, report: PrivacyReport) -> None:
        chosen = self.kind.currentData()
        self.kind.blockSignals(True)
        self.kind.clear()
        self.kind.addItem(f"All kinds · {sum(one.count for one in report.counts)}", "")
        for one in report.counts:
            self.kind.addItem(f"{one.kind} · {one.count}", one.kind)
        self.kind.setCurrentIndex(max(0, self.kind.findData(chosen)))
        self.kind.blockSignals(False)

    def _pick(self) -> None:
        self._picked = True

    def _choose(self) -> None:
        value = self._values.get(self.list.key())
        self.card.show_value(str(self.session.currentData() or ""), value)

    def _more(self) -> None:
        self._context.tasks.run("read more of what was hidden", self._read(len(self._values)))

    def _save(self) -> None:
        self._context.tasks.run("save what was hidden", self._saved())

    async def _saved(self) -> None:
        text = await self._context.api.privacy_export(str(self.session.currentData()))
        ask_and_save(self._context, self, "hidden.json", text.encode("utf-8", "surrogatepass"))

    def _ask_forget(self) -> None:
        self._context.tasks.run("forget values", self._forgotten())

    async def _forgotten(self) -> None:
        words = "Forget all values of this conversation?"
        why = "Its tokens stand for nothing afterwards, for you and for its programs. The audit keeps its notes."
        if not await Question(self._context.theme, words, why, self).ask("Forget them", danger=True):
            return
        count = await self._context.api.forget_values(str(self.session.currentData()))
        self._context.say(f"{count} values were forgotten.")
        self.refresh()

    def _bind(self) -> None:
        self._later.timeout.connect(self.refresh)
        self.session.activated.connect(self._pick)
        for changed in (self.session.currentIndexChanged, self.kind.currentIndexChanged):
            changed.connect(self._later.start)
        self.finder.textChanged.connect(self._later.start)
        self.list.selection_changed.connect(self._choose)
        self.list.chosen.connect(self.card.reveal_now)
        self.more.clicked.connect(self._more)
        self.export.clicked.connect(self._save)
        self.forget.clicked.connect(self._ask_forget)

    def _lay_out(self) -> None:
        theme = self._context.theme
        self.session.setAccessibleName("Conversation")
        self.kind.setAccessibleName("Kind of personal data")
        self.session.setMinimumContentsLength(16)
        strip = Strip(theme)
        for part, share in ((self.session, 2), (self.kind, 1), (self.finder, 2)):
            strip.row.addWidget(part, share)
        strip.row.addWidget(self.export)
        strip.row.addWidget(self.forget)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.list, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(theme.unit * 3, theme.unit, theme.unit * 3, theme.unit)
        foot.addWidget(self.words, 1)
        foot.addWidget(self.more)
        column.addLayout(foot)
        self._split = QSplitter()
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(left)
        self._split.addWidget(self.card)
        self._split.setSizes([theme.unit * 120, theme.unit * 90])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(strip)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._split)
        outer.addLayout(self._stack, 1)
