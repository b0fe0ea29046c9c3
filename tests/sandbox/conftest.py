"""Fixtures for tests of the sandbox. They use real sandboxes."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.program import Answer, Ending, Program
from workbench.sandbox.sandbox import Sandbox

QUICK = Limits(seconds=60.0, cpu_seconds=10.0, memory_mb=384, disk_mb=16)
ENGINES = {"engine_settings", "image_folder"}  # fixtures that need a container engine or QEMU
FALLBACKS = {"bubblewrap", "reduced"}
HANGS = 240.0  # seconds after which a test in this folder counts as hung, even on a busy machine


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by marker
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark tests that only `./test --all` runs, and set a time limit for tests that wait for a process."""
    for item in items:
        here = item.path.is_relative_to(Path(__file__).parent)
        if here and isinstance(item, pytest.Function) and _is_slow(item):
            item.add_marker(pytest.mark.slow)
        if here and isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            item.obj = _bounded(item.obj)


def _is_slow(item: pytest.Function) -> bool:
    """Whether the test uses real containers or virtual machines, or a backend for machines without namespaces."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return not ENGINES.isdisjoint(item.fixturenames) or any(value in FALLBACKS for value in values if value.__hash__)


def _bounded(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    @functools.wraps(test)
    async def bounded(*given: Any, **named: Any) -> None:  # Any: whatever the test asks for
        async with asyncio.timeout(HANGS):
            await test(*given, **named)

    return bounded


async def echo(what: str, wish: JsonObject) -> JsonValue:
    return {"what": what, **wish}


@dataclass
class Room:
    """An open sandbox with a project, and a shortcut for running programs."""

    sandbox: Sandbox
    project: Path
    heard: list[tuple[str, str]] = field(default_factory=list)
    language: str = "python"
    level: str = "process"

    async def run(
        self,
        code: str,
        limits: Limits = QUICK,
        answer: Answer = echo,
        writable: bool = True,
        stands: Callable[[], bool] = lambda: False,
    ) -> Ending:
        folders = [self.project / name for name in ("workspace", "servers", "skills")]
        program = Program(code, limits, *folders, writable, self.language, self.level, is_user_asked=stands)
        return await self.sandbox.run(program, answer, lambda stream, text: self.heard.append((stream, text)))


@pytest.fixture(autouse=True)
def _probe(fresh_probe: None) -> None:
    """Probe the machine in each test, which starts the launcher. Tests in this folder kill it and compare processes."""


def _has_namespaces() -> bool:
    command = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--fork", "true")
    return shutil.which("unshare") is not None and subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture
async def open_room(tmp_path: Path) -> AsyncIterator[Callable[[str], Awaitable[Room]]]:
    services: list[Room] = []

    async def opened(backend: str = "") -> Room:
        if backend == "bubblewrap" and shutil.which("bwrap") is None:
            pytest.skip("bubblewrap is not installed")
        sandbox = Sandbox(backend, ready=0)
        strength = await sandbox.open()
        if strength.level == "none":
            await sandbox.close()
            if backend == "native" and _has_namespaces():
                pytest.fail(
                    f"This machine has namespaces, and yet the native sandbox cannot be built: {strength.reason}"
                )
            pytest.skip(f"{strength.reason} {strength.hint}")
        for name in ("workspace", "servers", "skills"):
            (tmp_path / name).mkdir(exist_ok=True)
        services.append(Room(sandbox, tmp_path))
        return services[-1]

    yield opened
    for room in services:
        await room.sandbox.close()


@pytest.fixture(params=["native", "bubblewrap", "reduced"])
async def room(request: pytest.FixtureRequest, open_room: Callable[[str], Awaitable[Room]]) -> Room:
    """An open sandbox of each backend, for tests that must pass in all of them."""
    return await open_room(request.param)


@pytest.fixture
async def native(open_room: Callable[[str], Awaitable[Room]]) -> Room:
    return await open_room("native")


@pytest.fixture
def processes() -> Callable[[], set[int]]:
    return children


def empty(folder: Path) -> None:
    """Delete everything that programs left in a workspace, so that the next program has its full quota."""
    for entry in folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()


def children() -> set[int]:
    """Every running descendant of this process."""
    below: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                words = Path("/proc", name, "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if words[0] != "Z":
                below.setdefault(int(words[1]), []).append(int(name))
    found, waiting = set(), [os.getpid()]
    while waiting:
        for process in below.get(waiting.pop(), []):
            found.add(process)
            waiting.append(process)
    return found
