"""`privacy`: lists, adds and removes marks, explains why something is masked or not, and sets the strictness."""

from __future__ import annotations

import argparse
import shutil
import sys
from textwrap import fill
from typing import TYPE_CHECKING

from workbench.cli.common_options import DONE, Parser, add_common, ask, talk
from workbench.cli.terminal_output import print_record, visible
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import MaskingExplanation, PrivacyMark, PrivacyRules, StrictnessReport
from workbench.records.common_types import count_of

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

_SCOPES = {"project": "in this project", "everywhere": "in every project"}
_STEPS = ("off", "forms", "balanced", "recall")
_INDENT = 12  # columns of a step's mark and name


def arrange_privacy(parser: Parser) -> None:
    """Add the subcommands and their options."""
    commands = parser.add_subparsers(required=True, metavar="marks|always|never|remove|why|strictness")
    add_common(commands.add_parser("marks", help="list what is always or never masked"), _marks)
    always = commands.add_parser("always", help="always mask a value, pattern or key")
    _add_mark_options(always, hide=True)
    always.add_argument("--kind", default="CUSTOM", help="kind of personal data (default: CUSTOM)")
    never = commands.add_parser("never", help="never mask a value, pattern or key")
    _add_mark_options(never, hide=False)
    never.set_defaults(kind="")
    remove = commands.add_parser("remove", help="remove a mark")
    add_common(remove, _remove)
    remove.add_argument("id", help="the id that `marks` prints")
    why = commands.add_parser("why", help="explain why a token was made, or whether a text is masked and why")
    add_common(why, _why)
    why.add_argument("text", help="a token or a text")
    why.add_argument("--around", default="", metavar="TEXT", help="the line in which the text occurs")
    why.add_argument("--session", default="", help="the session of a token (default: your own)")
    strictness = commands.add_parser("strictness", help="show or set how much is masked")
    add_common(strictness, _strictness)
    strictness.add_argument("step", nargs="?", choices=_STEPS, help="the new strictness")
    strictness.add_argument("--server", default="", metavar="NAME", help="only for the answers of this server")
    strictness.add_argument("--remove", action="store_true", help="remove the strictness of the server")


def _add_mark_options(parser: Parser, *, hide: bool) -> None:
    add_common(parser, _mark)
    parser.add_argument("text", help="the value, pattern or key")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--pattern", dest="what", action="store_const", const="pattern", help="a regular expression")
    what.add_argument("--key", dest="what", action="store_const", const="key", help="the name of a key or column")
    parser.add_argument("--here", action="store_true", help="only in this project")
    parser.set_defaults(what="value", hide=hide)


def _marks(given: argparse.Namespace, paths: Paths) -> int:
    return _print_marks(given, ask(paths, lambda api: api.privacy_rules()))


def _mark(given: argparse.Namespace, paths: Paths) -> int:
    scope = "project" if given.here else "everywhere"
    new = PrivacyMark(given.hide, given.what, given.text, given.kind.upper(), scope=scope)
    return _print_marks(given, ask(paths, lambda api: api.mark_privacy(new)))


def _remove(given: argparse.Namespace, paths: Paths) -> int:
    return _print_marks(given, ask(paths, lambda api: api.unmark_privacy(given.id)))


def _print_marks(given: argparse.Namespace, rules: PrivacyRules) -> int:
    if given.output == "json":
        print_record(rules.marks)
        return DONE
    for mark in rules.marks:
        deed = f"mask as {mark.kind}" if mark.hide else "never mask"
        where = "set by the project" if mark.source == "project" else _SCOPES[mark.scope]
        print(visible(f"{mark.id}  {deed}  {mark.what} {mark.text}  ({where})"))
    if not rules.marks:
        print("There are no marks.", file=sys.stderr)
    return DONE


def _why(given: argparse.Namespace, paths: Paths) -> int:
    around, start = given.around, max(0, given.around.find(given.text))
    found = ask(paths, lambda api: api.explain_masking(given.session, given.text, around, start))
    if given.output == "json":
        print_record(found)
        return DONE
    state = f"masked as {found.kind}" if found.masked else "not masked"
    print(visible(" ".join((f"{state}:", found.reason, *found.details))))
    for line in _uses(found):
        print(visible(line))
    return DONE


def _uses(found: MaskingExplanation) -> list[str]:
    came = [f"{place.server}.{place.tool}" if place.tool else place.server for place in found.came]
    went = [f"{place.server}.{place.tool}" if place.tool else place.server for place in found.went]
    lines = (("came from", came or [*found.sources]), ("went to", went), ("read by", found.readers))
    return [f"{word:<10} {', '.join(dict.fromkeys(names))}" for word, names in lines if names]


def _strictness(given: argparse.Namespace, paths: Paths) -> int:
    if given.remove and (given.step or not given.server):
        raise WorkbenchError(
            "--remove removes the strictness of one server.",
            "Example: mcp-workbench privacy strictness --server crm --remove",
        )

    async def show(connection: CoreConnection) -> tuple[PrivacyRules, StrictnessReport]:
        api = connection.api
        if given.step or given.remove:
            await api.set_strictness(given.server, "" if given.remove else given.step)
        return await api.privacy_rules(), await api.strictness_report(given.server)

    rules, report = talk(paths, show)
    if given.output == "json":
        print_record(report)
        return DONE
    own = {one.server: one.step for one in rules.servers}
    current = own.get(given.server, rules.strictness) if rules.enabled else "off"
    effects = {effect.step: effect for effect in report.effects}
    for step in rules.steps:
        mark = "*" if step.name == current else " "
        print(_wrapped(f"{mark} {step.name:<9} ", f"{step.title}. {step.finds} {step.price}"))
        if report.answers:
            effect = effects[step.name]
            more = [f"{count_of(effect.more, 'word')} more than now"] if effect.more else []
            fewer = [f"{count_of(effect.fewer, 'word')} fewer than now"] if effect.fewer else []
            words = ", ".join((f"{count_of(effect.values, 'value')} masked", *more, *fewer))
            print(_wrapped(" " * _INDENT, f"In the last {count_of(report.answers, 'answer')}: {words}."))
    for name, step_name in own.items():
        print(visible(f"server {name}: {step_name}"))
    return DONE


def _wrapped(start: str, text: str) -> str:
    """The text after a start of `_INDENT` columns, in lines that fit the terminal."""
    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    return fill(visible(text), width, initial_indent=start, subsequent_indent=" " * _INDENT)
