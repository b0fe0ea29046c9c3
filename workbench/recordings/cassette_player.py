"""Answers a program's calls from a cassette, and lists where they differ from the recorded calls."""

from __future__ import annotations

import json

from msgspec.structs import replace

from workbench.calls.json_paths import format_path, steps
from workbench.recordings.comparison import MOST, differences, shortened, value_at
from workbench.records import DifferenceKind, JsonObject, JsonValue, SkillDifference
from workbench.sandbox.program import Answered, JsonText, ToolFailure
from workbench.skills.cassettes import Cassette, CassetteStep


class CassettePlayer:
    """Answers the calls of one run from a cassette."""

    def __init__(self, cassette: Cassette) -> None:
        self._left = list(cassette.steps)
        self._spent: list[CassetteStep] = []
        self.played: list[CassetteStep] = []  # calls of this run, with the recorded answers
        self.found: list[SkillDifference] = []
        self.unknown = ""  # describes the first call without an answer in the cassette

    def answer(self, kind: str, params: JsonObject) -> Answered:
        """Return the recorded answer to an equal call, else to the next call of the same tool and list a difference."""
        if kind == "tokens":  # tokens are of one session; the answers of a cassette have none of it
            return {}
        asked = CassetteStep(kind, _call_identity(kind, params))
        step = self._take(asked)
        if step is None:
            words = f"The skill requests {_named(asked)}, which is not in the recording"
            self.unknown = self.unknown or f"{words}."
            self._note(DifferenceKind.CALL, words, "", shortened(asked.params))
            raise ToolFailure(f"{words}.", code="cassette")
        self.played.append(replace(step, params=asked.params))
        if step.failure is not None:
            raise _failure(step.failure)
        if step.text or isinstance(step.answer, str):
            return str(step.answer)
        return JsonText(json.dumps(step.answer, ensure_ascii=False), step.shape)

    def end(self) -> None:
        """List the recorded calls that were not made as differences."""
        for step in self._left:
            self._note(DifferenceKind.CALL, f"The skill no longer requests {_named(step)}", shortened(step.params), "")

    def _take(self, asked: CassetteStep) -> CassetteStep | None:
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

    def _again(self, asked: CassetteStep) -> CassetteStep | None:
        """The last answer again, for a call that is made more often than recorded, as by a program that polls."""
        spent = [step for step in self._spent if step.tool == asked.tool and not _differ(step, asked)]
        if not spent:
            return None
        words = f"The skill requests {_named(asked)} more often than recorded"
        self._note(DifferenceKind.CALL, words, "", shortened(asked.params))
        return spent[-1]

    def _tell_arguments(self, step: CassetteStep, asked: CassetteStep) -> None:
        before, after = _arguments(step), _arguments(asked)
        for path in _differ(step, asked)[:5]:
            where = format_path(path)
            words = f"The arguments of {_named(asked)} differ{where and f' at {where}'}"
            self._note(DifferenceKind.ARGUMENT, words, value_at(before, where), value_at(after, where))

    def _note(self, kind: DifferenceKind, words: str, before: str, after: str) -> None:
        if len(self.found) < MOST:
            self.found.append(SkillDifference(kind, f"{words}.", before, after))


def _call_identity(kind: str, params: JsonObject) -> JsonObject:
    """The parameters that identify a call."""
    names = {
        "call": ("server", "tool", "arguments"),
        "search": ("query", "detail_level", "server", "category", "limit"),
    }
    return {name: params.get(name) for name in names.get(kind, ("name", "category")) if params.get(name) is not None}


def _arguments(step: CassetteStep) -> JsonValue:
    return step.params.get("arguments", {}) if step.kind == "call" else dict(step.params)


def _differ(step: CassetteStep, asked: CassetteStep) -> list[tuple[str | int | None, ...]]:
    ignored = [steps(path) for path in step.ignore]
    return list(differences(_arguments(step), _arguments(asked), ignored))


def _named(step: CassetteStep) -> str:
    words = {"search": "a search", "definition": "a definition", "skill": "the text of a skill"}
    return words.get(step.kind, step.tool)


def _failure(told: JsonObject) -> ToolFailure:
    def _texts(name: str) -> tuple[str, ...]:
        found = told.get(name)
        return tuple(str(one) for one in found) if isinstance(found, list) else ()

    message, code, hint = (str(told.get(name, "")) for name in ("message", "code", "hint"))
    return ToolFailure(message, code, _texts("valid_parameters"), _texts("suggestions"), hint)
