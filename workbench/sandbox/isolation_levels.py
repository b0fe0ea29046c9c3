"""The isolation levels (process, container, virtual machine), their state, and the choice of a level for a program.

A program gets the level it requests or the next stronger one that works on this machine, never a weaker one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.records import Level, Strength
from workbench.sandbox.container.container_maker import ContainerMaker
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.locked_child import IsolationEngine
from workbench.sandbox.vm.vm_maker import VmMaker

log = logging.getLogger(__name__)

LEVELS = ("process", "container", "vm")  # weakest first
_PROBE_AGAIN = 10.0  # seconds after which missing levels are probed again

_NAMES = {"process": "the process sandbox", "container": "a container", "vm": "a virtual machine"}


def engines(images: Path) -> dict[str, IsolationEngine]:
    """Isolation engines of the levels above processes. `images` is the folder for their built images."""
    return {"container": ContainerMaker(images), "vm": VmMaker(images / "vm")}


class IsolationLevels:
    """State of each level. Engines are probed in the background, because probing takes long."""

    def __init__(self, engines: Mapping[str, IsolationEngine]) -> None:
        self._engines = dict(engines)
        self._found = {name: _level_not_probed(name, name in engines) for name in LEVELS}
        self._probing: asyncio.Task[None] | None = None
        self._last_probe = 0.0

    def begin(self, strength: Strength) -> None:
        """Record the result for the process level and start probing the other levels."""
        self._found["process"] = _process_level(strength)
        self._start_probing()

    def current(self) -> tuple[Level, ...]:
        """Current state of the levels, weakest first. Levels may still be probed."""
        return tuple(self._found[name] for name in LEVELS)

    async def settled(self) -> tuple[Level, ...]:
        """State of the levels after probing finished."""
        if self._probing is not None:
            await asyncio.wait([self._probing])
        return self.current()

    async def look_again(self) -> tuple[Level, ...]:
        """Probe again: the user may have installed or built what was missing."""
        self._start_probing()
        return await self.settled()

    async def fitting(self, wanted: str, language: str = "python") -> Level | None:
        """The weakest level that is at least as strong as wanted and supports the language, or None."""
        if wanted == LEVELS[0] and _fits(self._found[wanted], language):
            return self._found[wanted]  # common case, without waiting
        found = _first_fitting(await self.settled(), wanted, language)
        if found is None and time.monotonic() - self._last_probe > _PROBE_AGAIN:
            found = _first_fitting(await self.look_again(), wanted, language)
        return found

    async def need(self, wanted: str, language: str = "python") -> Level:
        """The fitting level. Otherwise raises an error that says what is missing and how to install it."""
        if found := await self.fitting(wanted, language):
            return found
        missing = self._found[wanted]
        if language == deno_backend.LANGUAGE and not deno_backend.runtime():
            raise WorkbenchError(deno_backend.MISSING, deno_backend.HINT)
        if missing.available and wanted == LEVELS[0]:
            words = "TypeScript runs only in process sandboxes with namespaces (native or bubblewrap)."
            raise WorkbenchError(f"{words} {missing.sentence}", f"Write the program in Python. {missing.hint}".strip())
        if wanted == LEVELS[0]:
            raise WorkbenchError(f"Programs cannot run here. {missing.sentence}".strip(), missing.hint)
        extra = "" if language == "python" else f" that runs {language}"
        words = f"This program needs {level_name(wanted)}{extra}, which this machine does not have."
        raise WorkbenchError(f"{words} {missing.sentence}".strip(), missing.hint)

    async def close(self) -> None:
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.wait([self._probing])

    def _start_probing(self) -> None:
        if self._engines and (self._probing is None or self._probing.done()):
            self._probing = spawn("look for isolation", self._probe_all())

    async def _probe_all(self) -> None:
        for name, engine in self._engines.items():
            try:
                self._found[name] = await engine.look()
            except WorkbenchError as fault:
                self._found[name] = Level(name, False, sentence=fault.message, hint=fault.hint)
            except OSError as fault:
                log.warning("the isolation level %s could not be probed: %s", name, fault)
                self._found[name] = Level(name, False, sentence=f"This level could not be tested: {fault.strerror}.")
        self._last_probe = time.monotonic()


def level_name(level: str) -> str:
    """Name of a level as used in a sentence."""
    return _NAMES[level]


def _first_fitting(levels: tuple[Level, ...], wanted: str, language: str) -> Level | None:
    strong_enough = levels[LEVELS.index(wanted) :]
    return next((level for level in strong_enough if _fits(level, language)), None)


def _fits(level: Level, language: str) -> bool:
    return level.available and language in level.languages


def _level_not_probed(name: str, maker: bool) -> Level:
    if name == "process":
        return Level(name, False, sentence="The sandbox has not been started yet.")
    if maker:
        return Level(name, False, sentence="This level is still being tested.", hint="Try again in a moment.")
    return Level(name, False, sentence=f"The workbench cannot start {_NAMES[name]} here.")


def _process_level(strength: Strength) -> Level:
    if strength.level == "none":
        return Level("process", False, strength.backend, strength.reason, strength.hint)
    words = f"Programs run as locked processes ({strength.backend}), {strength.level} strength."
    reduced, known = strength.level != "full", deno_backend.languages(strength.backend)
    if deno_backend.LANGUAGE in known:
        words += f" Deno {deno_backend.version()} runs TypeScript in them."
    return Level("process", True, strength.backend, words, strength.hint, known, reduced)
