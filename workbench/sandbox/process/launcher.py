"""The launcher process: forks locked children for the core.

It has one thread and no event loop, and runs no untrusted code. It is started as `python -I -S -c … FD`, where FD is a
SOCK_SEQPACKET socket to the core. When the core closes the socket, also by dying, the launcher ends every child and
itself. The kernel kills a child whose launcher dies.
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
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from workbench.sandbox.child_profile import ENVIRONMENT, NOBODY, WARM_MODULES, ChildProfile
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.inside import runner
from workbench.sandbox.locks import kernel_calls, lockdown
from workbench.sandbox.locks.seccomp_filter import filter_program
from workbench.sandbox.process import bubblewrap_backend, native_backend, reduced_backend, scratch_folders
from workbench.sandbox.process.native_backend import NamespaceRoot


class ProcessorAssignment:
    """Assigns the least used processors to each child."""

    def __init__(self) -> None:
        self._taken = Counter(dict.fromkeys(os.sched_getaffinity(0), 0))

    def choose(self, wanted: int) -> set[int]:
        ordered = sorted(self._taken, key=lambda processor: (self._taken[processor], processor))
        chosen = set(ordered[: max(1, wanted)])
        self._taken.update(chosen)
        return chosen

    def give_back(self, processors: set[int]) -> None:
        self._taken.subtract(processors)


_MESSAGE = 1 << 16
_WARM_UPS = 16  # Python speeds up code that ran several times; children inherit the result
_TERMINATE = {signal.SIGTERM}  # the signal with which the launcher ends a child; blocked until the child can forward it


@dataclass(frozen=True, slots=True)
class _Child:
    """A running child of the launcher."""

    number: int
    # a child with an outer process gets SIGTERM, which that process forwards before it waits for the program
    ends_by: signal.Signals
    processors: set[int]


class Launcher:
    """Forks children on request, reaps them, and reports to the core how each one ended."""

    def __init__(self, core: socket.socket, wake: int) -> None:
        self._core = core
        self._wake = wake
        self._children: dict[int, _Child] = {}
        self._owners = _owner_map() if os.getuid() == 0 else -1
        self._root: NamespaceRoot | None = None
        self._imported = False
        self._processors = ProcessorAssignment()

    def serve(self) -> None:
        core = self._core.fileno()
        while True:
            readable, _, _ = select.select([core, self._wake], [], [])
            if core in readable and not self._handle_message():
                return
            if self._wake in readable:
                os.read(self._wake, 4096)
                self._reap()

    def _handle_message(self) -> bool:
        """Handle one message from the core. Returns False if the core closed the socket."""
        data, descriptors, _, _ = socket.recv_fds(self._core, _MESSAGE, 4)
        if not data:
            return False
        order = json.loads(data)
        if order["do"] == "open":
            self._create_child(order["child"], ChildProfile.of(order["profile"]), descriptors)
        else:
            self._kill(order["child"])
        for descriptor in descriptors:
            os.close(descriptor)
        return True

    def _create_child(self, number: int, profile: ChildProfile, descriptors: list[int]) -> None:
        processors = self._processors.choose(profile.cpus)
        try:
            if profile.backend == "native":
                process, handle = self._native(profile, descriptors, processors)
                self._children[process] = _Child(number, signal.SIGKILL, processors)
                self._send([handle], child=number, process=process)
                os.close(handle)
            else:
                process = self._fork_helper(profile, descriptors, processors)
                self._children[process] = _Child(number, signal.SIGTERM, processors)
                self._send(child=number, process=process)
        except Exception as fault:
            self._processors.give_back(processors)
            runner.report_broken(descriptors[0], fault, traceback.format_exc())
            self._send(child=number, code=1)

    def _native(self, profile: ChildProfile, descriptors: list[int], processors: set[int]) -> tuple[int, int]:
        """Fork a child that is the first process of its new namespaces. Returns its process ID and pidfd."""
        root = self._enter_namespace_root(profile)
        trees = root.prepare(profile)
        try:
            self._import_ahead(profile)
            process, handle = kernel_calls.fork_into(kernel_calls.NEW_WORLD)
            if not process:
                _native_child(profile, root, trees, descriptors, processors)
        finally:
            for tree in trees.values():
                os.close(tree)
        return process, handle

    def _import_ahead(self, profile: ChildProfile) -> None:
        """Import the modules that all children of this launcher preload, within the children's root folder."""
        if profile.preload and not self._imported:
            self._imported = True
            with native_backend.scratch_mounts():
                runner.import_ahead(profile.preload)
            gc.collect()
            gc.freeze()

    def _enter_namespace_root(self, profile: ChildProfile) -> NamespaceRoot:
        """Enter the namespaces before the first child is made.

        A process tries this first, because some systems allow a user namespace but remove all its capabilities.
        """
        if self._root is None:
            _try_in_child(lambda: NamespaceRoot(self._owners).prepare(profile))
            self._root = NamespaceRoot(self._owners)
            gc.freeze()
        return self._root

    def _fork_helper(self, profile: ChildProfile, descriptors: list[int], processors: set[int]) -> int:
        signal.pthread_sigmask(signal.SIG_BLOCK, _TERMINATE)
        process = os.fork()
        if process:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _TERMINATE)
            return process
        channel, output = (os.dup2(descriptor, 100 + at) for at, descriptor in enumerate(descriptors))
        try:
            os.sched_setaffinity(0, processors)
            _reset_signals()
            if self._root is not None:
                self._root.leave()
            _close_others(channel, output, *[self._owners] * (self._owners >= 0))
            if profile.backend == "reduced":
                reduced_backend.become(profile, channel, output)
            _wait_for_bubblewrap(profile, channel, output, self._owners)
        except BaseException as fault:
            runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)

    def _kill(self, number: int) -> None:
        for process, child in self._children.items():
            if child.number == number:
                _signal_end(process, child)

    def _reap(self) -> None:
        while True:
            try:
                process, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not process:
                return
            child = self._children.pop(process, None)
            if child is None or (os.WIFSIGNALED(status) and child.ends_by is signal.SIGTERM):
                scratch_folders.sweep()
            if child is not None:
                self._processors.give_back(child.processors)
                self._send(
                    child=child.number,
                    code=os.waitstatus_to_exitcode(status),
                    cpu=usage.ru_utime + usage.ru_stime,
                    memory_mb=usage.ru_maxrss / 1024,
                )

    def _send(self, descriptors: Sequence[int] = (), **news: Any) -> None:  # Any: plain JSON
        with contextlib.suppress(BrokenPipeError):
            socket.send_fds(self._core, [json.dumps(news).encode()], descriptors)

    def end(self) -> None:
        """End every process that this launcher started."""
        for process, child in self._children.items():
            _signal_end(process, child)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)


