"""Finds by trying how an engine starts a container with all our locks on: runtimes, groups, storage."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.container.container_maker import ContainerMaker
from workbench.sandbox.container.engine_settings import EngineSettings
from workbench.sandbox.isolation_probe import probe_program
from workbench.sandbox.level_builder import Tell
from workbench.sandbox.program import Ending, Program, ToolFailure
from workbench.sandbox.sandbox import Sandbox

_RUNTIMES = ("runsc", "crun", "runc")  # gVisor first: it is a kernel of its own; then what engines bring along
_STARTS = 7


def working(station: EngineSettings, tell: Tell, times: int = _STARTS) -> EngineSettings:
    """The first way that works, with how fast it starts; a refusal tells what each way lacked."""
    reasons = []
    for candidate in _ways(station):
        try:
            starts = asyncio.run(_tried(candidate, times))
        except WorkbenchError as fault:
            reasons.append(fault.message)
            tell(f"  {describe_settings(candidate)}: no, {fault.message}")
            continue
        typical = round(statistics.median(starts) * 1000)
        best = min(starts) * 1000
        tell(f"  {describe_settings(candidate)}: works, ready in {typical} ms (best {best:.0f} ms of {len(starts)})")
        return replace(candidate, starts_ms=typical)
    words = "No container starts on this machine with the locks a program needs."
    raise WorkbenchError(words, "What the ways lacked: " + " ".join(dict.fromkeys(reasons)))


def describe_settings(station: EngineSettings) -> str:
    """A candidate in a few words."""
    facts = [station.engine, station.runtime or "its own runtime"]
    facts.append("limits by groups" if station.limits else "no groups")
    facts.append("direct channel" if station.descriptor else "channel over stdin and stdout")
    return ", ".join(facts)


def _ways(station: EngineSettings) -> Iterator[EngineSettings]:
    """From the strongest and fastest to what may still do."""
    for runtime in _runtimes(station):
        for limits, groups in _groups(station):
            for manager in ("", "cgroupfs") if station.engine == "podman" and not station.service else ("",):
                yield from _channels(_with(replace(station, limits=limits), runtime, manager, groups=groups))


def _groups(station: EngineSettings) -> Iterator[tuple[bool, bool]]:
    """Whether the kernel's groups limit something, and whether they are asked for; podman can do without any."""
    if station.limits:
        yield True, True
    if station.engine != "podman" or not station.limits:
        yield False, True
    if station.engine == "podman":
        yield False, False


def _channels(station: EngineSettings) -> Iterator[EngineSettings]:
    """A client that only speaks to a service cannot hand a descriptor in."""
    if station.engine == "podman" and not station.service:
        yield replace(station, descriptor=True)
    yield replace(station, descriptor=False)


def _runtimes(station: EngineSettings) -> list[str]:
    """A service of podman's chooses for itself; docker's knows gVisor when it was told of it."""
    if station.service and station.engine == "podman":
        return [""]
    if station.remote:
        return ["runsc", ""]  # what is installed here says nothing of it
    there = [name for name in _RUNTIMES if shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")]
    return [*(name for name in there if name == "runsc"), "", *(name for name in there if name != "runsc")]


def _with(station: EngineSettings, runtime: str, manager: str, *, groups: bool) -> EngineSettings:
    options, run_options = list(station.options), list(station.run_options)
    if manager:
        options += ["--cgroup-manager", manager]
    if runtime:
        (options if station.engine == "podman" else run_options).extend(["--runtime", runtime])
    if not groups:
        run_options += ["--cgroups=disabled"]
    return replace(station, options=tuple(options), run_options=tuple(run_options), runtime=runtime)


async def _tried(station: EngineSettings, times: int) -> list[float]:
    """Seconds from asking to the end of a small program, some times over; the first one looks around inside."""
    maker = ContainerMaker(Path(), station)
    sandbox = Sandbox(ready=0, engines={"container": maker})
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-trial-") as folder:
        try:
            await sandbox.look_again()
            await _looked_around(sandbox, Path(folder))
            return [await _start(sandbox, Path(folder)) for _ in range(times)]
        finally:
            await sandbox.close()


async def _looked_around(sandbox: Sandbox, folder: Path) -> None:
    canary = folder / "canary"
    canary.write_text("Nobody inside may read this.")
    ending = await _run(sandbox, probe_program(str(canary), os.getpid()), folder)
    if not ending.ok:
        raise WorkbenchError(f"the trial program ended as {ending.reason}: {ending.message}".rstrip(".") + ".")
    found = json.loads(ending.result)
    there = {
        "read-only root": found["root"],
        "read-only folders": found["folders"],
        "no network": found["network"],
        "no processes": found["fork"],
        "not root": found["user"] != 0 or found["environment"],
        "no files of yours": found["files"],
        "private temp": found["temp"] and found["inodes"],
        "workspace": (folder / "workspace/probe").exists(),
    }
    if missing := [name for name, kept in there.items() if not kept]:
        raise WorkbenchError(f"not in force: {', '.join(missing)}.")


async def _start(sandbox: Sandbox, folder: Path) -> float:
    began = time.monotonic()
    heard: list[float] = []
    await _run(sandbox, "print(1)", folder, heard)
    return (heard[0] if heard else time.monotonic()) - began


async def _run(sandbox: Sandbox, code: str, folder: Path, heard: list[float] | None = None) -> Ending:
    program = Program(code, Limits(seconds=30.0), folder / "workspace", level="container")
    times = heard if heard is not None else []
    return await sandbox.run(program, _nobody, lambda stream, text: times.append(time.monotonic()))


async def _nobody(what: str, wish: JsonObject) -> JsonValue:
    raise ToolFailure("Nobody answers in a trial.", "no_answer")
