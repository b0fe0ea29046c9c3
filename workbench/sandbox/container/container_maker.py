"""Makes locked children as containers, and ensures that each container is removed, even if the core is killed."""

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
    TIMEOUT,
    EngineSettings,
    ask,
    client_environment,
    last_line,
    read_engine_settings,
)
from workbench.sandbox.container.host_multiplexer import HostMultiplexer
from workbench.sandbox.container.image_contents import source_hash
from workbench.sandbox.container.orphan_cleanup import make_temporary_folder, owner, sweep, sweep_folders
from workbench.sandbox.container.run_arguments import ENTRY, run_arguments, seccomp_profile
from workbench.sandbox.file_transfer.transfer_host import WORKSPACE_MB, TransferTarget
from workbench.sandbox.locked_child import ChildExit, SandboxChild


class FileOwnership:
    """Changes the owner of a folder to the program's user while containers use it, and back to root after the last one.

    Needed only if this process runs as root.
    """

    def __init__(self) -> None:
        self._users: Counter[str] = Counter()

    def give_to_program(self, folder: str) -> None:
        if os.getuid() == 0:
            self._users[folder] += 1
            _change_owner(folder, NOBODY)

    def take_back(self, folder: str) -> None:
        if os.getuid() == 0 and self._users[folder]:
            self._users[folder] -= 1
            if not self._users[folder]:
                _change_owner(folder, 0)


def _change_owner(folder: str, user: int) -> None:
    """Change the owner of all files without following links. Files that are deleted meanwhile are skipped."""
    with contextlib.suppress(FileNotFoundError):
        for _, folders, files, at in os.fwalk(folder, follow_symlinks=False):
            os.fchown(at, user, user)
            for name in (*folders, *files):
                with contextlib.suppress(FileNotFoundError):
                    os.chown(name, user, user, dir_fd=at, follow_symlinks=False)


_LOW = 10  # descriptors are moved above those that the engine's client receives


class EngineClient:
    """An attached client process of the engine. Calls `ended` once, with the exit code."""

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
        """Watch for the client's end and reap the process then. Requires a running event loop."""
        loop = asyncio.get_running_loop()

        def gone() -> None:
            loop.remove_reader(self._watch)
            os.close(self._watch)
            self._over = True
            _, status = os.waitpid(self.pid, 0)
            ended(os.waitstatus_to_exitcode(status))

        loop.add_reader(self._watch, gone)

    def kill(self) -> None:
        """Kill only the client. Its container keeps running and must be removed by name."""
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
_AGAIN = 0.5  # seconds between attempts to remove a container
_KILL_CLIENT_AFTER = 10.0  # seconds after which the container's client is killed too
_KEPT_READY = 600.0  # seconds that an unused container is kept ready
_READY_TIMEOUT = 60.0  # seconds within which a container on a remote machine must be ready
_REMOTE_TIMEOUT = 15.0  # seconds within which a remote machine must answer
_KILLED = 137  # exit code of the client if SIGKILL ended the container


@dataclass(frozen=True, slots=True)
class _ContainerOrder:
    """Name, profile and command line of a container to be started."""

    number: int
    name: str
    profile: ChildProfile
    command: list[str]


@dataclass(slots=True, eq=False)
class _Container:
    """State of a container that `SandboxChild` does not hold."""

    child: SandboxChild
    name: str
    client: EngineClient
    # output before the container was ready: the engine's error messages
    words: bytearray = field(default_factory=bytearray)
    killed: bool = False
    removing: asyncio.Task[None] | None = None
    warm: asyncio.TimerHandle | None = None
    multiplexer: HostMultiplexer | None = None  # if files are copied


