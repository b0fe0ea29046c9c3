"""Makes a fresh clone ready with nothing but Python, then becomes the window or the tests.

    python3 tools/prepare run [FOLDER]      python3 tools/prepare test [PYTEST ARGUMENTS]

Only the standard library is used, because this runs before anything is installed. What was done is remembered in a
stamp, so that a later start costs a few milliseconds.
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
FIRST = 1  # the process id of whatever a container starts
MOST = 4  # test files at once
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
    """-P: a folder of the same name where the person stands must not be taken for the program."""
    if goal == "test":
        os.chdir(ROOT)
        arguments = arguments or side_by_side(os.cpu_count() or 1)
    python = str(environment.python(ROOT))
    command = [python, "-P", "-m", "workbench" if goal == "run" else "pytest", *arguments]
    if os.getpid() != FIRST:
        os.execv(python, command)
    return _look_after(os.spawnv(os.P_NOWAIT, python, command))


def side_by_side(cores: int) -> list[str]:
    """How the whole suite is run: files beside each other, in the order of tests/conftest.py. Half of a test's time is
    waiting, for a child or a timer, so two files share a core."""
    return ["-n", str(min(2 * cores, MOST)), "--dist", "loadfile", "--no-loadscope-reorder"] if cores > 1 else []


def _look_after(program: int) -> int:
    """The first process of a container inherits every orphan; the window and the tests would not bury them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda wished, _: os.kill(program, wished))
    while True:
        ended, status = os.wait()
        if ended == program:
            return os.waitstatus_to_exitcode(status)


def _prepare(goal: str) -> None:
    """Whoever comes second waits for the first: the checkout's folder itself is the lock."""
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
