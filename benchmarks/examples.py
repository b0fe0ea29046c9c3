"""Runs the programs of `docs/examples` in a real core, as an agent whose every request the user allows.

Used by `benchmarks/tokens.py` for its figures, and by a test of the examples.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.core import Core
from workbench.events import Event, RunChanged
from workbench.paths import Paths
from workbench.records import Decision, Run, RunState, ServerConfig
from workbench.servers.configuration.launch_command import demo_config

EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples"


@dataclass(frozen=True)
class Told:
    """One example and its result."""

    name: str
    code: str
    run: Run


def programs() -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.py"))}


async def run_all(paths: Paths) -> list[Told]:
    """Run every example in sequence, on a project with two demo servers."""
    async with _project(paths) as core:
        return [Told(name, code, await _run(core, code)) for name, code in programs().items()]


def a_project() -> tuple[tempfile.TemporaryDirectory[str], Paths]:
    """A temporary project."""
    folder = tempfile.TemporaryDirectory()
    root = Path(folder.name)
    (root / "project").mkdir()
    return folder, Paths(root / "project", root / "state", root / "cache", root / "run")


@asynccontextmanager
async def _project(paths: Paths) -> AsyncIterator[Core]:
    core = Core(paths)
    await core.open()
    try:
        demo = demo_config()
        branch = ServerConfig("branch", demo.command, demo.args, {"PYTHONPATH": str(Path(__file__).parents[1])})
        await core.catalog.add(branch)
        for name in ("demo", "branch"):
            await core.catalog.connect(name)
        yield core
    finally:
        await core.close()


async def _run(core: Core, code: str) -> Run:
    """Run a program in a session of its own, so that each example counts the definitions it would have loaded."""

    def allow(event: Event) -> None:
        if isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
            decision = Decision(
                event.run.id, event.run.proposal.sha, allow=True, by="benchmark", fingerprint=event.run.fingerprint
            )
            asyncio.get_running_loop().call_soon(core.run_manager.decide, decision)

    stop = core.bus.listen(allow)
    try:
        run = core.run_manager.submit(code, core.services.sessions.open("example"), "An example", seconds=60)
        return await core.run_manager.wait_until_finished(run.id)
    finally:
        stop()
