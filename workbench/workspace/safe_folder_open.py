"""Opens a path below a folder that is open, in one step where the kernel can promise that it does not lead out.

`openat2` refuses links, magic links and every way up while it walks, whatever somebody renames meanwhile. Where it is
missing (before Linux 5.6, or filtered), each step is opened relative to the one before without following links.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Sequence
from typing import Final

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPENAT2: Final = 437  # the same number on every architecture
_BENEATH: Final = 0x08 | 0x04 | 0x02  # RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS
_MISSING: Final = frozenset({errno.ENOSYS, errno.EPERM, errno.E2BIG, errno.EINVAL})
_TRIES: Final = 3  # the kernel asks to try again when names moved meanwhile


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class _Kernel:
    """Whether it knows openat2 is found out at the first call."""

    def __init__(self) -> None:
        self.knows = True
        self._call = ctypes.CDLL(None, use_errno=True).syscall

    def open(self, root: int, path: bytes, flags: int) -> int:
        how = _How(flags, 0, _BENEATH)
        for _ in range(_TRIES):
            number = int(self._call(_OPENAT2, root, path, ctypes.byref(how), ctypes.sizeof(how)))
            if number >= 0:
                return number
            if (code := ctypes.get_errno()) not in (errno.EAGAIN, errno.EINTR):
                break
        raise OSError(code, os.strerror(code))


_kernel = _Kernel()


def open_folder(root: int, parts: Sequence[str]) -> int:
    """The folder these steps lead to; a link on the way is an error, never a way."""
    if not parts:
        return os.dup(root)
    if _kernel.knows and len(parts) > 1:
        try:
            return _kernel.open(root, os.fsencode("/".join(parts)), FOLDER)
        except OSError as fault:
            if fault.errno not in _MISSING:
                raise
            _kernel.knows = False
    return _step_by_step(root, parts)


def _step_by_step(root: int, parts: Sequence[str]) -> int:
    here = os.open(parts[0], FOLDER, dir_fd=root)
    for step in parts[1:]:
        try:
            inner = os.open(step, FOLDER, dir_fd=here)
        finally:
            os.close(here)
        here = inner
    return here
