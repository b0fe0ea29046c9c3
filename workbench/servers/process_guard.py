"""Small process that ends the servers' process groups when the core was killed.

The core writes the process groups to its stdin ("+123" started, "-123" ended, one a line). When stdin ends, every group
still listed gets TERM, then KILL. Standard library only: it is started with -I -S and must be ready in milliseconds.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable

GRACE = 1.0  # seconds between TERM and KILL


def follow(lines: Iterable[bytes]) -> set[int]:
    """Track the process groups until stdin ends; return those that are still running."""
    groups: set[int] = set()
    for line in lines:
        sign, number = line[:1], line[1:].strip()
        if not number.isdigit() or int(number) <= 1:
            continue
        if sign == b"+":
            groups.add(int(number))
        elif sign == b"-":
            groups.discard(int(number))
    return groups


def end(groups: set[int]) -> None:
    """Send TERM, wait for the grace period, send KILL."""
    _send(groups, signal.SIGTERM)
    until = time.monotonic() + GRACE
    while (groups := _send(groups, 0)) and time.monotonic() < until:
        time.sleep(0.02)
    _send(groups, signal.SIGKILL)


def _send(groups: set[int], number: int) -> set[int]:
    """Signal each group; return those that still exist."""
    living = set()
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
            living.add(group)
    return living


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.chdir("/")
    end(follow(sys.stdin.buffer))


if __name__ == "__main__":
    main()
