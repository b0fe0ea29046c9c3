"""Removes containers (found by label) and temporary folders (found by name) of cores that are gone."""

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
    """Identifies this process, also after its process id was reused."""
    return f"{os.getpid()}.{_started(os.getpid())}.{machine_id()}"


@functools.cache
def machine_id() -> str:
    """Where process numbers mean what they mean to us, without telling which machine that is."""
    words = [platform.node(), _text("/etc/machine-id"), _link("/proc/self/ns/pid"), str(os.getuid())]
    return hashlib.sha256("\0".join(["mcp-workbench", *words]).encode()).hexdigest()[:16]


def sweep(engine_settings: EngineSettings) -> int:
    """Remove containers whose core is gone; returns how many."""
    try:
        numbers = ask(engine_settings.command("ps", "-a", "-q", "--filter", f"label={LABEL}")).split()
        found = json.loads(ask(engine_settings.command("container", "inspect", *numbers))) if numbers else []
        dead = [str(one["Id"]) for one in found if _is_orphaned(str(one["Config"]["Labels"].get(LABEL, "")))]
        if dead:
            ask(engine_settings.command("rm", "-f", "-v", *dead))
            log.info("removed %d containers of cores that are gone", len(dead))
    except WorkbenchError as fault:  # one of them went away by itself meanwhile
        log.info("containers of earlier cores could not be looked for: %s", fault.message)
        return 0
    return len(dead)


def make_temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for files that engines read; its name tells which core made it."""
    return tempfile.TemporaryDirectory(prefix=f"{_FOLDER}{owner()}-", ignore_cleanup_errors=True)


def sweep_folders() -> None:
    """Remove those of cores of ours that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        label = folder.name.removeprefix(_FOLDER).rpartition("-")[0]
        if _is_orphaned(label) and not folder.is_symlink() and folder.lstat().st_uid == os.getuid():
            shutil.rmtree(folder, ignore_errors=True)


def _is_orphaned(label: str) -> bool:
    """A core of this machine that is gone. One engine may serve other machines, whose processes are not seen here."""
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
    """Start time of a process in clock ticks, or "" when it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return ""
