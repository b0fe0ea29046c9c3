"""A small process of its own that forks locked children for the core: one thread, no event loop, no untrusted code.

Started as `python -I -S -c … FD`; FD is a socket of whole messages to the core. The core closing it, even by dying,
ends every child and then this process. A child that loses this process dies with it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import platform
import select
import signal
import socket
import traceback
from typing import Any, NoReturn

from workbench.sandbox import bubblewrap, deno, kernel, lockdown, native, reduced, runner, scratch
from workbench.sandbox.profile import ENVIRONMENT, NOBODY, Profile
from workbench.sandbox.seccomp import filter_program

# What most programs import, paid once here instead of in every run.
WARM = """
asyncio base64 bisect collections concurrent.futures contextlib csv dataclasses datetime decimal enum functools glob
hashlib heapq inspect io itertools json linecache logging math operator os pathlib pprint random re shutil statistics
string tempfile textwrap threading time traceback types typing uuid
"""
_MESSAGE = 1 << 16
_END = {signal.SIGTERM}  # how the launcher ends a child; held back until the child can pass it on


class Launcher:
    """Forks on request, reaps, and tells the core how each child ended."""

    def __init__(self, core: socket.socket, wake: int) -> None:
        self._core = core
        self._wake = wake
        self._children: dict[int, int] = {}  # process → cell number
        self._owners = _owner_map() if os.getuid() == 0 else -1

    def serve(self) -> None:
        core = self._core.fileno()
        while True:
            readable, _, _ = select.select([core, self._wake], [], [])
            if self._wake in readable:
                os.read(self._wake, 4096)
                self._reap()
            if core in readable and not self._obey():
                return

    def _obey(self) -> bool:
        """One message from the core; False when there is no core any more."""
        data, descriptors, _, _ = socket.recv_fds(self._core, _MESSAGE, 4)
        if not data:
            return False
        order = json.loads(data)
        if order["do"] == "open":
            self._open(order["cell"], Profile.of(order["profile"]), descriptors)
        else:
            self._kill(order["cell"])
        for descriptor in descriptors:
            os.close(descriptor)
        return True

    def _open(self, cell: int, profile: Profile, descriptors: list[int]) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, _END)
        process = os.fork()
        if process:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _END)
            self._children[process] = cell
            if profile.kept:
                self._tell(cell=cell, process=process)
            return
        _plain_signals()
        channel, output = (os.dup2(descriptor, 100 + at) for at, descriptor in enumerate(descriptors))
        _close_others(channel, output, *[self._owners] * (self._owners >= 0))
        try:
            if profile.backend == "reduced":
                reduced.cell(profile, channel, output)
            _cell(profile, channel, output, self._owners)
        except BaseException as fault:
            runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)

    def _kill(self, cell: int) -> None:
        for process, number in self._children.items():
            if number == cell:
                _end(process)

    def _reap(self) -> None:
        while True:
            try:
                process, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not process:
                return
            cell = self._children.pop(process, 0)
            if not cell or os.WIFSIGNALED(status):
                scratch.sweep()
            if cell:
                code = os.waitstatus_to_exitcode(status)
                self._tell(cell=cell, code=code, cpu=usage.ru_utime + usage.ru_stime, memory_mb=usage.ru_maxrss / 1024)

    def _tell(self, **news: Any) -> None:  # Any: plain JSON
        with contextlib.suppress(BrokenPipeError):
            self._core.send(json.dumps(news).encode())

    def end(self) -> None:
        """Nothing that was started here outlives this process."""
        for process in self._children:
            _end(process)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)


def main(descriptor: int) -> None:
    for name in WARM.split():
        importlib.import_module(name)
    # WORKAROUND(`platform` remembers the host's name when `uuid` is imported, until it has a way to forget): by hand.
    platform._uname_cache = None  # type: ignore[attr-defined]
    runner.load_inside(native.INSIDE)
    native.inside_files()
    native.inside_files(deno.LANGUAGE)
    filter_program()
    kernel.adopt_orphans()
    wake, wake_end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
    core = socket.socket(fileno=descriptor)
    launcher = Launcher(core, wake)
    gc.collect()
    gc.freeze()
    core.send(b'{"ready": true}')
    try:
        launcher.serve()
    finally:
        launcher.end()


def _cell(profile: Profile, channel: int, output: int, owners: int) -> NoReturn:
    """The outer half: it owns the namespaces, waits for the inner half and its orphans, and ends as that one ended."""
    parent = os.getppid()
    if profile.backend == "native":
        native.enter()
    kernel.adopt_orphans()
    kernel.die_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the launcher died before it could take us along
    alive, alive_end = os.pipe2(os.O_CLOEXEC)
    inner = os.fork()
    if not inner:
        os.close(alive_end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _END)
        _inner(profile, channel, output, owners, alive)
    for descriptor in (channel, output, alive):
        os.close(descriptor)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(inner, signal.SIGKILL))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _END)
    status = _wait_for_all(inner)
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def _wait_for_all(inner: int) -> int:
    found = 0
    while True:
        try:
            process, status = os.wait()
        except ChildProcessError:
            return found
        if process == inner:
            found = status


def _inner(profile: Profile, channel: int, output: int, owners: int, alive: int) -> NoReturn:
    try:
        if profile.backend == "bubblewrap":
            bubblewrap.become(profile, channel, output, owners, alive)
        witness, version = _locked(profile, channel, output, owners, alive)
    except BaseException as fault:
        runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)
    runner.live(witness.facts(version))


def _locked(profile: Profile, channel: int, output: int, owners: int, alive: int) -> tuple[lockdown.Witness, int]:
    """First process of its world, and the only one that will ever read a program."""
    os.setsid()
    native.furnish(profile, owners)
    witness = lockdown.Witness()
    native.forget_processes()
    foreign = profile.language == deno.LANGUAGE
    lockdown.set_limits(profile, deno.limits(profile) if foreign else {})
    if os.getuid() == 0:
        lockdown.become_nobody(witness.itself)
    version = lockdown.lock(profile, deno.executables() if foreign else ())
    lockdown.leave_if_alone(alive)
    if foreign:
        deno.become(profile, channel, output, witness, version)
    runner.settle(channel, output, witness.status, ENVIRONMENT)
    lockdown.close_the_door()
    return witness, version


def _end(process: int) -> None:
    """The outer half passes the end on to the inner one and waits for it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGTERM)


def _plain_signals() -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _close_others(*kept: int) -> None:
    low = 3
    for descriptor in sorted(kept):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, 65536)


def _owner_map() -> int:
    """A user namespace in which root's files are nobody's; only its map is used. -1: not allowed."""
    ours, theirs = socket.socketpair()
    holder = os.fork()
    if not holder:
        ours.close()
        with contextlib.suppress(OSError):
            kernel.unshare(kernel.NEW_USER)
            theirs.send(b"made")
            theirs.recv(1)
        os._exit(0)
    theirs.close()
    try:
        return _mapped(holder) if ours.recv(4) else -1
    except OSError:
        return -1
    finally:
        ours.close()
        os.waitpid(holder, 0)


def _mapped(holder: int) -> int:
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/{holder}/{name}", "w") as file:
            file.write(f"0 {NOBODY} 1")
    return os.open(f"/proc/{holder}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
