"""Reads the `Questions` protocol once, so that both ends of the wire encode by the very same declaration."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

from workbench.errors import WorkbenchError
from workbench.records import JsonObject, JsonValue
from workbench.wire.codec import Hint, Keep, Resolve, decode, encode
from workbench.wire.questions import Questions


@dataclass(frozen=True, slots=True)
class Question:
    """One method of `Questions`, as the wire sees it."""

    name: str
    signature: inspect.Signature  # without self
    hints: Mapping[str, Hint]
    answer: Hint

    def encode_arguments(self, *args: Any, **kwargs: Any) -> dict[str, JsonValue]:
        """Any: arguments of whichever question this is; wrong ones raise TypeError as a plain call would."""
        given = self.signature.bind(*args, **kwargs).arguments
        return {name: encode(self.hints[name], value) for name, value in given.items()}

    def decode_arguments(self, given: JsonObject, resolve: Resolve) -> dict[str, Any]:
        """Any: decoded to what the declaration says, or refused."""
        unknown = [name for name in given if name not in self.signature.parameters]
        missing = [p.name for p in self.signature.parameters.values() if p.default is p.empty and p.name not in given]
        if unknown or missing:
            raise WorkbenchError(f"{self.name} was asked with the wrong arguments: {', '.join(unknown or missing)}.")
        return {name: decode(self.hints[name], value, resolve) for name, value in given.items()}

    def encode_answer(self, value: Any, keep: Keep) -> JsonValue:
        """Any: whatever the declaration says the answer is."""
        return encode(self.answer, value, keep)


@cache
def vocabulary() -> Mapping[str, Question]:
    """Every question a door may ask, by name; what is not declared cannot be asked."""
    names = [name for name, _ in inspect.getmembers(Questions, inspect.iscoroutinefunction)]
    return {name: _question(name) for name in names if not name.startswith("_")}


def _question(name: str) -> Question:
    declared = getattr(Questions, name)
    hints = get_type_hints(declared)
    whole = inspect.signature(declared)
    own = whole.replace(parameters=[p for p in whole.parameters.values() if p.name != "self"])
    return Question(name, own, {p: hints[p] for p in own.parameters}, hints["return"])
