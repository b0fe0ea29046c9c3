"""What all native children of one launcher share: the right to make namespaces, and a root that is ready.

The launcher lives in that root itself, so a child begins with a copy of it, in which nothing of the host was ever
mounted but what every program may read. Only to fetch a run's own folders it looks into the host's mounts for a moment.
"""

from __future__ import annotations

import errno
import os

from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.locks import kernel_calls, lockdown
from workbench.sandbox.process import native_backend


class NamespaceRoot:
    """Entered by the launcher once and for good. An ordinary user gets a user namespace, in which this is allowed."""

    def __init__(self, owners: int) -> None:
        self._owners = owners  # maps root's files to nobody; -1: nothing does
        self._roots: dict[tuple[object, ...], int] = {}  # language and packages → mounts in which it is the root
        self.processes = os.open("/proc", os.O_PATH | os.O_CLOEXEC)  # there is none in those roots
        self.alive = os.pidfd_open(os.getpid())  # readable when this process is gone
        user, group = os.getuid(), os.getgid()
        if user:
            kernel_calls.unshare(kernel_calls.NEW_USER | kernel_calls.NEW_MOUNTS)
            itself = os.open("/proc/self", os.O_PATH | os.O_CLOEXEC)
            lockdown.map_self(user, group, itself)
            os.close(itself)
        else:
            kernel_calls.unshare(kernel_calls.NEW_MOUNTS)
        kernel_calls.own_mounts(following=True)
        self._host = self._mounts()

    def prepare(self, profile: ChildProfile) -> dict[str, int]:
        """Live where the child is to begin; answers its run's own folders: target inside → detached mount."""
        self.leave()
        trees = native_backend.project_trees(profile, self._owners)
        _check_same(profile, trees)
        kind = (profile.language, profile.packages)
        if kind in self._roots:
            kernel_calls.move_to(self._roots[kind])
            return trees
        kernel_calls.unshare(kernel_calls.NEW_MOUNTS)
        kernel_calls.own_mounts()
        native_backend.build_root(profile)
        self._roots[kind] = self._mounts()
        return trees

    def leave(self) -> None:
        """See the host's files, as they are mounted now."""
        kernel_calls.move_to(self._host)

    def _mounts(self) -> int:
        return os.open("self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.processes)


def _check_same(profile: ChildProfile, trees: dict[str, int]) -> None:
    """What the core saw under these names is what is mounted: no link was put there, nothing is hidden from us."""
    seen = [mark for place, mark in zip(profile.folders, profile.marks, strict=True) if place]
    for (target, tree), mark in zip(trees.items(), seen, strict=True):
        status = os.fstat(tree)
        if (status.st_dev, status.st_ino) != mark:
            raise OSError(errno.ESTALE, f"{target} is another folder here than for the workbench. Restart it")
