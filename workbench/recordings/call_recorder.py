"""Records the calls of each run and their answers in memory, so that a run can become a cassette of a skill.

Bounded: the newest runs are held, the oldest go first, and a run that made too many calls, or one that cannot be played
back, is not held at all. Answers are not masked yet; nothing leaves this module but through `cassette_maker.py`.
"""

from __future__ import annotations

import json
from collections import deque
from typing import Final

from msgspec import Struct

from workbench.records import JsonObject
from workbench.sandbox.program import Answered, JsonText, ToolFailure

MOST_STEPS: Final = 1_000  # of one run
MOST_LETTERS: Final = 2_000_000  # of one run
MOST_HELD: Final = 16_000_000  # letters of all runs
MOST_RUNS: Final = 200  # as many as a core holds ready
DROPPED: Final = "later runs made so many calls that its own are no longer held"
PLAYABLE: Final = frozenset({"call", "search", "definition", "skill"})


class RecordedCall(Struct, frozen=True):
    """One call of a program, and its answer or failure."""

    kind: str
    params: JsonObject
    answer: Answered = None
    failure: ToolFailure | None = None


class RunRecording:
    """The recorded calls of one run. The run holds it."""

    def __init__(self) -> None:
        self.steps: list[RecordedCall] = []
        self.letters = 0
        self.why_not = ""  # why it cannot be made a cassette

    def add(self, call: RecordedCall) -> None:
        """Add a call with its answer; one that cannot be played back, or one too many, drops the recording."""
        if self.why_not:
            return None
        if call.kind not in PLAYABLE:
            return self.drop("it used the network or sealed values, which cannot be played back")
        letters = _letters(call)
        if self.letters + letters > MOST_LETTERS or len(self.steps) >= MOST_STEPS:
            return self.drop(f"it made more than {MOST_STEPS:,} calls or {MOST_LETTERS // 1_000_000} MB of answers")
        self.steps.append(call)
        self.letters += letters
        return None

    def drop(self, why: str) -> None:
        """Forget the calls. `why` completes "This run cannot be recorded: …"."""
        self.steps.clear()
        self.letters, self.why_not = 0, why


class CallRecorder:
    """Begins the recording of each run and bounds the memory of all recordings: the oldest are dropped first."""

    def __init__(self) -> None:
        self._recordings: deque[RunRecording] = deque(maxlen=MOST_RUNS)

    def begin(self) -> RunRecording:
        """For a run that starts. One that makes no call can be played back too."""
        while len(self._recordings) > 1 and sum([one.letters for one in self._recordings]) > MOST_HELD:
            self._recordings.popleft().drop(DROPPED)
        self._recordings.append(recording := RunRecording())
        return recording


def _letters(taken: RecordedCall) -> int:
    answer = taken.answer
    if isinstance(answer, JsonText):
        size = len(answer.text)
    elif isinstance(answer, str):
        size = len(answer)
    else:
        size = len(json.dumps(answer, default=str)) if answer is not None else 0
    return size + sum(len(value) if isinstance(value, str) else 20 for value in taken.params.values()) + 100
