"""Fixtures for all tests: no display, a private home folder, and a check for leaked tasks, threads and processes.

A test that leaves an asyncio task, a thread or a child process running fails itself, not three tests later.
"""

from __future__ import annotations

import asyncio
import asyncio.runners
import contextlib
import functools
import gc
import inspect
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

PLATFORM = "MCP_WORKBENCH_TEST_PLATFORM"  # the Qt platform to test on: offscreen, or xcb below Xvfb
ALONE = "MCP_WORKBENCH_TEST_ALONE"  # set in a process that runs one test which measures its own process
MARK = "MCP_WORKBENCH_TEST_SESSION"  # inherited by child processes of the tests, so that orphans can be identified
SCREEN = Path(__file__).parent / "gui" / "offscreen.json"  # a screen of usual size; Qt's own has 800 × 800 pixels
os.environ["QT_QPA_PLATFORM"] = os.environ.get(PLATFORM, f"offscreen:configfile={SCREEN}")
os.environ[MARK] = f"{os.getpid()}-{time.time_ns()}"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"  # tests never use the real keyring
os.environ["DBUS_SESSION_BUS_ADDRESS"] = ""  # tests never notify on the real desktop
for name in ("WAYLAND_DISPLAY", "QT_STYLE_OVERRIDE", "QT_SCALE_FACTOR", "QT_QPA_PLATFORMTHEME"):
    os.environ.pop(name, None)
# Containers often forbid bytecode. Each process that the tests start would then compile the whole package, and each
# worker would rewrite all assertions.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import hypothesis  # noqa: E402
import psutil  # noqa: E402
import pytest  # noqa: E402

from workbench import events  # noqa: E402
from workbench.paths import OVERRIDE, Paths, paths_of  # noqa: E402

if TYPE_CHECKING:
    import qasync

    from workbench.core import Core

# Hypothesis must not fail on a busy machine: no deadline per example, and no check for slow generation. Function-scoped
# fixtures are shared on purpose where examples need no fresh ones. Examples are derandomized, so the same sources give
# the same result twice; SEARCH enables random examples.
SEARCH = "MCP_WORKBENCH_TEST_SEARCH"
_CHECKS = (hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture)
hypothesis.settings.register_profile(
    "steady", deadline=None, derandomize=SEARCH not in os.environ, suppress_health_check=_CHECKS
)
hypothesis.settings.load_profile("steady")

