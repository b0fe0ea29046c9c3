"""Finds the strongest isolation by trying it: a tiny program looks around in each backend and reports what it met."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records import Limits, Strength
from workbench.sandbox.program import Ending, Program
from workbench.sandbox.syscalls import ARCHITECTURES

BACKENDS = ("native", "bubblewrap")
_LOOK = """
import os, socket
def refused(attempt):
    try:
        attempt()
    except OSError:
        return True
    return False
result = {
    "root": refused(lambda: open("/probe", "w")) and refused(lambda: open("/bench/probe", "w")),
    "network": refused(socket.socket),
    "fork": refused(os.fork),
    "user": os.getuid(),
}
open("workspace/probe", "w").write("x")
"""

# Runs a program in a backend; answers its end, and what the child said of itself before the program arrived.
Trial = Callable[[str, Program], Awaitable[tuple[Ending, Mapping[str, object]]]]


async def strongest(wished: str, trial: Trial) -> Strength:
    """The first backend that holds what it promises; none, with the reason, when no one does."""
    if platform.system() != "Linux" or platform.machine() not in ARCHITECTURES:
        return _none(
            "Running programs needs Linux on x86-64 or ARM64.", "Everything else works. Use Linux, or WSL on Windows."
        )
    if wished == "none":
        return _none("The sandbox was switched off.", "Unset MCP_WORKBENCH_SANDBOX.")
    reasons = []
    for backend in [wished] if wished else BACKENDS:
        strength = await _tried(backend, trial)
        if strength.level != "none":
            return strength
        reasons.append(f"{backend}: {strength.reason}")
    return _none("No isolation works on this machine (" + "; ".join(reasons) + ").", hint())


def hint() -> str:
    """What a person can change so that programs can run."""
    if _system("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return "Ubuntu forbids user namespaces; `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` allows."
    if _system("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "User namespaces are forbidden: `sudo sysctl -w kernel.unprivileged_userns_clone=1` allows them."
    if _system("/proc/sys/user/max_user_namespaces") == "0":
        return "User namespaces are forbidden: `sudo sysctl -w user.max_user_namespaces=10000` allows them."
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return "This container forbids namespaces: start it with `--security-opt seccomp=unconfined`, or use the host."
    return "Install bubblewrap (`sudo apt install bubblewrap`), or use a kernel 5.12 or newer with user namespaces."


async def _tried(backend: str, trial: Trial) -> Strength:
    if backend not in BACKENDS:
        return _none(f"There is no backend {backend!r}.", f"Choose one of {', '.join(BACKENDS)}.")
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-probe-") as folder:
        try:
            ending, facts = await trial(backend, Program(_LOOK, Limits(seconds=10.0), workspace=Path(folder)))
        except WorkbenchError as fault:
            return _none(fault.message)
        if not ending.ok or not (Path(folder) / "probe").exists():
            return _none(f"the trial program ended as {ending.reason}: {ending.message}")
    return _judged(backend, json.loads(ending.result), facts)


def _judged(backend: str, found: dict[str, object], facts: Mapping[str, object]) -> Strength:
    features = {
        "namespaces": _all_new(facts.get("worlds")),
        "seccomp": facts.get("filtered") is True,
        "landlock": bool(facts.get("landlock")),
        "read-only root": found["root"] is True,
        "no network": found["network"] is True,
        "no processes": found["fork"] is True,
        "not root": found["user"] != 0,
        "no capabilities": facts.get("powerless") is True,
    }
    missing = [name for name, there in features.items() if not there and name != "landlock"]
    if missing:
        return Strength("none", "none", features, f"not in force: {', '.join(missing)}")
    reason = "" if features["landlock"] else "This kernel has no Landlock; the namespaces and the filter hold alone."
    return Strength(backend, "full", features, reason)


def _all_new(worlds: object) -> bool:
    """Every namespace of the child's has another number than ours."""
    if not isinstance(worlds, dict) or not worlds:
        return False
    return all(world and os.readlink(f"/proc/self/ns/{name}") != world for name, world in worlds.items())


def _none(reason: str, next_step: str = "") -> Strength:
    return Strength("none", "none", reason=reason, hint=next_step)


def _system(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
