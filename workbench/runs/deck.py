"""Answers a program out of a cassette, and notes where it asks otherwise than it did when that was recorded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from workbench.calls.judge import differences
from workbench.calls.places import find, steps, written
from workbench.records import DifferenceKind, JsonObject, JsonValue, SkillDifference
from workbench.sandbox.program import Answered, JsonText, ToolFailure
from workbench.skills.cassettes import Cassette, Step

SHOWN: Final = 300  # characters of a value in a difference
MOST: Final = 100  # differences that are told
_ASKED: Final = {
    "call": ("server", "tool", "arguments"),
    "search": ("query", "detail_level", "server", "category", "limit"),
}


class Deck:
    """One play of one cassette."""

    def __init__(self, cassette: Cassette) -> None:
        self._left = list(cassette.steps)
        self._spent: list[Step] = []
        self.played: list[Step] = []  # what the program asked this time, with the answers it got
        self.found: list[SkillDifference] = []
        self.unknown = ""  # what was asked first for which the cassette has no answer

    def answer(self, kind: str, params: JsonObject) -> Answered:
        """The answer to the same question; else to the next one like it, which is a difference."""
        asked = Step(kind, _kept(kind, params))
        step = self._take(asked)
        if step is None:
            words = f"Asks for {_named(asked)}, which is not in the recording"
            self.unknown = self.unknown or f"{words}."
            self._note(DifferenceKind.CALL, words, "", _shown(asked.params))
            raise ToolFailure(f"{words}.", code="cassette")
        self.played.append(replace(step, params=asked.params))
        if step.failure is not None:
            raise _failure(step.failure)
        if step.text or isinstance(step.answer, str):
            return str(step.answer)
        return JsonText(json.dumps(step.answer, ensure_ascii=False), step.shape)

    def end(self) -> None:
        """What was asked then and was not asked now."""
        for step in self._left:
            self._note(DifferenceKind.CALL, f"No longer asks for {_named(step)}", _shown(step.params), "")

    def _take(self, asked: Step) -> Step | None:
        like = [step for step in self._left if step.tool == asked.tool]
        same = next((step for step in like if not _differ(step, asked)), None)
        if same is None and not like:
            return self._again(asked)
        step = same or like[0]
        self._left.remove(step)
        self._spent.append(step)
        if same is None:
            self._tell_arguments(step, asked)
        return step

    def _again(self, asked: Step) -> Step | None:
        """Asked more often than then: who waits for something hears the last answer again."""
        spent = [step for step in self._spent if step.tool == asked.tool and not _differ(step, asked)]
        if not spent:
            return None
        self._note(DifferenceKind.CALL, f"Asks for {_named(asked)} more often", "", _shown(asked.params))
        return spent[-1]

    def _tell_arguments(self, step: Step, asked: Step) -> None:
        before, after = _arguments(step), _arguments(asked)
        for path in _differ(step, asked)[:5]:
            where = written(path)
            words = f"{_named(asked)} is called with another {where or 'argument'}"
            self._note(DifferenceKind.ARGUMENT, words, _at(before, where), _at(after, where))

    def _note(self, kind: DifferenceKind, words: str, before: str, after: str) -> None:
        if len(self.found) < MOST:
            self.found.append(SkillDifference(kind, f"{words}.", before, after))


def result_differences(before: JsonValue, after: JsonValue, ignored: Sequence[str]) -> list[SkillDifference]:
    """Where a result is another one."""
    found = list(differences(before, after, [steps(path) for path in ignored]))
    return [
        SkillDifference(
            DifferenceKind.RESULT,
            f"The result differs at {where}." if (where := written(path)) else "The result is another one.",
            _at(before, where),
            _at(after, where),
        )
        for path in found[:MOST]
    ]


def unsteady(one: JsonValue, other: JsonValue) -> tuple[str, ...]:
    """The places at which two results of the same play differ."""
    return tuple(dict.fromkeys(written(path) for path in differences(one, other, [])))


def _kept(kind: str, params: JsonObject) -> JsonObject:
    """Of a question what makes it that question."""
    names = {
        "call": ("server", "tool", "arguments"),
        "search": ("query", "detail_level", "server", "category", "limit"),
    }
    return {name: params.get(name) for name in names.get(kind, ("name", "category")) if params.get(name) is not None}


def _arguments(step: Step) -> JsonValue:
    return step.params.get("arguments", {}) if step.kind == "call" else dict(step.params)


def _differ(step: Step, asked: Step) -> list[tuple[str | int | None, ...]]:
    ignored = [steps(path) for path in step.ignore]
    return list(differences(_arguments(step), _arguments(asked), ignored))


def _at(value: JsonValue, where: str) -> str:
    found = find(value, steps(where)) if where else [value]
    return _shown(found[0]) if found else "nothing"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


def _named(step: Step) -> str:
    words = {"search": "a search", "definition": "a definition", "skill": "the text of a skill"}
    return words.get(step.kind, step.tool)


def _failure(told: JsonObject) -> ToolFailure:
    def words(name: str) -> tuple[str, ...]:
        found = told.get(name)
        return tuple(str(one) for one in found) if isinstance(found, list) else ()

    message, code, hint = (str(told.get(name, "")) for name in ("message", "code", "hint"))
    return ToolFailure(message, code, words("valid_parameters"), words("suggestions"), hint)
