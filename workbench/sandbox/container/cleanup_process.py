"""Process that outlives the core briefly and removes the containers that the core left.

The core writes container names to its stdin, one per line: "+name" for a new container, "-name" for a removed one. When
the core ends, even by kill -9, stdin ends, and every container still listed is removed. Uses only the standard
library; started with -I -S.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence

_TRIES = 20  # removal attempts, because the engine may still be creating a container
_PAUSE = 0.5
_PATIENCE = 30.0


def follow(lines: Iterable[str]) -> set[str]:
    """Update the set of containers until the core ends. Returns the names that must be removed."""
    names: set[str] = set()
    for line in lines:
        if line.startswith("+"):
            names.add(line[1:].strip())
        elif line.startswith("-"):
            names.discard(line[1:].strip())
    return names


def end(names: set[str], engine: Sequence[str]) -> None:
    """Remove the containers until the engine reports none of them twice in a row: one may still be starting."""
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
