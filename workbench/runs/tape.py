"""Remembers what programs asked of the outside and what they got, so that a run can be made a cassette of a skill.

It is memory only and bounded: the newest runs are held, the oldest go first, and a run that asked for too much, or for
something that cannot be played back, is not held at all. What it holds has not passed privacy yet; nothing leaves it
but through `recording.py`.
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


class Taken(Struct, frozen=True):
    """One question of a program, and its answer or the failure it got."""

    kind: str
    params: JsonObject
    answer: Answered = None
    failure: ToolFailure | None = None


class Tape(Struct):
    """One run's."""

    steps: list[Taken] = field(default_factory=list)
    letters: int = 0
    why_not: str = ""  # why it cannot be made a cassette


class Tapes:
    """Of the newest runs."""

    def __init__(self) -> None:
        self._tapes: OrderedDict[str, Tape] = OrderedDict()
        self._letters = 0

    def of(self, run_id: str) -> Tape | None:
        return self._tapes.get(run_id)

    def begin(self, run_id: str) -> Tape:
        """A run starts, which may end without a question: that can be played back too."""
        tape = self._tapes.setdefault(run_id, Tape())
        while (self._letters > MOST_HELD or len(self._tapes) > MOST_RUNS) and len(self._tapes) > 1:
            self._letters -= self._tapes.popitem(last=False)[1].letters
        return tape

    def note(self, run_id: str, taken: Taken) -> None:
        """Called for each question; it costs a measure of its answer's length."""
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

    def _give_up(self, tape: Tape, why: str) -> None:
        self._letters -= tape.letters
        tape.steps.clear()
        tape.letters, tape.why_not = 0, why


def _letters(taken: Taken) -> int:
    answer = taken.answer
    if isinstance(answer, JsonText):
        size = len(answer.text)
    elif isinstance(answer, str):
        size = len(answer)
    else:
        size = len(json.dumps(answer, default=str)) if answer is not None else 0
    return size + sum(len(value) if isinstance(value, str) else 20 for value in taken.params.values()) + 100
