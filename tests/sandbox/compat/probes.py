"""Reads the compatibility snippets in this folder. Each has the result that it must give in the sandbox."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Probe:
    """A snippet with its expected result as JSON text, or the type of the error that an agent sees."""

    name: str
    code: str
    answer: str = ""
    error: str = ""  # several types are separated by "or", because backends hide resources in different ways

    def fits(self, result: str, error: str) -> bool:
        """Whether the result or error is the expected one."""
        if self.error:
            return error in self.error.split(" or ")
        return not error and bool(json.loads(result or "null") == json.loads(self.answer))


def probes(part: str) -> list[Probe]:
    """The snippets of standard, packages or refused."""
    found = []
    for text in (HERE / f"{part}.txt").read_text(encoding="utf-8").split("## ")[1:]:
        name, _, rest = text.partition("\n")
        code, _, end = rest.rpartition("\n--")
        kind, said = end[:1], end[1:].strip()
        found.append(Probe(name, code, answer=said if kind == ">" else "", error=said if kind == "!" else ""))
    return found
