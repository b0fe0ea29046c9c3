"""Records the calls of each run and their answers in memory, so that a run can become a cassette of a skill.

Bounded: the newest runs are held, the oldest go first, and a run that made too many calls, or one that cannot be played
back, is not held at all. Answers are not masked yet; nothing leaves this module but through `cassette_maker.py`.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Final

from msgspec import Struct, field

from workbench.records import JsonObject
from workbench.sandbox.program import Answered, JsonText, ToolFailure

MOST_STEPS: Final = 1_000  # of one run
MOST_LETTERS: Final = 2_000_000  # of one run
MOST_HELD: Final = 16_000_000  # letters of all runs
MOST_RUNS: Final = 5_000  # that are held
PLAYABLE: Final = frozenset({"call", "search", "definition", "skill"})


class RecordedCall(Struct, frozen=True):
    """One call of a program, and its answer or failure."""

    kind: str
    params: JsonObject
    answer: Answered = None
    failure: ToolFailure | None = None


class RunRecording(Struct):
    """The recorded calls of one run."""

    steps: list[RecordedCall] = field(default_factory=list)
    letters: int = 0
    why_not: str = ""  # why it cannot be made a cassette


class CallRecorder:
    """Holds the recordings of the newest runs."""

    def __init__(self) -> None:
        self._tapes: OrderedDict[str, RunRecording] = OrderedDict()
        self._letters = 0

    def of(self, run_id: str) -> RunRecording | None:
        return self._tapes.get(run_id)

    def begin(self, run_id: str) -> RunRecording:
        """Start the recording of a run. One that makes no call can be played back too."""
        tape = self._tapes.setdefault(run_id, RunRecording())
        while (self._letters > MOST_HELD or len(self._tapes) > MOST_RUNS) and len(self._tapes) > 1:
            self._letters -= self._tapes.popitem(last=False)[1].letters
        return tape

    def note(self, run_id: str, taken: RecordedCall) -> None:
        """Add a call to its run's recording."""
        tape = self.begin(run_id)
        if tape.why_not:
            return None
        if taken.kind not in PLAYABLE:
            return self._give_up(tape, "it used the network or sealed values, which cannot be played back")
        letters = _letters(taken)
        if tape.letters + letters > MOST_LETTERS or len(tape.steps) >= MOST_STEPS:
            many = f"{MOST_STEPS:,} calls or {MOST_LETTERS // 1_000_000} MB of answers"
            return self._give_up(tape, f"it made more than {many}")
        tape.steps.append(taken)
        tape.letters += letters
        self._letters += letters
        return None

    def _give_up(self, tape: RunRecording, why: str) -> None:
        self._letters -= tape.letters
        tape.steps.clear()
        tape.letters, tape.why_not = 0, why


def _letters(taken: RecordedCall) -> int:
    answer = taken.answer
    if isinstance(answer, JsonText):
        size = len(answer.text)
    elif isinstance(answer, str):
        size = len(answer)
    else:
        size = len(json.dumps(answer, default=str)) if answer is not None else 0
    return size + sum(len(value) if isinstance(value, str) else 20 for value in taken.params.values()) + 100
