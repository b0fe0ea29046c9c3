"""As root: gives what a program may write to nobody while it runs, and back to root afterwards."""

from __future__ import annotations

import contextlib
import os
from collections import Counter

from workbench.sandbox.child_profile import NOBODY


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
