"""The virtual environment `.venv`: created with the tools this Python has, and filled with the pinned versions only."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import debian
from stamp import PINNED
from trouble import Trouble

MEGABYTES = {"run": 110, "test": 260}  # goal → size of its packages


def python(root: Path) -> Path:
    return root / ".venv" / "bin" / "python"


def make(root: Path) -> None:
    """Create `.venv` unless a working one of the same Python version exists."""
    if _works(root):
        return
    shutil.rmtree(root / ".venv", ignore_errors=True)
    if importlib.util.find_spec("ensurepip") is None and not _pip_can_help():
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        debian.require([package], "Python's own installer of packages is not here")
    print("Making .venv …", file=sys.stderr)
    own_pip = importlib.util.find_spec("ensurepip") is not None or _ensurepip_now()
    _call([sys.executable, "-m", "venv", *([] if own_pip else ["--without-pip"]), str(root / ".venv")])


def install(root: Path, goal: str) -> None:
    """Install the pinned versions by hash, then the project itself from this folder."""
    words = f"Installing the pinned packages (the first time this downloads about {MEGABYTES[goal]} MB) …"
    print(words, file=sys.stderr)
    pip = [*_pip(root), "install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-warn-script-location"]
    _call([*pip, "--require-hashes", "--only-binary", ":all:", "-r", str(root / PINNED[goal])])
    _call([*pip, "--no-deps", "--no-build-isolation", "--editable", str(root)])


def compile_project(root: Path) -> None:
    """Compile the project to bytecode.

    pip compiles the packages it installs, but not a folder that is installed in editable mode. Where Python may not
    write bytecode, each start would compile everything again.
    """
    _call([str(python(root)), "-m", "compileall", "-q", str(root / "workbench")])


def _works(root: Path) -> bool:
    """Whether the environment's Python starts. It does not after the folder was copied or the base Python was
    removed.
    """
    asked = "import sys; print(sys.version, sys.prefix, sep='|')"
    try:
        answer = subprocess.run([python(root), "-c", asked], capture_output=True, text=True, check=True).stdout.strip()
        subprocess.run([*_pip(root), "--version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return answer == f"{sys.version}|{root / '.venv'}"


def _pip(root: Path) -> list[str]:
    if next((root / ".venv" / "lib").glob("python3*/site-packages/pip"), None):
        return [str(python(root)), "-m", "pip"]
    return [sys.executable, "-m", "pip", "--python", str(python(root))]


def _pip_can_help() -> bool:
    """Whether a pip outside the environment can install into it, which needs version 22.3."""
    asked = [sys.executable, "-m", "pip", "--version"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    return len(answer) > 1 and tuple(int(part) for part in answer[1].split(".")[:2] if part.isdigit()) >= (22, 3)


def _ensurepip_now() -> bool:
    """Whether `ensurepip` can be imported, checked in a new process because this one caches the failed import."""
    return subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True, check=False).returncode == 0


def _call(command: list[str]) -> None:
    if subprocess.run(command, check=False).returncode != 0:
        line = " ".join(command)
        raise Trouble(f"This step failed; what it said stands above. Start again once it is mended.\n    {line}")
