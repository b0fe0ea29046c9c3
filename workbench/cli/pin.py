"""`pin`: sets or removes the PIN that answers from a terminal need."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.common_options import Parser, add_common
from workbench.cli.core_requests import ask
from workbench.cli.exit_codes import DONE
from workbench.cli.terminal_answers import Terminal, answer, later, running
from workbench.cli.terminal_output import narrate
from workbench.errors import WorkbenchError
from workbench.paths import Paths

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

EPILOG = """The PIN is asked for by `runs allow|deny|edit`, `calls allow|deny`, `skills keep` and `servers allow`. Only
a salted scrypt hash of it is kept, in terminal-pin.json in your config folder. Wrong tries have to wait longer and
longer. If you forget it, remove that file; SECURITY.md says what a PIN stops and what it does not."""


def arrange_pin(parser: Parser) -> None:
    """set, clear, status."""
    parser.epilog = EPILOG
    commands = parser.add_subparsers(required=True, metavar="set|clear|status")
    for name, words, run in (
        ("set", "set a PIN, or replace it", _set),
        ("clear", "ask for none any more", _clear),
        ("status", "say whether one is set", _status),
    ):
        made = commands.add_parser(name, help=words, epilog=EPILOG, formatter_class=parser.formatter_class)
        add_common(made, run, data=False)


def _set(given: argparse.Namespace, paths: Paths) -> int:
    return answer(_project(given, paths), _choose, start=True)


def _clear(given: argparse.Namespace, paths: Paths) -> int:
    return answer(_project(given, paths), _remove, start=True)


def _project(given: argparse.Namespace, paths: Paths) -> Paths:
    """Any will do: the PIN is one for all."""
    return next(iter(running(given.project, paths)), paths)


def _status(given: argparse.Namespace, paths: Paths) -> int:
    there = ask(_project(given, paths), lambda api: api.has_pin())
    print("A PIN is set." if there else "No PIN is set.")
    return DONE


async def _choose(connection: CoreConnection, terminal: Terminal) -> int:
    old = ""
    if await connection.api.has_pin() and not (old := await terminal.line("Your PIN now: ", hidden=True) or ""):
        return later()
    new = await terminal.line("New PIN: ", hidden=True)
    if not new:
        return later()
    if new != await terminal.line("Once more: ", hidden=True):
        raise WorkbenchError("The two are not the same.", "Nothing was changed.")
    await connection.api.set_pin(new, old)
    narrate("The PIN is set. Answers from a terminal ask for it.")
    return DONE


async def _remove(connection: CoreConnection, terminal: Terminal) -> int:
    old = ""
    if await connection.api.has_pin() and not (old := await terminal.line("Your PIN: ", hidden=True) or ""):
        return later()
    await connection.api.clear_pin(old)
    narrate("No PIN is asked for any more.")
    return DONE
