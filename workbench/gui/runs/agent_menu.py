"""The menu about all requests of an agent, and about agents that are muted."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui.kit.text import one_line
from workbench.gui.shell.context import Context

_NAME = 40  # characters of an agent's name


class AgentMenu(QMenu):
    """Denies everything of an agent, mutes it, and unmutes agents."""

    deny_wanted = Signal(str, bool)
    """Carries the session of the agent, and whether to mute it."""

    def __init__(self, context: Context, sessions: Iterable[tuple[str, int]], parent: QWidget) -> None:
        """`sessions`: of the agents that wait in front, with the number of their requests."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for session, count in sessions:
            name = agent_name(context, session)
            self.addAction(f"Deny all of {name} ({count:,})", partial(self.deny_wanted.emit, session, False))
            self.addAction(f"Deny all of {name} and mute it", partial(self.deny_wanted.emit, session, True))
        for muted in context.store.muted:
            unmute = partial(self._unmute, context, muted.session)
            self.addAction(f"Unmute {one_line(muted.author, _NAME)} ({muted.denied:,} denied)", unmute)
        if self.isEmpty():
            self.addAction("No agent waits").setEnabled(False)

    def _unmute(self, context: Context, session: str) -> None:
        context.tasks.run("unmute an agent", context.api.unmute_agent(session))


def agent_name(context: Context, session: str) -> str:
    """What the agent of a session calls itself."""
    store = context.store
    authors = [run.proposal.author for run in store.runs.values() if run.proposal.session == session]
    authors += [call.author for call in store.held_calls.values() if call.session == session]
    return one_line(authors[0], _NAME) if authors else "this agent"