class ContainerMaker:
    """Makes and removes the containers of one sandbox.

    The image builder passes `engine_settings` to try them; otherwise the stored settings are used.
    """

    def __init__(self, images: Path, engine_settings: EngineSettings | None = None) -> None:
        self._images = images
        self._fixed_settings = engine_settings
        self._engine_settings = engine_settings
        self._containers: dict[int, _Container] = {}
        self._last = 0
        self._owners = FileOwnership()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._cleanup: subprocess.Popen[str] | None = None
        self._swept = False

    async def look(self) -> Level:
        """Probe the level. No process is started if no image was built."""
        self._engine_settings = self._fixed_settings or read_engine_settings(self._images)
        engine_settings = self._engine_settings
        if engine_settings is None:
            return _level_without_image()
        if self._fixed_settings is None and engine_settings.source != await asyncio.to_thread(source_hash):
            words = "The container image was built for another version of the workbench."
            return Level("container", False, engine_settings.engine, words, f"Run `{BUILD}`.")
        try:
            command = engine_settings.command("image", "inspect", "--format", "{{.Id}}", engine_settings.image)
            await asyncio.to_thread(ask, command, _timeout(engine_settings))
        except WorkbenchError as fault:
            return _level_without_answer(engine_settings, fault)
        if not self._swept:
            self._swept = True
            await asyncio.to_thread(sweep_folders)
            await asyncio.to_thread(sweep, engine_settings)
        return Level("container", True, _engine_name(engine_settings), describe_level(engine_settings))

    async def make(self, profile: ChildProfile) -> SandboxChild:
        engine_settings = self._engine_settings
        if engine_settings is None:
            raise WorkbenchError("No container image is built.", f"Run `{BUILD}`.")
        if profile.ahead and profile.writable and os.getuid() == 0 and not engine_settings.remote:
            words = "A container takes ownership of the workspace when root runs the workbench, so none is kept ready."
            raise WorkbenchError(words, "Run the workbench as an ordinary user.")
        if engine_settings.remote and profile.kept:
            words = "A container on another machine cannot hold a REPL session."
            raise WorkbenchError(words, "Run the program without a REPL session.")
        self._last = number = self._last + 1
        name = f"mcp-workbench-{os.getpid()}-{secrets.token_hex(6)}"
        self._tell_cleanup(engine_settings, f"+{name}")
        if profile.writable and not engine_settings.remote:
            await asyncio.to_thread(self._owners.give_to_program, profile.workspace)
        command = run_arguments(engine_settings, profile, name, owner(), self._system_calls(engine_settings))
        order = _ContainerOrder(number, name, profile, command)
        child = await self._started(engine_settings, order)
        if engine_settings.remote or profile.kept:
            await self._wait_until_ready(child)
        if profile.kept:
            child.process = await asyncio.to_thread(self._process_of, engine_settings, order.name)
        return child

    def kill(self, child: SandboxChild) -> None:
        container = self._containers.get(child.number)
        if container is not None and container.removing is None:
            container.killed = True
            if child.channel.reason == "lost":  # the engine does not answer either
                container.client.kill()
            container.removing = spawn(f"end container {container.name}", self._remove(container))

    async def finish(self, child: SandboxChild) -> ChildExit:
        """Kill a container and wait until its processes are gone. `close` waits for the engine's cleanup."""
        child.channel.close()
        if child.files is not None:
            child.files.close()
        if not child.gone.done():
            self.kill(child)
            await asyncio.wait([child.gone])
        for transport in child.transports:
            if isinstance(transport, asyncio.ReadTransport):
                transport.close()
        await child.channel.closed()
        return child.gone.result()

    async def close(self) -> None:
        containers = list(self._containers.values())
        for container in containers:
            await self.finish(container.child)
        removing = [container.removing for container in containers if container.removing is not None]
        if removing:
            await asyncio.wait(removing)
        if self._cleanup is not None:
            assert self._cleanup.stdin is not None
            self._cleanup.stdin.close()
            await asyncio.to_thread(self._cleanup.wait)
            self._cleanup = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    async def _started(self, engine_settings: EngineSettings, order: _ContainerOrder) -> SandboxChild:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        try:
            client = EngineClient(order.command, theirs, writing, descriptor=engine_settings.descriptor)
        except OSError as fault:
            ours.close()
            os.close(reading)
            await self._undo_start(engine_settings, order)
            raise WorkbenchError(
                f"{engine_settings.engine} cannot be started: {fault.strerror}.", f"{INSTALL}."
            ) from fault
        finally:
            theirs.close()
            os.close(writing)
        child = SandboxChild(
            order.number, order.profile, _ContainerChannel(), loop.create_future(), loop.create_future()
        )
        container = _Container(child, order.name, client)
        if engine_settings.remote:
            container.multiplexer = HostMultiplexer(
                order.profile, child.channel, _engine_name(engine_settings), _transfer_target(engine_settings)
            )
            child.files = container.multiplexer.transfer
        ends = container.multiplexer or child.channel
        self._containers[child.number] = container
        client.watch(lambda code: self._ended(container, code))
        container.warm = loop.call_later(_KEPT_READY, self._kill_unused, container)
        try:
            channel, _ = await loop.create_connection(lambda: ends, sock=ours)
            raw, _ = await loop.connect_read_pipe(lambda: _RawContainerOutput(container), os.fdopen(reading, "rb", 0))
            child.transports = [channel, raw]
        except BaseException:
            await asyncio.shield(self.finish(child))
            raise
        return child

    async def _wait_until_ready(self, child: SandboxChild) -> None:
        """Wait until the child is ready. The connection to a remote machine may be slow."""
        try:
            await asyncio.wait([child.channel.ready], timeout=_READY_TIMEOUT)
        except BaseException:
            await asyncio.shield(self.finish(child))
            raise

    @staticmethod
    def _process_of(engine_settings: EngineSettings, name: str) -> int:
        """Process ID of the container's first process on this machine; 0 if it does not run on this machine."""
        try:
            number = ask(engine_settings.command("container", "inspect", "--format", "{{.State.Pid}}", name))
            words = Path(f"/proc/{int(number)}/cmdline").read_bytes()
        except (WorkbenchError, OSError, ValueError):
            return 0
        return int(number) if ENTRY.encode() in words else 0  # otherwise the engine uses a different PID namespace

    async def _undo_start(self, engine_settings: EngineSettings, order: _ContainerOrder) -> None:
        """Clean up after the client failed to start: restore the workspace's owner and forget the container."""
        if order.profile.writable and not engine_settings.remote:
            await asyncio.to_thread(self._owners.take_back, order.profile.workspace)
        self._tell_cleanup(engine_settings, f"-{order.name}")

    def _ended(self, container: _Container, code: int) -> None:
        """Handle the end of the client, with which its container's connection ended too."""
        child = container.child
        if container.warm is not None:
            container.warm.cancel()
        if container.removing is None:
            container.removing = spawn(f"remove container {container.name}", self._remove(container))
        if not child.channel.ready.done():
            spawn("error output of a container", self._last_words(container))
        if container.multiplexer is not None:
            spawn("end of a remote container", self._remote_ended(container, container.multiplexer, code))
            return
        spent = child.profile.cpu_seconds if code == _KILLED and not container.killed else 0.0
        child.gone.set_result(ChildExit(code, spent))

    async def _remote_ended(self, container: _Container, multiplexer: HostMultiplexer, code: int) -> None:
        """Read data that is still in transit from a remote container, then report its end."""
        multiplexer.read_to_end()
        await asyncio.wait([multiplexer.closed], timeout=_REMOTE_TIMEOUT)
        container.child.gone.set_result(multiplexer.exit_of(code, killed=container.killed))

    async def _last_words(self, container: _Container) -> None:
        """Report the engine's error output as the reason why a container never became ready."""
        await asyncio.wait([container.child.silent], timeout=1.0)
        channel = container.child.channel
        if not channel.ready.done():
            channel.ready.set_result({"kind": "broken", "message": last_line(bytes(container.words))})
            channel.connection_lost(None)

    async def _remove(self, container: _Container) -> None:
        """Remove the container, repeatedly if necessary, because the engine may still be creating it."""
        engine_settings, child = self._engine_settings, container.child
        assert engine_settings is not None
        began = asyncio.get_running_loop().time()
        while True:
            await self._ask_to_remove(engine_settings, container)
            if child.gone.done():
                break
            if asyncio.get_running_loop().time() - began > _KILL_CLIENT_AFTER:
                container.client.kill()
            await asyncio.wait([child.gone], timeout=_AGAIN)
        await self._forget(container, engine_settings)

    async def _forget(self, container: _Container, engine_settings: EngineSettings) -> None:
        if container.killed:  # the engine may have created it after the first request to remove it
            await self._ask_to_remove(engine_settings, container)
        profile = container.child.profile
        if profile.writable and not engine_settings.remote:
            await asyncio.to_thread(self._owners.take_back, profile.workspace)
        self._tell_cleanup(engine_settings, f"-{container.name}")
        self._containers.pop(container.child.number, None)

    async def _ask_to_remove(self, engine_settings: EngineSettings, container: _Container) -> None:
        command = engine_settings.command("rm", "-f", "-v", container.name)
        try:
            await asyncio.to_thread(ask, command, _timeout(engine_settings))
        except WorkbenchError as fault:  # the container is gone or still being created
            log.info("container %s was not removed: %s", container.name, fault.message)

    def _kill_unused(self, container: _Container) -> None:
        if not container.child.channel.program_started:
            self.kill(container.child)

    def _system_calls(self, engine_settings: EngineSettings) -> Path:
        if self._folder is None:
            self._folder = make_temporary_folder()
        file = Path(self._folder.name) / "system-calls.json"
        if not file.exists():
            file.write_text(
                json.dumps(seccomp_profile(parent=not engine_settings.descriptor, machine=engine_settings.machine))
            )
        return file

    def _tell_cleanup(self, engine_settings: EngineSettings, line: str) -> None:
        if self._cleanup is None:
            command = [base_python(), "-I", "-S", cleanup_process.__file__, *engine_settings.command()]
            self._cleanup = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=-3, stderr=-3, text=True, cwd="/",
                start_new_session=True, env=client_environment(),
            )  # fmt: skip
        assert self._cleanup.stdin is not None
        try:
            self._cleanup.stdin.write(f"{line}\n")
            self._cleanup.stdin.flush()
        except OSError as fault:
            raise WorkbenchError(
                "The process that removes containers was ended from outside.", "Restart the core."
            ) from fault


