"""Finds the strongest isolation that works here, by running a small test program in each backend."""

from __future__ import annotations

import json
import os
import platform
import resource
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records import Limits, Strength
from workbench.sandbox.child_profile import NOBODY
from workbench.sandbox.locks.seccomp_filter import ARCHITECTURES
from workbench.sandbox.program import Ending, Program

_PROBE = """
import os, socket
def refused(attempt):
    try:
        attempt()
    except OSError:
        return True
    return False
temp = os.environ["TMPDIR"]
result = {{
    "root": refused(lambda: open("/probe", "w")) and refused(lambda: open("/bench/probe", "w")),
    "folders": all(refused(lambda: open(f"/bench/{{name}}/probe", "w")) for name in ("servers", "skills")),
    "network": refused(socket.socket),
    "fork": refused(os.fork),
    "user": os.getuid(),
    "environment": refused(lambda: open("/proc/1/environ")),
    "files": refused(lambda: open({canary!r})),
    "others": refused(lambda: os.kill({process}, 0)),
    "inodes": os.statvfs(temp).f_files <= 1 << 14,
    "temp": not refused(lambda: open(temp + "/probe", "w").write("x")),
}}
open("workspace/probe", "w").write("x")
"""


def probe_program(canary: str, process: int) -> str:
    """Source of the test program. It tries to reach the file `canary` and the process `process`, which are outside.

    The program leaves the file `probe` in its workspace.
    """
    return _PROBE.format(canary=canary, process=process)


FEWEST_FILES = 1_024  # file descriptors; those of a child start above 200
BACKENDS = ("native", "bubblewrap", "reduced")
_REDUCED = (
    "This system forbids namespaces. Programs can open only their own files and reach only their own processes, and "
    "have no network, but they can see that other files exist. Programs of high or critical risk do not run."
)

# Runs a program in a backend. Returns its end, and the lock report that the child sent before it received the program.
Trial = Callable[[str, Program], Awaitable[tuple[Ending, Mapping[str, object]]]]


async def strongest(wished: str, trial: Trial) -> Strength:
    """The first backend that passes all checks, or none with the reason."""
    if platform.system() != "Linux" or platform.machine() not in ARCHITECTURES:
        return _no_strength(
            "Running programs needs Linux on x86-64 or ARM64.", "Everything else works. Use Linux, or WSL on Windows."
        )
    if wished == "none":
        return _no_strength("The sandbox was switched off.", "Unset MCP_WORKBENCH_SANDBOX.")
    reasons = []
    for backend in [wished] if wished else BACKENDS:
        strength = await _try_backend(backend, trial)
        if strength.level != "none":
            return strength
        reasons.append(f"{backend}: {strength.reason.removesuffix('.')}")
    return _no_strength("No isolation works on this machine (" + "; ".join(reasons) + ").", hint())


def hint() -> str:
    """What the user can change so that programs can run."""
    if (most := resource.getrlimit(resource.RLIMIT_NOFILE)[0]) < FEWEST_FILES:
        return (
            f"This process may open {most} files at once, which is too few for a sandbox: raise the limit with"
            f" `ulimit -n {FEWEST_FILES}` where the workbench is started, then start it again."
        )
    if os.getuid() == 0 and not _maps_nobody(_system_file("/proc/self/uid_map")):
        return "Root is the only user here, and no program runs as root: start the workbench as an ordinary user."
    if _system_file("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return "Ubuntu forbids user namespaces. Run `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`."
    if _system_file("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "User namespaces are forbidden. Run `sudo sysctl -w kernel.unprivileged_userns_clone=1` to allow them."
    if _system_file("/proc/sys/user/max_user_namespaces") == "0":
        return "User namespaces are forbidden. Run `sudo sysctl -w user.max_user_namespaces=10000` to allow them."
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return "This container forbids namespaces: start it with `--security-opt seccomp=unconfined`, or use the host."
    return "Install bubblewrap (`sudo apt install bubblewrap`), or use a kernel 5.12 or newer with user namespaces."


def fix_for(feature: str) -> str:
    """How to enable a missing lock, in one line. Covers only locks that programs can run without."""
    return {
        "namespaces": hint(),
        "Landlock": "Use a kernel of 5.13 or newer; boot with `lsm=landlock,…` if `/sys/kernel/security/lsm` lacks it.",
        "inode quota": "Only the backend `native` has one: it needs user namespaces and a kernel of 5.12 or newer.",
    }.get(feature, "")


async def _try_backend(backend: str, trial: Trial) -> Strength:
    if backend not in BACKENDS:
        return _no_strength(f"There is no backend {backend!r}.", f"Choose one of {', '.join(BACKENDS)}.")
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-probe-") as folder:
        workspace, canary = Path(folder, "workspace"), Path(folder, "canary")
        workspace.mkdir()
        canary.write_text("Programs must not be able to read this.")
        code = probe_program(str(canary), os.getpid())
        try:
            ending, facts = await trial(backend, Program(code, Limits(seconds=10.0), workspace))
        except WorkbenchError as fault:
            return _no_strength(fault.message)
        if not ending.ok or not (workspace / "probe").exists():
            return _no_strength(f"the test program ended with the reason {ending.reason}: {ending.message}")
    return _strength_of(backend, json.loads(ending.result), facts)


def _strength_of(backend: str, found: dict[str, object], facts: Mapping[str, object]) -> Strength:
    features = {
        "namespaces": _all_new(facts.get("worlds")),
        "seccomp": facts.get("filtered") is True,
        "Landlock": bool(facts.get("landlock")),
        "inode quota": found["inodes"] is True,
        "no files of yours": found["files"] is True,
        "read-only root": found["root"] is True,
        "no network": found["network"] is True,
        "no processes": found["fork"] is True and found["others"] is True,
        "not root": found["user"] != 0,
        "no capabilities": facts.get("powerless") is True,
    }
    dispensable = ("inode quota", "Landlock" if backend != "reduced" else "namespaces")
    missing = [name for name, there in features.items() if not there and name not in dispensable]
    if missing:
        return Strength("none", "none", features, f"not in force: {', '.join(missing)}")
    fixes = {name: fix_for(name) for name, there in features.items() if not there}
    if backend == "reduced":
        return Strength(backend, "reduced", features, _REDUCED, hint(), fixes)
    reason = (
        ""
        if features["Landlock"]
        else "This kernel has no Landlock; only namespaces and the system call filter isolate programs."
    )
    return Strength(backend, "full", features, reason, fixes=fixes)


def _all_new(worlds: object) -> bool:
    """Whether every namespace of the child differs from those of this process."""
    if not isinstance(worlds, dict) or not worlds:
        return False
    return all(world and os.readlink(f"/proc/self/ns/{name}") != world for name, world in worlds.items())


def _no_strength(reason: str, next_step: str = "") -> Strength:
    return Strength("none", "none", reason=reason, hint=next_step)


def _maps_nobody(users: str) -> bool:
    """Whether this user namespace maps the user ID `nobody`, to which root changes before a program runs."""
    rows = [[int(word) for word in row.split()] for row in users.splitlines()]
    return not rows or any(first <= NOBODY < first + many for first, _, many in rows)


def _system_file(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
