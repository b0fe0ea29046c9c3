from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QSystemTrayIcon

from workbench.events import RequestsAnnounced, ReviewRequested
from workbench.gui.runs.review_dialog import ReviewDialog
from workbench.gui.shell.bridge import LinkState
from workbench.gui.shell.tray import ClosingDialog
from workbench.records import RunState


def test_whoever_is_elsewhere_is_told_that_an_agent_waits(
    window: Any, fake_core: Any, make: Any, qtbot: Any, monkeypatch: Any
) -> None:
    alerts: list[Any] = []
    monkeypatch.setattr(QApplication, "alert", alerts.append)
    monkeypatch.setattr(type(window), "isActiveWindow", lambda self: False)
    title = window.windowTitle()
    focus = QApplication.focusWidget()
    fake_core.put_run(make.run("a"))
    qtbot.waitUntil(lambda: window.windowTitle() == f"(1 waiting) {title}")
    fake_core.put_run(make.run("b"))
    qtbot.waitUntil(lambda: window.windowTitle() == f"(2 waiting) {title}")
    assert alerts == [window, window]
    assert window.status.waiting.text().strip() == "2 waiting", "the same number as in the title"
    assert window.docks["runs"].windowTitle() == "Runs · 2"
    for name in ("a", "b"):
        fake_core.put_run(make.run(name, RunState.DONE))
    qtbot.waitUntil(lambda: window.windowTitle() == title)
    assert alerts == [window, window], "less to do asks for nothing"
    assert QApplication.focusWidget() is focus, "nobody who types is interrupted"


def test_the_core_knows_whether_the_user_looks_at_the_window(window: Any, fake_core: Any, qtbot: Any) -> None:
    window.activateWindow()
    qtbot.waitUntil(lambda: fake_core.watchers == 1)
    window.hide()
    qtbot.waitUntil(lambda: fake_core.watchers == 0)
    window.show()
    qtbot.waitUntil(lambda: fake_core.watchers == 1)
    QGuiApplication.instance().applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert fake_core.watchers == 1


def is_reviewing(window: Any) -> bool:
    return any(dialog.isVisible() for dialog in window.findChildren(ReviewDialog))


def closing(window: Any) -> ClosingDialog:
    return next(dialog for dialog in window.findChildren(ClosingDialog) if dialog.isVisible())


def click(dialog: Any, text: str) -> None:
    QTest.mouseClick(dialog.button(text), Qt.MouseButton.LeftButton)


def test_closing_says_what_waits_and_review_opens_it(
    window: Any, fake_core: Any, make: Any, qtbot: Any, settled: Any
) -> None:
    left: list[bool] = []
    window.leaving.connect(lambda: left.append(True))
    fake_core.put_run(make.run("a"))
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 1)
    window.close()
    dialog = closing(window)
    assert dialog.findChildren(QPushButton)[-1].text() == "Review"
    assert not dialog.button("Keep in tray").isEnabled(), "there is no tray here"
    assert "system tray" in dialog.button("Keep in tray").toolTip()
    click(dialog, "Cancel")
    assert window.isVisible()
    assert not left
    window.close()
    click(closing(window), "Review")
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
    qtbot.waitUntil(lambda: is_reviewing(window))
    window.close()
    click(closing(window), "Close")
    assert left == [True]


@pytest.mark.qt_log_ignore("systemTrayWindowChanged")  # of Qt's offscreen platform, which has no tray
def test_with_a_tray_closing_hides_and_the_notification_brings_the_request_back(
    window: Any, fake_core: Any, make: Any, qtbot: Any, monkeypatch: Any, settled: Any
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    left: list[bool] = []
    window.leaving.connect(lambda: left.append(True))
    fake_core.put_run(make.run("a"))
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 1)
    window.close()
    click(closing(window), "Keep in tray")
    assert not window.isVisible()
    assert window.tray.is_shown
    assert not left
    assert window.tray.review.text() == "Review (1 waiting)"
    fake_core.bus.tell(ReviewRequested("a", ""))
    qtbot.waitUntil(window.isVisible)
    qtbot.waitUntil(lambda: is_reviewing(window))
    window.close()
    assert not window.isVisible(), "with the icon in the tray, closing hides"
    window.tray.turn(False)
    assert window.isVisible(), "a window without icon and hidden could not be reached"
    fake_core.put_run(make.run("a", RunState.DONE))
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 0)
    window.close()
    assert left == [True]


@pytest.mark.qt_log_ignore("systemTrayWindowChanged")
def test_the_tray_pauses_agents_and_announces_what_no_notification_service_does(
    window: Any, fake_core: Any, make: Any, qtbot: Any, monkeypatch: Any, settled: Any
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    messages: list[tuple[str, str]] = []
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _self, *parts: messages.append(parts[:2]))
    window.tray.turn(True)
    fake_core.put_run(make.run("a"))
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 1)
    fake_core.bus.tell(RequestsAnnounced("A program of Claude waits", "High risk."))
    qtbot.waitUntil(lambda: messages == [("A program of Claude waits", "High risk.")])
    icon = window.tray.findChild(QSystemTrayIcon)
    icon.messageClicked.emit()
    qtbot.waitUntil(lambda: is_reviewing(window))
    assert (window.tray.pause.text(), window.status.paused.isVisible()) == ("Pause agents", False)
    window.tray.pause.trigger()
    qtbot.waitUntil(window.status.paused.isVisible)
    assert window.tray.pause.text() == "Resume agents"
    assert "agents are paused" in icon.toolTip()
    window.tray.pause.trigger()
    qtbot.waitUntil(lambda: not window.status.paused.isVisible())
    changed = [words for name, words in fake_core.asked if name == "change_setting"]
    assert changed == [("agent.paused", True), ("agent.paused", False)]
    window.tray.turn(False)


def test_a_window_that_a_notification_opened_shows_the_request(
    window: Any, fake_core: Any, make: Any, qtbot: Any
) -> None:
    fake_core.wanted_review = "a"
    fake_core.put_run(make.run("a"))
    assert window.bridge.link.state is LinkState.LINKED
    window.context.store.load()
    qtbot.waitUntil(lambda: is_reviewing(window))
    assert fake_core.wanted_review == ""
