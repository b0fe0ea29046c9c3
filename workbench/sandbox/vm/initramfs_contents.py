"""Lists what the machine's first file system holds: this Python, its library, C libraries, our modules.

All of it comes from this machine, so a program meets the same Python as in every other sandbox.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import workbench
from workbench.errors import WorkbenchError
from workbench.sandbox.child_profile import ENVIRONMENT, base_python

PACKAGE = Path(workbench.__file__).resolve().parent
OURS = "/app"
FIRST = "/init"
_START = f"""#!{{python}} -IS
import sys
sys.path.insert(0, {OURS!r})
sys.dont_write_bytecode = True
from workbench.sandbox.vm.guest_init import main
main()
"""
# Parts of the library that need a screen, a network, another compiler or the tests of Python itself.
_LEFT_OUT = {
    "__pycache__", "test", "tests", "site-packages", "dist-packages", "idlelib", "tkinter", "ensurepip", "lib2to3",
    "turtledemo", "venv", "distutils", "pydoc_data",
}  # fmt: skip
_NO_EXTENSION = re.compile(r"^(_tkinter|nis|_test|_ctypes_test|xxlimited|_xxtest|ossaudiodev|spwd)")
_WHICH = """
import json, sys
sys.path.insert(0, {root!r})
import workbench.sandbox.vm.guest_init
print(json.dumps([getattr(m, "__file__", None) for n, m in sys.modules.items() if n.split(".")[0] == "workbench"]))
"""
_COMPILE = """
import compileall, py_compile, sys
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir(sys.argv[1], quiet=2, stripdir=sys.argv[1], prependdir="/", invalidation_mode=mode)
"""


def our_files() -> list[Path]:
    """Every file of ours that the first process inside imports, as it is on the disk now."""
    script = _WHICH.format(root=str(PACKAGE.parent))
    command = [base_python(), "-I", "-S", "-B", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT, timeout=120)
    if done.returncode:
        raise WorkbenchError("The machine's first process cannot be imported.", done.stderr.strip()[-300:])
    found = {Path(name) for name in json.loads(done.stdout) if name}
    return sorted(found | set((PACKAGE / "sandbox/inside/modules").glob("[a-z]*.py")))


def files(ours: list[Path]) -> dict[str, Path]:
    """Target inside → file of this machine."""
    library = Path(sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}))
    found = {str(path): path for path in _library(library)}
    python = Path(base_python())
    found[str(python)] = python
    for place in _shared([python, *(path for path in found.values() if path.suffix == ".so")]):
        found[str(place)] = place
    for path in ours:
        found[f"{OURS}/{path.relative_to(PACKAGE.parent)}"] = path
    zones = Path("/usr/share/zoneinfo")
    found |= {str(path): path for path in _zones(zones)} if zones.is_dir() else {}
    return found


def first_script() -> bytes:
    return _START.format(python=base_python()).encode()


def compiled(sources: list[Path], folder: Path) -> dict[str, Path]:
    """Ready code for these modules, valid whatever the files' times are inside; `folder` is an empty one to work in."""
    for path in sources:
        copy = folder / str(path).lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    command = [base_python(), "-I", "-S", "-c", _COMPILE, str(folder)]
    subprocess.run(command, check=False, env=ENVIRONMENT, timeout=600, stdout=subprocess.DEVNULL)
    return {f"/{path.relative_to(folder)}": path for path in folder.rglob("*.pyc")}


def _library(folder: Path) -> Iterator[Path]:
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _LEFT_OUT and not name.startswith("config-")]
        yield from (Path(at, name) for name in names if _belongs(name, at == str(folder)))


def _belongs(name: str, top: bool) -> bool:
    """Modules that are of use, and the data files of packages."""
    kind = os.path.splitext(name)[1]
    if kind in (".py", ".so"):
        return not _NO_EXTENSION.match(name)
    return not top and kind not in (".a", ".o", ".exe")


def _shared(programs: list[Path]) -> Iterator[Path]:
    """The C libraries these need, as this machine's own loader finds them."""
    command = ["ldd", *map(str, programs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    for word in set(re.findall(r"(?:=> |^\s+)(/\S+) \(0x", done.stdout, re.MULTILINE)):
        yield Path(word)
    for name in ("libgcc_s.so.1",):  # threads that are cancelled ask for it by name
        for folder in ("/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib"):
            if Path(folder, name).exists():
                yield Path(folder, name)
                break


def _zones(folder: Path) -> Iterator[Path]:
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("posix", "right")]
        yield from (Path(at, name) for name in names)
