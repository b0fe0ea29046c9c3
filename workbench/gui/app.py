"""Opens the window: paints first, connects afterwards, and ends tasks and connection when it is closed.

Nothing slow is imported before the first frame: no event loop glue, no wire, no highlighter.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from workbench.gui.kit.theme import Theme, load_fonts
from workbench.gui.main_window import MainWindow
from workbench.gui.shell.bridge import Bridge, Wire
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Messages
from workbench.gui.shell.store import Store
from workbench.gui.shell.tasks import Tasks, describe
from workbench.paths import Paths
from workbench.settings import read

if TYPE_CHECKING:
    import qasync  # type: ignore[import-untyped]


TRACE = "MCP_WORKBENCH_TRACE_START"
"""If set, the times of the first frame and of the usable window are written to stderr."""
HEAD_START = 0.03  # seconds for the core to begin its start, which continues while the rest of the window is made


def main(paths: Paths) -> int:
    """Show the window of a project. Returns the exit code when it is closed."""
    app = QApplication.instance() or QApplication([sys.argv[0]])
    assert isinstance(app, QApplication)
    window = open_window(app, paths)
    window.show()
    window.servers.setFocus()
    freeze_when_loaded(window)
    app.processEvents()
    _trace("first-frame")
    loop = make_loop(app)
    with loop:
        loop.run_until_complete(live(window))
    return 0


def open_window(app: QApplication, paths: Paths) -> MainWindow:
    """Make the window with everything it needs, not yet shown and not yet connected."""
    QCoreApplication.setApplicationName("mcp-workbench")
    app.setApplicationDisplayName("MCP Workbench")
    app.setDesktopFileName("mcp-workbench")
    app.setQuitOnLastWindowClosed(False)
    app.setStyle("Fusion")
    load_fonts()
    reading = read(paths.project_settings, paths.user_settings)
    theme = Theme(reading.settings.window_theme, reading.settings.window_font_size, app)
    theme.apply()
    tasks = Tasks(app)

    async def connect() -> Wire:
        from workbench.api.client import connect as reach

        return await reach(paths)

    bridge = Bridge(connect, app)
    window = MainWindow(make_context(bridge, tasks, theme, paths), bridge)
    window.apply_settings(reading.settings)
    return window


def make_context(bridge: Bridge, tasks: Tasks, theme: Theme, paths: Paths) -> Context:
    """Make what the panes of one window share."""
    store, commands = Store(bridge.api, tasks, bridge), Commands(tasks, bridge)
    return Context(bridge.api, tasks, theme, paths, bridge.fetch, store, commands, Messages(bridge))


def freeze_when_loaded(window: MainWindow) -> None:
    """Exclude the window's objects from garbage collection once it is complete.

    Each collection stopped everything for 40 to 80 ms, and a long list of tools caused three of them.
    """
    window.servers.loaded.connect(gc.freeze)


def make_loop(app: QApplication) -> qasync.QEventLoop:
    """Run asyncio on the event loop of Qt."""
    from concurrent.futures import ThreadPoolExecutor

    import qasync

    class Loop(qasync.QEventLoop):  # type: ignore[misc]  # qasync has no types
        """WORKAROUND(qasync leaves out the hooks that close abandoned async generators, qasync > 0.28)"""

        def run_forever(self) -> None:
            before = sys.get_asyncgen_hooks()
            sys.set_asyncgen_hooks(self._asyncgen_firstiter_hook, self._asyncgen_finalizer_hook)
            try:
                super().run_forever()
            finally:
                sys.set_asyncgen_hooks(*before)

    loop = Loop(app)
    loop.set_default_executor(ThreadPoolExecutor(4))  # by default, qasync starts ten QThreads to write one file
    return loop


async def live(window: MainWindow) -> None:
    """Connect, wait until the window is closed, then end tasks and connection."""
    from workbench.events import spawn
    from workbench.gui.window_controller import WindowController

    leaving = asyncio.Event()
    window.leaving.connect(leaving.set)
    _report_faults(window)
    window.servers.loaded.connect(_usable)
    keeping = spawn("core link", window.bridge.keep())
    await asyncio.sleep(HEAD_START)
    window.make_late_panes()
    window.centre.make_all()
    WindowController(window)
    await leaving.wait()
    window.centre.keep()
    window.hide()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    await window.context.tasks.close()
    await window.bridge.close()


def _report_faults(window: MainWindow) -> None:
    """Show exceptions that nothing caught in the window, with their traceback for a report."""

    def show_unexpected(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, fault, trace)
        window.banners.show_fault(describe("the window", fault))

    def in_loop(_: asyncio.AbstractEventLoop, details: dict[str, object]) -> None:
        fault = details.get("exception")
        if isinstance(fault, Exception):
            show_unexpected(type(fault), fault, fault.__traceback__)

    sys.excepthook = show_unexpected
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(in_loop)
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(number, window.leave)


def _usable() -> None:
    _trace("usable")


def _trace(words: str) -> None:
    if os.environ.get(TRACE):
        print(f"{words} {_since_start():.0f}", file=sys.stderr, flush=True)


def _since_start() -> float:
    """Milliseconds since this process began, as the kernel counts them."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return (time.clock_gettime(time.CLOCK_BOOTTIME) - began) * 1000
