"""Starts launcher processes and requests locked children from them.

One launcher serves most programs. Each set of preloaded modules has a launcher of its own: a launcher that imported
pandas is large and slow to start, and so are its children, so only programs that need pandas should use it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.sandbox.channel.channel import Channel, RawOutput
from workbench.sandbox.child_profile import ENVIRONMENT, ChildProfile, base_python
from workbench.sandbox.locked_child import ChildExit, SandboxChild

log = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[3]
_START = (
    "import sys; sys.path.insert(0, {root!r}); from workbench.sandbox.process.launcher import main; main({descriptor})"
)
_TIMEOUT = 20.0  # seconds within which a launcher must be ready, or have ended
_STUCK_AFTER = 30.0  # seconds after which a launcher that has not reported the end of a killed child is replaced
_TRIES = 4  # attempts to make one child when launchers are killed from outside
_MESSAGE = 1 << 16
_LAST_WORDS = 4000  # bytes of a runtime's error output that are stored


class LauncherClient:
    """One launcher process and its children.

    A launcher that dies takes its children along; the next child starts a new one.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._ready: asyncio.Future[None] | None = None
        self._children: dict[int, SandboxChild] = {}
        self._last = 0
        self._starting = asyncio.Lock()

    @property
    def launcher(self) -> int:
        """Process ID of the launcher; 0 if none runs."""
        return self._process.pid if self._process is not None else 0

    def begin(self) -> None:
        """Start the launcher ahead of the first child, which waits until it is ready."""
        if self._process is None:
            self._start()

    async def make(self, profile: ChildProfile) -> SandboxChild:
        """Request a child. Its channel reports when it is ready. A launcher that dies meanwhile is replaced."""
        for _ in range(_TRIES):
            with contextlib.suppress(ConnectionError):
                await self._launcher_ready()
                self._last += 1
                return await self._create_child(self._last, profile)
        raise WorkbenchError(
            "The sandbox's launcher ended each time it was started.",
            "Run `mcp-workbench doctor` to see what is missing.",
        )

    def kill(self, child: SandboxChild) -> None:
        if child.gone.done() or _kill_by_pidfd(child.handle) or self._socket is None:
            return
        with contextlib.suppress(OSError):
            self._socket.send(json.dumps({"do": "kill", "child": child.number}).encode())

    async def finish(self, child: SandboxChild) -> ChildExit:
        """Kill a child and wait for its end.

        A launcher that was stopped (SIGSTOP) cannot report the end, so it is killed with its children.
        """
        child.channel.close()
        deadline = time.monotonic() + _STUCK_AFTER
        while not child.gone.done():
            self.kill(child)
            await asyncio.wait([child.gone], timeout=0.5)
            if not child.gone.done() and (self._is_stopped() or time.monotonic() > deadline):
                log.warning("the sandbox's launcher does not answer and is replaced")
                self._drop_launcher()
        for transport in child.transports:
            transport.close()
        await child.channel.closed()
        return child.gone.result()

    async def close(self) -> None:
        """End all children and the launcher."""
        if self._socket is None or self._process is None:
            return
        process = self._process
        waiting = [child.gone for child in self._children.values()]
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        for _ in range(int(_TIMEOUT / 0.01)):
            if process.poll() is not None:
                break
            await asyncio.sleep(0.01)
        else:
            process.kill()
            process.wait()
        self._drop_launcher()
        if waiting:
            await asyncio.wait(waiting)

    async def _launcher_ready(self) -> None:
        async with self._starting:
            if self._process is not None and (self._process.poll() is not None or self._is_stopped()):
                self._drop_launcher()
            if self._process is None:
                self._start()
        assert self._ready is not None
        done, _ = await asyncio.wait([self._ready], timeout=_TIMEOUT)
        if not done:
            raise WorkbenchError(
                "The sandbox's launcher did not start.", "Restart the workbench; its log has the reason."
            )
        if self._socket is None:
            raise ConnectionError("the launcher died while it started")

    def _is_stopped(self) -> bool:
        """Whether the launcher was stopped, for example by SIGSTOP, so that it would never answer."""
        try:
            words = Path(f"/proc/{self.launcher}/stat").read_bytes()
        except OSError:
            return False
        return words.rpartition(b")")[2].split()[:1] in ([b"T"], [b"t"])

    def _start(self) -> None:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            words = _START.format(root=str(_ROOT), descriptor=theirs.fileno())
            self._process = subprocess.Popen(
                [base_python(), "-I", "-S", "-c", words],
                pass_fds=[theirs.fileno()],
                env=ENVIRONMENT,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        ours.setblocking(False)
        self._socket = ours
        self._ready = loop.create_future()
        loop.add_reader(ours, self._read_message)

    def _read_message(self) -> None:
        assert self._socket is not None
        descriptors: list[int] = []
        try:
            data, descriptors, _, _ = socket.recv_fds(self._socket, _MESSAGE, 1)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop_launcher()
            return
        news = json.loads(data)
        if "ready" in news:
            assert self._ready is not None
            self._ready.set_result(None)
        elif "process" in news:
            self._child_started(news["child"], news["process"], *descriptors)
        else:
            self._child_ended(news.pop("child"), ChildExit(**news))

    def _child_started(self, number: int, process: int, handle: int = -1) -> None:
        child = self._children.get(number)
        if child is not None:
            child.process, child.handle = process, handle
        elif handle >= 0:
            os.close(handle)

    def _child_ended(self, number: int, gone: ChildExit) -> None:
        child = self._children.pop(number, None)
        if child is not None:
            handle, child.handle = child.handle, -1
            if handle >= 0:
                os.close(handle)
            child.gone.set_result(gone)

    def _drop_launcher(self) -> None:
        """Discard a dead or unresponsive launcher. Its children die with it."""
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._ready is not None and not self._ready.done():
            self._ready.set_result(None)
        for child in tuple(self._children.values()):
            child.channel.end("lost", "The sandbox's launcher was ended from outside; the program died with it.")
            self._child_ended(child.number, ChildExit(lost=True))

    async def _create_child(self, number: int, profile: ChildProfile) -> SandboxChild:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        try:
            order = {"do": "open", "child": number, "profile": profile.as_json()}
            await self._send_order(order, [theirs.fileno(), writing])
        except BaseException:
            ours.close()
            os.close(reading)
            raise
        finally:
            theirs.close()
            os.close(writing)
        child = SandboxChild(number, profile, Channel(), loop.create_future(), loop.create_future())
        self._children[number] = child
        try:
            raw = RawOutput(reading, _output_handler(child), child.silent)
            child.take_rest = raw.take
            child.transports = [raw]
            child.transports.append((await loop.create_connection(lambda: child.channel, sock=ours))[0])
        except BaseException:
            await asyncio.shield(self.finish(child))
            raise
        return child

    async def _send_order(self, order: dict[str, Any], descriptors: list[int]) -> None:  # Any: JSON
        data = json.dumps(order).encode()
        while self._socket is not None:
            try:
                socket.send_fds(self._socket, [data], descriptors)
            except BlockingIOError:
                await asyncio.sleep(0.005)
            except OSError:  # the launcher was killed, and its end was not noticed yet
                self._drop_launcher()
            else:
                return
        raise ConnectionError("the launcher died before it took the order")


def _output_handler(child: SandboxChild) -> Callable[[bytes], None]:
    """Handler of bytes that are written directly to descriptors 1 and 2.

    The program writes them, or its interpreter when it dies.
    """

    def remember(data: bytes) -> None:  # output of the runtime, not of the program; may be long if the runtime crashes
        child.last_words = (child.last_words + data)[:_LAST_WORDS]

    return remember if child.profile.runtime else child.channel.raw_output


def _kill_by_pidfd(handle: int) -> bool:
    """Kill a process at once, without the launcher. Returns False if that is not possible."""
    if handle < 0:
        return False
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return True


FORCED = "MCP_WORKBENCH_SANDBOX"  # native, bubblewrap or none: for tests and troubleshooting


class LauncherPool:
    """Maker of process children. Starts a further launcher when a child needs other preloaded modules."""

    def __init__(self) -> None:
        self._plain = LauncherClient()
        self._all: dict[tuple[object, ...], LauncherClient] = {(): self._plain}

    @property
    def launcher(self) -> int:
        """Process ID of the launcher without preloaded modules; 0 if none runs."""
        return self._plain.launcher

    def begin(self) -> None:
        """Start the launcher without preloaded modules while the core loads. Requires a running event loop."""
        if os.environ.get(FORCED) != "none":
            self._plain.begin()

    async def make(self, profile: ChildProfile) -> SandboxChild:
        return await self._all.setdefault(_launcher_key(profile), LauncherClient()).make(profile)

    def kill(self, child: SandboxChild) -> None:
        self._all[_launcher_key(child.profile)].kill(child)

    async def finish(self, child: SandboxChild) -> ChildExit:
        return await self._all[_launcher_key(child.profile)].finish(child)

    async def close(self) -> None:
        for client in self._all.values():
            await client.close()


def _launcher_key(profile: ChildProfile) -> tuple[object, ...]:
    """Key of the launcher for a profile.

    Only children of the native backend inherit imported modules from their launcher.
    """
    return (profile.preload, profile.packages) if profile.preload and profile.backend == "native" else ()
