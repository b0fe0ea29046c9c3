"""Containers of dead cores are found by their label and removed: a core may be killed together with its guard."""

from __future__ import annotations

import functools
import json
import logging
import os
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.sandbox.container.arguments import LABEL
from workbench.sandbox.container.engine import ask
from workbench.sandbox.container.station import Station

log = logging.getLogger(__name__)


@functools.cache
def owner() -> str:
    """This process, told apart from another one that gets its number later."""
    return f"{os.getpid()}.{_started(os.getpid())}"


def sweep(station: Station) -> int:
    """Remove what nobody owns any more; answers how many."""
    try:
        numbers = ask(station.command("ps", "-a", "-q", "--filter", f"label={LABEL}")).split()
        found = json.loads(ask(station.command("container", "inspect", *numbers))) if numbers else []
        dead = [str(one["Id"]) for one in found if not _lives(str(one["Config"]["Labels"].get(LABEL, "")))]
        if dead:
            ask(station.command("rm", "-f", "-v", *dead))
            log.info("removed %d containers of cores that are gone", len(dead))
    except WorkbenchError as fault:  # one of them went away by itself meanwhile
        log.info("containers of earlier cores could not be looked for: %s", fault.message)
        return 0
    return len(dead)


def _lives(label: str) -> bool:
    process, _, started = label.partition(".")
    return process.isdigit() and _started(int(process)) == started


def _started(process: int) -> str:
    """When a process began, in the kernel's ticks; nothing when it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return ""