def main(descriptor: int) -> None:
    for name in WARM_MODULES.split():
        importlib.import_module(name)
    # WORKAROUND(`platform` caches the host's name when `uuid` is imported, until it has a function to clear the cache):
    # clear it by hand.
    platform._uname_cache = None  # type: ignore[attr-defined]
    runner.load_modules(native_backend.INSIDE)
    for _ in range(_WARM_UPS):
        runner.warm_up()
    native_backend.inside_files()
    native_backend.inside_files(deno_backend.LANGUAGE)
    filter_program()
    kernel_calls.adopt_orphans()
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


def _native_child(
    profile: ChildProfile,
    root: NamespaceRoot,
    trees: dict[str, int],
    descriptors: list[int],
    processors: set[int],
) -> NoReturn:
    """First process of its namespaces, and the only process that reads a program."""
    channel, output = descriptors
    try:
        os.sched_setaffinity(0, processors)
        _reset_signals()
        os.setsid()
        native_backend.mount_own_folders(profile, trees)
        lock_report = lockdown.LockReport(root.processes)
        foreign = profile.language == deno_backend.LANGUAGE
        # before the limits: they would otherwise count all processes of this user
        lockdown.become_nobody(lock_report.itself)
        lockdown.set_limits(profile, deno_backend.limits(profile) if foreign else {})
        version = lockdown.lock(profile, deno_backend.executables() if foreign else ())
        lockdown.exit_if_orphaned(root.alive)
        if foreign:
            deno_backend.become(profile, channel, output, lock_report, version)
        runner.arrange_process(channel, output, lock_report.status, ENVIRONMENT)
        lockdown.install_filter()
    except BaseException as fault:
        runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)
    runner.run_programs(lock_report.facts(version), profile.ahead, profile.preload)


def _wait_for_bubblewrap(profile: ChildProfile, channel: int, output: int, owners: int) -> NoReturn:
    """Process around bwrap: waits for bwrap and its orphans, and exits with the status of bwrap."""
    parent = os.getppid()
    kernel_calls.adopt_orphans()
    kernel_calls.die_with_parent(signal.SIGTERM)  # not SIGKILL: remaining processes of bwrap must be killed first
    if os.getppid() != parent:
        os._exit(1)  # the launcher died before PDEATHSIG was set
    alive, alive_end = os.pipe2(os.O_CLOEXEC)
    inner = os.fork()
    if not inner:
        os.close(alive_end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _TERMINATE)
        bubblewrap_backend.become(profile, channel, output, owners, alive)
    for descriptor in (channel, output, alive):
        os.close(descriptor)
    signal.signal(signal.SIGTERM, lambda *_: kernel_calls.end_child(inner))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _TERMINATE)
    status = _reap_all(inner)
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def _reap_all(inner: int) -> int:
    """Wait for all children and return the exit status of `inner`.

    A bwrap that is killed during its start leaves a child that would wait for it forever.
    """
    found = -1
    while True:
        try:
            process, status = os.wait()
        except ChildProcessError:
            return found
        if process == inner:
            found = status
        if found >= 0:
            kernel_calls.end_children()


def _try_in_child(step: Callable[[], object]) -> None:
    """Run a step in a forked process and raise its error here."""
    reading, writing = os.pipe2(os.O_CLOEXEC)
    process = os.fork()
    if not process:
        try:
            step()
        except BaseException as fault:
            os.write(writing, (str(fault) or type(fault).__name__).encode()[:4000])
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as told:
        fault_text = told.read().decode()
    os.waitpid(process, 0)
    if fault_text:
        raise OSError(fault_text)


def _signal_end(process: int, child: _Child) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, child.ends_by)


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _close_others(*kept: int) -> None:
    low = 3
    for descriptor in sorted(kept):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, 65536)


def _owner_map() -> int:
    """Descriptor of a user namespace that maps root's files to `nobody`, for ID-mapped mounts. -1: not allowed."""
    ours, theirs = socket.socketpair()
    holder = os.fork()
    if not holder:
        ours.close()
        with contextlib.suppress(OSError):
            kernel_calls.unshare(kernel_calls.NEW_USER)
            theirs.send(b"made")
            theirs.recv(1)
        os._exit(0)
    theirs.close()
    try:
        return _write_owner_map(holder) if ours.recv(4) else -1
    except OSError:
        return -1
    finally:
        ours.close()
        os.waitpid(holder, 0)


def _write_owner_map(holder: int) -> int:
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/{holder}/{name}", "w") as file:
            file.write(f"0 {NOBODY} 1")
    return os.open(f"/proc/{holder}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
