"""Debian's packages: installed where this person may, otherwise named in one line that can be pasted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from trouble import Trouble

_INSTALL = ["apt-get", "install", "--yes", "--no-install-recommends", "-qq"]


def require(packages: list[str], reason: str) -> None:
    """Install what nothing works without, or stop with the line to run."""
    if not _install(packages, reason):
        raise Trouble(f"{reason}. {by_hand(packages)}")


def wish(programs: dict[str, str]) -> None:
    """Install what some tests need; without it those tests are skipped, and pytest names them."""
    packages = sorted({package for program, package in programs.items() if shutil.which(program) is None})
    if packages and not _install(packages, "Some tests need programs that are not here"):
        print(f"Some tests will be skipped. {by_hand(packages)}", file=sys.stderr)


def by_hand(packages: list[str]) -> str:
    if shutil.which("apt-get") is None:
        return f"Install what your system calls these Debian packages: {' '.join(packages)}"
    return f"Run this once, then start again:\n    sudo apt-get install {' '.join(packages)}"


def _install(packages: list[str], reason: str) -> bool:
    """False when this person may not, or when it did not work."""
    before = _permission()
    if before is None:
        return False
    print(f"{reason}: installing {', '.join(packages)} …", file=sys.stderr)
    command = [*before, *_INSTALL, *packages]
    if _quiet(command):
        return True
    return _quiet([*before, "apt-get", "update", "-qq"]) and _quiet(command)


def _permission() -> list[str] | None:
    """What has to stand before apt-get: nothing for root, sudo where it asks no password, None where neither is so."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    if (
        shutil.which("sudo")
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return ["sudo", "-n"]
    return None


def _quiet(command: list[str]) -> bool:
    """What apt-get says is shown only when it fails twice: its first failure is often an old package list."""
    done = subprocess.run(
        command,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(done.stderr.strip(), file=sys.stderr)
    return done.returncode == 0
