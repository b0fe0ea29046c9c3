"""What every test stands on: no screen, a private home, and a check that nothing is left running afterwards.

A test that leaves a task, a thread or a child process behind fails right here,
and not three tests later.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any

PLATFORM = "MCP_WORKBENCH_TEST_PLATFORM"  # the Qt platform to test on: offscreen, or xcb below Xvfb
ALONE = "MCP_WORKBENCH_TEST_ALONE"  # this process runs one test that measures the process it runs in
MARK = "MCP_WORKBENCH_TEST_SESSION"  # inherited by what the tests start, so that orphans can be told apart
os.environ["QT_QPA_PLATFORM"] = os.environ.get(PLATFORM, "offscreen")
os.environ[MARK] = f"{os.getpid()}-{time.time_ns()}"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"  # nobody's own keyring is touched
for name in ("WAYLAND_DISPLAY", "QT_STYLE_OVERRIDE", "QT_SCALE_FACTOR", "QT_QPA_PLATFORMTHEME"):
    os.environ.pop(name, None)
# Containers often forbid bytecode. Each process that the tests start would then compile the whole package once more,
# and each worker would rewrite all assertions.
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

# A busy machine is no fault: no example has a time of its own, and none is drawn too slowly. Fixtures are shared on
# purpose where examples need no fresh ones. The same tree gives the same verdict twice; SEARCH looks for new examples.
SEARCH = "MCP_WORKBENCH_TEST_SEARCH"
_CHECKS = (hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture)
hypothesis.settings.register_profile(
    "steady", deadline=None, derandomize=SEARCH not in os.environ, suppress_health_check=_CHECKS
)
hypothesis.settings.load_profile("steady")

WALL = 0x4000_0000  # Linux: children of every kind, also those that were cloned without a signal at their end
LONG = {"house", "flows"}  # the rooms whose files run for a minute without saying anything
GRACE = 30.0  # seconds that threads and processes which are already ending may take; only a leak takes them all
HANG_MS = 60_000  # milliseconds after which nothing comes any more
_probe_anew: list[bool] = []  # not empty while a test asks for probes of its own
_left_tasks: list[str] = []  # what the event loop of the test had to cancel when it was closed


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """What is collected stays to the end: looking for garbage among ten thousand tests takes half a second a time."""
    _begin_elsewhere(session.config)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _begin_elsewhere(config: pytest.Config) -> None:
    """Workers that read the rooms in the same order would each compile all of them; so each begins with another."""
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
    """The same order in each worker, and what takes long alone first, so that no core waits for it at the end."""
    items.sort(key=lambda item: (LONG.isdisjoint(item.path.parts), item.path))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """What is marked `alone` measures its process: it gets one of its own, without what other tests left in this."""
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
    """A project and a private home of its own; its socket paths are short enough for the kernel."""
    monkeypatch.setenv(OVERRIDE, str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    found = paths_of(tmp_path / "project")
    assert len(os.fsencode(found.person_socket)) <= 107
    yield found
    if not found.runtime.is_relative_to(tmp_path):
        shutil.rmtree(found.runtime.parent, ignore_errors=True)


@pytest.fixture
async def core(paths: Paths) -> AsyncIterator[Core]:
    """A real core in this process: real demo server, real sandbox, real audit; only the doors are left out."""
    from workbench.core import Core

    house = Core(paths)
    await house.open()
    try:
        yield house
    finally:
        await house.close()


@pytest.fixture(autouse=True, scope="session")
def _isolation_is_probed_once() -> Iterator[None]:
    """A core that opens tries out the sandbox, half of what opening costs: the machine is the same for all tests.

    Failed probes are not remembered. A test that changes what a probe finds asks for `fresh_probe`.
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
    """The sandboxes of this test try out the machine themselves."""
    _probe_anew.append(True)
    yield
    _probe_anew.clear()


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Threads take turns every 10 µs instead of every 5 ms, so that a race shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def loop(qapp: Any) -> Iterator[qasync.QEventLoop]:
    """Qt's own loop, running as asyncio's: `spawn` works at once, and `qtbot.waitUntil` lets it turn."""
    import qasync

    turning = qasync.QEventLoop(qapp, already_running=True)
    before = sys.get_asyncgen_hooks()
    # qasync leaves out these two; without them an abandoned async generator is never closed.
    sys.set_asyncgen_hooks(turning._asyncgen_firstiter_hook, turning._asyncgen_finalizer_hook)
    try:
        yield turning
        _left_tasks.extend(sorted(events.living()))
        _drain(turning)
    finally:
        sys.set_asyncgen_hooks(*before)
        # WORKAROUND(qasync's stop() calls QApplication.exit(), after which every QEventLoop.exec() returns at once,
        # until qasync can end a loop that it did not start): take the flag down by hand.
        setattr(turning, "_QEventLoop__is_running", False)  # noqa: B010
        turning.close()
        asyncio.events._set_running_loop(None)


@pytest.fixture
def qtbot(qtbot: Any) -> Any:
    """Its waits are guards against waiting for ever: five seconds, which is its own word, pass on a busy machine."""
    for name in ("waitUntil", "waitSignal", "waitSignals"):
        setattr(qtbot, name, functools.partial(getattr(qtbot, name), timeout=HANG_MS))
    return qtbot


@pytest.fixture
def complete(loop: qasync.QEventLoop) -> Callable[..., Any]:
    """Run a coroutine to its end on Qt's loop and give back what it returned."""

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
    """What only cycles hold of a window is collected on Qt's thread: a thread of a later test would crash doing it."""
    yield
    if {"gui", "flows"} & set(request.path.parts):
        gc.collect()
        gc.freeze()  # what lives on are modules and caches: the next collection need not look at them again


@pytest.fixture(autouse=True)
def _nothing_left_running() -> Iterator[None]:
    """Set up before a test's own fixtures, so it looks when they are all gone again."""
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
    """A process that outlived its parent is nobody's child any more; it still carries the mark of this session."""
    yield
    left = _named(lambda: [_describe(process) for process in psutil.process_iter() if _marked(process)])
    assert not left, "left behind by the tests: " + "; ".join(left)


def _cancel_and_remember(loop: asyncio.AbstractEventLoop) -> None:
    """asyncio cancels what is left when a loop closes; a test that relies on it is hiding a leak."""
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
    """Listing them reads all of /proc, so the kernel is asked first whether there are any."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT | WALL)  # buries nobody
    except ChildProcessError:
        return []
    return [child for child in psutil.Process().children(recursive=True) if _lives(child)]


def _lives(process: psutil.Process) -> bool:
    """A zombie only waits to be counted; and what was just listed may be gone."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _marked(process: psutil.Process) -> bool:
    try:
        return process.pid != os.getpid() and process.environ().get(MARK) == os.environ[MARK]
    except (psutil.Error, OSError):
        return False  # another user's process, or gone meanwhile


def _ours(thread: threading.Thread) -> bool:
    """Qt's own threads show as dummies once Python code ran in them; they belong to Qt."""
    return not isinstance(thread, threading._DummyThread)


def _describe(process: psutil.Process) -> str:
    try:
        return f"process {process.pid} {process.name()} {' '.join(process.cmdline())[:200]}"
    except psutil.Error:
        return ""


def _named(look: Callable[[], list[str]]) -> list[str]:
    """Look again for a while: what is just ending is no leak."""
    end = time.monotonic() + GRACE
    while (found := [name for name in look() if name]) and time.monotonic() < end:
        time.sleep(0.02)
    return found
