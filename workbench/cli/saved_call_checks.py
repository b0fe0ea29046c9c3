"""`check`: makes saved calls and checks their answers against the expectations, for CI."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from xml.etree import ElementTree

from msgspec.structs import replace

from workbench.cli.common_options import DONE, FAULT, USAGE, Parser, add_common, add_consents, talk
from workbench.cli.consents import connect_server
from workbench.cli.terminal_output import Progress, narrate, narrate_fault, print_json, visible
from workbench.cli.tool_calls import fetch_full_outcome, plain_outcome
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import BrokenCall, CheckResult, SavedCall, SavedCalls

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.api.client_stub import CoreApi

FOLDER = "calls"
EPILOG = """PATH is a file or folder of saved calls (calls/shop, calls/shop/late.json), a collection, or
collection/name. Without PATH, all saved calls are checked in the order of their names. Calls that may change or send
something are made only with --yes. Exit codes: 0 everything is as expected, 1 something is not, 2 wrong usage."""


def arrange_check(parser: Parser) -> None:
    """Add the arguments of `check`: the saved calls, options, and the report file."""
    parser.epilog = EPILOG
    parser.add_argument("paths", nargs="*", metavar="PATH", help="what to check (default: all saved calls)")
    parser.add_argument("--server", default="", metavar="NAME", help="only calls of this server")
    parser.add_argument("--tag", default="", help="only calls with this tag")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="number of calls at the same time (default: 1)"
    )
    parser.add_argument("--junit", default="", metavar="FILE", help="write a JUnit XML report")
    add_consents(parser)
    add_common(parser, _check)


def _check(given: argparse.Namespace, paths: Paths) -> int:
    if given.jobs < 1:
        narrate("mcp-workbench: --jobs must be at least 1.")
        return USAGE
    try:
        found = talk(paths, lambda connection: _run(connection, given, paths))
    except NothingFits as fault:
        narrate_fault(fault)
        return USAGE
    if given.junit:
        write_report(given.junit, junit_xml(found))
    if given.output == "json":
        print_json([_plain(one) for one in found])
    bad = sum(one.state is not CheckOutcome.PASSED for one in found)
    narrate(f"{len(found)} checked, {len(found) - bad} as expected, {bad} not.")
    return FAULT if bad else DONE


class NothingFits(WorkbenchError):
    """No saved call matches the arguments."""


async def _run(connection: CoreConnection, given: argparse.Namespace, paths: Paths) -> list[CallCheck]:
    import asyncio

    api = connection.api
    calls, found = _chosen(await api.saved_calls(), given, paths)
    ready = await _ready(api, {call.server for call in calls}, given.allow)
    slots = asyncio.Semaphore(given.jobs)
    show, progress, done = given.output == "text", Progress(), 0

    async def check_one(call: SavedCall) -> CallCheck:
        nonlocal done
        async with slots:
            checked = await _check_call(connection, call, ready.get(call.server), given.yes)
        done += 1
        progress.clear()
        if show:
            _print(checked)
        if done < len(calls):
            progress.show(call.tool, done, len(calls))
        return checked

    for broken in found:
        if show:
            _print(broken)
    return [*found, *await asyncio.gather(*(check_one(call) for call in calls))]


def _chosen(saved: SavedCalls, given: argparse.Namespace, paths: Paths) -> tuple[list[SavedCall], list[CallCheck]]:
    """The selected calls, and the selected files that cannot be read. Unreadable files count as failures."""
    wanted = [_place(path, paths) for path in given.paths]
    found = [CallCheck.from_broken_file(one) for one in saved.broken if _within(one.file, wanted)]
    calls = [call for call in saved.calls if _within(call.file, wanted)]
    calls = [call for call in calls if given.server in ("", call.server)]
    calls = [call for call in calls if not given.tag or given.tag in call.tags]
    files = [call.file for call in saved.calls] + [broken.file for broken in saved.broken]
    for path, place in zip(given.paths, wanted, strict=True):
        if not any(_within(file, [place]) for file in files):
            raise NothingFits(f"There is no saved call at {path}.", f"Saved calls are in {paths.project / FOLDER}.")
    if not calls and not found:
        raise NothingFits("No saved call matches.", f"Saved calls are in {paths.project / FOLDER}.")
    return calls, found


def _place(path: str, paths: Paths) -> str:
    """Convert a path on disk, a collection, or collection/name to a path relative to the project."""
    for base in (Path.cwd(), paths.project):
        real = (base / path).resolve()
        if real.exists() and real.is_relative_to(paths.project / FOLDER):
            return real.relative_to(paths.project).as_posix()
    folder = f"{FOLDER}/{path.strip('/')}"
    return folder if (paths.project / folder).is_dir() or folder.endswith(".json") else f"{folder}.json"


def _within(file: str, places: Sequence[str]) -> bool:
    return not places or any(file == place or file.startswith(f"{place}/") for place in places)


async def _ready(api: CoreApi, servers: set[str], allow: bool) -> dict[str, WorkbenchError]:
    """Connect each server once. The error of a server that cannot be connected is returned as the fault of its
    calls.
    """
    faults = {}
    for name in sorted(servers):
        try:
            await connect_server(api, name, allow)
        except WorkbenchError as fault:
            faults[name] = fault
    return faults


async def _check_call(
    connection: CoreConnection, call: SavedCall, fault: WorkbenchError | None, yes: bool
) -> CallCheck:
    try:
        if fault is not None:
            raise fault
        result = await connection.api.check_saved(call.file, yes)
        if result.outcome is not None:
            result = replace(result, outcome=await fetch_full_outcome(connection, result.outcome))
        return CallCheck.from_result(call, result)
    except WorkbenchError as trouble:
        return CallCheck.from_fault(call, trouble)


def _print(one: CallCheck) -> None:
    took = f"{one.ms:7.0f} ms" if one.was_called else " " * 10
    print(visible(f"{one.state.value:<5} {took}  {one.name}"))
    for words in one.messages:
        print(visible(f"{'':17} {words}"))
    sys.stdout.flush()


def _plain(one: CallCheck) -> dict[str, object]:
    outcome = one.result.outcome if one.result else None
    return {
        "file": one.file,
        "server": one.server,
        "tool": one.tool,
        "state": one.state.value,
        "ms": round(one.ms, 3),
        "words": list(one.messages),
        "outcome": plain_outcome(outcome) if outcome and one.state is not CheckOutcome.PASSED else None,
    }


def write_report(file: str, text: bytes) -> None:
    """Write a report file for CI."""
    try:
        Path(file).expanduser().write_bytes(text)
    except OSError as fault:
        raise WorkbenchError(f"{file} cannot be written: {fault.strerror}.") from fault


class CheckOutcome(Enum):
    """The result of a check: expectations met, expectations not met, or the call could not be made."""

    PASSED = "ok"
    FAILED = "FAIL"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class CallCheck:
    """The result of one saved call, as a line of the report."""

    file: str
    state: CheckOutcome
    messages: tuple[str, ...] = ()  # the expectations that were not met, or why the call could not be made
    server: str = ""
    tool: str = ""
    result: CheckResult | None = None

    @property
    def name(self) -> str:
        return self.file.removeprefix("calls/").removesuffix(".json")

    @property
    def was_called(self) -> bool:
        return self.result is not None and self.result.outcome is not None

    @property
    def ms(self) -> float:
        return self.result.outcome.ms if self.result and self.result.outcome else 0.0

    @classmethod
    def from_result(cls, call: SavedCall, result: CheckResult) -> CallCheck:
        if result.fault is not None:
            hint = "Add --yes to call it anyway." if result.needs_confirmation else result.fault.hint
            words = tuple(word for word in (result.fault.message, hint) if word)
            return cls(call.file, CheckOutcome.ERROR, words, call.server, call.tool, result)
        words = tuple(mark.words for mark in result.marks if not mark.holds)
        state = CheckOutcome.PASSED if result.passed else CheckOutcome.FAILED
        return cls(call.file, state, words, call.server, call.tool, result)

    @classmethod
    def from_fault(cls, call: SavedCall, fault: WorkbenchError) -> CallCheck:
        words = tuple(word for word in (fault.message, fault.hint) if word)
        return cls(call.file, CheckOutcome.ERROR, words, call.server, call.tool)

    @classmethod
    def from_broken_file(cls, one: BrokenCall) -> CallCheck:
        words = tuple(word for word in (one.fault.message, one.fault.hint) if word)
        return cls(one.file, CheckOutcome.ERROR, words)


NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML does not allow


class JUnitCase(Protocol):
    """A test case of a JUnit report: a saved call, or a recording of a skill."""

    @property
    def name(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def server(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def state(self) -> CheckOutcome: ...
    @property
    def messages(self) -> tuple[str, ...]: ...
    @property
    def ms(self) -> float: ...


def junit_xml(found: Sequence[JUnitCase]) -> bytes:
    """The JUnit report, encoded as UTF-8."""
    suites: dict[str, list[JUnitCase]] = {}
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


def _add(suite: ElementTree.Element, name: str, one: JUnitCase) -> None:
    told = {"classname": _clean(name), "name": _clean(one.name.rpartition("/")[2]), "time": f"{one.ms / 1000:.3f}"}
    case = ElementTree.SubElement(suite, "testcase", {**told, "file": _clean(one.file)})
    if one.state is CheckOutcome.PASSED:
        return
    kind = "failure" if one.state is CheckOutcome.FAILED else "error"
    trouble = ElementTree.SubElement(case, kind, {"message": _clean(one.messages[0] if one.messages else "")})
    trouble.text = _clean("\n".join((f"{one.server}.{one.tool}" if one.server else one.file, *one.messages)))


def _numbers(found: Sequence[JUnitCase]) -> dict[str, str]:
    return {
        "tests": str(len(found)),
        "failures": str(sum(one.state is CheckOutcome.FAILED for one in found)),
        "errors": str(sum(one.state is CheckOutcome.ERROR for one in found)),
        "time": f"{sum(one.ms for one in found) / 1000:.3f}",
    }


def _clean(text: str) -> str:
    return NOT_XML.sub("�", text)
