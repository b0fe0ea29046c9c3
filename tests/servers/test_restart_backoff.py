"""The delay of restarts grows with consecutive crashes, until a server is not restarted any more."""

from __future__ import annotations

from workbench.records import Fault, ServerConfig, ServerState, ServerStatus
from workbench.servers.server import ATTEMPTS, RestartBackoff, status_text


class Time:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_the_first_death_is_forgiven_and_the_next_ones_cost_more_each() -> None:
    time = Time()
    backoff = RestartBackoff(time)
    backoff.ready()
    waits = []
    for _ in range(ATTEMPTS):
        backoff.died()
        waits.append(backoff.wait)
    assert waits == [0, 1, 2, 4, 8]
    assert backoff.again == 8
    assert "attempt 5 of 5" in backoff.hint()


def test_after_too_many_deaths_nothing_is_tried_until_a_person_asks() -> None:
    backoff = RestartBackoff(Time())
    backoff.ready()
    for _ in range(ATTEMPTS + 1):
        backoff.died()
    assert backoff.again is None
    assert "not restarted again" in backoff.hint()
    backoff.forget()
    backoff.ready()
    backoff.died()
    assert backoff.again == 1


def test_a_long_life_makes_earlier_deaths_forgotten() -> None:
    time = Time()
    backoff = RestartBackoff(time)
    for _ in range(3):
        backoff.ready()
        backoff.died()
    assert backoff.deaths == 3
    backoff.ready()
    time.now += 61
    backoff.died()
    assert backoff.deaths == 1


def test_what_never_was_ready_is_not_tried_again() -> None:
    backoff = RestartBackoff(Time())
    backoff.died()
    assert backoff.again is None
    assert backoff.hint() == ""


def test_the_pause_is_over_when_its_time_has_come() -> None:
    time = Time()
    backoff = RestartBackoff(time)
    backoff.ready()
    backoff.died()
    backoff.died()
    time.now += 2
    assert backoff.wait == 0


def test_each_step_says_what_happened() -> None:
    state = ServerState(ServerConfig("one"), ServerStatus.READY, protocol="2025-06-18", pid=7)
    assert status_text(state) == "The server is ready: protocol 2025-06-18, process 7."
    fallen = ServerState(ServerConfig("one"), ServerStatus.FAILED, fault=Fault("It left with code 3."))
    assert "left with code 3" in status_text(fallen)
    assert len({status_text(ServerState(ServerConfig("one"), status)) for status in ServerStatus}) == len(ServerStatus)
