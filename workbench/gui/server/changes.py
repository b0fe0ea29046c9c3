"""The page of what is not as it was: changed definitions wait here until a person has read and approved them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from workbench.events import DefinitionsBlocked, Event, ToolsChanged, ToolsWarned
from workbench.gui.calm_combo import CalmCombo
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.dialogs.question import Question
from workbench.gui.fault_card import FaultCard
from workbench.gui.models.rows import RowsModel
from workbench.gui.rows import Row
from workbench.gui.server.change_view import ChangeView
from workbench.gui.server.page import ServerPage
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState, RowsView, Strip, label, lead_focus
from workbench.gui.words import clock
from workbench.records import ChangeKind, DefinitionChange, Fault, Moment, ServerState, ToolWarning

_SIGNS = {
    ChangeKind.CHANGED: ("lock", "danger"),
    ChangeKind.NEW: ("plus", "info"),
    ChangeKind.REMOVED: ("minus", "muted"),
}


class ChangesPage(ServerPage):
    """A list on the left, the difference on the right, the decision below it."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._changes: dict[str, DefinitionChange] = {}
        self._warnings: dict[str, ToolWarning] = {}
        self.rows = RowsModel(self)
        self.list = RowsView(context.theme, "Changes and warnings")
        self.list.setModel(self.rows)
        self.since = CalmCombo()
        self.since.setAccessibleName("Compare with")
        self.since.setMinimumContentsLength(20)
        self.since.addItem("what you approved", 0.0)
        self.told = ForeignLabel("")
        self.odd = FaultCard(context.theme)
        self.view = ChangeView(context.theme)
        self.approve = QPushButton("Approve this change")
        self.approve_all = QPushButton("Approve all")
        self.seen = QPushButton("Seen")
        self._empty = EmptyState(
            context.theme,
            "shield-check",
            "Everything is as you saw it",
            "Each tool's definition was pinned when it was first seen. One that changes is blocked, and waits here.",
        )
        self._lay_out(context.theme.unit)
        self._bind()
        self._show(())

    def hear(self, event: Event) -> None:
        if isinstance(event, ToolsChanged | ToolsWarned | DefinitionsBlocked) and event.server == self.server:
            self.refresh()

    def refresh(self) -> None:
        self.context.tasks.run("read changes", self._read())

    def run(self) -> bool:
        """Ctrl+Enter approves what is in front."""
        if self.approve.isEnabled() and not self.approve.isHidden():
            self.approve.click()
            return True
        return False

    async def _read(self) -> None:
        api, since = self.context.api, float(self.since.currentData())
        self._offer(await api.definition_history(self.server))
        if since:
            self._warnings = {}
            self._show(await api.compare_definitions(self.server, since, time.time()))
            return
        self._warnings = {f"odd\n{number}": one for number, one in enumerate(await api.warnings(self.server))}
        self._show(await api.definition_changes(self.server))

    def _offer(self, moments: Sequence[Moment]) -> None:
        """Earlier moments to compare with; the newest one is now."""
        known = {self.since.itemData(place) for place in range(self.since.count())}
        for one in moments[1:]:
            if one.at not in known:
                words = f"{clock(one.at)}: version {one.version or '?'}, {one.tools} tools"
                self.since.addItem(one_line(words, 80), one.at)

    def _show(self, changes: Sequence[DefinitionChange]) -> None:
        chosen = self.list.key()
        self._changes = {f"{number}\n{one.kind}\n{one.tool}": one for number, one in enumerate(changes)}
        rows = [_row(key, one) for key, one in self._changes.items()]
        self.rows.show_rows([*rows, *(_odd_row(key, one) for key, one in self._warnings.items())])
        blocked = sum(one.blocked for one in changes)
        self.approve_all.setVisible(blocked > 1)
        self.seen.setVisible(any(not one.blocked for one in changes) and not self.since.currentData())
        self._stack.setCurrentIndex(1 if self.rows.rowCount() else 0)
        if self.rows.rowCount() and not (chosen and self.rows.find(chosen).isValid()):
            self.list.setCurrentIndex(self.rows.index(0))
        self._choose()

    def _choose(self) -> None:
        key = self.list.key()
        change, warning = self._changes.get(key), self._warnings.get(key)
        self.approve.setVisible(change is not None and change.blocked)
        self.view.setVisible(change is not None)
        if change is not None:
            self.told.setText(self._sentence(change))
            odd = Fault("The new definition is odd.", "\n".join(change.warnings)) if change.warnings else None
            self.odd.show_fault(odd, tone="warning")
            self.view.show_change(change.before, change.after)
        elif warning is not None:
            self.told.setText(warning.tool or "The whole server")
            self.odd.show_fault(Fault(warning.message, warning.why), tone="warning")
        else:
            self.told.setText("")
            self.odd.show_fault(None)

    def _sentence(self, change: DefinitionChange) -> str:
        when = clock(change.at)
        if self.since.currentData():
            return f"{change.tool}: {change.kind!s} since then."
        if change.blocked and not change.before:
            words = "What you approved of {0} cannot be read any more ({1}). Blocked until you approve this."
        elif change.kind is ChangeKind.CHANGED:
            words = "{0} changed ({1}). Blocked for you and for agents; the approved one stays in force."
        elif change.kind is ChangeKind.NEW:
            words = "{0} is new since you last looked ({1}). It can be used."
        else:
            words = "{0} is gone ({1}). Its server does not list it any more."
        return words.format(change.tool, when)

    def _approve(self) -> None:
        change = self._changes.get(self.list.key())
        if change is not None and change.blocked:
            self.context.tasks.run("approve a definition", self._approved([change]))

    def _approve_all(self) -> None:
        blocked = [one for one in self._changes.values() if one.blocked]
        self.context.tasks.run("approve definitions", self._approved(blocked))

    async def _approved(self, changes: list[DefinitionChange]) -> None:
        """What is odd, and what was not read one by one, is asked about."""
        odd = sum(bool(one.warnings) for one in changes)
        if (len(changes) > 1 or odd) and not await self._sure(changes, odd):
            return
        wanted = {one.tool: one.hash for one in changes}
        self._show(await self.context.api.approve_definitions(self.server, wanted))

    async def _sure(self, changes: list[DefinitionChange], odd: int) -> bool:
        names = ", ".join(one_line(one.tool, 60) for one in changes[:8]) + (" …" if len(changes) > 8 else "")
        title = f"Approve {len(changes)} changed definitions?"
        if len(changes) == 1:
            title = "Approve it although it is odd?"
        question = Question(self.context.theme, title, names, self.window())
        if odd:
            question.show_note(f"{odd} of them are odd; read why before you agree.", "warning")
        question.show_note("Models and programs get the new definitions from then on.")
        return await question.ask("Approve", danger=bool(odd))

    def _see(self) -> None:
        self.context.tasks.run("see changes", self.context.api.mark_changes_seen(self.server))

    def _lay_out(self, unit: int) -> None:
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.told.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        for part in (self.told, self.odd):
            column.addWidget(part)
        column.addWidget(self.view, 1)
        column.addStretch(0)
        foot = QHBoxLayout()
        foot.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        foot.setSpacing(unit * 2)
        foot.addStretch(1)
        mark(self.approve, kind="primary")
        for button in (self.seen, self.approve_all, self.approve):
            foot.addWidget(button)
        column.addLayout(foot)
        split = QSplitter()
        split.addWidget(self.list)
        split.addWidget(right)
        split.setChildrenCollapsible(False)
        split.setSizes([unit * 60, unit * 140])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        strip = Strip(self.context.theme)
        strip.row.addWidget(label("What is different from", "muted"))
        strip.row.addWidget(self.since)
        strip.row.addStretch(1)
        whole.addWidget(strip)
        pages = QWidget()
        self._stack = QStackedLayout(pages)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(split)
        whole.addWidget(pages)
        self.seen.setToolTip("Take the marks off new and removed tools; what is blocked stays blocked")
        lead_focus(self, self._stack)

    def _bind(self) -> None:
        self.list.selection_changed.connect(self._choose)
        self.approve.clicked.connect(self._approve)
        self.approve_all.clicked.connect(self._approve_all)
        self.seen.clicked.connect(self._see)
        self.since.currentIndexChanged.connect(self.refresh)


def _row(key: str, change: DefinitionChange) -> Row:
    picture, tone = _SIGNS[change.kind]
    word = "blocked" if change.blocked else str(change.kind)
    return Row(key, one_line(change.tool, 120), icon=picture, tone=tone, badges=((word, tone),))


def _odd_row(key: str, warning: ToolWarning) -> Row:
    title = one_line(warning.tool, 120) or one_line(warning.server, 120)
    return Row(key, title, icon="warning", tone="warning", badges=((warning.rule, "warning"),))
