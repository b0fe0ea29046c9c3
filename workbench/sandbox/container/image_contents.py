"""Contents of the container image: Python and its library from the system's packages, and the runner's files.

The image has no shell, no package manager, no program except Python, and no setuid file.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import io
import marshal
import re
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from workbench.sandbox.child_profile import BENCH, HOME, NOBODY, TEMP
from workbench.sandbox.container.run_arguments import ENTRY, PACKAGE_PLACE, seccomp_profile, user
from workbench.sandbox.locks.seccomp_filter import ARCHITECTURES
from workbench.sandbox.process import native_backend

_PACKAGE = Path(__file__).resolve().parents[2]  # the folder `workbench`
_KEPT = re.compile(
    r"(usr/)?lib(32|64)?(/(?!apt/|dpkg/|debconf|systemd/|init/|cnf/|udev/|tmpfiles|sysusers).*)?$"
    r"|usr$|usr/bin$|usr/bin/python3[^/]*$|usr/share$|usr/share/zoneinfo(/.*)?$|(s?bin)$"
)
_LEFT_OUT = re.compile(r"/(test|tests|idlelib|turtledemo|tkinter|ensurepip|lib2to3|distutils|dist-packages)(/|$)")
_PROJECT_FOLDERS = ("workspace", "servers", "skills")
_RIGHTS = 0o777  # file mode without setuid, setgid and sticky bits


def runner_files() -> dict[str, bytes]:
    """Path in the image → content: the entry module and everything that it imports, found by parsing imports."""
    found: dict[str, bytes] = {}
    waiting = [ENTRY]
    while waiting:
        name = waiting.pop()
        file = _file_of(name)
        if file is None or str(file) in found:
            continue
        found[str(file)] = file.read_bytes()
        waiting += _imports(found[str(file)])
        waiting += [name.rpartition(".")[0]] if "." in name else []
    named = {f"{PACKAGE_PLACE[1:]}/workbench/{Path(file).relative_to(_PACKAGE)}": data for file, data in found.items()}
    for file in sorted(native_backend.INSIDE.glob("[a-z]*.py")):
        named[f"{PACKAGE_PLACE[1:]}/workbench/sandbox/inside/modules/{file.name}"] = file.read_bytes()
        named[f"{BENCH[1:]}/{file.name}"] = file.read_bytes()
    return dict(sorted(named.items()))


def source_hash() -> str:
    """Hash of the runner's files. An image with a different hash is outdated."""
    profiles = [seccomp_profile(parent, machine) for parent in (False, True) for machine in ARCHITECTURES]
    digest = hashlib.sha256(str((sorted(_texts().items()), profiles)).encode())
    for name, data in runner_files().items():
        digest.update(name.encode() + b"\0" + data + b"\0")
    return digest.hexdigest()[:16]


def own_files() -> bytes:
    """Tar file with only the Workbench's files, to be added to a system with Python."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as tar:
        for name in ("etc", "home"):
            tar.addfile(_folder(name, 0o755))
        for part in _PROJECT_FOLDERS:  # podman gives an in-memory folder the mode of the folder that it covers
            tar.addfile(_folder(f"{BENCH[1:]}/{part}", 0o1777))
        tar.addfile(_folder(TEMP[1:], 0o1777))
        tar.addfile(_link(HOME[1:], f"{TEMP}/home"))
        tar.addfile(_link("workspace", f"{BENCH}/workspace"))
        for name, data in {**_texts(), **_compiled(runner_files())}.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o644
            tar.addfile(info, io.BytesIO(data))
    return target.getvalue()


def reduce_system(source: Path, target: Path) -> None:
    """Reduce the tar file of a full system to the files that the image needs."""
    names: set[str] = set()
    with tarfile.open(source) as old, tarfile.open(target, "w") as new:
        for member in old:
            name = member.name.removeprefix("./").strip("/")
            if _KEPT.match(name) and not _LEFT_OUT.search(name) and not member.isdev():
                names.add(name)
                new.addfile(_plain_member(member, name), old.extractfile(member) if member.isreg() else None)
        for name in ("bin", "sbin", "lib", "lib64"):  # links below /usr on newer systems
            if name not in names and f"usr/{name}" in names:
                new.addfile(_link(name, f"usr/{name}"))
        for name in ("dev", "proc", "sys", "run"):
            new.addfile(_folder(name, 0o755))


def _compiled(files: dict[str, bytes]) -> dict[str, bytes]:
    """Add bytecode for this Python version, which an image with the same version uses."""
    found = dict(files)
    for name, data in files.items():
        if not name.startswith(PACKAGE_PLACE[1:]):
            continue  # folders that programs see get no __pycache__
        code = compile(data, f"/{name}", "exec", dont_inherit=True)
        head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little")  # flag: never checked against the source
        folder, _, file = name.rpartition("/")
        place = f"{folder}/__pycache__/{file.removesuffix('.py')}.{sys.implementation.cache_tag}.pyc"
        found[place] = head + importlib.util.source_hash(data) + marshal.dumps(code)
    return found


def _plain_member(member: tarfile.TarInfo, name: str) -> tarfile.TarInfo:
    member.name, member.mode = name, member.mode & _RIGHTS
    member.linkname = member.linkname.removeprefix("./") if member.islnk() else member.linkname
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _texts() -> dict[str, bytes]:
    local_time = Path("/etc/localtime")
    return {**_accounts(), "etc/localtime": local_time.read_bytes() if local_time.exists() else b""}


def _accounts() -> dict[str, bytes]:
    """Account files with this user, and with the user that programs have on a remote machine."""
    found = dict(native_backend.account(*user()))
    if user() != (NOBODY, NOBODY):
        for name, line in native_backend.account(NOBODY, NOBODY).items():
            found[name] += line
    return found


def _link(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = tarfile.SYMTYPE, target, 0o777
    return info


def _folder(name: str, mode: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode = tarfile.DIRTYPE, mode
    return info


def _file_of(module: str) -> Path | None:
    place = _PACKAGE.parent.joinpath(*module.split("."))
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    return None


def _imports(source: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("workbench"):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
