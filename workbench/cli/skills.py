"""`skills`: lists, shows, keeps and runs skills, and tests them with their recordings."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.cli.common_options import DONE, FAULT, USAGE, Parser, add_common, ask, talk
from workbench.cli.program_runs import ProgramRunner, ProgramText, add_run_options
from workbench.cli.saved_call_checks import CheckOutcome, junit_xml, write_report
from workbench.cli.terminal_output import narrate, narrate_fault, print_data, print_record, print_table, visible
from workbench.cli.tool_arguments import add_pairs, parse_arguments
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import JsonValue, Skill, SkillDifference, SkillState, SkillTest
from workbench.records.common_types import count_of

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.cli.terminal_answers import Terminal

RUN_EPILOG = """The skill runs as a program that imports it, with the same checks. Approval and exit codes are described
in `mcp-workbench run --help`. Values of arguments are read as JSON if possible, otherwise as text: limit=3 is a number,
name=Eva is text. After :=, the value must be JSON: 'code:="3"' is text.

example:
  mcp-workbench skills run pending-orders-summary --arg minimum_amount=500 --arg show=3"""


KEEP_EPILOG = """Every agent of the project can find, read and import a kept skill. The complete skill is shown at an
interactive terminal, where you type the answer. Without --project, your projects with a running core are searched."""


def arrange_skills(parser: Parser) -> None:
    """Add the subcommands and their options."""
    commands = parser.add_subparsers(required=True, metavar="list|show|keep|run|test")
    listing = commands.add_parser("list", help="list the skills", formatter_class=parser.formatter_class)
    listing.add_argument("--search", default="", metavar="WORDS", help="only matching skills, best match first")
    listing.add_argument("--all", action="store_true", help="include drafts and retired skills")
    add_common(listing, _list)
    show = commands.add_parser("show", help="print a skill", formatter_class=parser.formatter_class)
    show.add_argument("name", metavar="NAME")
    add_common(show, _show)
    words = "show a draft, and keep it so that agents can use it"
    keep = commands.add_parser("keep", help=words, epilog=KEEP_EPILOG, formatter_class=parser.formatter_class)
    keep.add_argument("name", metavar="NAME")
    add_common(keep, _keep, data=False)
    run = commands.add_parser("run", help="run a skill", epilog=RUN_EPILOG, formatter_class=parser.formatter_class)
    run.add_argument("name", metavar="NAME")
    run.add_argument("-a", "--arg", action="append", default=[], metavar="K=V", help="one argument; may be repeated")
    run.add_argument("--arguments", default="", metavar="JSON", help="all arguments: JSON, @file, or - for stdin")
    add_run_options(run)
    add_common(run, _run)
    words = "play the recordings of skills and report differences"
    arrange_skill_test(commands.add_parser("test", help=words, formatter_class=parser.formatter_class))


def _list(given: argparse.Namespace, paths: Paths) -> int:
    skills = [one for one in talk(paths, lambda it: _find_skills(it, given.search)) if given.all or _is_kept(one)]
    if given.output == "json":
        print_record(tuple(skills))
        return DONE
    print_table(
        [(one.name, _version(one), _describe_skill(one)) for one in skills], shutil.get_terminal_size((100, 24)).columns
    )
    if not skills:
        narrate("No skill matches." if given.search else "There are no kept skills.")
    return DONE


async def _find_skills(connection: CoreConnection, words: str) -> list[Skill]:
    """All skills by name, or the matching skills in the order of an agent's search."""
    skills = await connection.api.skills()
    if not words:
        return list(skills)
    finds = (await connection.api.find(words, ("skill",), 100)).finds
    kept = {one.name: one for one in skills if one.state is SkillState.KEPT}
    return [kept[find.name] for find in finds if find.name in kept]


def _show(given: argparse.Namespace, paths: Paths) -> int:
    skill = ask(paths, lambda api: api.skill(given.name))
    if given.output == "json":
        print_record(skill)
        return DONE
    narrate(f"{skill.name}, {_version(skill)}, by {skill.author or 'an unknown author'}: {skill.description}")
    for fault in skill.faults:
        narrate(f"Problem: {fault}")
    if skill.tools:
        narrate(f"Tools: {', '.join(skill.tools)}")
    print_data(skill.code)
    return DONE


