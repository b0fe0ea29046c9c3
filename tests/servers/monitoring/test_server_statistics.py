"""Statistics of a server's calls."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

from workbench.records import Fault, Outcome
from workbench.servers.monitoring.server_statistics import CallStatistics, ProcessUsage, usage


def test_calls_are_counted_with_their_times_and_the_last_failure() -> None:
    counts = CallStatistics()
    for ms in (10.0, 30.0, 20.0):
        counts.add(Outcome("a", ok=True, ms=ms))
    counts.add(Outcome("b", ok=False, fault=Fault("It broke."), ms=500.0))
    assert (counts.calls, counts.errors, counts.typical_ms, counts.slowest_ms) == (4, 1, 25.0, 500.0)
    assert counts.last_error == "It broke."
    assert counts.last_error_at > 0


def test_old_calls_do_not_colour_the_time_for_ever() -> None:
    counts = CallStatistics()
    for ms in (9_000.0, *([5.0] * 100)):
        counts.add(Outcome("a", ok=True, ms=ms))
    assert (counts.calls, counts.slowest_ms) == (101, 5.0)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no /proc here")
def test_a_group_is_counted_with_its_children() -> None:
    code = """if 1:
        import subprocess
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        print(child.pid, flush=True)
        child.wait()"""
    parent = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        found = usage(parent.pid)
        assert found.processes == 2
        assert found.memory_mb >= psutil.Process(parent.pid).memory_info().rss / 1e6 * 0.5
    finally:
        child.kill()
        parent.wait(60)
        if parent.stdout is not None:
            parent.stdout.close()
    assert usage(parent.pid) == ProcessUsage()


def test_no_group_uses_nothing() -> None:
    assert usage(0) == ProcessUsage()
