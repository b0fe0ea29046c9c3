"""Measures the program editor: typing in a long program, completion, and what a killed window loses.

    python benchmarks/editor.py [PART …]

Parts: typing, completion, crash; default: all. The window is real, drawn offscreen without a display, and connected to
a real core process. The time of a key starts when it is due and ends when its letter is painted, including anything
else the window does meanwhile: highlighting, saving, assessments. `crash` kills a window with SIGKILL while a program
is typed.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "" if os.environ.get("DISPLAY") else "offscreen")
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PySide6.QtCore import Qt  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import QApplication, QPlainTextEdit  # noqa: E402

from workbench.editor_completion.completion_client import CompletionRequests  # noqa: E402
from workbench.events import spawn  # noqa: E402
from workbench.gui.app import live, make_loop, open_window  # noqa: E402
from workbench.gui.editor.drafts import Drafts  # noqa: E402
from workbench.gui.main_window import MainWindow  # noqa: E402
from workbench.gui.shell.bridge import LinkState  # noqa: E402
from workbench.paths import OVERRIDE, paths_of  # noqa: E402

LINES, KEYS, PACE = 5_000, 600, 0.03
KILLS = 3
BLOCK = '''async def report_{0}(orders: list[dict[str, object]], limit: int = {0}) -> str:
    """Sums up what was sold; {0}."""
    total = sum(float(str(order["total"])) for order in orders[:limit])  # cents
    words = f"{{len(orders)}} orders, {{total:.2f}} in all"
    return words if total > {0} else "nothing (yet)"

'''


def program(lines: int) -> str:
    """A plausible program with this many lines."""
    return "".join(BLOCK.format(number) for number in range(lines // BLOCK.count("\n")))


def _figures(times: list[float]) -> str:
    ordered = sorted(time_ * 1000 for time_ in times)
    at = {share: ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95, 0.99)}
    return f"median {at[0.5]:.1f} ms, p95 {at[0.95]:.1f} ms, p99 {at[0.99]:.1f} ms, most {ordered[-1]:.1f} ms"


async def main(application: QApplication, folder: Path, parts: set[str]) -> None:
    if parts & {"typing", "completion"}:
        async with _window(application, folder / "project") as window:
            if "typing" in parts:
                await _measure_typing(window)
            if "completion" in parts:
                await _measure_completion(window)
        if "completion" in parts:
            await asyncio.to_thread(asyncio.run, _measure_loop(folder))
    if "crash" in parts:
        await asyncio.to_thread(_measure_crash, folder)


@asynccontextmanager
async def _window(application: QApplication, project: Path) -> AsyncIterator[MainWindow]:
    """A window on a project of its own. Its core ends with it."""
    project.mkdir()
    window = open_window(application, paths_of(project))
    window.resize(1440, 900)
    window.show()
    living = spawn("window", live(window))
    await _until(lambda: window.bridge.link.state is LinkState.LINKED and window.servers.model.rowCount() > 0)
    await asyncio.sleep(1)
    try:
        yield window
    finally:
        window.close()
        await living
        window.deleteLater()
        stop = [sys.executable, "-m", "workbench", "stop", "--project", str(project)]
        await asyncio.to_thread(subprocess.run, stop, capture_output=True, check=False, cwd=ROOT)


async def _measure_typing(window: MainWindow) -> None:
    """Type at the pace of a fast typist in the middle of a program, with pauses that start highlighting and
    assessments.
    """
    window.centre.setCurrentWidget(window.centre.editor)
    text = program(LINES)
    began = time.perf_counter()
    window.centre.editor.open_code("long", text)
    window.grab()
    opened = (time.perf_counter() - began) * 1000
    tab = window.centre.editor.current_tab()
    assert tab is not None
    editor = tab.editor
    await asyncio.sleep(3)
    editor.go_to(LINES // 2)
    editor.setFocus()
    times: list[float] = []
    own: list[float] = []
    chance, due = random.Random(4), time.perf_counter()
    for number in range(KEYS):
        due = max(due, time.perf_counter() - PACE) + (0.5 if number % 40 == 39 else PACE)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        spent = time.thread_time()
        if number % 25 == 24:
            QTest.keyClick(editor, Qt.Key.Key_Return)
        elif number % 25 == 20:
            QTest.keyClick(editor, Qt.Key.Key_Backspace)
        else:
            QTest.keyClicks(editor, chance.choice("abcdefghij (x)=[1]#'"))
        editor.viewport().repaint()
        own.append(time.thread_time() - spent)
        times.append(time.perf_counter() - due)
    count = text.count("\n")
    print(f"typing in a program of {count:,} lines, {KEYS} keys: {_figures(times)}; opened in {opened:.0f} ms")
    print(f"  processor time of a key until its letter is painted: {_figures(own)}")
    print(f"  floor, in a plain text widget of Qt with the same text: {_figures(await _plain(text))}")
    print(f"  this machine: {os.cpu_count()} processors, {os.getloadavg()[0]:.1f} programs want one")


async def _plain(text: str) -> list[float]:
    """The time that a plain Qt editor takes for the same keys."""
    plain, times = QPlainTextEdit(), []
    plain.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    plain.resize(1000, 700)
    plain.setPlainText(text)
    plain.show()
    cursor = plain.textCursor()
    cursor.setPosition(len(text) // 2)
    plain.setTextCursor(cursor)
    plain.setFocus()
    for _ in range(KEYS // 4):
        spent = time.thread_time()
        QTest.keyClicks(plain, "a")
        plain.viewport().repaint()
        times.append(time.thread_time() - spent)
        await asyncio.sleep(0.005)
    plain.deleteLater()
    return times


async def _measure_completion(window: MainWindow) -> None:
    """Measure completion over the API, as the editor requests it. The first request starts the completion process."""
    api = window.context.api
    await api.connect("demo")
    beginnings = {
        "a tool of a server": "from servers.demo import list_o",
        "a tool's parameter": "from servers.demo import list_orders\nawait list_orders(li",
        "a member of text": 'words = "a"\nwords.sp',
        "a module of the library": "import pathlib\npathlib.Path('x').read",
        "a name of its own": "orders = 1\nord",
        "a function without import": "search_t",
    }
    began = time.perf_counter()
    await api.complete_code("''.up", 1, 5)
    print(f"completion: the first answer, with the start of its process, after {time.perf_counter() - began:.1f} s")
    for name, head in (("short programs", ""), (f"programs of {LINES:,} lines", program(LINES))):
        for kind, text in beginnings.items():
            code, times, names = f"{head}{text}", [], 0
            line, column = code.count("\n") + 1, len(code.rsplit("\n", 1)[-1])
            for warm in range(-2, 10):
                began = time.perf_counter()
                names = len(await api.complete_code(code, line, column))
                times += [time.perf_counter() - began] if warm >= 0 else []
                await asyncio.sleep(0.02)
            print(f"  {name}, {kind}: {names} names, {_figures(times)}")
    print(f"  this machine: {os.cpu_count()} processors, {os.getloadavg()[0]:.1f} programs want one")


async def _measure_loop(folder: Path) -> None:
    """Measure how long an event loop like the core's is blocked while it forwards requests about a long program."""

    async def nothing() -> None:
        pass

    hints, longest, code = (
        CompletionRequests(folder / "generated", folder / "cache", nothing),
        0.0,
        program(LINES) + "''.up",
    )
    most = 0.0
    await hints.complete("''.up", 1, 5)
    for _ in range(20):
        asking = spawn("ask", hints.complete(code, code.count("\n") + 1, 5))
        while not asking.done():
            last, spent = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.perf_counter() - last)
            most = max(most, time.thread_time() - spent)
    await hints.close()
    longest, most = longest * 1000, most * 1000
    print(f"  a loop that carries such questions stands still for {longest:.1f} ms, works for {most:.1f} ms at most")


