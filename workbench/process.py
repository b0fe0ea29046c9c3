"""Runs the core as a process: folders, lock, sockets, signals, log and exit. `workbench.core` holds the services.

`python -m workbench core --project DIR` stays in the foreground. With `--detached`, the core continues in a child
process, and the command exits as soon as the core listens. Clients start the core with `--detached`, so the core
outlives the client that started it. `--agent` says that an agent started the core, so modules that agents need are
loaded first.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Protocol

from workbench.api.core_launcher import ANOTHER_RUNS
from workbench.api.core_lock import AnotherCoreRuns, CoreLock, listen_private, make_private
from workbench.api.frames import READ_AHEAD
from workbench.api.peer_credentials import PeerProcess, client_at
from workbench.api.registry import Registry
from workbench.api.server import ApiServer
from workbench.errors import WorkbenchError
from workbench.events import Bus, CoreStopping, spawn
from workbench.gc_pause import pause_gc
from workbench.paths import Paths, default_project, paths_of
from workbench.settings import Settings
from workbench.tokens import take_vocabulary

log = logging.getLogger(__name__)

USAGE = "usage: python -m workbench core --project DIR [--detached] [--agent]"
FLAGS = ("--detached", "--agent")
NICE = 5  # lower priority than the window, so that the window stays responsive
LOG_BYTES = 1_000_000
AGENT_LINE = 64 * 1024 * 1024  # bytes of the longest message an agent may send
DISMISS_SECONDS = 5.0  # how long agent connections may take to close
CLOSE_SECONDS = 10.0  # how long the services may take to close before the process exits anyway
EXIT_SECONDS = 3.0  # how long threads may continue after the services closed
END_SECONDS = DISMISS_SECONDS + CLOSE_SECONDS + EXIT_SECONDS  # from the request to stop to the end of the process
HOOK_CLIENTS = 200  # clients of hook programs that are remembered
CHECK_SECONDS = 0.25  # interval between checks for connected clients
FIRST_DOOR_SECONDS = 15.0  # how long a new core waits for its first client to connect
SETTLED = 10.0  # seconds after which loaded modules are moved out of the garbage collector's reach
GENERATIONS = 20  # depth to which orphaned child processes are killed
SUBREAPER = 36  # prctl(PR_SET_CHILD_SUBREAPER)


class RunningCore(Protocol):
    """Interface of `workbench.core.Core` that this module uses."""

    @property
    def settings(self) -> Settings: ...

    @property
    def bus(self) -> Bus: ...

    @property
    def methods(self) -> Registry: ...

    @property
    def busy(self) -> bool: ...

    async def open(self) -> None: ...

    async def serve_agent(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None: ...

    async def serve_hook(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None: ...

    async def close(self) -> None: ...


MakeCore = Callable[[Paths, Callable[[], None]], RunningCore]
Report = Callable[[int, str], None]  # exit code and message; 0 once the core listens
EndWithin = Callable[[float], None]


def main(arguments: list[str]) -> int:
    """Entry point of the hidden command `core`."""
    rest = [argument for argument in arguments if argument not in FLAGS]
    if len(rest) != 2 or rest[0] not in ("--project", "--bench"):  # the second by a window of version 0.1
        print(USAGE, file=sys.stderr)
        return 2
    paths = paths_of(Path(rest[1]))
    try:
        prepare(paths)
    except WorkbenchError as fault:
        _report_to_stderr(1, f"{fault.message}\n{fault.hint}")
        return 1
    make_core = partial(new_core, agent_comes="--agent" in arguments)
    if "--detached" in arguments:
        return _detach(paths, make_core)
    return _own_process(paths, make_core, _report_to_stderr)


def run_core(
    paths: Paths, make_core: MakeCore | None = None, report: Report | None = None, end_within: EndWithin | None = None
) -> int:
    """Take the lock, open the core, and serve until no client needs the core. Returns the exit code.

    `end_within(seconds)` must end the process after that time, even if threads still run.
    """
    report = report or _report_to_stderr
    try:
        prepare(paths)
        lock = CoreLock(paths.lock)
    except AnotherCoreRuns as fault:
        report(ANOTHER_RUNS, f"{fault.message}\n{fault.hint}")
        return ANOTHER_RUNS
    except WorkbenchError as fault:
        report(1, f"{fault.message}\n{fault.hint}")
        return 1
    try:
        asyncio.run(_Serving(paths, make_core or new_core, report, end_within or (lambda seconds: None)).run())
    except WorkbenchError as fault:
        log.error("the core cannot continue: %s", fault)
        report(1, f"{fault.message}\n{fault.hint}")
        return 1
    except Exception as fault:
        log.exception("the core failed")
        report(1, f"The core failed: {type(fault).__name__}: {fault}.\nIts log: {paths.core_log}")
        return 1
    finally:
        lock.free()
    return 0


def prepare(paths: Paths) -> None:
    """Create the folders that a core needs. Raises WorkbenchError with the reason if that fails."""
    if paths.project == default_project().resolve():
        _make(paths.project, 0o755)
    if not paths.project.is_dir():
        raise WorkbenchError(
            f"There is no folder {paths.project}.", "Name an existing folder, or none for your own project."
        )
    try:
        tempfile.TemporaryFile(dir=paths.project).close()
    except OSError as fault:
        raise WorkbenchError(
            f"The project {paths.project} cannot be written: {fault.strerror}.",
            "Choose a folder of your own, or change its permissions.",
        ) from fault
    for folder in (paths.state, paths.cache):
        _make(folder, 0o700)
    make_private(paths.runtime)


class _Serving:
    """Lifetime of one core: opens the core, serves clients and agents, closes the core."""

    def __init__(self, paths: Paths, make_core: MakeCore, report: Report, end_within: EndWithin) -> None:
        self._paths = paths
        self._make_core = make_core
        self._report = report
        self._end_within = end_within
        self._stop = asyncio.Event()
        self._opening: asyncio.Task[None] | None = None
        self._agents: set[asyncio.Task[None]] = set()
        self._clients: dict[int, PeerProcess] = {}  # the client process of each agent connection
        self._hook_clients: dict[PeerProcess, None] = {}  # the clients that started hook programs, newest last
        self._had_client = False
        self._last_activity = 0.0

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._request_stop)
            # a Python-level handler runs even while the event loop is busy
            signal.signal(number, lambda *_: self._end_within(END_SECONDS))
        self._core = self._make_core(self._paths, self._request_stop)
        try:
            if await self._open():
                # modules are never freed, and each collection spent 40 ms on walking them
                loop.call_later(SETTLED, gc.freeze)
                await self._serve()
        finally:
            await self._close_core()
            self._end_within(EXIT_SECONDS)

    def _request_stop(self) -> None:
        self._end_within(END_SECONDS)
        self._stop.set()
        if self._opening is not None:
            self._opening.cancel()

    async def _open(self) -> bool:
        """Open the services. Returns False if the core was asked to stop meanwhile."""
        self._opening = asyncio.current_task()
        try:
            await self._core.open()
        except asyncio.CancelledError:
            if not self._stop.is_set():
                raise
            log.info("the core was asked to stop while it opened")
            self._report(1, "The core was asked to stop before it was open.")
        finally:
            self._opening = None
        return not self._stop.is_set()

    async def _serve(self) -> None:
        project = str(self._paths.project)
        self._server = ApiServer(self._core.methods, self._core.bus, project, agent_clients=self._agent_clients)
        listeners: list[asyncio.Server] = []
        try:
            person, agent = listen_private(self._paths.user_socket), listen_private(self._paths.agent_socket)
            listeners.append(await _listen(self._admit_client, person, READ_AHEAD))
            listeners.append(await _listen(self._admit_agent, agent, AGENT_LINE))
            listeners.append(await _listen(self._admit_hook, listen_private(self._paths.hook_socket), AGENT_LINE))
            log.info("the core listens for %s", self._paths.project)
            self._report(0, "")
            await self._wait_until_unneeded()
        finally:
            for listener in listeners:
                listener.close()
            for path in (self._paths.user_socket, self._paths.agent_socket, self._paths.hook_socket):
                path.unlink(missing_ok=True)
            if self._stop.is_set():
                self._core.bus.tell(CoreStopping("The core was asked to stop."))
            await self._server.close()
            await self._disconnect_agents()

    async def _wait_until_unneeded(self) -> None:
        """Wait for a request to stop, or until no client has been connected for `core_linger_seconds`."""
        loop = asyncio.get_running_loop()
        self._last_activity = loop.time()
        while not self._stop.is_set():
            linger = float(self._core.settings.core_linger_seconds)
            patience = linger if self._had_client else max(linger, FIRST_DOOR_SECONDS)
            if self._server.connections or self._agents or self._core.busy:
                self._note_activity()
            elif loop.time() - self._last_activity >= patience:
                log.info("no client or agent is connected any more")
                return
            try:
                async with asyncio.timeout(CHECK_SECONDS):
                    await self._stop.wait()
            except TimeoutError:
                continue

    def _note_activity(self) -> None:
        self._had_client, self._last_activity = True, asyncio.get_running_loop().time()

    def _admit_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._note_activity()
        self._server.admit(reader, writer)

    def _admit_agent(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._note_activity()
        task = spawn("agent", self._serve_agent(reader, writer))
        self._agents.add(task)
        task.add_done_callback(self._agents.discard)

    def _admit_hook(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a hook program. It keeps the core running only while it waits for its answer."""
        task = spawn("hook", self._serve_hook(reader, writer))
        self._agents.add(task)
        task.add_done_callback(self._agents.discard)

    async def _serve_hook(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (client := client_at(writer.get_extra_info("socket"))) is not None:
            self._hook_clients.pop(client, None)
            self._hook_clients[client] = None
            for old in list(self._hook_clients)[:-HOOK_CLIENTS]:
                del self._hook_clients[old]
        await self._core.serve_hook(reader, writer)

    def _agent_clients(self) -> tuple[PeerProcess, ...]:
        """Processes that must not answer for the user, nor what they start: clients of agents and of hooks."""
        return (*self._clients.values(), *self._hook_clients)

    async def _serve_agent(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end = writer.get_extra_info("socket")
        if (client := client_at(end)) is not None:
            self._clients[id(end)] = client
        try:
            await self._core.serve_agent(reader, writer)
        finally:
            self._clients.pop(id(end), None)
            writer.close()
            self._note_activity()

    async def _disconnect_agents(self) -> None:
        for task in tuple(self._agents):
            task.cancel()
        if self._agents:
            await asyncio.wait(self._agents, timeout=DISMISS_SECONDS)

    async def _close_core(self) -> None:
        """Close the services within `CLOSE_SECONDS`.

        Processes left by a service that fails to close are killed later.
        """
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._core.close()
        except Exception:
            log.exception("the services did not close cleanly")
        else:
            log.info("the core is closed")


async def _listen(
    admit: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None], listener: socket.socket, limit: int
) -> asyncio.Server:
    return await asyncio.start_unix_server(admit, sock=listener, limit=limit)


def new_core(paths: Paths, on_shut_down: Callable[[], None], *, agent_comes: bool = False) -> RunningCore:
    """Create the core.

    `workbench.core` is imported here, because the lock must be taken and the folders checked before large modules are
    loaded. The sandbox launcher, a separate process, starts while they load.
    """
    from workbench.sandbox.process.launcher_client import LauncherPool

    launchers = LauncherPool()
    launchers.begin()
    with pause_gc():  # imports create what stays: 30 of 205 ms were collections, 5 % of a cold start
        from workbench.core import Core

        take_vocabulary()  # the o200k vocabulary counts several times faster than the estimator
    return Core(paths, on_shut_down, agent_comes=agent_comes, launchers=launchers)


def _detach(paths: Paths, make_core: MakeCore) -> int:
    """Continue in a forked child. This process exits with the code that the child reports."""
    ours, theirs = os.pipe()
    sys.stderr.flush()
    if os.fork():
        os.close(theirs)
        with os.fdopen(ours, encoding="utf-8") as pipe:
            code, _, message = pipe.read().partition("\n")
        if message.strip():
            print(message, file=sys.stderr)
        return int(code) if code else 1
    os.close(ours)
    _redirect(paths.core_log)
    os.chdir(paths.project)
    return _own_process(paths, make_core, _PipeReport(theirs))


def _own_process(paths: Paths, make_core: MakeCore, report: Report) -> int:
    """Run the core as a process of its own: set priority and log, and kill remaining child processes at the end."""
    os.nice(NICE)
    _log_to(paths.core_log)
    _adopt_orphans()
    code = run_core(paths, make_core, report, _end_process_within)
    _end_descendants()
    return code


def _end_process_within(seconds: float) -> None:
    """Start a daemon thread that ends the process after this time.

    Threads cannot be cancelled, and Python waits for all of them at exit, so a hanging thread would keep the core
    alive.
    """

    def end() -> None:
        time.sleep(seconds)
        log.error("the core did not end within %.0f s and is killed now", seconds)
        _end_descendants()
        os._exit(1)

    threading.Thread(target=end, name="end", daemon=True).start()


def _report_to_stderr(code: int, message: str) -> None:
    if message:
        print(message.strip(), file=sys.stderr, flush=True)


class _PipeReport:
    """Writes the first report to a pipe for the process that started the core. Ignores later reports."""

    def __init__(self, pipe: int) -> None:
        self._pipe: int | None = pipe

    def __call__(self, code: int, message: str) -> None:
        pipe, self._pipe = self._pipe, None
        if pipe is None:
            return
        try:
            os.write(pipe, f"{code}\n{message}".encode())
        except OSError as fault:
            log.info("the process that started the core has ended: %s", fault)
        finally:
            os.close(pipe)


def _redirect(path: Path) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    for source, descriptor in ((nothing, 0), (target, 1), (target, 2)):
        os.dup2(source, descriptor)
    os.close(nothing)
    os.close(target)


def _log_to(path: Path) -> None:
    """Log our own messages from INFO, those of libraries from WARNING: library logs may contain personal data."""
    kept = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8")
    kept.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[kept])
    logging.getLogger("workbench").setLevel(logging.INFO)


def _adopt_orphans() -> None:
    """Make this process a subreaper, so that it adopts (and can kill) background processes of servers that exit."""
    if sys.platform == "linux" and ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0) != 0:
        log.warning("background processes of servers cannot be adopted")


def _end_descendants() -> None:
    """Kill all remaining child processes. Children of a killed process are adopted and killed in the next round."""
    for _ in range(GENERATIONS):
        children = _children()
        for pid in children:
            log.warning("process %d was left running and is killed", pid)
            os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        if not children:
            return


def _children() -> list[int]:
    found = Path("/proc/self/task").glob("*/children")
    return [int(pid) for listing in found for pid in listing.read_text().split()]


def _make(folder: Path, mode: int) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if mode == 0o700:
            folder.chmod(mode)
    except OSError as fault:
        raise WorkbenchError(
            f"The folder {folder} cannot be created: {fault.strerror}.", "Check its permissions."
        ) from fault
