"""Makes locked children that are containers, and removes each of them even when the core is killed."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.records import Level
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.child_profile import NOBODY, ChildProfile, base_python
from workbench.sandbox.container import cleanup_process
from workbench.sandbox.container.engine import (
    ENGINES,
    INSTALL,
    PATIENCE,
    EngineSettings,
    ask,
    client_environment,
    last_line,
    read_engine_settings,
)
from workbench.sandbox.container.host_multiplexer import HostMultiplexer
from workbench.sandbox.container.image_contents import source_hash
from workbench.sandbox.container.orphan_cleanup import own_folder, owner, sweep, sweep_folders
from workbench.sandbox.container.run_arguments import ENTRY, run_arguments, seccomp_profile
from workbench.sandbox.file_transfer.transfer_host import WORKSPACE_MB, TransferTarget
from workbench.sandbox.locked_child import ChildExit, SandboxChild


class FileOwnership:
    """Counts who uses a folder, so that it is taken back when the last one is gone. Other users need none of it."""

    def __init__(self) -> None:
        self._users: Counter[str] = Counter()

    def lend(self, folder: str) -> None:
        if os.getuid() == 0:
            self._users[folder] += 1
            _belongs_to(folder, NOBODY)

    def take_back(self, folder: str) -> None:
        if os.getuid() == 0 and self._users[folder]:
            self._users[folder] -= 1
            if not self._users[folder]:
                _belongs_to(folder, 0)


def _belongs_to(folder: str, user: int) -> None:
    """Follows no link; a file that is deleted meanwhile needs no owner."""
    with contextlib.suppress(FileNotFoundError):
        for _, folders, files, at in os.fwalk(folder, follow_symlinks=False):
            os.fchown(at, user, user)
            for name in (*folders, *files):
                with contextlib.suppress(FileNotFoundError):
                    os.chown(name, user, user, dir_fd=at, follow_symlinks=False)


_LOW = 10  # descriptors of ours are moved above those that the client gets


class EngineClient:
    """One attached client. `ended` is called once, with its exit code."""

    def __init__(self, command: Sequence[str], channel: socket.socket, output: int, *, descriptor: bool) -> None:
        moved = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, _LOW) for one in (channel.fileno(), output)]
        try:
            actions = _actions(moved[0], moved[1], descriptor=descriptor)
            self.pid = os.posix_spawn(
                command[0], list(command), client_environment(), file_actions=actions, setsid=True
            )
        finally:
            for one in moved:
                os.close(one)
        self._watch = os.pidfd_open(self.pid)
        self._over = False

    def watch(self, ended: Callable[[int], None]) -> None:
        """Call once a loop runs; the process is buried then."""
        loop = asyncio.get_running_loop()

        def gone() -> None:
            loop.remove_reader(self._watch)
            os.close(self._watch)
            self._over = True
            _, status = os.waitpid(self.pid, 0)
            ended(os.waitstatus_to_exitcode(status))

        loop.add_reader(self._watch, gone)

    def kill(self) -> None:
        """The client only: its container goes on, and has to be ended by its name."""
        if not self._over:
            signal.pidfd_send_signal(self._watch, signal.SIGKILL)


def _actions(channel: int, output: int, *, descriptor: bool) -> list[tuple[int, ...] | tuple[int, int, str, int, int]]:
    if not descriptor:
        return [(os.POSIX_SPAWN_DUP2, channel, 0), (os.POSIX_SPAWN_DUP2, channel, 1), _copy(output, 2)]
    nothing = (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)
    return [nothing, _copy(output, 1), _copy(output, 2), _copy(channel, 3)]


def _copy(source: int, target: int) -> tuple[int, int, int]:
    return (os.POSIX_SPAWN_DUP2, source, target)


log = logging.getLogger(__name__)

BUILD = "mcp-workbench sandbox build container"
_AGAIN = 0.5  # seconds between two tries to end a container
_STUBBORN = 10.0  # seconds after which its client is ended too
_WARM = 600.0  # seconds a container that nobody uses is kept ready
_REACHED = 60.0  # seconds for a container on another machine to be ready
_GIVEN_UP = 15.0  # seconds for another machine to answer
_KILLED = 137  # what a client says of a container that SIGKILL ended


@dataclass(frozen=True, slots=True)
class _Order:
    """A container that is to be made."""

    number: int
    name: str
    profile: ChildProfile
    command: list[str]


@dataclass(slots=True, eq=False)
class _Container:
    """What there is beside the cell."""

    cell: SandboxChild
    name: str
    client: EngineClient
    words: bytearray = field(default_factory=bytearray)  # what was printed before it was ready: the engine's complaint
    killed: bool = False
    removing: asyncio.Task[None] | None = None
    warm: asyncio.TimerHandle | None = None
    parting: HostMultiplexer | None = None  # where files are carried


class ContainerMaker:
    """All containers of one sandbox. `station` is tried instead of what was built, by who builds."""

    def __init__(self, images: Path, station: EngineSettings | None = None) -> None:
        self._images = images
        self._given = station
        self._station = station
        self._containers: dict[int, _Container] = {}
        self._last = 0
        self._owners = FileOwnership()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._guard: subprocess.Popen[str] | None = None
        self._swept = False

    async def look(self) -> Level:
        """No process is started where nothing was built."""
        self._station = self._given or read_engine_settings(self._images)
        station = self._station
        if station is None:
            return _absent()
        if self._given is None and station.source != await asyncio.to_thread(source_hash):
            words = "The container image was built for another version of the workbench."
            return Level("container", False, station.engine, words, f"Run `{BUILD}`.")
        try:
            command = station.command("image", "inspect", "--format", "{{.Id}}", station.image)
            await asyncio.to_thread(ask, command, _patience(station))
        except WorkbenchError as fault:
            return _unreachable(station, fault)
        if not self._swept:
            self._swept = True
            await asyncio.to_thread(sweep_folders)
            await asyncio.to_thread(sweep, station)
        return Level("container", True, _engine_of(station), described(station))

    async def make(self, profile: ChildProfile) -> SandboxChild:
        station = self._station
        if station is None:
            raise WorkbenchError("There is no container image.", f"Run `{BUILD}`.")
        if profile.ahead and profile.writable and os.getuid() == 0 and not station.remote:
            words = "As root a workspace is nobody's while a container has it, so none is kept ready."
            raise WorkbenchError(words, "Run the workbench as an ordinary user.")
        if station.remote and profile.kept:
            words = "A container on another machine keeps no state between programs."
            raise WorkbenchError(words, "Run the program without a state.")
        self._last = number = self._last + 1
        name = f"mcp-workbench-{os.getpid()}-{secrets.token_hex(6)}"
        self._tell_guard(station, f"+{name}")
        if profile.writable and not station.remote:
            await asyncio.to_thread(self._owners.lend, profile.workspace)
        command = run_arguments(station, profile, name, owner(), self._system_calls(station))
        order = _Order(number, name, profile, command)
        cell = await self._started(station, order)
        if station.remote or profile.kept:
            await self._reached(cell)
        if profile.kept:
            cell.process = await asyncio.to_thread(self._process_of, station, order.name)
        return cell

    def kill(self, cell: SandboxChild) -> None:
        container = self._containers.get(cell.number)
        if container is not None and container.removing is None:
            container.killed = True
            if cell.channel.reason == "lost":  # its engine will not answer either
                container.client.kill()
            container.removing = spawn(f"end container {container.name}", self._remove(container))

    async def finish(self, cell: SandboxChild) -> ChildExit:
        """Wait until its processes are gone; what the engine has to tidy up afterwards is waited for at the end."""
        cell.channel.close()
        if cell.files is not None:
            cell.files.close()
        if not cell.gone.done():
            self.kill(cell)
            await asyncio.wait([cell.gone])
        for transport in cell.transports:
            if isinstance(transport, asyncio.ReadTransport):
                transport.close()
        await cell.channel.closed()
        return cell.gone.result()

    async def close(self) -> None:
        containers = list(self._containers.values())
        for container in containers:
            await self.finish(container.cell)
        removing = [container.removing for container in containers if container.removing is not None]
        if removing:
            await asyncio.wait(removing)
        if self._guard is not None:
            assert self._guard.stdin is not None
            self._guard.stdin.close()
            await asyncio.to_thread(self._guard.wait)
            self._guard = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    async def _started(self, station: EngineSettings, order: _Order) -> SandboxChild:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        try:
            client = EngineClient(order.command, theirs, writing, descriptor=station.descriptor)
        except OSError as fault:
            ours.close()
            os.close(reading)
            await self._never_began(station, order)
            raise WorkbenchError(f"{station.engine} cannot be started: {fault.strerror}.", f"{INSTALL}.") from fault
        finally:
            theirs.close()
            os.close(writing)
        cell = SandboxChild(order.number, order.profile, _Attached(), loop.create_future(), loop.create_future())
        container = _Container(cell, order.name, client)
        if station.remote:
            container.parting = HostMultiplexer(order.profile, cell.channel, _engine_of(station), _far_end(station))
            cell.files = container.parting.courier
        ends = container.parting or cell.channel
        self._containers[cell.number] = container
        client.watch(lambda code: self._ended(container, code))
        container.warm = loop.call_later(_WARM, self._let_cool, container)
        try:
            channel, _ = await loop.create_connection(lambda: ends, sock=ours)
            raw, _ = await loop.connect_read_pipe(lambda: _Raw(container), os.fdopen(reading, "rb", 0))
            cell.transports = [channel, raw]
        except BaseException:
            await asyncio.shield(self.finish(cell))
            raise
        return cell

    async def _reached(self, cell: SandboxChild) -> None:
        """The way to another machine may be long."""
        try:
            await asyncio.wait([cell.channel.ready], timeout=_REACHED)
        except BaseException:
            await asyncio.shield(self.finish(cell))
            raise

    @staticmethod
    def _process_of(station: EngineSettings, name: str) -> int:
        """The first process of a container as this machine numbers it; 0 where it has none of it."""
        try:
            number = ask(station.command("container", "inspect", "--format", "{{.State.Pid}}", name))
            words = Path(f"/proc/{int(number)}/cmdline").read_bytes()
        except (WorkbenchError, OSError, ValueError):
            return 0
        return int(number) if ENTRY.encode() in words else 0  # else the engine counts in another world

    async def _never_began(self, station: EngineSettings, order: _Order) -> None:
        """Its engine could not even be asked: the workspace is the person's again, and there is nothing to guard."""
        if order.profile.writable and not station.remote:
            await asyncio.to_thread(self._owners.take_back, order.profile.workspace)
        self._tell_guard(station, f"-{order.name}")

    def _ended(self, container: _Container, code: int) -> None:
        """The client is gone, and with it what it was attached to."""
        cell = container.cell
        if container.warm is not None:
            container.warm.cancel()
        if container.removing is None:
            container.removing = spawn(f"remove container {container.name}", self._remove(container))
        if not cell.channel.ready.done():
            spawn("a container's last words", self._last_words(container))
        if container.parting is not None:
            spawn("the end of a container elsewhere", self._ended_elsewhere(container, container.parting, code))
            return
        spent = cell.profile.cpu_seconds if code == _KILLED and not container.killed else 0.0
        cell.gone.set_result(ChildExit(code, spent))

    async def _ended_elsewhere(self, container: _Container, parting: HostMultiplexer, code: int) -> None:
        """What it said last is still on its way from the client to us."""
        parting.let_through()
        await asyncio.wait([parting.closed], timeout=_GIVEN_UP)
        container.cell.gone.set_result(parting.last(code, killed=container.killed))

    async def _last_words(self, container: _Container) -> None:
        """When it never was ready, the engine said why, on the plain output."""
        await asyncio.wait([container.cell.silent], timeout=1.0)
        channel = container.cell.channel
        if not channel.ready.done():
            channel.ready.set_result({"kind": "broken", "message": last_line(bytes(container.words))})
            channel.connection_lost(None)

    async def _remove(self, container: _Container) -> None:
        """Until the engine has nothing of that name: it may be in the middle of making it."""
        station, cell = self._station, container.cell
        assert station is not None
        began = asyncio.get_running_loop().time()
        while True:
            await self._asked_to_go(station, container)
            if cell.gone.done():
                break
            if asyncio.get_running_loop().time() - began > _STUBBORN:
                container.client.kill()
            await asyncio.wait([cell.gone], timeout=_AGAIN)
        await self._forget(container, station)

    async def _forget(self, container: _Container, station: EngineSettings) -> None:
        if container.killed:  # it may have been made after the engine was asked to remove it
            await self._asked_to_go(station, container)
        profile = container.cell.profile
        if profile.writable and not station.remote:
            await asyncio.to_thread(self._owners.take_back, profile.workspace)
        self._tell_guard(station, f"-{container.name}")
        self._containers.pop(container.cell.number, None)

    async def _asked_to_go(self, station: EngineSettings, container: _Container) -> None:
        command = station.command("rm", "-f", "-v", container.name)
        try:
            await asyncio.to_thread(ask, command, _patience(station))
        except WorkbenchError as fault:  # it is gone, or in the middle of being made
            log.info("container %s was not removed: %s", container.name, fault.message)

    def _let_cool(self, container: _Container) -> None:
        if not container.cell.channel.begun:
            self.kill(container.cell)

    def _system_calls(self, station: EngineSettings) -> Path:
        if self._folder is None:
            self._folder = own_folder()
        file = Path(self._folder.name) / "system-calls.json"
        if not file.exists():
            file.write_text(json.dumps(seccomp_profile(parent=not station.descriptor, machine=station.machine)))
        return file

    def _tell_guard(self, station: EngineSettings, line: str) -> None:
        if self._guard is None:
            command = [base_python(), "-I", "-S", cleanup_process.__file__, *station.command()]
            self._guard = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=-3, stderr=-3, text=True, cwd="/",
                start_new_session=True, env=client_environment(),
            )  # fmt: skip
        assert self._guard.stdin is not None
        try:
            self._guard.stdin.write(f"{line}\n")
            self._guard.stdin.flush()
        except OSError as fault:
            raise WorkbenchError("The guard of the containers was ended from outside.", "Restart the core.") from fault


