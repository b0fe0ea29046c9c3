"""Locks a child and then executes QEMU in it, so that a vulnerability in QEMU gives no access to the host.

QEMU has no network, no other processes, no files except its libraries and the image, nothing writable, and the rights
of `nobody`. It dies with the core. Where namespaces are forbidden, Landlock and dropped privileges remain.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
from typing import NoReturn, TypedDict

from workbench.sandbox.child_profile import NOBODY
from workbench.sandbox.locks import kernel_calls, landlock
from workbench.sandbox.process import native_backend

_ROOT = "/tmp"
_SHARED = ("/usr/share/qemu", "/usr/share/seabios", "/usr/lib/ipxe/qemu")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/kvm")
_NO_PRIVILEGES = kernel_calls.NO_SETUID | kernel_calls.NO_DEVICES


class ConfinementOrder(TypedDict):
    """What the core wants to start, passed as JSON on the command line."""

    command: list[str]
    files: dict[str, str]  # path inside → path on this machine
    keep: list[int]  # descriptors that QEMU inherits
    parent: int  # process ID of the core
    megabytes: int  # memory of the machine
    writes: int  # megabytes that it may write to a file: 0 except for the snapshot


def main() -> NoReturn:
    order: ConfinementOrder = json.loads(sys.argv[1])
    kernel_calls.die_with_parent(signal.SIGKILL)
    if os.getppid() != order["parent"]:
        os._exit(1)  # the core died before PDEATHSIG was set
    confined = _enter_namespaces()
    parent = os.getpid()
    inner = os.fork()
    if not inner:
        _become(order, parent if not confined else 0, confined)
    for descriptor in order["keep"]:
        os.close(descriptor)
    status = os.waitpid(inner, 0)[1]
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def _enter_namespaces() -> bool:
    try:
        native_backend.enter_namespaces()
    except OSError:
        return False
    return True


def _become(order: ConfinementOrder, parent: int, confined: bool) -> NoReturn:
    command, files = order["command"], order["files"]
    try:
        if confined:
            _enter_root(command[0], files)
        _drop_rights(order, confined)
        for descriptor in order["keep"]:
            os.set_inheritable(descriptor, True)
        if parent and os.getppid() != parent:
            os._exit(1)
        words = [word if confined else files.get(word, word) for word in command]
        os.execve(command[0], words, {})
    except OSError as fault:
        os.write(2, f"QEMU could not be confined: {fault}\n".encode())
    os._exit(1)


def _enter_root(emulator: str, files: dict[str, str]) -> None:
    """Enter a root with only the host's libraries, QEMU and the image, all read-only."""
    trees = {
        place: kernel_calls.clone_tree(place, _NO_PRIVILEGES | kernel_calls.READ_ONLY)
        for place in (*_libraries(), *_SHARED, emulator, "/etc/ld.so.cache")
        if os.path.exists(place)
    }
    for target, source in files.items():
        trees[target] = kernel_calls.clone_tree(source, _NO_PRIVILEGES | kernel_calls.READ_ONLY)
    for name in _existing(_DEVICES):
        trees[name] = kernel_calls.clone_tree(name, kernel_calls.NO_SETUID)
    kernel_calls.mount_new("tmpfs", _ROOT, _NO_PRIVILEGES, "size=1m,nr_inodes=1k,mode=755")
    for name in ("bin", "sbin", "lib", "lib64", "lib32"):
        if os.path.islink(f"/{name}"):
            os.symlink(os.readlink(f"/{name}"), f"{_ROOT}/{name}")
    for target, tree in trees.items():
        native_backend.attach(tree, _ROOT + target)
    kernel_calls.change_root(_ROOT)
    kernel_calls.make_read_only("/", _NO_PRIVILEGES)


def _libraries() -> tuple[str, ...]:
    """Folders of C libraries. The folder of this Python is omitted, because QEMU does not need it."""
    return tuple(place for place in ("/usr/lib", "/usr/lib64", "/lib", "/lib64") if _is_real_folder(place))


def _is_real_folder(place: str) -> bool:
    return os.path.isdir(place) and not os.path.islink(place)


def _drop_rights(order: ConfinementOrder, confined: bool) -> None:
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, order["writes"] << 20),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_AS, (order["megabytes"] + 1536) << 20),
    ):
        resource.setrlimit(kind, (most, most))
    if os.getuid() == 0:
        os.setgroups(_accelerator_group())
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    kernel_calls.drop_capabilities()
    kernel_calls.gain_nothing()
    _lock_files(["/"] if confined else [*_existing(_SHARED), *order["files"].values()], order["command"][0])
    kernel_calls.die_with_parent(signal.SIGKILL)  # after the last change of credentials, because each change resets it


def _accelerator_group() -> list[int]:
    """Group of /dev/kvm, which `nobody` needs to use hardware virtualization."""
    try:
        found = os.stat("/dev/kvm")
    except OSError:
        return []
    return [found.st_gid] if found.st_gid and found.st_mode & 0o060 == 0o060 else []


def _lock_files(readable: list[str], emulator: str) -> None:
    """Add Landlock rules. QEMU's own filter prevents it from starting programs once it runs."""
    plain = [name for name in _DEVICES if name != "/dev/kvm"]
    with contextlib.suppress(OSError):
        landlock.restrict(readable, [], plain, [emulator, *_libraries()], _existing(("/dev/kvm",)))


def _existing(places: tuple[str, ...]) -> list[str]:
    return [place for place in places if os.path.exists(place)]
