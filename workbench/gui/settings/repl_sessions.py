"""Kept states as rows: whose it is, what it holds, and when it ends by itself."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Iterable
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, StatesChanged
from workbench.gui.kit.faults import Question
from workbench.gui.kit.lists import EmptyState, RowsView, label
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import ago, countdown, level_word
from workbench.gui.shell.context import Context
from workbench.records import KeptState


def state_key(state: KeptState) -> str:
    """One state of one author; names alone may be there twice."""
    return f"{state.session}\n{state.name}"


def state_rows(states: Iterable[KeptState], now: float) -> list[Row]:
    """In the order given."""
    return [_row(state, now) for state in states]


def _row(state: KeptState, now: float) -> Row:
    one = state.programs == 1
    programs = ("{} program" if one else "{} programs").format(state.programs)
    memory = f"{round(state.memory_mb)} MB" if state.memory_mb else ""
    since = f"began {_since(state.began, now)}"
    facts = " · ".join(filter(None, (one_line(state.author, 60), programs, memory, since, _last(state, now))))
    where = f"In {level_word(state.level)} ({state.backend})." if state.level else ""
    return Row(
        key=state_key(state),
        title=visible(state.name),
        detail=facts,
        aside="at work" if state.busy else countdown(state.expires, now),
        icon="loader" if state.busy else "layers",
        tone="accent" if state.busy else "muted",
        tip="\n".join(filter(None, (visible(state.name), facts, where))),
    )


def _last(state: KeptState, now: float) -> str:
    return "" if state.busy else f"last used {_since(state.used, now)}"


def _since(at: float, now: float) -> str:
    word = ago(at, now)
    return word if now - at < 60 else f"{word} ago"


_AGAIN_MS = 2000
"""How often memory is looked at while one looks."""


class StatesDialog(QDialog):
    """Follows what begins and ends while it is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._states: tuple[KeptState, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("REPL sessions")
        self.setMinimumWidth(context.theme.unit * 130)
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "REPL sessions")
        self.list.setModel(self.model)
        self.list.setMinimumHeight(context.theme.unit * 45)
        self.end = QPushButton("End…")
        self._fault = label("", "error")
        self._tick = QTimer(self, interval=1000)
        self._again = QTimer(self, interval=_AGAIN_MS)
        self._lay_out()
        self._bind()
        self.show_states(())
        self._ask()

    def hear(self, event: Event) -> None:
        if isinstance(event, StatesChanged):
            self._ask()

    def show_states(self, states: tuple[KeptState, ...]) -> None:
        self._states = states
        self._draw()

    # inside

    def _lay_out(self) -> None:
        unit = self._context.theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        words = label(
            (
                "Programs under one name go on with the variables of those before them. A state ends by itself when "
                "nobody uses it; the time that is left stands on the right."
            ),
            "muted",
        )
        words.setWordWrap(True)
        column.addWidget(words)
        empty = "An agent keeps one with session_id; your own programs with “Run and keep the variables”."
        self._stack = QStackedLayout()
        self._stack.addWidget(EmptyState(self._context.theme, "layers", "No REPL sessions", empty, self))
        self._stack.addWidget(self.list)
        column.addLayout(self._stack, 1)
        self._fault.setWordWrap(True)
        self._fault.hide()
        column.addWidget(self._fault)
        column.addLayout(self._buttons(unit))

    def _buttons(self, unit: int) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(unit)
        self.end.setToolTip("End the selected session. Its variables are lost")
        self.end.setAccessibleName("End the selected session")
        mark(self.end, kind="quiet")
        row.addWidget(self.end)
        row.addStretch()
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        row.addWidget(close)
        for button in (self.end, close):
            button.setAutoDefault(False)
        return row

    def _bind(self) -> None:
        self.end.clicked.connect(self._end)
        self.list.chosen.connect(self._end)
        self.list.selection_changed.connect(self._chosen)
        self._tick.timeout.connect(self._draw)
        self._again.timeout.connect(self._ask)
        self._tick.start()
        self._again.start()

    def _draw(self) -> None:
        self.model.show_rows(state_rows(self._states, time.time()))
        self._stack.setCurrentIndex(1 if self._states else 0)
        self._chosen()

    def _chosen(self) -> None:
        self.end.setEnabled(self._state() is not None)

    def _state(self) -> KeptState | None:
        return next((state for state in self._states if state_key(state) == self.list.key()), None)

    def _ask(self) -> None:
        self._run("REPL sessions", self._context.api.states())

    def _end(self) -> None:
        if (state := self._state()) is not None:
            self._context.tasks.run("end a REPL session", self._ask_and_end(state))

    async def _ask_and_end(self, state: KeptState) -> None:
        at_work = "A program is at work in it and ends with it." if state.busy else ""
        told = f"Its variables are lost; {visible(state.author)} is told at its next program."
        mine = "Its variables are lost."
        words = " ".join(filter(None, (at_work, mine if state.author == "you" else told)))
        question = Question(self._context.theme, f"End “{visible(state.name)}”?", words, self)
        if await question.ask("End it", danger=True):
            await self._answer(self._context.api.end_state(state.session, state.name))

    def _run(self, name: str, question: Coroutine[Any, Any, tuple[KeptState, ...]]) -> None:  # Any: as in Tasks.run
        self._context.tasks.run(name, self._answer(question))

    async def _answer(self, question: Coroutine[Any, Any, tuple[KeptState, ...]]) -> None:  # Any: as in Tasks.run
        try:
            self.show_states(await question)
            self._fault.hide()
        except WorkbenchError as fault:
            self._fault.setText(visible(str(fault)))
            self._fault.show()
