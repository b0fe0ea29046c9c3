"""The isolation levels of this machine, and the entry point for running programs in them."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.records import Level, Strength
from workbench.sandbox import isolation_probe
from workbench.sandbox.child_pool import ChildPool
from workbench.sandbox.child_profile import ChildProfile, real_place
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.isolation_levels import LEVELS, IsolationLevels, level_name
from workbench.sandbox.locked_child import ChildMaker, IsolationEngine, SandboxChild
from workbench.sandbox.process.launcher_client import FORCED, LauncherPool
from workbench.sandbox.program import Answer, Ending, Output, Program, ToolFailure
from workbench.sandbox.supervision.child_usage import is_ending
from workbench.sandbox.supervision.program_run import run_once
from workbench.sandbox.supervision.repl_sandbox import ReplPlace, ReplSandbox
from workbench.sandbox.supervision.workspace_quota import quota_gauge

__all__ = ["Answer", "Ending", "Output", "Program", "Sandbox", "ToolFailure"]

WITH_PACKAGES = ("native", "bubblewrap")  # backends in which this machine's Python and its packages are visible
_CHECKS, _CHECK_DELAY = 20, 0.0001  # number and interval (seconds) of checks whether a killed child stopped writing
_FOLDER_HINT = "Use a separate folder: programs may write everywhere in it."


@dataclass(frozen=True, slots=True)
class _LevelPlace:
    """Maker and pool of one isolation level."""

    maker: ChildMaker
    pool: ChildPool


class Sandbox:
    """Runs programs, each in a new locked child. Raises if no isolation works. `ready` children are made ahead.

    `engines` make the children of the levels "container" and "vm". `launchers` make all others, and may be started
    already.
    """

    def __init__(
        self,
        backend: str = "",
        ready: int | Callable[[], int] = 1,
        engines: Mapping[str, IsolationEngine] | None = None,
        launchers: LauncherPool | None = None,
    ) -> None:
        self._wished = backend or os.environ.get(FORCED, "")
        self._launchers = launchers or LauncherPool()
        engines = engines or {}
        self._levels = IsolationLevels(engines)
        self._places = {"process": _LevelPlace(self._launchers, ChildPool(self._launchers, ready))}
        self._places |= {
            level: _LevelPlace(engine, ChildPool(engine, ready, most=1)) for level, engine in engines.items()
        }
        self._ending: set[asyncio.Task[Any]] = set()  # pending ends of killed children
        self._strength = Strength("none", "none", reason="The sandbox has not been started yet.")

    @property
    def strength(self) -> Strength:
        return self._strength

    @property
    def launcher(self) -> int:
        """Process ID of the launcher, for process lists; 0 if none runs."""
        return self._launchers.launcher

    async def open(self) -> Strength:
        """Find the strongest backend that works on this machine by running a test program in each."""
        self._strength = await isolation_probe.strongest(self._wished, self._trial)
        self._levels.begin(self._strength)
        return self._strength

    def levels(self) -> tuple[Level, ...]:
        """Current state of the isolation levels, from the weakest to the strongest."""
        return self._levels.current()

    @api(name="levels")
    async def look_again(self) -> tuple[Level, ...]:
        """Probe the isolation levels again and return them, from the weakest to the strongest."""
        return await self._levels.look_again()

    async def fitting(self, wanted: str, language: str = "python") -> Level | None:
        """The level that a program gets that requires at least the wanted one, or None."""
        return await self._levels.fitting(wanted, language)

    async def need(self, wanted: str, language: str) -> Level:
        """The level that `fitting` finds. Otherwise raises an error that says what is missing."""
        return await self._levels.need(wanted, language)

    async def run(self, program: Program, answer: Answer, output: Output) -> Ending:
        """Run a program at its level or a stronger one, never at a weaker one, and return its end.

        Cancelling kills it.
        """
        level = await self._levels.need(program.level, program.language)
        _check_workspace(program.workspace)
        place = self._places[level.name]
        if program.network is not None:
            program.network.nearby = level.name == LEVELS[0]
        profile = profile_of(level.backend, program)
        if level.name == LEVELS[0] and program.writable and await _is_full(program):
            profile = replace(profile, disk_mb=0)  # the program may delete files but not create any
        child = await place.pool.take(profile)
        return await self._run(place.maker, child, program, answer, output)

    async def keep(self, program: Program) -> ReplSandbox:
        """Make a child for several programs of a REPL session, at this program's level or a stronger one."""
        level = await self._levels.need(program.level, program.language)
        _check_workspace(program.workspace)
        maker = self._places[level.name].maker
        profile = profile_of(level.backend, program, kept=True)
        place = ReplPlace(level.name, profile.marks)
        return ReplSandbox(maker, await ChildPool(maker, 0).take(profile), place)

    def unsuitability(self, kept: ReplSandbox, program: Program) -> str:
        """Why this program cannot run in that REPL sandbox, as a clause without a capital letter. "" if it can."""
        if LEVELS.index(kept.place.level) < LEVELS.index(program.level):
            return (
                f"this program needs {level_name(program.level)}, but the session ran in {level_name(kept.place.level)}"
            )
        wanted = profile_of(kept.profile.backend, program, kept=True)
        if kept.profile != replace(wanted, marks=kept.profile.marks):
            return "the limits, folders or packages of programs have changed"
        if kept.place.folders != wanted.marks:
            return "the folders of the project that it used were replaced"
        return ""

    async def settle(self) -> None:
        """Wait until all processes of ended runs are gone. Runs report their end slightly earlier."""
        if self._ending:
            await asyncio.wait(self._ending)

    async def close(self) -> None:
        await self._levels.close()
        for place in self._places.values():
            await place.pool.close()
        await self.settle()
        for place in self._places.values():
            await place.maker.close()

    async def _trial(self, backend: str, program: Program) -> tuple[Ending, dict[str, Any]]:  # Any: JSON
        child = await ChildPool(self._launchers, 0).take(profile_of(backend, program))
        ending = await self._run(self._launchers, child, program, _no_answers, lambda stream, text: None)
        await self._launchers.finish(child)
        return ending, child.channel.ready.result()

    async def _run(
        self, maker: ChildMaker, child: SandboxChild, program: Program, answer: Answer, output: Output
    ) -> Ending:
        try:
            ending = await run_once(maker, child, program, answer, output)
        except BaseException:
            await asyncio.shield(maker.finish(child))
            raise
        if child.gone.done() or (program.awaits_end and not await _stopped_writing(child)):
            await maker.finish(child)
        else:
            self._end_later(maker, child)
        return ending

    def _end_later(self, maker: ChildMaker, child: SandboxChild) -> None:
        """Finish a killed child in the background. Only `settle` and `close` wait for it."""
        ending_task = spawn("sandbox end", maker.finish(child))
        self._ending.add(ending_task)
        ending_task.add_done_callback(self._ending.discard)