class _ContainerChannel(Channel):
    """Channel to a container that may fail to start. The engine's error output gives the reason later."""

    def connection_lost(self, fault: Exception | None) -> None:
        if self.ready.done():
            super().connection_lost(fault)


class _RawContainerOutput(asyncio.Protocol):
    """Reads output that bypasses Python's streams, and error messages of the engine."""

    def __init__(self, container: _Container) -> None:
        self._container = container

    def data_received(self, data: bytes) -> None:
        child = self._container.child
        if not child.channel.ready.done():
            self._container.words += data[: 4096 - len(self._container.words)]
        if self._container.multiplexer is None:
            child.channel.raw_output(data)
        else:  # with a multiplexer, program output arrives through it; this is output of the client itself
            log.info("the engine's client of %s reported: %s", self._container.name, last_line(data))

    def connection_lost(self, fault: Exception | None) -> None:
        if not self._container.child.silent.done():
            self._container.child.silent.set_result(None)


def describe_level(engine_settings: EngineSettings) -> str:
    """Describe the engine, its limits and its start time in a few sentences."""
    facts = [engine_settings.engine, "rootless" if engine_settings.rootless else "the engine runs as root"]
    facts += [engine_settings.runtime] * bool(engine_settings.runtime)
    kept = "cgroups limit memory, processors and processes"
    lost = "cgroups are not available, so only the limits of the process itself apply"
    place = f" on another machine, {engine_settings.remote}" if engine_settings.remote else ""
    words = f"Programs run in containers{place} ({', '.join(facts)}), ready in about {engine_settings.starts_ms} ms"
    words = f"{words}; {kept if engine_settings.limits else lost}."
    if engine_settings.remote:
        words += f" The project's files are copied there and back; the workspace may hold at most {WORKSPACE_MB} MB."
    return words


