"""Fixtures for tests of the window: a fake core with a small project, and the window connected to it.

The fake core is for states that are hard to bring about. `tests/flows` tests against the real core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QPushButton

from tests.gui.fake_core import FakeCore, make_entry, make_run, make_tool
from workbench.events import Bus
from workbench.paths import Paths

SOON = 400  # milliseconds: a shorter timer belongs to what is under way, a longer one to a notice that goes away


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def fake_core(bus: Bus) -> FakeCore:
    """The core that the window is connected to."""
    return FakeCore(bus)


@pytest.fixture
def theme(qapp: Any) -> Iterator[Any]:
    """The theme, new for each test. Earlier windows are deleted first: giving them the new theme would take long."""
    from workbench.gui.kit.theme import Theme, load_fonts

    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyle("Fusion")
    load_fonts()
    theme = Theme("dark")
    theme.apply()
    yield theme
    theme.deleteLater()


@pytest.fixture
def context(loop: Any, complete: Any, theme: Any, fake_core: FakeCore, paths: Paths) -> Iterator[Any]:
    """A pane's context that asks the fake core directly, without a connection."""
    from workbench.gui.shell.commands import Commands
    from workbench.gui.shell.context import Context, Messages
    from workbench.gui.shell.store import Store
    from workbench.gui.shell.tasks import Tasks

    async def fetch(handle: str, offset: int, length: int) -> str:
        return ""

    tasks = Tasks()
    store, commands, messages = Store(fake_core, tasks, tasks), Commands(tasks, tasks), Messages(tasks)
    yield Context(fake_core, tasks, theme, paths, fetch, store, commands, messages)  # type: ignore[arg-type]  # a fake core
    complete(tasks.close())


@pytest.fixture
def window(
    qapp: Any, loop: Any, complete: Any, theme: Any, fake_core: FakeCore, bus: Bus, paths: Paths, qtbot: Any
) -> Iterator[Any]:
    """The whole window, connected to the fake core through the real protocol, with everything loaded."""
    from workbench.api.in_memory import connect_in_memory
    from workbench.events import spawn
    from workbench.gui.app import make_context
    from workbench.gui.main_window import MainWindow
    from workbench.gui.shell.bridge import Bridge, LinkState
    from workbench.gui.shell.tasks import Tasks
    from workbench.gui.shell.window_state import Layout
    from workbench.gui.window_controller import WindowController

    async def connect() -> Any:
        return await connect_in_memory(fake_core, bus)

    tasks, bridge = Tasks(), Bridge(connect)
    sheet = qapp.styleSheet()
    qapp.setStyleSheet("")  # else Qt styles each widget again whenever it gets another parent: a third of the work
    Layout(paths).runs_introduced = True  # as after the first run
    made = MainWindow(make_context(bridge, tasks, theme, paths), bridge)
    qtbot.addWidget(made, before_close_func=lambda _: None)
    made.make_late_panes()
    made.centre.make_all()
    WindowController(made)
    qapp.setStyleSheet(sheet)
    made.show()
    keeping = spawn("core link", bridge.keep())
    qtbot.waitUntil(lambda: bridge.link.state is LinkState.LINKED and made.servers.model.rowCount() > 0, timeout=60_000)
    qtbot.waitUntil(lambda: tasks.running() == 0, timeout=60_000)
    yield made
    keeping.cancel()
    complete(tasks.close())
    complete(bridge.close())
    made.deleteLater()


@pytest.fixture
def settled(window: Any, qtbot: Any, complete: Any) -> Callable[[], None]:
    """Wait until the window has heard everything that was told so far, and nothing is under way any more.

    The wire flushes events before it answers, so an answer says that they came; what they set off may end in a short
    timer, and what that asks is waited for too.
    """
    from PySide6.QtCore import QTimer

    def busy() -> bool:
        soon = (timer for timer in window.findChildren(QTimer) if timer.isActive() and timer.isSingleShot())
        return window.context.tasks.running() > 0 or any(timer.interval() <= SOON for timer in soon)

    def wait() -> None:
        for _ in range(2):
            complete(window.bridge.api.settings())
            qtbot.wait(15)
            qtbot.waitUntil(lambda: not busy(), timeout=60_000)

    return wait


@pytest.fixture
def press(qtbot: Any) -> Callable[[Any, str], None]:
    """Click the button with this text in a dialog or pane, as soon as it can be pressed."""

    def click(place: Any, text: str) -> None:
        button = next(one for one in place.findChildren(QPushButton) if one.text() == text and not one.isHidden())
        qtbot.waitUntil(button.isEnabled)
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    return click


@pytest.fixture
def make() -> Any:
    """The makers of records, for tests below other folders."""

    class Make:
        run = staticmethod(make_run)
        entry = staticmethod(make_entry)
        tool = staticmethod(make_tool)

    return Make
