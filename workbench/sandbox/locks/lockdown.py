"""The last steps before a program's text is read: takes away everything it does not need. The order matters."""

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
_STATUS = 4  # where `runner.settle` leaves the descriptor
_MEGABYTE = 1 << 20
_OPEN_FILES = 256
_WHOLE_LIFE = 86_400  # seconds of processor time for all programs of a kept sandbox together
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def set_limits(profile: ChildProfile, others: Mapping[int, int] = MappingProxyType({})) -> None:
    """What the kernel counts for us. No second process can be made, so these hold for the whole run."""
    for kind, most in limits_of(profile, others).items():
        hard = resource.getrlimit(kind)[1]
        unbounded = resource.RLIM_INFINITY in (most, hard)
        most = max(most, hard) if unbounded else min(most, hard)  # -1 stands for no bound
        soft = max(1, most - 1) if kind == resource.RLIMIT_CPU else most  # a second to say where it is, see `runner`
        resource.setrlimit(kind, (soft, most))


def limits_of(profile: ChildProfile, others: Mapping[int, int] = MappingProxyType({})) -> dict[int, int]:
    """Kind → most, as `setrlimit` knows them."""
    cpu = _WHOLE_LIFE if profile.kept else max(1, round(profile.cpu_seconds + 0.5)) + 1
    return {
        resource.RLIMIT_AS: profile.memory_mb * _MEGABYTE,
        resource.RLIMIT_CPU: cpu,
        resource.RLIMIT_FSIZE: profile.disk_mb * _MEGABYTE,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_NPROC: profile.pids,
        resource.RLIMIT_CORE: 1,  # no file, and no program of the host for a crash, which 0 would not prevent
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 256,
        **others,
    }


def become_nobody(itself: int) -> None:
    """Real root never runs a program. A user namespace on top makes the thread limit this run's own."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kernel_calls.stay_dumpable()
    user, group = os.getuid(), os.getgid()
    try:
        kernel_calls.unshare(kernel_calls.NEW_USER)
    except OSError:
        return  # forbidden here; the run is still nobody, only its thread count is shared with others
    map_own_ids(user, group, itself)


def map_own_ids(user: int, group: int, itself: int) -> None:
    """Map only this user and group into the new user namespace. `itself` is this process's folder in /proc."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        file = os.open(name, os.O_WRONLY, dir_fd=itself)
        os.write(file, text.encode())
        os.close(file)


def lock(profile: ChildProfile, started: Iterable[str] = ()) -> int:
    """Limits are set by now; capabilities and files go, but for programs it may become. Answers Landlock's version."""
    kernel_calls.drop_capabilities()
    kernel_calls.gain_nothing()
    writable = [HOME, TEMP] + [f"{BENCH}/workspace"] * profile.writable
    version = landlock.restrict(_readable(), writable, DEVICES, started)
    kernel_calls.die_with_parent(signal.SIGKILL)  # after the last change of rights: the kernel forgets it at each
    return version


def _readable() -> list[str]:
    """Everything in the new root; where /proc could not be taken away, everything but that and more devices."""
    if not os.path.exists("/proc/self/status"):
        return ["/"]
    return [f"/{name}" for name in os.listdir("/") if name not in ("proc", "dev") and os.path.isdir(f"/{name}")]


def exit_if_orphaned(alive: int) -> None:
    """`alive` is a pipe the parent holds: it may have died before the kernel knew that we go with it."""
    if select.select([alive], [], [], 0)[0]:
        os._exit(1)


def install_filter() -> None:
    kernel_calls.install_filter(filter_program())


class LockReport:
    """Sees, before the program's text has arrived, which locks are in force; its word may be believed."""

    def __init__(self, processes: int = -1) -> None:
        """`processes` is a descriptor of a /proc that knows this process, where /proc is none."""
        if processes < 0:
            processes = _opened("/proc", os.O_PATH)
        self.itself = _opened("self", os.O_PATH, processes)
        self.status = _opened("self/status", os.O_RDONLY, processes)
        self._namespaces = {name: _link(f"self/ns/{name}", processes) for name in NAMESPACES}

    def facts(self, landlock_version: int) -> dict[str, object]:
        """Read from the kernel which locks this process has now; the descriptor was moved to a fixed number."""
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
        return -1  # no /proc here: nothing will be believed of it


def _link(path: str, folder: int) -> str:
    try:
        return os.readlink(path, dir_fd=folder)
    except OSError:
        return ""
