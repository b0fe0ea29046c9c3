"""Second-strongest process backend: bubblewrap makes the namespaces and mounts; locks and runner are the same.

It mounts nothing below a writable bind mount (CVE-2026-87766), starts bwrap with an empty environment, and never lets
bwrap run a program as real root: the launcher's child prepares the mounts as root, becomes `nobody`, and only then
executes bwrap.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NoReturn

from workbench.sandbox.child_profile import BENCH, ENVIRONMENT, HOME, NOBODY, PACKAGES, TEMP, ChildProfile, base_python
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.inside import runner
from workbench.sandbox.locks import kernel_calls, lockdown
from workbench.sandbox.process import native_backend

TOOL = "/usr/bin/bwrap"
_PACKAGE_PLACE = "/app"  # mount point of this package in the sandbox
_STAGING = "/tmp"
_START = (
    f"import sys; sys.path.insert(0, {_PACKAGE_PLACE!r});"
    " from workbench.sandbox.process.bubblewrap_backend import inside; inside()"
)


@dataclass(frozen=True, slots=True)
class _Source:
    """A file or folder of the host that is mounted in the sandbox."""

    path: str
    writable: bool = False
    ours: bool = False  # belongs to the project: files of root belong to `nobody` in the sandbox

    @property
    def flags(self) -> int:
        return kernel_calls.NO_SETUID | kernel_calls.NO_DEVICES | (0 if self.writable else kernel_calls.READ_ONLY)


def become(profile: ChildProfile, channel: int, output: int, owners: int, alive: int) -> NoReturn:
    """Replace this forked child with bwrap, whose child executes the runner."""
    sources = _sources(profile)
    if os.getuid() == 0:
        sources = _stage_as_nobody(sources, owners)
    kernel_calls.die_with_parent(signal.SIGKILL)
    lockdown.exit_if_orphaned(alive)
    for descriptor in (channel, output):
        os.set_inheritable(descriptor, True)
    words = json.dumps(asdict(profile))
    command = [*_arguments(profile, sources), base_python(), "-I", "-S", "-c", _START, words, str(channel), str(output)]
    os.execve(TOOL, command, {})


def inside() -> NoReturn:
    """Entry point in the sandbox. The program's text has not arrived yet."""
    profile, channel, output = ChildProfile.of(json.loads(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
    try:
        runner.load_modules(native_backend.INSIDE)
        lock_report = lockdown.LockReport()
        foreign = profile.language == deno_backend.LANGUAGE
        lockdown.set_limits(profile, deno_backend.limits(profile) if foreign else {})
        version = lockdown.lock(profile, deno_backend.executables() if foreign else ())
        if foreign:
            deno_backend.become(profile, channel, output, lock_report, version)
        runner.arrange_process(channel, output, lock_report.status, ENVIRONMENT)
        lockdown.install_filter()
    except BaseException as fault:
        runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)
    runner.run_programs(lock_report.facts(version), profile.ahead, profile.preload)


def _sources(profile: ChildProfile) -> dict[str, _Source]:
    """Map each path in the sandbox to a file or folder of the host."""
    found = {place: _Source(place) for place in native_backend.library_folders()}
    if not any(base_python().startswith(f"{place}/") for place in found):
        found[base_python()] = _Source(base_python())
    for place in ("/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/localtime"):
        if os.path.exists(place):
            found[place] = _Source(os.path.realpath(place))
    for file in native_backend.INSIDE.glob("[a-z]*.py"):
        found[f"{BENCH}/{file.name}"] = _Source(str(file))
    for place, path in profile.packages:
        found[f"{PACKAGES}/{place}"] = _Source(path)
    if profile.runtime:
        found[deno_backend.BINARY] = _Source(profile.runtime)
        found |= {f"{deno_backend.PLACE}/{file.name}": _Source(str(file)) for file in deno_backend.script_files()}
    package = Path(__file__).resolve().parents[1]
    found[f"{_PACKAGE_PLACE}/workbench/__init__.py"] = _Source(str(package.parent / "__init__.py"))
    found[f"{_PACKAGE_PLACE}/workbench/sandbox"] = _Source(str(package))
    found[f"{BENCH}/workspace"] = _Source(profile.workspace, profile.writable, ours=True)
    for name, source in (("servers", profile.servers), ("skills", profile.skills)):
        if source and os.path.isdir(source):
            found[f"{BENCH}/{name}"] = _Source(source, ours=True)
    return found


def _stage_as_nobody(sources: dict[str, _Source], owners: int) -> dict[str, _Source]:
    """As real root, mount in a private namespace what the user `nobody` cannot reach or own. Then become `nobody`."""
    kernel_calls.unshare(kernel_calls.NEW_MOUNTS)
    kernel_calls.own_mounts()
    trees = {
        target: native_backend.owned_tree(source.path, source.flags, owners if source.ours else -1)
        for target, source in sources.items()
    }
    kernel_calls.mount_new(
        "tmpfs", _STAGING, kernel_calls.NO_SETUID | kernel_calls.NO_DEVICES, "size=1m,nr_inodes=1k,mode=755"
    )
    staged = {}
    for number, (target, tree) in enumerate(trees.items()):
        place = f"{_STAGING}/{number}"
        native_backend.attach(tree, place)
        staged[target] = replace(sources[target], path=place)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    return staged


def _arguments(profile: ChildProfile, sources: dict[str, _Source]) -> list[str]:
    command = [TOOL, "--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--new-session"]
    command += ["--as-pid-1"]
    command += ["--cap-drop", "ALL", "--hostname", "sandbox", "--proc", "/proc", "--dev", "/dev"]
    for place, megabytes in ((HOME, 16), (TEMP, 64)):
        command += ["--perms", "0700", "--size", str(megabytes << 20), "--tmpfs", place]
    for name in ("bin", "sbin", "lib", "lib64", "lib32"):
        if os.path.islink(f"/{name}"):
            command += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
    for target in sorted(sources):
        source = sources[target]
        command += ["--bind" if source.writable else "--ro-bind", source.path, target]
    command += ["--symlink", f"{BENCH}/workspace", "/workspace"]
    for name, text in native_backend.account(os.getuid(), os.getgid()).items():
        command += ["--ro-bind-data", str(_readable(text)), f"/{name}"]
    for name in ("servers", "skills"):
        if f"{BENCH}/{name}" not in sources:
            command += ["--dir", f"{BENCH}/{name}"]
    for name, value in ENVIRONMENT.items():
        command += ["--setenv", name, value]
    return [*command, "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", BENCH]


def _readable(data: bytes) -> int:
    """Pipe descriptor from which bwrap reads a small file."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    os.set_inheritable(reading, True)
    return reading