WALL = 0x4000_0000  # Linux: also child processes that were cloned without an exit signal
LONG = {"house", "flows"}  # folders with single files that run for a minute
GRACE = 30.0  # seconds that ending threads and processes may take; only a leak takes all of them
HANG_MS = 60_000  # milliseconds after which a test is considered hung
_probe_anew: list[bool] = []  # not empty while a test uses the fixture `fresh_probe`
_left_tasks: list[str] = []  # tasks that had to be cancelled when the test's event loop was closed


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Freeze the collected tests for the garbage collector. Each collection among 10,000 tests takes half a second."""
    _begin_elsewhere(session.config)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _begin_elsewhere(config: pytest.Config) -> None:
    """Each worker starts with a different folder, because workers that import the folders in the same order compile all
    of them at the same time.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args != config.getini("testpaths"):
        return
    home = Path(__file__).parent
    rooms = sorted(str(path) for path in (*home.glob("[a-z]*/"), *home.glob("test_*.py")))
    files = sorted(home.rglob("test_*.py"))
    mine = files[len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]]
    first = rooms.index(str(home / mine.relative_to(home).parts[0]))
    config.args = rooms[first:] + rooms[:first]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Use the same order in each worker and start long tests first, so that no processor is idle at the end."""
    items.sort(key=lambda item: (LONG.isdisjoint(item.path.parts), item.path))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test marked `alone` in a process of its own, because it measures its process."""
    if ALONE in os.environ or pyfuncitem.get_closest_marker("alone") is None:
        return None
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-m",
        "",
        pyfuncitem.nodeid,
    ]
    world = {**os.environ, ALONE: "1"}
    done = subprocess.run(
        command, cwd=pyfuncitem.config.rootpath, env=world, capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode:
        pytest.fail(f"alone:\n{done.stdout[-12_000:]}\n{done.stderr[-4_000:]}", pytrace=False)
    return True


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Paths]:
    """A project and a private home folder. The socket paths are short enough for the kernel."""
    monkeypatch.setenv(OVERRIDE, str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    found = paths_of(tmp_path / "project")
    assert len(os.fsencode(found.user_socket)) <= 107
    yield found
    if not found.runtime.is_relative_to(tmp_path):
        shutil.rmtree(found.runtime.parent, ignore_errors=True)


@pytest.fixture
async def core(paths: Paths) -> AsyncIterator[Core]:
    """A real core in this process with a real demo server, sandbox and audit, and without agent endpoints."""
    from workbench.core import Core

    house = Core(paths)
    await house.open()
    try:
        yield house
    finally:
        await house.close()


@pytest.fixture(autouse=True, scope="session")
def _isolation_is_probed_once() -> Iterator[None]:
    """Remember successful sandbox probes, which take half of the time to open a core. The machine is the same for all
    tests.

    Failed probes are not remembered. A test that changes the result of a probe uses `fresh_probe`.
    """
    from workbench.sandbox import isolation_probe

    real, known = isolation_probe.strongest, {}

    async def remembered(wished: str, trial: Any) -> Any:
        if not inspect.ismethod(trial) or _probe_anew:
            return await real(wished, trial)
        if wished not in known:
            strength = await real(wished, trial)
            if strength.level == "none":
                return strength
            known[wished] = strength
        return known[wished]

    setattr(isolation_probe, "strongest", remembered)  # noqa: B010
    yield
    setattr(isolation_probe, "strongest", real)  # noqa: B010


@pytest.fixture
def fresh_probe() -> Iterator[None]:
    """Sandboxes of this test probe the machine themselves."""
    _probe_anew.append(True)
    yield
    _probe_anew.clear()


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Switch threads every 10 µs instead of every 5 ms, to expose race conditions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def loop(qapp: Any) -> Iterator[qasync.QEventLoop]:
    """Qt's event loop as asyncio's event loop: `spawn` works immediately, and `qtbot.waitUntil` runs the loop."""
    import qasync

    turning = qasync.QEventLoop(qapp, already_running=True)
    turning.set_default_executor(ThreadPoolExecutor())  # as in the window: no QThreads
    before = sys.get_asyncgen_hooks()
    # qasync does not set these two hooks; without them an abandoned async generator is never closed.
    sys.set_asyncgen_hooks(turning._asyncgen_firstiter_hook, turning._asyncgen_finalizer_hook)
    try:
        yield turning
        _left_tasks.extend(sorted(events.living()))
        _drain(turning)
    finally:
        sys.set_asyncgen_hooks(*before)
        # WORKAROUND(qasync's stop() calls QApplication.exit(), after which every QEventLoop.exec() returns at once,
        # until qasync can end a loop that it did not start): reset the flag here.
        setattr(turning, "_QEventLoop__is_running", False)  # noqa: B010
        turning.close()
        asyncio.events._set_running_loop(None)


@pytest.fixture
def qtbot(qtbot: Any) -> Any:
    """pytest-qt's `qtbot` with longer timeouts. They only prevent endless waiting: its default of five seconds can pass
    on a busy machine.
    """
    for name in ("waitUntil", "waitSignal", "waitSignals"):
        setattr(qtbot, name, functools.partial(getattr(qtbot, name), timeout=HANG_MS))
    return qtbot


@pytest.fixture
def complete(loop: qasync.QEventLoop) -> Callable[..., Any]:
    """A function that runs a coroutine to its end on Qt's loop and returns its result."""

    def run(coro: Coroutine[Any, Any, Any], seconds: float = 60.0) -> Any:
        task = loop.create_task(coro)
        _turn_until(task.done, seconds)
        if not task.done():
            task.cancel()
            _turn_until(task.done, GRACE)
            pytest.fail(f"the coroutine did not end within {seconds} s")
        return task.result()

    return run


@pytest.fixture(autouse=True, scope="module")
def _qt_objects_end_here(request: pytest.FixtureRequest) -> Iterator[None]:
    """Delete closed windows on Qt's thread, and take what is left of them out of Python's garbage collection.

    A collection on a thread of a later test would crash, and so did, in one of several runs, a collection here.
    """
    yield
    if {"gui", "flows"} & set(request.path.parts):
        if "PySide6.QtWidgets" in sys.modules:
            from PySide6.QtCore import QCoreApplication, QEvent

            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_left_running() -> Iterator[None]:
    """Check for leaks after all fixtures of the test are torn down. It is set up before them for that reason."""
    threads, children = set(threading.enumerate()), set(_children())
    _left_tasks.clear()
    yield
    left = [f"task {name}" for name in _left_tasks]
    left += _named(lambda: [f"thread {t.name}" for t in threading.enumerate() if t not in threads and _ours(t)])
    left += _named(lambda: [_describe(child) for child in _children() if child not in children])
    for child in set(_children()) - children:
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()
            child.wait(GRACE)
    assert not left, "left running: " + "; ".join(left)


@pytest.fixture(autouse=True, scope="session")
def _no_orphans() -> Iterator[None]:
    """Check for processes that outlived their parent. They are identified by the session's environment variable."""
    yield
    left = _named(lambda: [_describe(process) for process in psutil.process_iter() if _marked(process)])
    assert not left, "left behind by the tests: " + "; ".join(left)


def _cancel_and_remember(loop: asyncio.AbstractEventLoop) -> None:
    """Record the tasks that are left when a loop closes. asyncio cancels them, which would hide a leak."""
    _left_tasks.extend(sorted(events.living()))
    _cancel_all_tasks(loop)


_cancel_all_tasks: Callable[[asyncio.AbstractEventLoop], None] = getattr(asyncio.runners, "_cancel_all_tasks")  # noqa: B009
setattr(asyncio.runners, "_cancel_all_tasks", _cancel_and_remember)  # noqa: B010


def _drain(loop: qasync.QEventLoop) -> None:
    left = [task for task in asyncio.all_tasks(loop) if not task.done()]
    for task in left:
        task.cancel()
    _turn_until(lambda: all(task.done() for task in left), GRACE)
    closing = loop.create_task(loop.shutdown_asyncgens())
    _turn_until(closing.done, GRACE)


def _turn_until(done: Callable[[], bool], seconds: float) -> None:
    from PySide6.QtCore import QCoreApplication

    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        QCoreApplication.processEvents()
        time.sleep(0.002)


def _children() -> list[psutil.Process]:
    """The child processes. The kernel is asked first whether there are any, because listing them reads all of /proc."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT | WALL)  # WNOWAIT: the child is not reaped
    except ChildProcessError:
        return []
    return [child for child in psutil.Process().children(recursive=True) if _lives(child)]


def _lives(process: psutil.Process) -> bool:
    """Whether the process is running. Zombies do not count, and a listed process may have ended meanwhile."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _marked(process: psutil.Process) -> bool:
    try:
        return process.pid != os.getpid() and process.environ().get(MARK) == os.environ[MARK]
    except (psutil.Error, OSError):
        return False  # a process of another user, or one that has ended


def _ours(thread: threading.Thread) -> bool:
    """Whether the thread is ours. Qt's own threads appear as dummy threads after they have run Python code."""
    return not isinstance(thread, threading._DummyThread)


def _describe(process: psutil.Process) -> str:
    try:
        return f"process {process.pid} {process.name()} {' '.join(process.cmdline())[:200]}"
    except psutil.Error:
        return ""


def _named(look: Callable[[], list[str]]) -> list[str]:
    """Repeat the check for some time, because what is just ending is not a leak."""
    end = time.monotonic() + GRACE
    while (found := [name for name in look() if name]) and time.monotonic() < end:
        time.sleep(0.02)
    return found
