"""Starts the engine's client for one container, with channel and raw output as its descriptors."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import socket
from collections.abc import Callable, Sequence

from workbench.sandbox.container.engine import client_environment

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
