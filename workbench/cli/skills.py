"""`skills`: lists, shows, keeps, runs and tests skills."""

from __future__ import annotations

import argparse
import json
import shutil
from typing import TYPE_CHECKING

from workbench.cli.common_options import Parser, add_common
from workbench.cli.core_requests import ask, talk
from workbench.cli.exit_codes import DONE, USAGE
from workbench.cli.program_runs import Program, Running, add_running
from workbench.cli.skill_tests import arrange_skill_test
from workbench.cli.terminal_output import narrate, narrate_fault, print_data, print_record, print_table
from workbench.cli.tool_arguments import add_pairs, whole_arguments
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import JsonValue, Skill, SkillState

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.cli.terminal_answers import Terminal

RUN_EPILOG = """The skill runs as a program that imports it, on the road of every program; who says yes, and the
exit codes, are told by `mcp-workbench run --help`. Arguments are JSON where they can be, else texts: limit=3 is a
number, name=Eva a text, 'code:="3"' is JSON as it stands.

example:
  mcp-workbench skills run pending-orders-summary --arg minimum_amount=500 --arg show=3"""


KEEP_EPILOG = """Kept, every agent of the project may find, read and import it. The answer is typed at an interactive
terminal, after the whole of it was shown there. Without --project, projects of yours whose core runs are looked at."""


def arrange_skills(parser: Parser) -> None:
    """The five commands and their options."""
    commands = parser.add_subparsers(required=True, metavar="list|show|keep|run|test")
    listing = commands.add_parser("list", help="list the skills", formatter_class=parser.formatter_class)
    listing.add_argument("--search", default="", metavar="WORDS", help="only those that fit, the best first")
    listing.add_argument("--all", action="store_true", help="drafts and retired ones too")
    add_common(listing, _list)
    show = commands.add_parser("show", help="read one", formatter_class=parser.formatter_class)
    show.add_argument("name", metavar="NAME")
    add_common(show, _show)
    words = "show a draft, such as an agent offers it, and keep it for agents to use"
    keep = commands.add_parser("keep", help=words, epilog=KEEP_EPILOG, formatter_class=parser.formatter_class)
    keep.add_argument("name", metavar="NAME")
    add_common(keep, _keep, data=False)
    run = commands.add_parser("run", help="run one", epilog=RUN_EPILOG, formatter_class=parser.formatter_class)
    run.add_argument("name", metavar="NAME")
    run.add_argument("-a", "--arg", action="append", default=[], metavar="K=V", help="one argument; may be repeated")
    run.add_argument("--arguments", default="", metavar="JSON", help="all of them: JSON, @file, or - for stdin")
    add_running(run)
    add_common(run, _run)
    words = "play the recordings of skills and say what differs"
    arrange_skill_test(commands.add_parser("test", help=words, formatter_class=parser.formatter_class))


def _list(given: argparse.Namespace, paths: Paths) -> int:
    skills = [one for one in talk(paths, lambda it: _found(it, given.search)) if given.all or _lives(one)]
    if given.output == "json":
        print_record(tuple(skills))
        return DONE
    print_table([(one.name, _version(one), _words(one)) for one in skills], shutil.get_terminal_size((100, 24)).columns)
    if not skills:
        narrate("No skill fits." if given.search else "The library is empty.")
    return DONE


async def _found(connection: CoreConnection, words: str) -> list[Skill]:
    """All by name, or what fits in the order in which agents would find it."""
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
    narrate(f"{skill.name}, {_version(skill)}, by {skill.author or 'nobody named'}: {skill.description}")
    for fault in skill.faults:
        narrate(f"Fault: {fault}")
    if skill.tools:
        narrate(f"Tools: {', '.join(skill.tools)}")
    print_data(skill.code)
    return DONE


def _keep(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.cli.terminal_answers import answer, running

    async def knows(connection: CoreConnection) -> bool:
        skills = await connection.api.skills()
        return any(one.name == given.name and one.state is SkillState.DRAFT for one in skills)

    there = [one for one in running(given.project, paths) if talk(one, knows, start=False)]
    if len(there) > 1:
        names = ", ".join(str(one.project) for one in there)
        raise WorkbenchError(f"Several projects have a draft {given.name!r:.100}.", f"Name one by --project: {names}.")
    return answer(there[0] if there else paths, lambda it, terminal: _keep_draft(it, terminal, given.name), start=True)


async def _keep_draft(connection: CoreConnection, terminal: Terminal, name: str) -> int:
    """What the window's dialog shows of it, then its name as the answer."""
    from workbench.cli.approval_text import code_lines, verdict_facts
    from workbench.cli.terminal_answers import later, unlock

    api = connection.api
    skills = [one for one in await api.skills() if one.name == name]
    draft = next((one for one in skills if one.state is SkillState.DRAFT), None)
    if draft is None:
        drafts = [one.name for one in await api.skills() if one.state is SkillState.DRAFT]
        words = f"{name} is kept already." if skills else f"There is no draft {name!r:.100}."
        raise WorkbenchError(words, f"Drafts are: {', '.join(drafts)}." if drafts else "There are no drafts.")
    code = await connection.whole(draft.code)
    verdict = await api.assess(code)
    version = max((one.version for one in skills if one.state is SkillState.KEPT), default=0) + 1
    terminal.say(f"{name} by {draft.author or 'nobody named'}: {draft.description}")
    terminal.say(f"Kept, it becomes version {version}: every agent of this project may find, read and import it.")
    terminal.say(f"\n{verdict.sentence} ({verdict.risk} risk)")
    for line in (*verdict_facts(verdict, terminal.width), *code_lines(code, verdict.findings)):
        terminal.say(line)
    if notes := (await connection.whole(draft.notes)).strip():
        terminal.say(f"\nWords that agents read\n{notes}")
    for fault in draft.faults:
        terminal.say(f"Fault: {fault}")
    terminal.say("")
    if await terminal.line(f"Type {name} to keep it; Enter leaves it a draft: ") != name:
        return later()
    if not await unlock(api, terminal):
        return later()
    kept = await api.keep_skill(name, draft.sha)
    narrate(f"{kept.name} is kept, version {kept.version}.")
    return DONE


def _run(given: argparse.Namespace, paths: Paths) -> int:
    try:
        arguments: dict[str, JsonValue] = whole_arguments(given.arguments) if given.arguments else {}
        add_pairs(arguments, [_guessed(pair) for pair in given.arg], {})
    except WorkbenchError as fault:
        narrate_fault(fault)
        return USAGE

    async def carry(connection: CoreConnection) -> int:
        code = await connection.api.call_of_skill(given.name, arguments)
        running = Running(connection, given, stdin_is_program=given.arguments == "-")
        return running.report(await running.carry(Program(given.name, code, "python"), f"The skill {given.name}"))

    return talk(paths, carry)


def _guessed(pair: str) -> str:
    """A skill has no schema: what reads as a number, a truth value, a list or an object is one."""
    key, sign, value = pair.partition("=")
    if not sign or key.endswith(":"):
        return pair
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return pair
    return pair if isinstance(read, str) else f"{key}:={value}"


def _lives(skill: Skill) -> bool:
    return skill.state is SkillState.KEPT


def _version(skill: Skill) -> str:
    return f"version {skill.version}" if skill.state is SkillState.KEPT else str(skill.state)


def _words(skill: Skill) -> str:
    """What is wrong with it first: a long line is cut."""
    return f"[{skill.faults[0]}] {skill.description}" if skill.faults else skill.description
