"""`skills test`: plays the recordings of skills offline and reports differences, for CI."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.cli.check_report import State, junit
from workbench.cli.common_options import Parser, add_common
from workbench.cli.core_requests import talk
from workbench.cli.exit_codes import DONE, FAULT, USAGE
from workbench.cli.saved_call_checks import write_report
from workbench.cli.terminal_output import narrate, narrate_fault, print_record, visible
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import Skill, SkillDifference, SkillState, SkillTest

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

EPILOG = """A cassette is a recording of a run, in a skill's folder: the window makes one of a run's page. Its calls are
answered from the recording, in the real sandbox; no server is asked, and the generated functions are those of the tools
as they are now where their server is known. A skill whose code or tools changed and which did the same all the same is
told as changed, and counts as a failure unless --accept-changed is given.
Exit codes: 0 everything is as recorded, 1 something is not, 2 no such skill or no cassette.

examples:
  mcp-workbench skills test
  mcp-workbench skills test count-orders --junit report.xml
  mcp-workbench skills test count-orders --drift      asks the servers too, with calls that only read"""


def arrange_skill_test(parser: Parser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("names", nargs="*", metavar="NAME", help="which skills; all that have cassettes when none")
    parser.add_argument("--drafts", action="store_true", help="test drafts, where there are some, instead")
    parser.add_argument("--accept-changed", action="store_true", help="other code that does the same is no failure")
    parser.add_argument("--drift", action="store_true", help="make the recorded calls that only read at their servers")
    parser.add_argument("--junit", default="", metavar="FILE", help="write a JUnit XML report")
    add_common(parser, _test)


class NothingToTest(WorkbenchError):
    """No skill or no cassette is meant by what was given."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One cassette as a line, and as a case of a report."""

    test: SkillTest
    accept: bool  # other code that does the same counts as good
    server: str = ""
    tool: str = ""

    @property
    def name(self) -> str:
        return f"{self.test.skill}/{self.test.cassette}"

    @property
    def file(self) -> str:
        return f"skills/{self.test.skill}/cassettes/{self.test.cassette}.json"

    @property
    def state(self) -> State:
        if self.test.state == "passed" or (self.test.state == "changed" and self.accept):
            return State.PASSED
        return State.ERROR if self.test.state == "error" else State.FAILED

    @property
    def words(self) -> tuple[str, ...]:
        same = ("It did the same all the same.",) if self.test.state == "changed" else ()
        return (*map(_said, self.test.differences), *same)

    @property
    def ms(self) -> float:
        return self.test.ms


def _test(given: argparse.Namespace, paths: Paths) -> int:
    try:
        found = talk(paths, lambda connection: _run(connection, given))
    except NothingToTest as fault:
        narrate_fault(fault)
        return USAGE
    if given.junit:
        write_report(given.junit, junit(found))
    if given.output == "json":
        print_record(tuple(one.test for one in found))
    bad = sum(one.state is not State.PASSED for one in found)
    narrate(f"{len(found)} cassettes played, {len(found) - bad} as recorded, {bad} not.")
    return FAULT if bad else DONE


async def _run(connection: CoreConnection, given: argparse.Namespace) -> list[Tried]:
    api, found = connection.api, list[Tried]()
    for name, draft in _chosen(await api.skills(), given):
        tests = list(await api.test_skill(name, draft))
        if given.drift:
            labels = [one.cassette for one in tests if one.state != "error"]
            tests += [await api.check_drift(name, label) for label in labels]
        for test in tests:
            found.append(tried := Tried(test, given.accept_changed))
            if given.output == "text":
                _print(tried)
    if not found:
        raise NothingToTest("There is no cassette.", "Record one from a run's page in the window.")
    return found


def _chosen(skills: tuple[Skill, ...], given: argparse.Namespace) -> list[tuple[str, bool]]:
    """Names, and whether the draft is meant."""
    living = {one.name: one for one in reversed(skills) if one.state is not SkillState.RETIRED}
    drafts = {one.name for one in skills if one.state is SkillState.DRAFT}
    for name in given.names:
        if name not in living:
            raise NothingToTest(f"There is no skill {name!r:.80}.", f"There are: {', '.join(sorted(living))}.")
    with_tapes = {one.name for one in skills if one.cassettes}
    names = list(dict.fromkeys(given.names)) or sorted(with_tapes & living.keys())
    return [(name, given.drafts and name in drafts) for name in names]


def _print(one: Tried) -> None:
    word = "same" if one.test.state == "changed" and one.accept else one.state.value
    print(visible(f"{word:<5} {one.ms:7.0f} ms  {one.name}{' (draft)' if one.test.draft else ''}"))
    for words in one.words:
        print(visible(f"{'':17} {words}"))
    sys.stdout.flush()


def _said(one: SkillDifference) -> str:
    beside = f" {one.before or 'nothing'} → {one.after or 'nothing'}" if one.before or one.after else ""
    return f"{one.kind}: {one.words}{beside}"
