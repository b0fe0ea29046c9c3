"""Measures the window under load: many tools, long results, thousands of calls, a flood of notifications.

    python benchmarks/gui.py [PART …]

Parts: tools, results, calls, memory, flood; default: all. The window is real, drawn offscreen without a display, and
connected to a real core process and real servers (`gui_server.py`). "Gap" is the longest time for which the event loop
was blocked; users notice more than 100 ms.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "" if os.environ.get("DISPLAY") else "offscreen")
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QObject, Qt, QTimer  # noqa: E402
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget  # noqa: E402

from workbench.events import spawn  # noqa: E402
from workbench.gui.app import freeze_when_loaded, live, make_loop, open_window  # noqa: E402
from workbench.gui.main_window import MainWindow  # noqa: E402
from workbench.gui.results.result_view import ResultView  # noqa: E402
from workbench.gui.results.text_pages import TextPage  # noqa: E402
from workbench.gui.shell.bridge import LinkState  # noqa: E402
from workbench.paths import OVERRIDE, paths_of  # noqa: E402
from workbench.records import Content, Origin, Outcome, ServerConfig, ToolCall  # noqa: E402

CALLS, AT_ONCE = 5_000, 8
FLOOD = 100_000


class Gaps(QObject):
    """Measures the longest time between two iterations of the event loop."""

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self, interval=2, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        self.reset()

    def reset(self) -> None:
        self._last, self.longest = time.perf_counter(), 0.0

    def take(self) -> float:
        """The longest gap in milliseconds since the last reset."""
        self._tick()
        return self.longest * 1000

    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now


async def main(application: QApplication, folder: Path, parts: set[str]) -> None:
    gaps = Gaps()
    for count in (2_000, 10_000) if "tools" in parts else ():
        async with _window(application, folder / str(count), 40, count // 40) as window:
            await _measure_tools(window, count, gaps)
    async with _window(application, folder / "five", 5, 20) as window:
        if "memory" in parts:
            _measure_memory(window)
        if "flood" in parts:
            await _measure_flood(window, gaps, "server-0", "stdio")
            async with _at_an_address(window) as far:
                await _measure_flood(window, gaps, far, "HTTP")
        if "calls" in parts:
            await _measure_calls(window, gaps)
        if "results" in parts:
            await _measure_results(window, gaps)


@asynccontextmanager
async def _window(application: QApplication, project: Path, servers: int, tools: int) -> AsyncIterator[MainWindow]:
    """A window on a project of its own whose servers all run. Its core ends with it."""
    project.mkdir()
    command = {"command": sys.executable, "args": ["-SE", str(ROOT / "benchmarks/gui_server.py"), str(tools)]}
    listed = {"mcpServers": {f"server-{number}": command for number in range(servers)}}
    (project / ".mcp.json").write_text(json.dumps(listed), encoding="utf-8")
    window = open_window(application, paths_of(project))
    window.resize(1440, 900)
    window.show()
    freeze_when_loaded(window)
    living = spawn("window", live(window))
    await _until(lambda: window.bridge.link.state is LinkState.LINKED and window.servers.model.rowCount() > servers)
    for number in range(servers):
        name = f"server-{number}"
        await window.context.api.connect(name, (await window.context.api.consent(name)).sha)
    await _until(lambda: len(window.servers.model.find(f"server-{servers - 1}").data() or "") > 0)
    await asyncio.sleep(1)
    try:
        yield window
    finally:
        window.close()
        await living
        window.deleteLater()
        stop = [sys.executable, "-m", "workbench", "stop", "--project", str(project)]
        await asyncio.to_thread(subprocess.run, stop, capture_output=True, check=False, cwd=ROOT)


async def _measure_tools(window: MainWindow, count: int, gaps: Gaps) -> None:
    pane = window.servers
    pane.model.load((), {})
    gaps.reset()
    began = time.perf_counter()
    await window.context.store._load_servers()
    window.grab()
    listed = (time.perf_counter() - began) * 1000
    await asyncio.sleep(0.2)
    listing_gap = gaps.take()
    times = []
    gaps.reset()
    for words in ("o", "or", "orders", "orders 7", "find", ""):
        began = time.perf_counter()
        pane.finder.setText(words)
        pane._apply_filter()
        _paint(pane.tree)
        times.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(0.15)
    print(f"{count:,} tools of 40 servers: listed in {listed:.0f} ms (gap {listing_gap:.0f} ms)", end="; ")
    print(f"a keystroke in the filter is painted after {max(times):.0f} ms at most (gap {gaps.take():.0f} ms)")


async def _measure_results(window: MainWindow, gaps: Gaps) -> None:
    for megabytes in (1, 10):
        rows = [
            {"id": number, "name": f"thing {number}", "tags": ["a", "b"], "nested": {"ok": True, "price": number * 1.5}}
            for number in range(9_500 * megabytes)
        ]
        text = json.dumps({"items": rows})
        outcome = Outcome("c", True, (Content("text", text),), ms=1, bytes=len(text))
        view = ResultView(window.context)
        view.resize(700, 800)
        view.show()
        for look in ("", "Tree", "Text"):
            await _measure_look(view, outcome, look, len(text), gaps)
        view.deleteLater()
        plain = QPlainTextEdit()
        plain.resize(700, 800)
        plain.show()
        began = time.perf_counter()
        plain.setPlainText(json.dumps(json.loads(text), indent=2))
        _paint(plain)
        print(f"  (floor: a bare QPlainTextEdit shows it indented after {(time.perf_counter() - began) * 1000:.0f} ms)")
        plain.deleteLater()


async def _measure_look(view: ResultView, outcome: Outcome, look: str, size: int, gaps: Gaps) -> None:
    if not look:
        gaps.reset()
    began = time.perf_counter()
    if look:
        gaps.reset()
        view.look(look)
    else:
        view.show_outcome(outcome)
    _paint(view)
    first = (time.perf_counter() - began) * 1000
    page = view.page()
    await asyncio.sleep(0)
    whole = ""
    if isinstance(page, TextPage):
        await _until(page.is_complete)
        whole = f", whole after {(time.perf_counter() - began) * 1000:.0f} ms"
    await asyncio.sleep(0.05)
    words = look or f"{view.view()}, opened first"
    print(f"{size / 1e6:.1f} MB of JSON as {words}: seen after {first:.0f} ms{whole} (gap {gaps.take():.0f} ms)")


def _paint(widget: QWidget) -> None:
    """Lay out and paint immediately, without running the event loop: asyncio tasks cannot be entered from within a
    task.
    """
    QApplication.sendPostedEvents()
    widget.grab()


async def _measure_calls(window: MainWindow, gaps: Gaps) -> None:
    left = iter(range(CALLS))

    async def worker() -> int:
        good = 0
        for number in left:
            outcome = await _call(window, f"server-{number % 5}", number % 20, {"text": f"call {number}"})
            good += outcome.ok
        return good

    gaps.reset()
    began = time.perf_counter()
    good = sum(await asyncio.gather(*(worker() for _ in range(AT_ONCE))))
    seconds = time.perf_counter() - began
    print(f"{good:,} of {CALLS:,} calls, {AT_ONCE} at a time: {good / seconds:.0f} a second (gap {gaps.take():.0f} ms)")


@asynccontextmanager
async def _at_an_address(window: MainWindow) -> AsyncIterator[str]:
    """Connect one more server over HTTP and yield its name."""
    serving = await asyncio.create_subprocess_exec(
        sys.executable, str(ROOT / "benchmarks/gui_http_server.py"), "20", stdout=asyncio.subprocess.PIPE
    )
    assert serving.stdout is not None
    try:
        url = (await serving.stdout.readline()).decode().strip()
        await window.context.api.add_server(ServerConfig("far", url=url))
        await window.context.api.connect("far", (await window.context.api.consent("far")).sha)
        yield "far"
        await window.context.api.remove_server("far")
    finally:
        serving.terminate()
        await serving.wait()


async def _measure_flood(window: MainWindow, gaps: Gaps, server: str, way: str) -> None:
    before = _memories(window)
    gaps.reset()
    began = time.perf_counter()
    outcome = await _call(window, server, 0, {"notifications": FLOOD})
    seconds = time.perf_counter() - began
    await asyncio.sleep(1)
    after = _memories(window)
    grown = ", ".join(f"{name} {before[name]:.0f} → {after[name]:.0f} MB" for name in ("window", "core"))
    end = "" if outcome.ok else "; the call FAILED"
    print(f"{FLOOD:,} notifications over {way} in {seconds:.1f} s{end} (gap {gaps.take():.0f} ms); {grown}")


def _measure_memory(window: MainWindow) -> None:
    found = _memories(window)
    words = ", ".join(f"{name} {megabytes:.0f} MB" for name, megabytes in found.items())
    print(f"memory with five servers: {sum(found.values()):.0f} MB ({words}; proportional set size)")


async def _call(window: MainWindow, server: str, tool: int, arguments: dict[str, Any]) -> Outcome:
    verb, thing = ("list", "get", "find", "count")[tool % 4], ("orders", "people", "files", "pages")[tool // 4 % 4]
    name = f"{verb}_{thing}_{tool}"
    call = ToolCall(uuid.uuid4().hex, server, name, arguments, Origin.PERSON, "person")
    return await window.context.api.call(call)


def _memories(window: MainWindow) -> dict[str, float]:
    """Memory in megabytes of the window, its core, and the core's child processes."""
    core = _core_of(window.context.paths.project)
    children = {child for child in _descendants(core) if b"gui_server.py" in _command(child)}
    helpers = set(_descendants(core)) - children
    return {
        "window": _megabytes(os.getpid()),
        "core": _megabytes(core),
        "servers": sum(map(_megabytes, children)),
        "guards and sandbox": sum(map(_megabytes, helpers)),
    }


def _core_of(project: Path) -> int:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            command = _command(int(entry.name))
            if b"workbench" in command and os.fsencode(project) in command and int(entry.name) != os.getpid():
                return int(entry.name)
    raise SystemExit("The core was not found.")


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    try:
        told = [Path(task, "children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return found
    for child in (int(number) for words in told for number in words.split()):
        found += [child, *_descendants(child)]
    return found


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _megabytes(pid: int) -> float:
    try:
        told = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in told.splitlines() if line.startswith("Pss:")) / 1024


async def _until(done: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise SystemExit("The window was not ready in time.")
        await asyncio.sleep(0.01)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="mw-") as name:
        os.environ[OVERRIDE] = str(Path(name) / "home")
        app = QApplication([])
        with make_loop(app) as loop:
            loop.run_until_complete(
                main(app, Path(name), set(sys.argv[1:]) or {"tools", "results", "calls", "memory", "flood"})
            )
