"""Requests and actions that the window itself handles."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtWidgets import QDialog

from workbench.events import MutedAgentsChanged
from workbench.gui.servers.trust_question import TrustDialog
from workbench.gui.shell.navigation import DecideTrust
from workbench.records import MutedAgent


def test_muted_agents_are_unmuted_when_nothing_waits(window: Any, fake_core: Any, bus: Any, qtbot: Any) -> None:
    bus.tell(MutedAgentsChanged((MutedAgent("session-1", "claude-code", time.time(), 2),)))
    qtbot.waitUntil(lambda: not window.commands.disabled_reason("agents.unmute"))
    window.commands.do("agents.unmute")
    qtbot.waitUntil(lambda: ("unmute_agent", ("session-1",)) in fake_core.asked)
    qtbot.waitUntil(lambda: bool(window.commands.disabled_reason("agents.unmute")))


def test_the_question_about_a_server_belongs_to_the_dialog_that_asked(window: Any, qtbot: Any) -> None:
    dialog = QDialog(window)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    window.context.go(DecideTrust("files"))
    qtbot.waitUntil(lambda: bool(dialog.findChildren(TrustDialog)))
    dialog.findChildren(TrustDialog)[0].reject()
