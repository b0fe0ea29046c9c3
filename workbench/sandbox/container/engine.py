"""Finds a container engine on this machine and asks it things."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.errors import WorkbenchError

ENGINES = ("podman", "docker")  # in the order they are preferred
_HOSTS = {"podman": "CONTAINER_HOST", "docker": "DOCKER_HOST"}
_ADVICE = ("See 'docker", "Run 'docker")  # what docker says after its reason
_PATIENCE = 60.0  # seconds for an answer
INSTALL = "Install podman (`sudo apt install podman mmdebstrap uidmap`)"


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine that answers."""

    name: str
    program: str
    host: str = ""  # where it listens, when the environment says so
    rootless: bool = False
    groups: bool = False  # it can limit memory, processors and processes
    storage: str = ""

    @property
    def elsewhere(self) -> bool:
        """It runs on another machine, which has no folders of ours."""
        return bool(self.host) and not self.host.startswith("unix://")


def find_engine(environment: Mapping[str, str] = os.environ) -> Engine:
    """The first engine that answers; a refusal says what each of them lacks."""
    reasons = []
    for name in _in_order(environment):
        program = shutil.which(name, path=environment.get("PATH"))
        if program is None:
            reasons.append(f"{name} is not installed")
            continue
        found = Engine(name, program, environment.get(_HOSTS[name], ""))
        if found.elsewhere:
            reasons.append(f"{name} speaks to {found.host}, which cannot mount folders of this machine")
            continue
        try:
            return _asked(found)
        except WorkbenchError as fault:
            reasons.append(fault.message.rstrip("."))
    words = f"No container engine can be used: {'; '.join(reasons)}."
    raise WorkbenchError(words, f"{INSTALL}, then run `mcp-workbench sandbox build container`.")


def ask(command: Sequence[str], patience: float = _PATIENCE, given: bytes = b"") -> str:
    """What an engine answers; its own words become the fault."""
    name = os.path.basename(command[0])
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=patience, check=False)
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


def _in_order(environment: Mapping[str, str]) -> list[str]:
    """An engine that the environment points at comes first: somebody wants it."""
    return sorted(ENGINES, key=lambda name: not environment.get(_HOSTS[name]))


def _asked(engine: Engine) -> Engine:
    facts = json.loads(ask([engine.program, "info", "--format", "{{json .}}"]) or "{}")
    if engine.name == "docker":
        if facts.get("ServerErrors"):
            raise WorkbenchError(f"docker does not answer: {str(facts['ServerErrors'][0])[:200]}")
        rootless = any("rootless" in str(option) for option in facts.get("SecurityOptions") or ())
        groups = bool(facts.get("MemoryLimit"))
        return Engine(engine.name, engine.program, engine.host, rootless, groups, str(facts.get("Driver", "")))
    host, store = facts.get("host", {}), facts.get("store", {})
    rootless = bool(host.get("security", {}).get("rootless"))
    groups = {"memory", "cpu", "pids"} <= set(host.get("cgroupControllers") or ())
    return Engine(engine.name, engine.program, engine.host, rootless, groups, str(store.get("graphDriverName", "")))
