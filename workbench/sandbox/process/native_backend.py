"""The strongest process backend: new namespaces and mounts, made by system calls without external tools.

The launcher enters a `NamespaceRoot` once and stays in it. A child starts with a copy of this mount namespace, in which
only the host files that every program may read are mounted. The launcher switches to the host's mounts only to open
the folders of a run.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from workbench.sandbox.child_profile import BENCH, HOME, NOBODY, PACKAGES, TEMP, ChildProfile
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.locks import kernel_calls, lockdown

_ROOT = "/tmp"  # any existing folder: it is covered only in this mount namespace
_NO_PRIVILEGES = kernel_calls.NO_SETUID | kernel_calls.NO_DEVICES
_NO_PROGRAMS = _NO_PRIVILEGES | kernel_calls.NO_EXECUTION
_DEVICES = ("null", "zero", "full", "random", "urandom")
_FOLDERS = ("workspace", "servers", "skills")
INSIDE = Path(__file__).parents[1] / "inside" / "modules"  # modules that programs can import


def enter_namespaces() -> None:
    """Create namespaces for a single child, without a `NamespaceRoot`. The next fork becomes their first process."""
    user, group = os.getuid(), os.getgid()
    if user == 0:
        kernel_calls.unshare(kernel_calls.NEW_WORLD)
    else:
        kernel_calls.unshare(kernel_calls.NEW_USER | kernel_calls.NEW_WORLD)
        itself = os.open("/proc/self", os.O_PATH | os.O_CLOEXEC)
        lockdown.map_own_ids(user, group, itself)
        os.close(itself)
    kernel_calls.own_mounts()


def build_root(profile: ChildProfile) -> None:
    """Mount everything that is the same for all children of a language, and detach the host's root.

    The caller must be in a mount namespace of its own.
    """
    user, group = _inside_user()
    trees = _host_trees(profile)
    kernel_calls.mount_new("tmpfs", _ROOT, _NO_PRIVILEGES, "size=1m,nr_inodes=1k,mode=755")
    _small_files(profile, user, group)
    for target, tree in trees.items():
        attach(tree, _ROOT + target)
    kernel_calls.change_root(_ROOT)
    kernel_calls.make_read_only("/", _NO_PRIVILEGES)


def mount_own_folders(profile: ChildProfile, trees: dict[str, int]) -> None:
    """Mount the parts that differ per child: scratch file systems and the folders of its run."""
    _mount_scratch()
    for target, tree in trees.items():
        kernel_calls.attach_tree(tree, target)
    kernel_calls.name_host("sandbox")
    os.chdir(BENCH)


@contextlib.contextmanager
def scratch_mounts() -> Iterator[None]:
    """Temporarily mount home and temp for modules that write there when they are preloaded.

    No child sees these mounts.
    """
    _mount_scratch()
    try:
        yield
    finally:
        for target in (HOME, TEMP):
            kernel_calls.unmount(target)


def _mount_scratch() -> None:
    user, group = _inside_user()
    for target, megabytes in ((HOME, 16), (TEMP, 64)):
        options = f"size={megabytes}m,nr_inodes=4k,mode=700,uid={user},gid={group}"
        kernel_calls.mount_new("tmpfs", target, _NO_PROGRAMS, options)


def _inside_user() -> tuple[int, int]:
    return (os.getuid(), os.getgid()) if os.getuid() else (NOBODY, NOBODY)


def library_folders() -> tuple[str, ...]:
    """Folders of Python's standard library and of the C libraries on this machine."""
    places = [
        sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}),
        "/usr/lib",
        "/usr/lib64",
        "/usr/lib32",
    ]
    if sys.base_prefix not in ("/usr", "/"):
        places.append(sys.base_prefix)
    for folder in ("/lib", "/lib64"):
        if not os.path.islink(folder):
            places.append(folder)
    found = sorted({os.path.realpath(place) for place in places if place and os.path.isdir(place)})
    return tuple(place for place in found if not any(place.startswith(other + "/") for other in found))


def _host_trees(profile: ChildProfile) -> dict[str, int]:
    """Open the host's files before the new root hides them. Maps target paths to detached mounts."""
    trees = {
        place: kernel_calls.clone_tree(place, _NO_PRIVILEGES | kernel_calls.READ_ONLY) for place in library_folders()
    }
    for place in ("/usr/share/zoneinfo", "/etc/ld.so.cache"):
        if os.path.exists(place):
            trees[place] = kernel_calls.clone_tree(place, _NO_PROGRAMS | kernel_calls.READ_ONLY)
    for name in _DEVICES:
        trees[f"/dev/{name}"] = kernel_calls.clone_tree(
            f"/dev/{name}", kernel_calls.NO_SETUID | kernel_calls.NO_EXECUTION
        )
    for place, path in profile.packages:
        trees[f"{PACKAGES}/{place}"] = kernel_calls.clone_tree(path, _NO_PRIVILEGES | kernel_calls.READ_ONLY)
    if profile.runtime:
        trees[deno_backend.BINARY] = kernel_calls.clone_tree(profile.runtime, _NO_PRIVILEGES | kernel_calls.READ_ONLY)
    return trees


def project_trees(profile: ChildProfile, owners: int) -> dict[str, int]:
    """Open the folders of a run, mounted without execution rights. Maps target paths to detached mounts."""
    trees = {}
    for name, place in zip(_FOLDERS, profile.folders, strict=True):
        if place:
            read_only = name != "workspace" or not profile.writable
            trees[f"{BENCH}/{name}"] = owned_tree(
                place, _NO_PROGRAMS | (kernel_calls.READ_ONLY if read_only else 0), owners
            )
    return trees


