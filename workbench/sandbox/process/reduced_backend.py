"""The weakest backend, for machines that forbid namespaces: only Landlock, the seccomp filter and resource limits.

Programs can see that files exist, but can open only their own. Programs of high or critical risk do not run in it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from workbench.sandbox.child_profile import ENVIRONMENT, NOBODY, ChildProfile
from workbench.sandbox.inside import runner
from workbench.sandbox.locks import kernel_calls, landlock, lockdown
from workbench.sandbox.locks.seccomp_filter import filter_program
from workbench.sandbox.process import native_backend, scratch_folders
from workbench.sandbox.supervision import workspace_quota
from workbench.sandbox.supervision.workspace_quota import QuotaGauge

_FIRST_FREE = 5  # first descriptor after those that `runner.settle` assigns
_PRIVATE_MB = 64  # limit for home and temp together
_LOOK_EVERY = 0.25  # seconds between checks of their size
_SET_ID = 0o6000


def become(profile: ChildProfile, channel: int, output: int) -> NoReturn:
    """Outer process: makes and removes the private folders, waits for the program, and exits with its status."""
    parent = os.getppid()
    kernel_calls.adopt_orphans()
    kernel_calls.die_with_parent(signal.SIGTERM)  # not SIGKILL: the folders must be removed first
    if os.getppid() != parent:
        os._exit(1)
    scratch_folders.sweep()  # remove folders of launchers that were killed
    private = scratch_folders.make()
    alive, alive_end = os.pipe2(os.O_CLOEXEC)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    inner = os.fork()
    if not inner:
        os.close(alive_end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, signal.SIGTERM})
        _run_program(profile, private, channel, output, alive)
    for descriptor in (channel, output, alive):
        os.close(descriptor)
    status, full = _watch(inner, private, profile.disk_mb)
    scratch_folders.remove(private)
    if full:
        _end_as_full()
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def _watch(inner: int, private: str, disk_mb: int) -> tuple[int, bool]:
    """Wait for the program, and kill it when its private folders are full.

    Returns its status and whether it was killed. The private folders have no file system of their own here that would
    limit them. Files without a name count too, if the disk lost space and the program wrote that much, and it exceeds
    the limit of the workspace.

    SIGTERM stays blocked and is read here, so that it cannot interrupt a removal or kill a reused process ID.
    """
    full, gauge = False, QuotaGauge(private, disk_mb)
    room = gauge.left()
    while True:
        told = signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, _LOOK_EVERY)
        if told is not None and told.si_signo == signal.SIGTERM:
            os.kill(inner, signal.SIGKILL)
        process, status = os.waitpid(inner, os.WNOHANG)
        if process:
            return status, full
        if not full and (workspace_quota.over(private, _PRIVATE_MB) or gauge.hidden_use(room - gauge.left(), inner)):
            full = True
            os.kill(inner, signal.SIGKILL)


def _end_as_full() -> NoReturn:
    """Exit by SIGXFSZ. A program cannot end in any other way that looks the same to the launcher."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    signal.raise_signal(signal.SIGXFSZ)
    os._exit(1)


def _run_program(profile: ChildProfile, private: str, channel: int, output: int, alive: int) -> NoReturn:
    try:
        lock_report, version = _locked(profile, private, channel, output, alive)
    except BaseException as fault:
        runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)
    runner.run_programs(lock_report.facts(version), profile.ahead)


def _locked(
    profile: ChildProfile, private: str, channel: int, output: int, alive: int
) -> tuple[lockdown.LockReport, int]:
    """Lock the process that will read the program.

    Its folders are open descriptors, so that it needs no access to their parent folders.
    """
    os.setsid()
    lock_report = lockdown.LockReport()
    folders = _open_folders(profile)
    user = os.getuid() or NOBODY
    lockdown.set_limits(replace(profile, pids=profile.pids + _count_threads(user)))
    _lay_out_project(profile, private, folders, user)
    _tolerate_chmod(f"{private}/", f"{os.path.realpath(profile.workspace)}/")
    kernel_calls.gain_nothing()
    version = _restrict(profile, private, folders)
    if os.getuid() == 0:
        _become_nobody(profile)
    _import_by_descriptor(f"{private}/python")
    kernel_calls.drop_capabilities()
    kernel_calls.die_with_parent(signal.SIGKILL)
    lockdown.exit_if_orphaned(alive)
    environment = {**ENVIRONMENT, "HOME": f"{private}/home", "TMPDIR": f"{private}/tmp"}
    runner.arrange_process(
        channel, output, lock_report.status, environment, f"{private}/bench", tuple(folders.values())
    )
    kernel_calls.install_filter(filter_program(alone=os.getpid()))
    return lock_report, version


