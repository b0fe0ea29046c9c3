"""Records the calls of each run and their answers in memory, so that a run can become a cassette of a skill.

Memory is bounded: recordings of the oldest runs are dropped first, and a run that makes too many calls, or calls that
cannot be replayed, is not recorded. Answers are not masked here; only `cassette_maker.py` passes them on, masked.
"""

from __future__ import annotations

import json
from collections import deque
from typing import Final

from msgspec import Struct

from workbench.records import JsonObject
from workbench.sandbox.program import Answered, JsonText, ToolFailure

MOST_STEPS: Final = 1_000  # calls of one run
MOST_LETTERS: Final = 2_000_000  # characters of one run
MOST_HELD: Final = 16_000_000  # characters of all runs
MOST_RUNS: Final = 200  # as many runs as a core keeps in memory
DROPPED: Final = "its recording was deleted because later runs made many calls"
PLAYABLE: Final = frozenset({"call", "search", "definition", "skill"})


class RecordedCall(Struct, frozen=True):
    """One call of a program, and its answer or failure."""

    kind: str
    params: JsonObject
    answer: Answered = None
    failure: ToolFailure | None = None


class RunRecording:
    """The recorded calls of one run, owned by the run."""

    def __init__(self) -> None:
        self.steps: list[RecordedCall] = []
        self.letters = 0
        self.why_not = ""  # why no cassette can be made from this run

    def add(self, call: RecordedCall) -> None:
        """Add a call with its answer. A call that cannot be replayed or exceeds a limit discards the recording."""
        if self.why_not:
            return None
        if call.kind not in PLAYABLE:
            return self.drop("it used the network or sealed values, which cannot be played back")
        letters = _letters(call)
        if self.letters + letters > MOST_LETTERS or len(self.steps) >= MOST_STEPS:
            return self.drop(f"it has more than {MOST_STEPS:,} calls or {MOST_LETTERS // 1_000_000} MB of answers")
        self.steps.append(call)
        self.letters += letters
        return None

    def drop(self, why: str) -> None:
        """Discard the recorded calls. `why` completes "This run cannot be recorded: …"."""
        self.steps.clear()
        self.letters, self.why_not = 0, why


class CallRecorder:
    """Begins the recording of each run and bounds the memory of all recordings: the oldest are dropped first."""

    def __init__(self) -> None:
        self._recordings: deque[RunRecording] = deque(maxlen=MOST_RUNS)

    def begin(self) -> RunRecording:
        """Start the recording of a run. A run without calls can be replayed too."""
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
