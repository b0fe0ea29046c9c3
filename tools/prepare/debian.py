"""Debian packages: installs them if permitted, and otherwise prints a command to paste."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from trouble import Trouble

_INSTALL = ["apt-get", "install", "--yes", "--no-install-recommends", "-qq"]


def require(packages: list[str], reason: str) -> None:
    """Install required packages, or stop with the command to run."""
    if not _install(packages, reason):
        raise Trouble(f"{reason}. {by_hand(packages)}")


def wish(programs: dict[str, str]) -> None:
    """Install packages that some tests need. Without them those tests are skipped, and pytest lists them."""
    packages = sorted({package for program, package in programs.items() if shutil.which(program) is None})
    if packages and not _install(packages, "Some tests need programs that are not here"):
        print(f"Some tests will be skipped. {by_hand(packages)}", file=sys.stderr)


def by_hand(packages: list[str]) -> str:
    if shutil.which("apt-get") is None:
        return f"Install what your system calls these Debian packages: {' '.join(packages)}"
    return f"Run this once, then start again:\n    sudo apt-get install {' '.join(packages)}"


def _install(packages: list[str], reason: str) -> bool:
    """Install packages. Returns False without permission or after a failure."""
    before = _permission()
    if before is None:
        return False
    print(f"{reason}: installing {', '.join(packages)} …", file=sys.stderr)
    command = [*before, *_INSTALL, *packages]
    if _quiet(command):
        return True
    return _quiet([*before, "apt-get", "update", "-qq"]) and _quiet(command)


def _permission() -> list[str] | None:
    """The prefix for apt-get: empty for root, sudo where it needs no password, `None` without permission."""
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
    """Run apt-get quietly. Its output is shown only after a second failure, because the first is often an outdated
    package list.
    """
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