def _open_folders(profile: ChildProfile) -> dict[str, int]:
    """Open Python's folder and the workspace, and as an ordinary user also the read-only folders of the project.

    Root's folders may be inaccessible to `nobody`, so root copies the read-only ones instead.
    """
    places = {"workspace": profile.workspace, "python": sys.base_prefix}
    if os.getuid():
        places |= _read_only_folders(profile)
    return {name: os.open(place, os.O_PATH | os.O_CLOEXEC) for name, place in places.items()}


def _read_only_folders(profile: ChildProfile) -> dict[str, str]:
    places = {"servers": profile.servers, "skills": profile.skills}
    return {name: place for name, place in places.items() if place and os.path.isdir(place)}


def _lay_out_project(profile: ChildProfile, private: str, folders: dict[str, int], user: int) -> None:
    """Create the expected project layout. Folders are links to the descriptors that stay open in the runner."""
    for name in ("bench", "home", "tmp"):
        os.mkdir(f"{private}/{name}", 0o755 if name == "bench" else 0o700)
        if os.getuid() == 0 and name != "bench":
            os.chown(f"{private}/{name}", user, user)
    for number, name in enumerate(folders, _FIRST_FREE):
        os.symlink(f"/proc/self/fd/{number}", f"{private}/{'' if name == 'python' else 'bench/'}{name}")
    for name in {"servers", "skills"} - folders.keys():
        _copy(_read_only_folders(profile).get(name, ""), f"{private}/bench/{name}")
    for name, text in native_backend.inside_files().items():
        Path(private, "bench", name).write_bytes(text)
    os.chdir(f"{private}/bench")


def _copy(source: str, target: str) -> None:
    if not source:
        os.mkdir(target)
        return
    shutil.copytree(source, target, symlinks=True)
    native_backend.give_to_nobody(target)


def _become_nobody(profile: ChildProfile) -> None:
    """Change from root to `nobody`. Without private mounts, the workspace must belong to `nobody`."""
    if profile.writable:
        native_backend.give_to_nobody(profile.workspace)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    kernel_calls.stay_dumpable()


def _import_by_descriptor(link: str) -> None:
    """Import Python's library through a descriptor.

    Needed if `nobody` may not traverse the library's parent folders (such as `/root`).
    """
    if os.access(os.path.dirname(os.__file__), os.R_OK | os.X_OK):
        return
    searched = [sys.path, *(module.__path__ for module in list(sys.modules.values()) if hasattr(module, "__path__"))]
    for places in searched:
        if isinstance(places, list):
            places[:] = [
                link + place.removeprefix(sys.base_prefix) if _below_prefix(place) else place for place in places
            ]
    sys.base_prefix = link
    sys.path_importer_cache.clear()


def _below_prefix(place: str) -> bool:
    return place.startswith(f"{sys.base_prefix}/")


def _restrict(profile: ChildProfile, private: str, folders: dict[str, int]) -> int:
    places = {name: f"/proc/self/fd/{descriptor}" for name, descriptor in folders.items()}
    workspace = places.pop("workspace")
    places.pop("python")
    system = ("/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/localtime")
    readable = [
        *native_backend.library_folders(),
        *filter(os.path.exists, system),
        f"{private}/bench",
        *places.values(),
    ]
    writable = [f"{private}/home", f"{private}/tmp"]
    (writable if profile.writable else readable).append(workspace)
    version = landlock.restrict(readable, writable, lockdown.DEVICES)
    if not version:
        raise OSError("this kernel has no Landlock, and without namespaces nothing else protects the files")
    return version


def _count_threads(user: int) -> int:
    """Number of threads that the user already has. Without a user namespace the kernel counts them together."""
    found = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == user:
                found += os.stat(f"/proc/{name}/task").st_nlink - 2
    return found


def _tolerate_chmod(*own: str) -> None:
    """Ignore errors of chmod and utime for the program's own files, so that `shutil.copy` works.

    Setting modes and times is forbidden here.
    """
    change_mode, change_times = os.chmod, os.utime

    def chmod(path: Any, mode: int, *rest: Any, **more: Any) -> None:  # Any: arguments from the program
        with _tolerated(path, not mode & _SET_ID, own):
            change_mode(path, mode, *rest, **more)

    def utime(path: Any, *rest: Any, **more: Any) -> None:  # Any: arguments from the program
        with _tolerated(path, True, own):
            change_times(path, *rest, **more)

    os.chmod, os.utime = chmod, utime


@contextlib.contextmanager
def _tolerated(path: Any, harmless: bool, own: tuple[str, ...]) -> Iterator[None]:  # Any: arguments from the program
    try:
        yield
    except PermissionError:
        if not harmless or isinstance(path, int) or not os.path.realpath(os.fsdecode(path)).startswith(own):
            raise
