"""Drops all privileges that a program does not need, before its text is read. The order of the steps matters."""

from __future__ import annotations

import os
import resource
import select
import signal
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from workbench.sandbox.child_profile import BENCH, HOME, NOBODY, TEMP, ChildProfile
from workbench.sandbox.locks import kernel_calls, landlock
from workbench.sandbox.locks.seccomp_filter import filter_program

NAMESPACES = ("mnt", "pid", "net", "ipc", "uts")  # the namespaces that must be new
_STATUS = 4  # descriptor number that `runner.settle` assigns
_MEGABYTE = 1 << 20
_OPEN_FILES = 256
_WHOLE_LIFE = 86_400  # seconds of CPU time for all programs of a REPL session together
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def set_limits(profile: ChildProfile, others: Mapping[int, int] = MappingProxyType({})) -> None:
    """Set the resource limits. The program cannot start a second process, so they apply to the whole run."""
    for kind, most in limits_of(profile, others).items():
        hard = resource.getrlimit(kind)[1]
        unbounded = resource.RLIM_INFINITY in (most, hard)
        most = max(most, hard) if unbounded else min(most, hard)  # -1 means unlimited
        # one second in which the program can report its current line, see `runner`
        soft = max(1, most - 1) if kind == resource.RLIMIT_CPU else most
        resource.setrlimit(kind, (soft, most))


def limits_of(profile: ChildProfile, others: Mapping[int, int] = MappingProxyType({})) -> dict[int, int]:
    """Limit for each resource constant of `setrlimit`."""
    cpu = _WHOLE_LIFE if profile.kept else max(1, round(profile.cpu_seconds + 0.5)) + 1
    return {
        resource.RLIMIT_AS: profile.memory_mb * _MEGABYTE,
        resource.RLIMIT_CPU: cpu,
        resource.RLIMIT_FSIZE: profile.disk_mb * _MEGABYTE,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_NPROC: profile.pids,
        resource.RLIMIT_CORE: 1,  # no core file, and no crash handler program of the host, which 0 would not prevent
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 256,
        **others,
    }


def become_nobody(itself: int) -> None:
    """Change from root to the user `nobody`. A new user namespace makes the thread limit apply to this run only."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kernel_calls.stay_dumpable()
    user, group = os.getuid(), os.getgid()
    try:
        kernel_calls.unshare(kernel_calls.NEW_USER)
    except OSError:
        return  # forbidden here: the run still has no root rights, but shares its thread count with other processes
    map_own_ids(user, group, itself)


def map_own_ids(user: int, group: int, itself: int) -> None:
    """Map only this user and group into the new user namespace. `itself` is this process's folder in /proc."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        file = os.open(name, os.O_WRONLY, dir_fd=itself)
        os.write(file, text.encode())
        os.close(file)


def lock(profile: ChildProfile, started: Iterable[str] = ()) -> int:
    """Drop capabilities and restrict file access after the limits are set. Returns Landlock's ABI version.

    `started` are the files that the process may execute.
    """
    kernel_calls.drop_capabilities()
    kernel_calls.gain_nothing()
    writable = [HOME, TEMP] + [f"{BENCH}/workspace"] * profile.writable
    version = landlock.restrict(_readable(), writable, DEVICES, started)
    kernel_calls.die_with_parent(signal.SIGKILL)  # after the last change of credentials, because each change resets it
    return version


def _readable() -> list[str]:
    """The whole new root. If /proc is still mounted, everything except /proc and /dev."""
    if not os.path.exists("/proc/self/status"):
        return ["/"]
    return [f"/{name}" for name in os.listdir("/") if name not in ("proc", "dev") and os.path.isdir(f"/{name}")]


def exit_if_orphaned(alive: int) -> None:
    """Exit if the parent is dead. It may have died before PDEATHSIG was set.

    `alive` becomes readable when the parent ends.
    """
    if select.select([alive], [], [], 0)[0]:
        os._exit(1)


def install_filter() -> None:
    kernel_calls.install_filter(filter_program())


class LockReport:
    """Reports which locks are in force, before the program's text arrives. At that point the report can be trusted."""

    def __init__(self, processes: int = -1) -> None:
        """`processes` is a descriptor of a /proc that lists this process, for roots without /proc."""
        if processes < 0:
            processes = _opened("/proc", os.O_PATH)
        self.itself = _opened("self", os.O_PATH, processes)
        self.status = _opened("self/status", os.O_RDONLY, processes)
        self._namespaces = {name: _link(f"self/ns/{name}", processes) for name in NAMESPACES}

    def facts(self, landlock_version: int) -> dict[str, object]:
        """Read from the kernel which locks are in force. The status descriptor was moved to a fixed number."""
        status = os.read(_STATUS, 1 << 14).decode()
        os.close(_STATUS)
        return {
            "worlds": self._namespaces,
            "filtered": "\nSeccomp:\t2" in status,
            "powerless": "\nCapPrm:\t0000000000000000" in status,
            "landlock": landlock_version,
        }


def _opened(path: str, flags: int, folder: int | None = None) -> int:
    try:
        return os.open(path, flags | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return -1  # no /proc here: the report will show no locks


def _link(path: str, folder: int) -> str:
    try:
        return os.readlink(path, dir_fd=folder)
    except OSError:
        return ""