def _keep(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.cli.terminal_answers import answer, find_running_projects

    async def knows(connection: CoreConnection) -> bool:
        skills = await connection.api.skills()
        return any(one.name == given.name and one.state is SkillState.DRAFT for one in skills)

    there = [one for one in find_running_projects(given.project, paths) if talk(one, knows, start=False)]
    if len(there) > 1:
        names = ", ".join(str(one.project) for one in there)
        raise WorkbenchError(
            f"Several projects have a draft {given.name!r:.100}.", f"Choose one with --project: {names}."
        )
    return answer(there[0] if there else paths, lambda it, terminal: _keep_draft(it, terminal, given.name), start=True)


async def _keep_draft(connection: CoreConnection, terminal: Terminal, name: str) -> int:
    """Show what the window's dialog shows about the skill, and ask for its name as approval."""
    from workbench.cli.approval_text import code_lines, verdict_facts
    from workbench.cli.terminal_answers import report_unanswered, unlock

    api = connection.api
    skills = [one for one in await api.skills() if one.name == name]
    draft = next((one for one in skills if one.state is SkillState.DRAFT), None)
    if draft is None:
        drafts = [one.name for one in await api.skills() if one.state is SkillState.DRAFT]
        words = f"{name} is already kept." if skills else f"There is no draft {name!r:.100}."
        raise WorkbenchError(words, f"Drafts: {', '.join(drafts)}." if drafts else "There are no drafts.")
    code = await connection.fetch_full_text(draft.code)
    verdict = await api.assess(code)
    version = max((one.version for one in skills if one.state is SkillState.KEPT), default=0) + 1
    terminal.say(f"{name} by {draft.author or 'an unknown author'}: {draft.description}")
    terminal.say(
        f"If you keep it, it becomes version {version}, and every agent of this project can find, read and import it."
    )
    terminal.say(f"\n{verdict.sentence} ({verdict.risk} risk)")
    for line in (*verdict_facts(verdict, terminal.width), *code_lines(code, verdict.findings)):
        terminal.say(line)
    if notes := (await connection.fetch_full_text(draft.notes)).strip():
        terminal.say(f"\nNotes that agents read\n{notes}")
    for fault in draft.faults:
        terminal.say(f"Problem: {fault}")
    terminal.say("")
    if await terminal.read_line(f"Type {name} to keep it; Enter leaves it a draft: ") != name:
        return report_unanswered()
    if not await unlock(api, terminal):
        return report_unanswered()
    kept = await api.keep_skill(name, draft.sha)
    narrate(f"{kept.name} is kept as version {kept.version}.")
    return DONE


def _run(given: argparse.Namespace, paths: Paths) -> int:
    try:
        arguments: dict[str, JsonValue] = parse_arguments(given.arguments) if given.arguments else {}
        add_pairs(arguments, [_parse_untyped(pair) for pair in given.arg], {})
    except WorkbenchError as fault:
        narrate_fault(fault)
        return USAGE

    async def carry(connection: CoreConnection) -> int:
        code = await connection.api.call_of_skill(given.name, arguments)
        find_running_projects = ProgramRunner(connection, given, stdin_is_program=given.arguments == "-")
        return find_running_projects.report(
            await find_running_projects.submit_and_wait(
                ProgramText(given.name, code, "python"), f"The skill {given.name}"
            )
        )

    return talk(paths, carry)


def _parse_untyped(pair: str) -> str:
    """Parse an argument without a schema: numbers, booleans, lists and objects are recognized."""
    key, sign, value = pair.partition("=")
    if not sign or key.endswith(":"):
        return pair
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return pair
    return pair if isinstance(read, str) else f"{key}:={value}"


def _is_kept(skill: Skill) -> bool:
    return skill.state is SkillState.KEPT


def _version(skill: Skill) -> str:
    return f"version {skill.version}" if skill.state is SkillState.KEPT else str(skill.state)


def _describe_skill(skill: Skill) -> str:
    """The description of a skill in the list. Its problems come first, because a long line is cut."""
    return f"[{skill.faults[0]}] {skill.description}" if skill.faults else skill.description


EPILOG = """A cassette is a recording of a run in a skill's folder. You make one on the run's page in the window.
A test runs the skill in the real sandbox and answers its calls from the cassette; no server is called. The generated
functions are those of the current tools if their server is known. If the code or the tools of a skill changed but the
skill still did the same, the result is "changed". It counts as a failure unless --accept-changed is given.
Exit codes: 0 everything is as recorded, 1 something is not, 2 unknown skill or no cassette.

examples:
  mcp-workbench skills test
  mcp-workbench skills test count-orders --junit report.xml
  mcp-workbench skills test count-orders --drift      also makes read-only calls at the servers"""


def arrange_skill_test(parser: Parser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("names", nargs="*", metavar="NAME", help="skills to test (default: all that have cassettes)")
    parser.add_argument("--drafts", action="store_true", help="test drafts instead, where they exist")
    parser.add_argument("--accept-changed", action="store_true", help="accept changed code that does the same")
    parser.add_argument("--drift", action="store_true", help="also make the recorded read-only calls at their servers")
    parser.add_argument("--junit", default="", metavar="FILE", help="write a JUnit XML report")
    add_common(parser, _test)


class NothingToTest(WorkbenchError):
    """No skill or recording matches the arguments."""


@dataclass(frozen=True, slots=True)
class CassetteReport:
    """The result of one recording, as a line of output and as a test case of a report."""

    test: SkillTest
    accept: bool  # whether changed code with the same behaviour passes
    server: str = ""
    tool: str = ""

    @property
    def name(self) -> str:
        return f"{self.test.skill}/{self.test.cassette}"

    @property
    def file(self) -> str:
        return f"skills/{self.test.skill}/cassettes/{self.test.cassette}.json"

    @property
    def state(self) -> CheckOutcome:
        if self.test.state == "passed" or (self.test.state == "changed" and self.accept):
            return CheckOutcome.PASSED
        return CheckOutcome.ERROR if self.test.state == "error" else CheckOutcome.FAILED

    @property
    def messages(self) -> tuple[str, ...]:
        same = ("The skill still did the same.",) if self.test.state == "changed" else ()
        return (*map(_describe_difference, self.test.differences), *same)

    @property
    def ms(self) -> float:
        return self.test.ms


def _test(given: argparse.Namespace, paths: Paths) -> int:
    try:
        found = talk(paths, lambda connection: _run_tests(connection, given))
    except NothingToTest as fault:
        narrate_fault(fault)
        return USAGE
    if given.junit:
        write_report(given.junit, junit_xml(found))
    if given.output == "json":
        print_record(tuple(one.test for one in found))
    bad = sum(one.state is not CheckOutcome.PASSED for one in found)
    narrate(f"{count_of(len(found), 'cassette')} played, {len(found) - bad} as recorded, {bad} not.")
    return FAULT if bad else DONE


async def _run_tests(connection: CoreConnection, given: argparse.Namespace) -> list[CassetteReport]:
    api, found = connection.api, list[CassetteReport]()
    for name, draft in _chosen(await api.skills(), given):
        tests = list(await api.test_skill(name, draft))
        if given.drift:
            labels = [one.cassette for one in tests if one.state != "error"]
            tests += [await api.check_drift(name, label) for label in labels]
        for test in tests:
            found.append(played := CassetteReport(test, given.accept_changed))
            if given.output == "text":
                _print(played)
    if not found:
        raise NothingToTest("There is no cassette.", "Record one from a run's page in the window.")
    return found


def _chosen(skills: tuple[Skill, ...], given: argparse.Namespace) -> list[tuple[str, bool]]:
    """The selected skills as (name, whether the draft is tested)."""
    living = {one.name: one for one in reversed(skills) if one.state is not SkillState.RETIRED}
    drafts = {one.name for one in skills if one.state is SkillState.DRAFT}
    for name in given.names:
        if name not in living:
            raise NothingToTest(f"There is no skill {name!r:.80}.", f"Skills: {', '.join(sorted(living))}.")
    recorded = {one.name for one in skills if one.cassettes}
    names = list(dict.fromkeys(given.names)) or sorted(recorded & living.keys())
    return [(name, given.drafts and name in drafts) for name in names]


def _print(one: CassetteReport) -> None:
    word = "same" if one.test.state == "changed" and one.accept else one.state.value
    print(visible(f"{word:<5} {one.ms:7.0f} ms  {one.name}{' (draft)' if one.test.draft else ''}"))
    for words in one.messages:
        print(visible(f"{'':17} {words}"))
    sys.stdout.flush()


def _describe_difference(one: SkillDifference) -> str:
    beside = f" {one.before or 'nothing'} → {one.after or 'nothing'}" if one.before or one.after else ""
    return f"{one.kind}: {one.words}{beside}"