def owned_tree(source: str, flags: int, owners: int) -> int:
    """Clone a tree in which root's files belong to `nobody`, if this process is real root.

    Files that `nobody` creates there belong to root outside.
    """
    if owners >= 0:
        with contextlib.suppress(OSError):
            return kernel_calls.clone_tree(source, flags, owners)
    if os.getuid() == 0 and not flags & kernel_calls.READ_ONLY:
        give_to_nobody(source)  # this file system does not support ID-mapped mounts
    return kernel_calls.clone_tree(source, flags)


def give_to_nobody(folder: str) -> None:
    """Change the owner of all files in the folder to `nobody`, without following links."""
    for _, folders, files, at in os.fwalk(folder, follow_symlinks=False):
        os.fchown(at, NOBODY, NOBODY)
        for name in (*folders, *files):
            os.chown(name, NOBODY, NOBODY, dir_fd=at, follow_symlinks=False)


def attach(tree: int, target: str) -> None:
    if os.path.isdir(f"/proc/self/fd/{tree}"):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()
    kernel_calls.attach_tree(tree, target)


def _small_files(profile: ChildProfile, user: int, group: int) -> None:
    local_time = _read_or_nothing("/etc/localtime")
    folder = deno_backend.PLACE[1:] if profile.language == deno_backend.LANGUAGE else BENCH[1:]
    project = (f"{BENCH}/servers", f"{BENCH}/skills", f"{BENCH}/workspace")
    for place in ("/dev", "/etc", "/proc", *project, HOME, TEMP, deno_backend.PLACE):
        os.makedirs(_ROOT + place)
    for name in ("bin", "sbin", "lib", "lib64", "lib32"):
        if os.path.islink(f"/{name}"):
            os.symlink(os.readlink(f"/{name}"), f"{_ROOT}/{name}")
    os.symlink(f"{BENCH}/workspace", f"{_ROOT}/workspace")
    if profile.runtime:  # the only part of /proc that Deno needs, after /proc is removed
        os.makedirs(f"{_ROOT}/proc/self")
        os.symlink(deno_backend.BINARY, f"{_ROOT}/proc/self/exe")
    texts = {
        **account(user, group),
        "etc/localtime": local_time,
        **{f"{folder}/{name}": text for name, text in inside_files(profile.language).items()},
    }
    for name, data in texts.items():
        Path(_ROOT, name).write_bytes(data)


@functools.cache
def inside_files(language: str = "python") -> dict[str, bytes]:
    """Contents of the modules that a language's programs can import. Read before the new root hides their folder."""
    if language == deno_backend.LANGUAGE:
        return deno_backend.scripts()
    return {file.name: file.read_bytes() for file in INSIDE.glob("[a-z]*.py")}


def account(user: int, group: int) -> dict[str, bytes]:
    """Account files with a single user and group."""
    return {
        "etc/passwd": f"program:x:{user}:{group}::{HOME}:/bin/false\n".encode(),
        "etc/group": f"program:x:{group}:\n".encode(),
    }


def _read_or_nothing(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


class NamespaceRoot:
    """Mount namespace that the launcher enters once and permanently. Unprivileged users also get a user namespace."""

    def __init__(self, owners: int) -> None:
        self._owners = owners  # user namespace that maps root's files to `nobody`; -1: none
        self._roots: dict[tuple[object, ...], int] = {}  # language and packages → mount namespace with their root
        self.processes = os.open("/proc", os.O_PATH | os.O_CLOEXEC)  # these roots have no /proc
        self.alive = os.pidfd_open(os.getpid())  # readable when this process has ended
        user, group = os.getuid(), os.getgid()
        if user:
            kernel_calls.unshare(kernel_calls.NEW_USER | kernel_calls.NEW_MOUNTS)
            itself = os.open("/proc/self", os.O_PATH | os.O_CLOEXEC)
            lockdown.map_own_ids(user, group, itself)
            os.close(itself)
        else:
            kernel_calls.unshare(kernel_calls.NEW_MOUNTS)
        kernel_calls.own_mounts(following=True)
        self._host = self._mounts()

    def prepare(self, profile: ChildProfile) -> dict[str, int]:
        """Enter the root of the next child's profile. Returns its project folders: target path → detached mount."""
        self.leave()
        trees = project_trees(profile, self._owners)
        _check_same(profile, trees)
        kind = (profile.language, profile.packages)
        if kind in self._roots:
            kernel_calls.move_to(self._roots[kind])
            return trees
        kernel_calls.unshare(kernel_calls.NEW_MOUNTS)
        kernel_calls.own_mounts()
        build_root(profile)
        self._roots[kind] = self._mounts()
        return trees

    def leave(self) -> None:
        """Return to the mount namespace with the host's files and their current mounts."""
        kernel_calls.move_to(self._host)

    def _mounts(self) -> int:
        return os.open("self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.processes)


def _check_same(profile: ChildProfile, trees: dict[str, int]) -> None:
    """Verify that the mounted folders are those that the core saw: no replaced path, no hidden mount."""
    seen = [mark for place, mark in zip(profile.folders, profile.marks, strict=True) if place]
    for (target, tree), mark in zip(trees.items(), seen, strict=True):
        status = os.fstat(tree)
        if (status.st_dev, status.st_ino) != mark:
            raise OSError(errno.ESTALE, f"{target} is not the folder that the workbench opened. Restart the workbench")