class _Attached(Channel):
    """A channel whose other end may never come to life; then the reason is in the engine's words, which come later."""

    def connection_lost(self, fault: Exception | None) -> None:
        if self.ready.done():
            super().connection_lost(fault)


class _Raw(asyncio.Protocol):
    """Bytes that a program writes past Python's streams, and what the engine complains about."""

    def __init__(self, container: _Container) -> None:
        self._container = container

    def data_received(self, data: bytes) -> None:
        cell = self._container.cell
        if not cell.channel.ready.done():
            self._container.words += data[: 4096 - len(self._container.words)]
        if self._container.parting is None:
            cell.channel.raw_output(data)
        else:  # where files are carried, what a program prints comes with them: these are the client's own words
            log.info("the client of %s said: %s", self._container.name, last_line(data))

    def connection_lost(self, fault: Exception | None) -> None:
        if not self._container.cell.silent.done():
            self._container.cell.silent.set_result(None)


def described(station: EngineSettings) -> str:
    """What it is, in a sentence or three."""
    facts = [station.engine, "rootless" if station.rootless else "with root's rights outside"]
    facts += [station.runtime] * bool(station.runtime)
    kept = "memory, processors and processes are limited by the kernel's groups"
    lost = "no groups of the kernel there, so the process's own limits hold alone"
    place = f" on another machine, {station.remote}" if station.remote else ""
    words = f"Containers{place} ({', '.join(facts)}), ready in about {station.starts_ms} ms"
    words = f"{words}; {kept if station.limits else lost}."
    if station.remote:
        words += (
            f" Programs and the project's files are carried there and back, {WORKSPACE_MB} MB of workspace at most."
        )
    return words


