"""Checks the answer to a saved call against its expectations. Regular expressions are matched in a subprocess."""

from __future__ import annotations

import json
from collections.abc import Sequence

from workbench.calls.json_paths import find, format_path, steps
from workbench.recordings.comparison import answer_text, answer_value, blanked, differences, pretty, same
from workbench.recordings.regex_subprocess import match_patterns
from workbench.records import Expect, Expectation, JsonValue, Mark, Outcome, SavedCall

SHOWN = 120  # characters of a value in a message
ANSWERED = Expectation(Expect.OK)


def check_expectations(call: SavedCall, outcome: Outcome, *, has_schema: bool) -> tuple[Mark, ...]:
    """Return a mark for each expectation. Unless an error is expected, the call must also succeed."""
    expectations = call.expectations
    if not any(one.kind in (Expect.OK, Expect.ERROR) for one in expectations):
        expectations = (ANSWERED, *expectations)
    return _Judge(call, outcome, has_schema).marks(expectations)


class _Judge:
    def __init__(self, call: SavedCall, outcome: Outcome, has_schema: bool) -> None:
        self._call = call
        self._outcome = outcome
        self._has_schema = has_schema
        self._value = answer_value(outcome)

    def marks(self, expectations: Sequence[Expectation]) -> tuple[Mark, ...]:
        found = [self._look(one) for one in expectations]
        patterns = [(at, one) for at, one in enumerate(expectations) if one.kind is Expect.MATCHES]
        for (at, _), mark in zip(patterns, self._match([one for _, one in patterns]), strict=True):
            found[at] = mark
        return tuple(found)

    def _look(self, one: Expectation) -> Mark:
        match one.kind:
            case Expect.OK:
                return Mark(
                    one, self._outcome.ok, self._success_sentence("The tool answered.", "An answer was expected")
                )
            case Expect.ERROR:
                return self._error(one)
            case Expect.SCHEMA:
                return self._schema(one)
            case Expect.TEXT:
                return self._text(one)
            case Expect.KEPT:
                return self._same_as_kept(one)
            case Expect.UNDER_MS:
                took = f"It took {self._outcome.ms:.0f} ms; under {one.value:g} ms was expected."
                return Mark(one, self._outcome.ms < one.value, took)
        return self._at_path(one)

    def _success_sentence(self, good: str, wanted: str) -> str:
        fault = self._outcome.fault
        return good if self._outcome.ok else f"{wanted}, but the call failed: {fault.message if fault else '?'}"

    def _error(self, one: Expectation) -> Mark:
        fault = self._outcome.fault
        words = f"{fault.message} {fault.detail}" if fault else ""
        if self._outcome.ok:
            return Mark(one, False, "An error was expected, but the tool answered without one.")
        holds = one.value.casefold() in words.casefold()
        wanted = f"an error with {_shortened_json(one.value)}" if one.value else "an error"
        return Mark(one, holds, f"Expected {wanted}, got: {words.strip()[: SHOWN * 4]}", one.value, words.strip())

    def _schema(self, one: Expectation) -> Mark:
        if not self._has_schema:
            return Mark(one, False, "The tool has no output schema.")
        fault = self._outcome.schema_fault
        return Mark(one, not fault and self._outcome.ok, fault or "The answer fits the tool's output schema.")

    def _text(self, one: Expectation) -> Mark:
        text = answer_text(self._outcome) or self._outcome.structured
        holds = one.value in text
        came = "" if holds else f", which is not in: {text[:SHOWN]}"
        return Mark(
            one, holds, f"Expected the text {_shortened_json(one.value)}{came}", one.value, "" if holds else text
        )

    def _same_as_kept(self, one: Expectation) -> Mark:
        if self._call.kept is None:
            return Mark(one, False, "The file contains no kept answer to compare with.")
        ignored = [steps(path) for path in one.ignore]
        places = list(differences(self._call.kept, self._value, ignored))
        if not places:
            return Mark(one, True, "The answer equals the kept answer.")
        more = f" (places that differ: {len(places)})" if len(places) > 1 else ""
        where = format_path(places[0]) or "the top level"
        return Mark(
            one, False, f"The answer differs from the kept answer at {where}{more}.",
            pretty(blanked(self._call.kept, ignored)), pretty(blanked(self._value, ignored)),
        )  # fmt: skip

    def _at_path(self, one: Expectation) -> Mark:
        found = find(self._value, steps(one.path))
        where = one.path or "the top level"
        if one.kind is Expect.EXISTS:
            words = f"Expected {'a value' if one.value else 'nothing'} at {where}, found {_shortened_values(found)}."
            return Mark(one, bool(found) == one.value, words)
        if one.kind is Expect.COUNT:
            number = _number(found, one.path)
            return Mark(one, number >= one.value, f"Expected at least {one.value} at {where}, found {number}.")
        if one.kind is Expect.TYPE:
            holds = bool(found) and all(_is(value, one.value) for value in found)
            return Mark(one, holds, f"Expected {one.value} at {where}, found {_shortened_values(found)}.")
        holds = bool(found) and all(same(value, one.value) for value in found)
        words = f"Expected {_shortened_json(one.value)} at {where}, found {_shortened_values(found)}."
        return Mark(one, holds, words, pretty(one.value), pretty(found[0]) if len(found) == 1 else pretty(found))

    def _match(self, wanted: Sequence[Expectation]) -> list[Mark]:
        texts = [[_as_text(value) for value in find(self._value, steps(one.path))] for one in wanted]
        answers = iter(
            match_patterns([(one.value, text) for one, many in zip(wanted, texts, strict=True) for text in many])
        )
        marks = []
        for one, many in zip(wanted, texts, strict=True):
            said = [next(answers) for _ in many]
            where = one.path or "the top level"
            trouble = next((word for word in said if word not in ("yes", "no")), "")
            found = f"{_shortened_values(many)}{trouble and ': '}{trouble}"
            words = f"Expected a match of {one.value} at {where}, found {found}."
            marks.append(Mark(one, bool(said) and all(word == "yes" for word in said), words))
        return marks


def _number(found: list[JsonValue], path: str) -> int:
    if len(found) == 1 and isinstance(found[0], list | dict) and not path.endswith("*]"):
        return len(found[0])
    return len(found)


def _is(value: JsonValue, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    kinds: dict[str, type | tuple[type, ...]] = {
        "string": str, "number": (int, float), "array": list, "object": dict, "null": type(None),
    }  # fmt: skip
    return kind in kinds and isinstance(value, kinds[kind])


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shortened_json(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _shortened_values(values: Sequence[JsonValue]) -> str:
    return (
        ", ".join(_shortened_json(value) for value in values[:3]) + (" …" if len(values) > 3 else "")
        if values
        else "nothing"
    )
