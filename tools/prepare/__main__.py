"""Prepares a fresh clone with nothing but Python, then replaces itself with the window or the tests.

    python3 tools/prepare run [FOLDER]
    python3 tools/prepare test [--all | PYTEST ARGUMENTS]

Only the standard library is used, because this runs before anything is installed. A stamp file records what was done,
so that a later start takes a few milliseconds.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from pathlib import Path

import debian
import environment
import qt
from stamp import Stamp
from trouble import Trouble

ROOT = Path(__file__).resolve().parents[2]
FIRST = 1  # the process id of a container's first process
MOST = 4  # test files in parallel
SLOW = "slow and not real"  # tests that `./test --all` adds; `real` ones use the network and only run when asked for
USEFUL_FOR_TESTS = {"Xvfb": "xvfb", "xauth": "xauth", "bwrap": "bubblewrap"}  # program → Debian package


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in ("run", "test"):
        print(__doc__, file=sys.stderr)
        return 2
    goal, rest = arguments[0], arguments[1:]
    try:
        _prepare(goal)
    except Trouble as trouble:
        print(f"\n{trouble}", file=sys.stderr)
        return 1
    return _become(goal, rest)


def _become(goal: str, arguments: list[str]) -> int:
    """Replace this process. -P: a folder of the same name in the current directory must not be imported as the
    program.
    """
    python = str(environment.python(ROOT))
    module = "workbench" if goal == "run" else "pytest"
    if goal == "test":
        os.chdir(ROOT)
    *first, last = test_runs(arguments, os.cpu_count() or 1) if goal == "test" else [arguments]
    for run in first:
        if code := _look_after(os.spawnv(os.P_NOWAIT, python, [python, "-P", "-m", module, *run])):
            return code
    command = [python, "-P", "-m", module, *last]
    if os.getpid() != FIRST:
        os.execv(python, command)
    return _look_after(os.spawnv(os.P_NOWAIT, python, command))


def test_runs(arguments: list[str], cores: int) -> list[list[str]]:
    """The arguments of each pytest run, in order; a failure skips the remaining runs.

    Without arguments: all tests but the slow ones. `--all` adds a second run of the slow ones (marker `slow`).
    """
    spread = side_by_side(cores)
    if arguments == ["--all"]:
        return [spread, [*spread, "-m", SLOW]]
    return [arguments or spread]


def side_by_side(cores: int) -> list[str]:
    """Arguments for running files in parallel, in the order of tests/conftest.py.

    Half of a test's time is waiting for a child process or a timer, so two files share a processor.
    """
    return ["-n", str(min(2 * cores, MOST)), "--dist", "loadfile", "--no-loadscope-reorder"] if cores > 1 else []


def _look_after(program: int) -> int:
    """Wait for a child process and pass signals on. The first process of a container also reaps the orphans it
    inherits.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda wished, _: os.kill(program, wished))
    while True:
        ended, status = os.wait()
        if ended == program:
            return os.waitstatus_to_exitcode(status)


def _prepare(goal: str) -> None:
    """Prepare the environment. A lock on the checkout's folder makes a second process wait for the first."""
    stamp = Stamp(ROOT, goal)
    if stamp.fresh():
        return
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if not stamp.fresh():
            _install(goal)
            stamp.write()
    finally:
        os.close(folder)


def _install(goal: str) -> None:
    environment.make(ROOT)
    environment.install(ROOT, goal)
    environment.compile_project(ROOT)
    missing = qt.missing_packages(environment.python(ROOT))
    if missing:
        debian.require(missing, "Qt needs system libraries that are not here")
    qt.prove(environment.python(ROOT))
    if goal == "test":
        debian.wish(USEFUL_FOR_TESTS)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
