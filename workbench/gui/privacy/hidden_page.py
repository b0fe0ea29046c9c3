"""What was hidden from models in one conversation: which values by kind, where they came from and where they went."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import AgentsChanged, EntryWritten, Event, RunChanged
from workbench.gui.calm_combo import CalmCombo
from workbench.gui.context import Context
from workbench.gui.dialogs.question import Question
from workbench.gui.models.privacy import hidden_rows, session_words
from workbench.gui.models.rows import RowsModel
from workbench.gui.privacy.hidden_card import HiddenCard
from workbench.gui.results.save import ask_and_save
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState, RowsView, Strip, search_box, tool_button
from workbench.records import HiddenValue, PrivacyQuery, PrivacyReport, PrivacySession

PAGE = 200  # values that are asked for at once
_WIDE = 100  # letters of width below which the chosen value stands under the list
_PAUSE_MS = 400  # between what happens and looking again


class HiddenPage(QWidget):
    """Follows what happens while it is shown."""

    wished = Signal(object)
    said = Signal(str)

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
        self.said.emit(f"{count} values were forgotten.")
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
        self.card.wished.connect(self.wished)
        self.card.said.connect(self.said)

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