def _patience(station: EngineSettings) -> float:
    """A machine may be gone; an engine of this one is only slow."""
    return _GIVEN_UP if station.remote else PATIENCE


def _engine_of(station: EngineSettings) -> str:
    """In the question about a program, and in the audit, it says where the program goes."""
    return f"{station.engine} on {station.remote}" if station.remote else station.engine


def _far_end(station: EngineSettings) -> TransferTarget:
    return TransferTarget(
        f"the container on {station.remote}",
        "See whether that machine can be reached, and run the program again; `mcp-workbench sandbox status` asks it.",
    )


def _unreachable(station: EngineSettings, fault: WorkbenchError) -> Level:
    """The image is gone; or the machine is, and nobody knows about the image."""
    if not station.remote:
        return Level("container", False, station.engine, fault.message, f"Run `{BUILD}`.")
    words = f"{_engine_of(station)} cannot be used: {fault.message}"
    return Level("container", False, station.engine, words, f"See whether it can be reached; else run `{BUILD}`.")


def _absent() -> Level:
    there = [name for name in ENGINES if shutil.which(name)]
    if there:
        return Level("container", False, "", f"{there[0]} is here, but the image is not built yet.", f"Run `{BUILD}`.")
    return Level("container", False, "", "There is no container engine.", f"{INSTALL}, then run `{BUILD}`.")