async def _stopped_writing(child: SandboxChild) -> bool:
    """Whether a killed child can no longer write, which is known before its process is gone.

    Returns False if only the end of the process can show it.
    """
    if child.profile.backend != "native" or not child.process:
        return False  # `child.process` is an outer process that waits for the program's
    for _ in range(_CHECKS):
        if child.gone.done() or is_ending(child.process):
            return True
        await asyncio.sleep(_CHECK_DELAY)
    return False


async def _is_full(program: Program) -> bool:
    """Whether an earlier program filled the workspace beyond its limit, and it is still too full."""
    gauge = quota_gauge(str(program.workspace), program.limits.disk_mb)
    return bool(gauge.trouble) and bool(await asyncio.to_thread(gauge.count))


def _check_workspace(folder: Path) -> None:
    """Reject a workspace that is a symbolic link, because an untrusted project may contain one."""
    if _is_plain(folder):
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise WorkbenchError(f"The workspace {folder} cannot be created: {fault.strerror}.", _FOLDER_HINT) from fault
    if folder.is_symlink():
        raise WorkbenchError(f"The workspace {folder} is a link to {os.path.realpath(folder)}.", _FOLDER_HINT)


def _is_plain(folder: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(folder).st_mode)
    except OSError:
        return False


def profile_of(backend: str, program: Program, *, kept: bool = False) -> ChildProfile:
    limits = program.limits
    own = backend in WITH_PACKAGES and program.language == "python"
    places = [real_place(folder) for folder in (program.workspace, program.servers, program.skills)]
    return ChildProfile(
        backend=backend,
        workspace=places[0][0],
        servers=places[1][0],
        skills=places[2][0],
        writable=program.writable,
        memory_mb=limits.memory_mb,
        cpu_seconds=limits.cpu_seconds,
        pids=limits.pids,
        disk_mb=limits.disk_mb,
        cpus=limits.cpus,
        language=program.language,
        runtime=deno_backend.runtime() if program.language == deno_backend.LANGUAGE else "",
        packages=program.packages if own else (),
        preload=program.preload if own else (),
        kept=kept,
        marks=tuple(mark for _, mark in places),
    )


async def _no_answers(what: str, wish: object) -> None:
    raise ToolFailure("Requests are not answered in a test run.", "no_answer")
