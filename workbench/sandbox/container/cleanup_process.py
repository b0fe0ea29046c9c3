"""A process that outlives the core by a moment and removes the containers that the core left.

The core writes their names to its stdin ("+name" made, "-name" gone, one a line). When the core is gone, even by
kill -9, stdin ends, and every container still named is removed. Standard library only; started with -I -S.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence

_TRIES = 20  # a container may be in the middle of being made
_PAUSE = 0.5
_PATIENCE = 30.0


def follow(lines: Iterable[str]) -> set[str]:
    """Keep the list up to date until the core is gone; what is left is what must be removed."""
    names: set[str] = set()
    for line in lines:
        if line.startswith("+"):
            names.add(line[1:].strip())
        elif line.startswith("-"):
            names.discard(line[1:].strip())
    return names


def end(names: set[str], engine: Sequence[str]) -> None:
    """Asked until the engine knows none of them any more, twice in a row: one may just be coming up."""
    calm = 0
    for _ in range(_TRIES):
        for name in names:
            _ask(engine, "rm", "-f", "-v", name)
        calm = 0 if any(_ask(engine, "container", "inspect", name) == 0 for name in names) else calm + 1
        if calm == 2 or not names:
            return
        time.sleep(_PAUSE)


def _ask(engine: Sequence[str], *words: str) -> int:
    try:
        return subprocess.run(
            [*engine, *words], stdin=-3, stdout=-3, stderr=-3, timeout=_PATIENCE, check=False
        ).returncode
    except (OSError, subprocess.TimeoutExpired):
        return -1


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end(follow(sys.stdin), sys.argv[1:])


if __name__ == "__main__":
    main()
