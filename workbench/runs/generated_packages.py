"""Keeps the folders that a sandbox mounts, generated wrappers and kept skills, in step with catalog and library.

Python wrappers are written on a thread soon after a server's tools changed, so that the first run does not wait; a run
that starts earlier waits until they are written. TypeScript wrappers are written only for TypeScript runs, which most
projects never have.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from workbench.broker.services import Services
from workbench.events import Event, ServerRemoved, SkillsChanged, ToolsChanged, spawn
from workbench.records import Tool
from workbench.wrappers.python_package import compile_functions, remove_package, write_package
from workbench.wrappers.typescript_package import remove_script_package, write_inside_package

log = logging.getLogger(__name__)

CLOSE_SECONDS = 3.0  # how long `close` waits for files that are being written
SETTLE_SECONDS = 0.3  # quiet time after a change of tools before wrappers are written, because servers start together


class _Wrappers(Struct, frozen=True):
    """Wrappers in one language: their folder, the functions that write and remove them, and servers with stale
    wrappers."""

    folder: str
    write: Callable[[str, Sequence[Tool], Path], Sequence[str]]
    remove: Callable[[str, Path], None]
    stale: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)

    def take_stale(self) -> _Wrappers:
        """Return a copy with what is stale now, and mark nothing as stale."""
        now = _Wrappers(self.folder, self.write, self.remove, set(self.stale), set(self.removed))
        self.stale.clear()
        self.removed.clear()
        return now

    def mark_stale(self, taken: _Wrappers) -> None:
        self.stale.update(taken.stale)
        self.removed.update(taken.removed)


class GeneratedPackages:
    """Marks packages as stale when events report a change, and rewrites them soon after, at the latest before a run."""

    hears = (ToolsChanged, ServerRemoved, SkillsChanged)

    def __init__(self, services: Services) -> None:
        self._services = services
        self._wrappers = {
            "python": _Wrappers("servers", write_package, remove_package),
            "typescript": _Wrappers("scripts", write_inside_package, remove_script_package),
        }
        self._skills = True
        self._task: asyncio.Task[None] | None = None
        self._compiling: asyncio.Task[None] | None = None
        self._compiled: set[tuple[str, str]] = set()  # servers and tools whose functions are compiled
        self._timer: asyncio.TimerHandle | None = None  # runs until wrappers are written
        self._closed = False

    def wrapper_folder(self, language: str) -> Path:
        """Return the folder that a program in this language sees as `servers`."""
        return self._services.paths.generated_packages / self._wrappers[language].folder

    @property
    def skill_folder(self) -> Path:
        return self._services.paths.generated_packages / "skills"

    @property
    def empty_workspace(self) -> Path:
        """Return the empty folder that a program without workspace access sees as its workspace."""
        return self._services.paths.generated_packages / "nothing"

    def open(self) -> None:
        """Mark the wrappers of all tools in the definition cache as stale."""
        servers = {tool.server for tool in self._services.catalog.tools()}
        for language, wrappers in self._wrappers.items():
            self.wrapper_folder(language).mkdir(parents=True, exist_ok=True)
            wrappers.stale.update(servers)
        self.skill_folder.mkdir(parents=True, exist_ok=True)
        self.empty_workspace.mkdir(exist_ok=True)

    def hear(self, event: Event) -> None:
        match event:
            case ToolsChanged(server=server):
                for wrappers in self._wrappers.values():
                    wrappers.stale.add(server)
                    wrappers.removed.discard(server)
                self._write_soon()
            case ServerRemoved(name=name):
                for wrappers in self._wrappers.values():
                    wrappers.removed.add(name)
                    wrappers.stale.discard(name)
            case SkillsChanged():
                self._skills = True
            case _:
                pass

    def _write_soon(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self._closed:
            self._timer = asyncio.get_running_loop().call_later(SETTLE_SECONDS, self._write_when_idle)

    def _write_when_idle(self) -> None:
        if self._is_writing:
            self._write_soon()
        elif self._is_stale("python"):
            self._start_writing("python")

    async def refresh(self, language: str = "python") -> None:
        """Write stale packages. Stopping a run does not stop the writing, because other runs wait for it too."""
        while self._is_stale(language) or self._is_writing:
            await asyncio.shield(self._start_writing(language))

    def _start_writing(self, language: str) -> asyncio.Task[None]:
        """Return the asyncio task that writes; only one runs at a time, for all languages."""
        if self._task is None or self._task.done():
            self._task = spawn("write generated packages", self._write_stale(language))
        return self._task

    def compile_called(self, tools: Iterable[tuple[str, str]]) -> None:
        """Compile the functions of tools that a Python program called, because later programs are likely to call
        them. Not while files are written, because both change the folder."""
        new = {server_and_tool for server_and_tool in tools if server_and_tool not in self._compiled}
        if new and not self._is_writing and (self._compiling is None or self._compiling.done()):
            self._compiled |= new
            self._compiling = spawn("compile functions", asyncio.to_thread(self._compile, new))

    def _compile(self, tools: Iterable[tuple[str, str]]) -> None:
        """Compile the functions of these tools. Runs on a thread."""
        by_server: dict[str, list[str]] = {}
        for server, tool in tools:
            by_server.setdefault(server, []).append(tool)
        for server, names in by_server.items():
            compile_functions(self.wrapper_folder("python"), server, names)

    async def close(self) -> None:
        """Wait until nothing is being written, at most `CLOSE_SECONDS`; after that the process ends anyway."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        for task in (self._task, self._compiling):
            if task is not None:
                await asyncio.wait([task], timeout=CLOSE_SECONDS)

    def _is_stale(self, language: str) -> bool:
        wrappers = self._wrappers[language]
        return bool(wrappers.stale or wrappers.removed or self._skills)

    @property
    def _is_writing(self) -> bool:
        return self._task is not None and not self._task.done()

    async def _write_stale(self, language: str) -> None:
        """Write the stale wrappers of a language. What cannot be written stays stale, so the next run tries again."""
        taken, skills = self._wrappers[language].take_stale(), self._skills
        self._skills = False
        self._compiled = {one for one in self._compiled if one[0] not in taken.stale | taken.removed}
        if self._compiling is not None:
            await asyncio.wait([self._compiling])
        known = self._services.catalog.tools()
        tools = {server: [tool for tool in known if tool.server == server] for server in taken.stale}
        try:
            await asyncio.to_thread(self._write, taken, self.wrapper_folder(language), tools, skills)
        except BaseException:
            self._wrappers[language].mark_stale(taken)
            self._skills |= skills
            raise

    def _write(self, taken: _Wrappers, root: Path, tools: Mapping[str, Sequence[Tool]], skills: bool) -> None:
        """Write wrappers and skills. Runs on a thread; a warning about one tool does not affect the others."""
        for server in taken.removed:
            taken.remove(server, root)
        for server, its_tools in tools.items():
            for warning in taken.write(server, its_tools, root):
                log.warning("%s: %s", server, warning)
        if skills:
            self._services.library.write_modules(self.skill_folder)
