"""Dialog REPL sessions: who keeps variables, how much memory they take, and when they end."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from workbench.events import StatesChanged
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.wording import ago, countdown, level_word
from workbench.gui.shell.context import Context
from workbench.records import KeptState
from workbench.records.common_types import count_of

_COUNTDOWN_MS = 1_000
_MEMORY_MS = 2_000  # how often the memory is read while the dialog is open


def session_key(session: KeptState) -> str:
    """Key of a row; two agents can use the same name."""
    return f"{session.session}\n{session.name}"


def session_row(session: KeptState, now: float) -> Row:
    facts = (
        one_line(session.author, 60),
        count_of(session.programs, "program"),
        f"{round(session.memory_mb):,} MB" if session.memory_mb else "",
        f"started {_since(session.began, now)}",
        "" if session.busy else f"last used {_since(session.used, now)}",
    )
    detail = " · ".join(filter(None, facts))
    place = f"In {level_word(session.level)} ({session.backend})." if session.level else ""
    return Row(
        key=session_key(session),
        title=visible(session.name),
        detail=detail,
        aside="running" if session.busy else countdown(session.expires, now),
        icon="loader" if session.busy else "layers",
        tone="accent" if session.busy else "muted",
        tip="\n".join(filter(None, (visible(session.name), detail, place))),
    )


def _since(at: float, now: float) -> str:
    return "now" if now - at < 60 else f"{ago(at, now)} ago"


class ReplSessionsDialog(Dialog):
    """Follows sessions that start and end while it is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        intro = (
            "Programs of one REPL session share variables. A session ends after some time without a program; the time "
            "that is left is shown at the right."
        )
        super().__init__(context.theme, "REPL sessions", intro, parent)
        self._context = context
        self._sessions: tuple[KeptState, ...] = ()
        self.setMinimumWidth(context.theme.unit * 130)
        hint = "An agent starts one with session_id, you with “Run and keep the variables” in the editor."
        empty = EmptyState(context.theme, "layers", "No REPL sessions", hint)
        self.list = ListPane(context.theme, "REPL sessions", empty)
        self.list.setMinimumHeight(context.theme.unit * 45)
        self.body.addWidget(self.list, 1)
        self._end_button = self.add_button("End…", self._end, "quiet", left=True)
        self._end_button.setToolTip("End the selected session. Its variables are lost.")
        self._end_button.setAccessibleName("End the selected session")
        self.add_close()
        self.list.view.chosen.connect(lambda _key: self._end())
        self.list.selection_changed.connect(self.update_buttons)
        end = menu_action(self, "End…", self._end)
        self.list.set_menu(lambda _key: (end,))
        context.store.on(StatesChanged, self._sessions_changed)
        for interval, slot in ((_COUNTDOWN_MS, self._show_rows), (_MEMORY_MS, self._load)):
            timer = QTimer(self, interval=interval)
            timer.timeout.connect(slot)
            timer.start()
        self.update_buttons()
        self._load()

    def update_buttons(self) -> None:
        self._end_button.setEnabled(self._selected() is not None)

    # inside

    def _sessions_changed(self, event: StatesChanged) -> None:
        self._show_sessions(event.states)

    def _load(self) -> None:
        self._context.tasks.run("read REPL sessions", self._context.api.states(), self._show_sessions)

    def _show_sessions(self, sessions: tuple[KeptState, ...]) -> None:
        self._sessions = sessions
        self._show_rows()

    def _show_rows(self) -> None:
        self.list.show_rows([session_row(session, time.time()) for session in self._sessions])
        self.update_buttons()

    def _selected(self) -> KeptState | None:
        return next((session for session in self._sessions if session_key(session) == self.list.key()), None)

    def _end(self) -> None:
        if (session := self._selected()) is not None:
            self._context.tasks.run("end a REPL session", self._ask_and_end(session))

    async def _ask_and_end(self, session: KeptState) -> None:
        name, author = visible(session.name), visible(session.author)
        sentence = "Its variables are lost."
        if session.author != "you":
            sentence = f"Its variables are lost. {author} is told when it next uses the session."
        if session.busy:
            sentence = f"Its program is still running and is stopped. {sentence}"
        if await self._context.ask(f"End “{name}”?", sentence, "End session", danger=True, parent=self):
            self.run(self._context.tasks, "end a REPL session", self._end_session(session))

    async def _end_session(self, session: KeptState) -> None:
        self._show_sessions(await self._context.api.end_state(session.session, session.name))