def _timeout(engine_settings: EngineSettings) -> float:
    """Timeout for the engine: short for a remote machine, which may be down.

    A local engine is only slow, so it gets more time.
    """
    return _REMOTE_TIMEOUT if engine_settings.remote else TIMEOUT


def _engine_name(engine_settings: EngineSettings) -> str:
    """Engine and remote machine as shown in approval requests and the audit."""
    return f"{engine_settings.engine} on {engine_settings.remote}" if engine_settings.remote else engine_settings.engine


def _transfer_target(engine_settings: EngineSettings) -> TransferTarget:
    return TransferTarget(
        f"the container on {engine_settings.remote}",
        "Check with `mcp-workbench sandbox status` whether that machine can be reached, and run the program again.",
    )


def _level_without_answer(engine_settings: EngineSettings, fault: WorkbenchError) -> Level:
    """Level to report if the image is missing or the remote machine does not answer."""
    if not engine_settings.remote:
        return Level("container", False, engine_settings.engine, fault.message, f"Run `{BUILD}`.")
    words = f"{_engine_name(engine_settings)} cannot be used: {fault.message}"
    return Level(
        "container", False, engine_settings.engine, words, f"Check whether it can be reached; if it can, run `{BUILD}`."
    )


def _level_without_image() -> Level:
    there = [name for name in ENGINES if shutil.which(name)]
    if there:
        return Level("container", False, "", f"{there[0]} is installed, but no image is built yet.", f"Run `{BUILD}`.")
    return Level("container", False, "", "No container engine is installed.", f"{INSTALL}, then run `{BUILD}`.")
