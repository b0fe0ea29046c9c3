"""Landlock rules: only these paths stay writable, even if the mounts have a gap."""

from __future__ import annotations

import os
from collections.abc import Iterable

from workbench.sandbox.locks import kernel_calls

_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}  # number of file access rights in each ABI version; 16 from version 5
_READ = 0b1100  # read files, list folders; executing files is not needed
_WRITE_FILE, _READ_FILE, _TRUNCATE = 1 << 1, 1 << 2, 1 << 14
_MAKE_NO_NODES = ~(
    1 << 6 | 1 << 9 | 1 << 10 | 1 << 11
)  # no devices, sockets or pipes, which could trap programs that read the workspace later
_EXECUTE, _COMMAND = 1, 1 << 15
_NOT_EXECUTE = ~_EXECUTE


def restrict(
    readable: Iterable[str],
    writable: Iterable[str],
    devices: Iterable[str],
    started: Iterable[str] = (),
    commanded: Iterable[str] = (),
) -> int:
    """Allow reading only these paths, writing only below `writable`, and executing only `started`.

    Returns Landlock's ABI version; 0: not available. `commanded` are devices that accept ioctl commands, which programs
    never need.
    """
    version = kernel_calls.landlock_version()
    if version < 1:
        return 0
    known = (1 << _RIGHTS_BY_VERSION.get(version, 16)) - 1
    rules = kernel_calls.landlock_create(_handled(known, version))
    for place in readable:
        kernel_calls.landlock_allow(rules, place, _READ & known if os.path.isdir(place) else _READ_FILE)
    for folder in writable:
        kernel_calls.landlock_allow(rules, folder, known & _MAKE_NO_NODES & _NOT_EXECUTE)
    for program in started:
        kernel_calls.landlock_allow(rules, program, _EXECUTE | _READ_FILE)
    for device in devices:
        if os.path.exists(device):
            kernel_calls.landlock_allow(rules, device, (_READ_FILE | _WRITE_FILE | _TRUNCATE) & known)
    for device in commanded:
        kernel_calls.landlock_allow(rules, device, (_READ_FILE | _WRITE_FILE | _COMMAND) & known)
    kernel_calls.landlock_enter(rules)
    return version


def _handled(known: int, version: int) -> bytes:
    """File access rights; from version 4 also TCP, from 6 also abstract sockets and signals to outside processes."""
    words = [known] + [3] * (version >= 4) + [3] * (version >= 6)
    return b"".join(word.to_bytes(8, "little") for word in words)
