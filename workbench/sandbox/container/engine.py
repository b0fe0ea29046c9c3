"""Finds a container engine on this machine and asks it things."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.errors import WorkbenchError
from workbench.sandbox.container.way import Way, surroundings, way_to
from workbench.sandbox.syscalls import ARCHITECTURES

ENGINES = ("podman", "docker")  # in the order they are preferred
_POINTING = {"podman": ("CONTAINER_HOST",), "docker": ("DOCKER_HOST", "DOCKER_CONTEXT")}
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_ADVICE = ("See 'docker", "Run 'docker")  # what docker says after its reason
PATIENCE = 60.0  # seconds for an answer
INSTALL = "Install podman (`sudo apt install podman mmdebstrap uidmap`)"


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine that answers."""

    name: str
    program: str
    way: Way = field(default_factory=Way)
    rootless: bool = False
    groups: bool = False  # it can limit memory, processors and processes
    storage: str = ""
    machine: str = ""  # the kind of processor it has, as this machine would call it


def find_engine(environment: Mapping[str, str] = os.environ) -> Engine:
    """The first engine that answers; a refusal says what each of them lacks."""
    reasons = []
    for name in _wanted(environment):
        program = shutil.which(name, path=environment.get("PATH"))
        if program is None:
            reasons.append(f"{name} is not installed")
            continue
        way = way_to(name, program, environment)
        if way.fault:
            reasons.append(f"{name} cannot be used as the environment says, because {way.fault}")
            continue
        try:
            return _asked(Engine(name, program, way))
        except WorkbenchError as fault:
            reasons.append(fault.message.rstrip("."))
    words = f"No container engine can be used: {'; '.join(reasons)}."
    raise WorkbenchError(words, f"{INSTALL}, then run `mcp-workbench sandbox build container`.")


def ask(command: Sequence[str], patience: float = PATIENCE, given: bytes = b"") -> str:
    """What an engine answers; its own words become the fault."""
    name = os.path.basename(command[0])
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=patience, check=False, env=surroundings()
        )
    except OSError as fault:
        raise WorkbenchError(f"{name} cannot be started: {fault.strerror}.", f"{INSTALL}.") from fault
    except subprocess.TimeoutExpired as fault:
        raise WorkbenchError(f"{name} did not answer in {patience:g} seconds.", "See whether it runs.") from fault
    if done.returncode:
        words = f"{name} refused: {last_line(done.stderr)}"
        raise WorkbenchError(words, f"The whole command: {' '.join(command)[:400]}")
    return done.stdout.decode(errors="replace").strip()


def last_line(text: bytes | str) -> str:
    """What matters in an engine's complaint."""
    words = text.decode(errors="replace") if isinstance(text, bytes) else text
    lines = [line.strip() for line in words.splitlines() if line.strip() and not line.startswith(_ADVICE)]
    return lines[-1][:300] if lines else "it gave no reason"


def _wanted(environment: Mapping[str, str]) -> list[str]:
    """An engine that the environment points at is the only one: somebody wants it."""
    return [name for name in ENGINES if any(environment.get(one) for one in _POINTING[name])] or list(ENGINES)


def _asked(engine: Engine) -> Engine:
    facts = json.loads(ask([engine.program, *engine.way.options, "info", "--format", "{{json .}}"]) or "{}")
    found = _docker(engine, facts) if engine.name == "docker" else _podman(engine, facts)
    if found.machine not in ARCHITECTURES:
        raise WorkbenchError(f"{engine.name} runs on an unknown kind of processor, {found.machine[:40]!r}.")
    return found


def _docker(engine: Engine, facts: dict[str, Any]) -> Engine:  # Any: JSON
    if facts.get("ServerErrors"):
        raise WorkbenchError(f"docker does not answer: {str(facts['ServerErrors'][0])[:200]}")
    return replace(
        engine,
        rootless=any("rootless" in str(option) for option in facts.get("SecurityOptions") or ()),
        groups=bool(facts.get("MemoryLimit")),
        storage=str(facts.get("Driver", "")),
        machine=_machine(facts.get("Architecture")),
    )


def _podman(engine: Engine, facts: dict[str, Any]) -> Engine:  # Any: JSON
    host, store = facts.get("host", {}), facts.get("store", {})
    return replace(
        engine,
        rootless=bool(host.get("security", {}).get("rootless")),
        groups={"memory", "cpu", "pids"} <= set(host.get("cgroupControllers") or ()),
        storage=str(store.get("graphDriverName", "")),
        machine=_machine(host.get("arch")),
    )


def _machine(told: object) -> str:
    """Engines have names of their own for processors; one that says nothing is taken for this machine's."""
    return _MACHINES.get(str(told or ""), str(told or "")) or platform.machine()
