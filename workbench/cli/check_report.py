"""Results of checks (saved calls, recorded skill tests) as report lines and as a JUnit file for CI systems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol
from xml.etree import ElementTree

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
            hint = "Add --yes to call it anyway." if result.needs_confirmation else result.fault.hint
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


NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what no XML file may hold


class Case(Protocol):
    """What is told of one: a saved call, or a cassette of a skill."""

    @property
    def name(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def server(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def state(self) -> State: ...
    @property
    def words(self) -> tuple[str, ...]: ...
    @property
    def ms(self) -> float: ...


def junit(found: Sequence[Case]) -> bytes:
    """The report as a UTF-8 file."""
    suites: dict[str, list[Case]] = {}
    for one in found:
        suites.setdefault(one.name.rpartition("/")[0] or "calls", []).append(one)
    root = ElementTree.Element("testsuites", _numbers(found))
    for name, cases in suites.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": _clean(name), **_numbers(cases)})
        for one in cases:
            _add(suite, name, one)
    ElementTree.indent(root)
    whole: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return whole + b"\n"


def _add(suite: ElementTree.Element, name: str, one: Case) -> None:
    told = {"classname": _clean(name), "name": _clean(one.name.rpartition("/")[2]), "time": f"{one.ms / 1000:.3f}"}
    case = ElementTree.SubElement(suite, "testcase", {**told, "file": _clean(one.file)})
    if one.state is State.PASSED:
        return
    kind = "failure" if one.state is State.FAILED else "error"
    trouble = ElementTree.SubElement(case, kind, {"message": _clean(one.words[0] if one.words else "")})
    trouble.text = _clean("\n".join((f"{one.server}.{one.tool}" if one.server else one.file, *one.words)))


def _numbers(found: Sequence[Case]) -> dict[str, str]:
    return {
        "tests": str(len(found)),
        "failures": str(sum(one.state is State.FAILED for one in found)),
        "errors": str(sum(one.state is State.ERROR for one in found)),
        "time": f"{sum(one.ms for one in found) / 1000:.3f}",
    }


def _clean(text: str) -> str:
    return NOT_XML.sub("�", text)