TYPIST = """
import os, sys, time
sys.path.insert(0, {root!r})
os.environ["QT_QPA_PLATFORM"] = "offscreen"
sys.argv[0] = "typist"
import runpy
typist = runpy.run_path({here!r})["typist"]
typist({project!r})
"""


def typist(project: str) -> None:
    """Types without a pause in a process without a core, and prints each text with its time."""
    application = QApplication([])
    loop = make_loop(application)

    window = open_window(application, paths_of(Path(project)))
    window.show()

    async def type_on() -> None:
        window.centre.setCurrentWidget(window.centre.editor)
        window.centre.editor.open_code("typed", program(1_000))
        tab = window.centre.editor.current_tab()
        assert tab is not None
        tab.editor.go_to(500)
        for number in itertools.count(1):
            QTest.keyClicks(tab.editor, "x")
            print(number, time.time(), flush=True)
            await asyncio.sleep(0.025)

    with loop:
        loop.run_until_complete(type_on())


def _measure_crash(folder: Path) -> None:
    """Kill a window at different times, and compare what the next window would open with what was typed."""
    lost = []
    for number in range(KILLS):
        project = folder / f"crash-{number}"
        project.mkdir()
        told = folder / f"told-{number}"
        with told.open("w") as out:
            text = TYPIST.format(root=str(ROOT), here=__file__, project=str(project))
            child = subprocess.Popen([sys.executable, "-c", text], stdout=out, stderr=subprocess.DEVNULL)
            end = time.time() + 60
            while told.stat().st_size < 2_000 and time.time() < end:
                time.sleep(0.1)
            time.sleep(1 + 0.37 * number)
            child.send_signal(signal.SIGKILL)
            child.wait()
        typed = [line.split() for line in told.read_text().splitlines() if line.count(" ") == 1]
        kept = Drafts(paths_of(project).editor).all()[0].code.count("x") - program(1_000).count("x")
        last = float(typed[-1][1])
        lost.append(last - float(typed[kept - 1][1]) if kept else last - float(typed[0][1]))
        print(f"killed after {len(typed)} letters: {len(typed) - kept} lost, {lost[-1]:.2f} s of typing")
    print(f"a window that is killed loses at most {max(lost):.2f} s of typing in {KILLS} tries")


async def _until(there: Callable[[], bool]) -> None:
    while not there():  # noqa: ASYNC110  # whatever is asked here tells nobody
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-editor-") as made:
        os.environ[OVERRIDE] = made + "/home"
        wanted = set(sys.argv[1:]) or {"typing", "completion", "crash"}
        application = QApplication([])
        loop = make_loop(application)
        with loop:
            loop.run_until_complete(main(application, Path(made), wanted))
