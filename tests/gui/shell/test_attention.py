from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication

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
