"""Runs TypeScript programs: the locked child executes Deno, which receives the program over the same channel.

V8 reserves gigabytes of address space: with RLIMIT_AS Deno does not start, and without `--jitless` it counts 512 MB as
written (RLIMIT_DATA) before the first line runs.
"""

from __future__ import annotations

import functools
import json
import os
import resource
import sysconfig
from pathlib import Path
from typing import NoReturn

from workbench.sandbox.child_profile import BENCH, ENVIRONMENT, ChildProfile
from workbench.sandbox.locks import kernel_calls, lockdown
from workbench.sandbox.locks.seccomp_filter import filter_program

LANGUAGE = "typescript"
PLACE = "/deno"  # mount point in the sandbox
BINARY = f"{PLACE}/deno"
MISSING = "Programs in TypeScript need Deno, which is not installed here."
HINT = (
    'Install it beside the workbench (`.venv/bin/pip install "deno>=2.5,<3"` in its clone) and restart the workbench,'
    " or write the program in Python."
)
_SCRIPTS = Path(__file__).with_name("script")
_DENO_MB = 96  # megabytes that Deno writes before a program's first line runs
_DENO_THREADS = 24
_READ = (f"{BENCH}/servers", f"{BENCH}/workspace", "/workspace")
_WRITTEN = (f"{BENCH}/workspace", "/workspace")
_FLAGS = ("--no-prompt", "--no-remote", "--no-npm", "--no-config", "--cached-only", "--no-lock", "--no-code-cache")
_STATUS = 4  # descriptor that `LockReport.facts` reads


def runtime() -> str:
    """Path of Deno, installed from PyPI beside this interpreter, or "" when it is missing."""
    found = Path(sysconfig.get_path("scripts"), "deno")
    return str(found) if found.is_file() and os.access(found, os.X_OK) else ""


def version() -> str:
    """Version of Deno, or "" if it is missing."""
    # large; imported here because the launcher passes all its modules on to its children
    from importlib import metadata

    try:
        return metadata.version("deno") if runtime() else ""
    except metadata.PackageNotFoundError:
        return ""


def languages(backend: str) -> tuple[str, ...]:
    """Languages that a backend of process sandboxes supports.

    Without its own mounts, Deno would see the host's files.
    """
    return ("python", LANGUAGE) if runtime() and backend in ("native", "bubblewrap") else ("python",)


def script_files() -> list[Path]:
    """The Workbench's JavaScript modules that Deno runs first."""
    return sorted(_SCRIPTS.glob("*.js"))


@functools.cache
def scripts() -> dict[str, bytes]:
    """Contents of the script files by name. Read before the new root hides their folder."""
    return {file.name: file.read_bytes() for file in script_files()}


def limits(profile: ChildProfile) -> dict[int, int]:
    """Limit written memory instead of address space, and allow for Deno's own threads."""
    most, threads = (profile.memory_mb + _DENO_MB) << 20, profile.pids + _DENO_THREADS
    return {resource.RLIMIT_AS: resource.RLIM_INFINITY, resource.RLIMIT_DATA: most, resource.RLIMIT_NPROC: threads}


def executables() -> tuple[str, ...]:
    """Files that may be executed: Deno, and the dynamic loader with which the kernel starts it."""
    loaders = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
    return (BINARY, *(os.path.realpath(place) for place in loaders if os.path.exists(place)))


def become(
    profile: ChildProfile, channel: int, output: int, lock_report: lockdown.LockReport, version: int
) -> NoReturn:
    """Last steps of the locked child: move descriptors, install the filter, execute Deno.

    The channel becomes Deno's standard input and output.
    """
    status = os.dup(lock_report.status)
    moved = [os.dup2(source, 200 + at) for at, source in enumerate((channel, channel, output))]
    for target, source in enumerate(moved):
        os.dup2(source, target)
    os.dup2(status, _STATUS)
    os.closerange(_STATUS + 1, 65536)
    kernel_calls.install_filter(filter_program(starts=True))
    facts = json.dumps({**lock_report.facts(version), "ahead": profile.ahead})
    command = [BINARY, "run", *_FLAGS, *_allowed(profile), *_engine(profile), f"{PLACE}/main.js", facts]
    os.execve(BINARY, command, _environment())


def _allowed(profile: ChildProfile) -> list[str]:
    granted = [f"--allow-read={','.join(_READ)}"]
    return [*granted, f"--allow-write={','.join(_WRITTEN)}"] if profile.writable else granted


def _engine(profile: ChildProfile) -> list[str]:
    """V8 options. Without JIT, written memory equals used memory, and no memory is both writable and executable."""
    return [f"--v8-flags=--jitless,--max-old-space-size={profile.memory_mb}"]


def _environment() -> dict[str, str]:
    return {**ENVIRONMENT, "DENO_DIR": f"{ENVIRONMENT['TMPDIR']}/deno", "NO_COLOR": "1", "DENO_NO_UPDATE_CHECK": "1"}
