"""Linux system calls that Python's `os` lacks: namespaces, mounts, capabilities, Landlock, seccomp, prctl.

Only the launcher, its children and other locked processes import this module. Every function raises OSError with the
name of the operation that was refused.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal

from workbench.sandbox.locks.seccomp_filter import numbers

NEW_USER, NEW_MOUNTS, NEW_PIDS, NEW_NETWORK = 0x10000000, 0x00020000, 0x20000000, 0x40000000
NEW_IPC, NEW_HOSTNAME, NEW_CGROUPS = 0x08000000, 0x04000000, 0x02000000
NEW_WORLD = NEW_MOUNTS | NEW_PIDS | NEW_NETWORK | NEW_IPC | NEW_HOSTNAME | NEW_CGROUPS

NO_SETUID, NO_DEVICES, NO_EXECUTION = 2, 4, 8  # the same bits in mount() and mount_setattr()
READ_ONLY = 1
_ID_MAPPED = 0x00100000
_REMOUNT_BIND = 32 | 4096
_RECURSIVE = 16384
_PRIVATE, _FOLLOWING = 1 << 18, 1 << 19

# System calls added after Linux 5.0 have the same number on all processors.
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_AT_EMPTY_PATH, _AT_RECURSIVE, _AT_HERE = 0x1000, 0x8000, -100
_CAPABILITIES_V3 = 0x20080522
_NOTHING = ctypes.c_ulong(0)

# The flags that fork() passes to clone(): SIGCHLD at the end, and the thread ID where the C library expects it.
_SIGCHLD, _CLEAR_NUMBER, _SET_NUMBER, _PROCESS_DESCRIPTOR = 17, 0x00200000, 0x01000000, 0x1000
_GET_NUMBER_ADDRESS = 40

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_held = ctypes.PyDLL(None, use_errno=True)  # the same library, called without releasing the interpreter lock
_held.syscall.restype = ctypes.c_long


def _check(answer: int, what: str) -> int:
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return answer


def _syscall(what: str, number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    plain = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return _check(_libc.syscall(ctypes.c_long(number), *plain), what)


def _structure(data: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(data, len(data))


def unshare(flags: int) -> None:
    _check(_libc.unshare(ctypes.c_int(flags)), "new namespaces")


def own_mounts(following: bool = False) -> None:
    """Make later mounts of this process invisible outside. `following`: outside mounts still become visible here."""
    flags = ctypes.c_ulong(_RECURSIVE | (_FOLLOWING if following else _PRIVATE))
    _check(_libc.mount(None, b"/", None, flags, None), "private mounts")


def move_to(mounts: int) -> None:
    """Enter the mount namespace of this descriptor. Its root becomes the root of this process."""
    _check(_libc.setns(ctypes.c_int(mounts), ctypes.c_int(NEW_MOUNTS)), "move to other mounts")


def fork_into(flags: int) -> tuple[int, int]:
    """`os.fork()` into new namespaces. Returns process ID and pidfd; in the child 0 and -1."""
    known = ctypes.c_void_p()
    if _libc.prctl(ctypes.c_int(_GET_NUMBER_ADDRESS), ctypes.byref(known), *[_NOTHING] * 3) == 0 and known.value:
        flags |= _CLEAR_NUMBER | _SET_NUMBER
    descriptor = ctypes.c_int(-1)
    # The third argument receives the pidfd. The thread ID address is the fourth or fifth argument, depending on the
    # processor.
    words = (ctypes.c_long(flags | _PROCESS_DESCRIPTOR | _SIGCHLD), None, ctypes.byref(descriptor), known, known)
    ctypes.pythonapi.PyOS_BeforeFork()
    process = _held.syscall(ctypes.c_long(numbers()["clone"]), *words)
    if process == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
        return 0, -1
    code = ctypes.get_errno()
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    if process < 0:
        raise OSError(code, f"process in new namespaces: {os.strerror(code)}")
    return process, descriptor.value


def mount_new(kind: str, target: str, flags: int, options: str) -> None:
    answer = _libc.mount(kind.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode())
    _check(answer, f"mount {kind} on {target}")


def make_read_only(target: str, flags: int) -> None:
    wanted = ctypes.c_ulong(_REMOUNT_BIND | READ_ONLY | flags)
    _check(_libc.mount(None, os.fsencode(target), None, wanted, None), f"make {target} read-only")


def clone_tree(source: str, flags: int, owners: int = -1) -> int:
    """Copy the mounts at a path as a detached tree with stricter flags. `owners`: user namespace for mapped IDs."""
    tree = _syscall(f"open {source}", _OPEN_TREE, _AT_HERE, os.fsencode(source), 1 | os.O_CLOEXEC | _AT_RECURSIVE)
    try:
        _set_attributes(source, tree, flags, 0)
        if owners >= 0:
            _set_attributes(source, tree, _ID_MAPPED, owners)
    except OSError:
        os.close(tree)
        raise
    return tree


def _set_attributes(source: str, tree: int, flags: int, owners: int) -> None:
    wanted = b"".join(value.to_bytes(8, "little") for value in (flags, 0, 0, owners))
    at = _AT_EMPTY_PATH | _AT_RECURSIVE
    _syscall(f"lock {source}", _MOUNT_SETATTR, tree, b"", at, _structure(wanted), len(wanted))


def attach_tree(tree: int, target: str) -> None:
    """Mount a detached tree and close its descriptor."""
    try:
        _syscall(f"mount on {target}", _MOVE_MOUNT, tree, b"", _AT_HERE, os.fsencode(target), 4)
    finally:
        os.close(tree)


def unmount(folder: str) -> None:
    _check(_libc.umount2(os.fsencode(folder), ctypes.c_int(2)), f"unmount {folder}")


def change_root(folder: str) -> None:
    """Make a folder the root and unmount the old root."""
    os.chdir(folder)
    _syscall("new root", numbers()["pivot_root"], b".", b".")
    unmount(".")
    os.chdir("/")


def name_host(name: str) -> None:
    _check(_libc.sethostname(name.encode(), ctypes.c_size_t(len(name))), "host name")


def control(option: int, value: int, what: str) -> None:
    _check(_libc.prctl(ctypes.c_int(option), *(ctypes.c_ulong(word) for word in (value, 0, 0, 0))), what)


def die_with_parent(signal_number: int) -> None:
    control(1, signal_number, "die with parent")


def end_child(process: int) -> None:
    """Kill a child. Does nothing if the process has already been waited for."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def end_children() -> None:
    """Kill all current children of this process, including adopted ones."""
    with contextlib.suppress(FileNotFoundError):  # a kernel without lists of children
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            children = file.read().split()
        for child in children:
            end_child(int(child))


