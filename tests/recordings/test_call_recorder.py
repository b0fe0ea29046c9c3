from __future__ import annotations

from workbench.recordings.call_recorder import MOST_HELD, MOST_LETTERS, CallRecorder, RecordedCall, RunRecording
from workbench.sandbox.program import JsonText


def call(letters: int = 10) -> RecordedCall:
    return RecordedCall("call", {"server": "demo", "tool": "get", "arguments": {}}, JsonText("x" * letters))


def test_the_newest_runs_are_held_and_the_oldest_go_first() -> None:
    recorder, size = CallRecorder(), MOST_LETTERS - 1_000
    begun = []
    for _ in range(MOST_HELD // size + 3):
        begun.append(recorder.begin())
        begun[-1].add(call(size))
    assert (begun[0].steps, "its recording was deleted" in begun[0].why_not) == ([], True)
    assert len(begun[-1].steps) == 1


def test_what_cannot_be_played_back_is_not_held_and_says_why() -> None:
    large, net = RunRecording(), RunRecording()
    large.add(call())
    large.add(call(MOST_LETTERS))
    net.add(call())
    net.add(RecordedCall("connect", {"host": "example.org"}))
    net.add(call())
    assert (large.steps, "MB of answers" in large.why_not) == ([], True)
    assert (net.steps, "network" in net.why_not) == ([], True)
