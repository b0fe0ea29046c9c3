"""What came of one saved call, as a line and as a test case."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from workbench.errors import WorkbenchError
from workbench.records import BrokenCall, CheckResult, SavedCall


class State(Enum):
    """How it went: as expected; otherwise than expected; it could not be made."""

    PASSED = "ok"
    FAILED = "FAIL"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class Checked:
    """One line of the report."""

    file: str
    state: State
    words: tuple[str, ...] = ()  # what did not hold, or why it could not be made
    server: str = ""
    tool: str = ""
    result: CheckResult | None = None

    @property
    def name(self) -> str:
        return self.file.removeprefix("calls/").removesuffix(".json")

    @property
    def made(self) -> bool:
        return self.result is not None and self.result.outcome is not None

    @property
    def ms(self) -> float:
        return self.result.outcome.ms if self.result and self.result.outcome else 0.0

    @classmethod
    def of(cls, call: SavedCall, result: CheckResult) -> Checked:
        if result.fault is not None:
            hint = "Add --yes to make it anyway." if result.needs_confirmation else result.fault.hint
            words = tuple(word for word in (result.fault.message, hint) if word)
            return cls(call.file, State.ERROR, words, call.server, call.tool, result)
        words = tuple(mark.words for mark in result.marks if not mark.holds)
        state = State.PASSED if result.passed else State.FAILED
        return cls(call.file, state, words, call.server, call.tool, result)

    @classmethod
    def faulted(cls, call: SavedCall, fault: WorkbenchError) -> Checked:
        words = tuple(word for word in (fault.message, fault.hint) if word)
        return cls(call.file, State.ERROR, words, call.server, call.tool)

    @classmethod
    def broken(cls, one: BrokenCall) -> Checked:
        words = tuple(word for word in (one.fault.message, one.fault.hint) if word)
        return cls(one.file, State.ERROR, words)
