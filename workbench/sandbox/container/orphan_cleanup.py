"""Removes containers (found by label) and temporary folders (found by name) of cores that have ended."""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import os
import platform
import shutil
import tempfile
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.sandbox.container.engine import EngineSettings, ask
from workbench.sandbox.container.run_arguments import LABEL

_FOLDER = "mcp-workbench-containers-"

log = logging.getLogger(__name__)


@functools.cache
def owner() -> str:
    """Identifier of this process that stays unique even if its process ID is reused."""
    return f"{os.getpid()}.{_started(os.getpid())}.{machine_id()}"


@functools.cache
def machine_id() -> str:
    """Identifies this machine's process IDs, without revealing the machine."""
    words = [platform.node(), _text("/etc/machine-id"), _link("/proc/self/ns/pid"), str(os.getuid())]
    return hashlib.sha256("\0".join(["mcp-workbench", *words]).encode()).hexdigest()[:16]


def sweep(engine_settings: EngineSettings) -> int:
    """Remove containers whose core has ended. Returns how many."""
    try:
        numbers = ask(engine_settings.command("ps", "-a", "-q", "--filter", f"label={LABEL}")).split()
        found = json.loads(ask(engine_settings.command("container", "inspect", *numbers))) if numbers else []
        dead = [str(one["Id"]) for one in found if _is_orphaned(str(one["Config"]["Labels"].get(LABEL, "")))]
        if dead:
            ask(engine_settings.command("rm", "-f", "-v", *dead))
            log.info("removed %d containers of cores that have ended", len(dead))
    except WorkbenchError as fault:  # one of them ended by itself meanwhile
        log.info("containers of ended cores could not be listed or removed: %s", fault.message)
        return 0
    return len(dead)


def make_temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Create a folder for files that engines read. Its name identifies this core."""
    return tempfile.TemporaryDirectory(prefix=f"{_FOLDER}{owner()}-", ignore_cleanup_errors=True)


def sweep_folders() -> None:
    """Remove temporary folders of this user's cores that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        label = folder.name.removeprefix(_FOLDER).rpartition("-")[0]
        if _is_orphaned(label) and not folder.is_symlink() and folder.lstat().st_uid == os.getuid():
            shutil.rmtree(folder, ignore_errors=True)


def _is_orphaned(label: str) -> bool:
    """Whether the label names a core of this machine that has ended.

    One engine may serve several machines, whose processes are not visible here.
    """
    process, started, where = (*label.split("."), "", "", "")[:3]
    return where == machine_id() and not (process.isdigit() and _started(int(process)) == started)


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _link(file: str) -> str:
    try:
        return os.readlink(file)
    except OSError:
        return ""


def _started(process: int) -> str:
    """Start time of a process in clock ticks, or "" if it has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return ""
