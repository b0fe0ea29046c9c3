from __future__ import annotations

from workbench.recordings.call_recorder import MOST_HELD, MOST_LETTERS, CallRecorder, RecordedCall
from workbench.sandbox.program import JsonText


def call(letters: int = 10) -> RecordedCall:
    return RecordedCall("call", {"server": "demo", "tool": "get", "arguments": {}}, JsonText("x" * letters))


def test_the_newest_runs_are_held_and_the_oldest_go_first() -> None:
    tapes = CallRecorder()
    size = MOST_LETTERS - 1_000
    for number in range(MOST_HELD // size + 3):
        tapes.note(f"run{number}", call(size))
    assert tapes.of("run0") is None
    assert tapes.of(f"run{MOST_HELD // size + 2}") is not None


def test_what_cannot_be_played_back_is_not_held_and_says_why() -> None:
    tapes = CallRecorder()
    tapes.note("large", call())
    tapes.note("large", call(MOST_LETTERS))
    tapes.note("net", call())
    tapes.note("net", RecordedCall("connect", {"host": "example.org"}))
    tapes.note("net", call())
    large, net = tapes.of("large"), tapes.of("net")
    assert large is not None
    assert net is not None
    assert (large.steps, "MB of answers" in large.why_not) == ([], True)
    assert (net.steps, "network" in net.why_not) == ([], True)
