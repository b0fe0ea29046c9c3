"""The tally of a server's calls."""

from __future__ import annotations

from workbench.records import Fault, Outcome
from workbench.servers.monitoring.server_statistics import CallStatistics


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