def adopt_orphans() -> None:
    control(36, 1, "adopt orphans")


def stay_dumpable() -> None:
    """Let a process that changed its user open its own /proc files."""
    control(4, 1, "dumpable")


def gain_nothing() -> None:
    control(38, 1, "no new privileges")


def drop_capabilities() -> None:
    drop, nothing = ctypes.c_int(24), (_NOTHING, _NOTHING, _NOTHING)
    for capability in range(64):
        if _libc.prctl(drop, ctypes.c_ulong(capability), *nothing) < 0:
            break  # no more capabilities in this kernel, or CAP_SETPCAP is gone
    control(47, 4, "ambient capabilities")
    header = _structure(_CAPABILITIES_V3.to_bytes(4, "little") + bytes(4))
    _syscall("drop capabilities", numbers()["capset"], header, _structure(bytes(24)))


def install_filter(program: bytes) -> None:
    """Install the seccomp filter. From now on only the calls that it allows work."""
    instructions = _structure(program)
    address = ctypes.addressof(instructions)
    head = (len(program) // 8).to_bytes(8, "little") + address.to_bytes(8, "little")
    _syscall("system call filter", numbers()["seccomp"], 1, 0, _structure(head))


def landlock_version() -> int:
    """Landlock's ABI version, or 0 if this kernel has no Landlock."""
    return max(0, int(_libc.syscall(ctypes.c_long(_LANDLOCK_CREATE), None, ctypes.c_long(0), ctypes.c_long(1))))


def landlock_create(rights: bytes) -> int:
    return _syscall("Landlock", _LANDLOCK_CREATE, _structure(rights), len(rights), 0)


def landlock_allow(rules: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = rights.to_bytes(8, "little") + place.to_bytes(4, "little")
        _syscall(f"Landlock rule for {path}", _LANDLOCK_ADD, rules, 1, _structure(rule), 0)
    finally:
        os.close(place)


def landlock_enter(rules: int) -> None:
    _syscall("Landlock", _LANDLOCK_RESTRICT, rules, 0)
    os.close(rules)
