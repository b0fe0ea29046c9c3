"""Options, exit codes and the connection to the core that the commands share."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import WorkbenchError
from workbench.paths import Paths, paths_of

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.api.client_stub import CoreApi

Command = Callable[[argparse.Namespace, Paths], int]
Parser = argparse.ArgumentParser


def add_common(parser: Parser, run: Command, *, data: bool = True, json_is_output: bool = True) -> None:
    """Add the project option, and for commands that print data the output format."""
    parser.set_defaults(run=run)
    parser.add_argument("--project", metavar="DIR", help="project folder (default: your own project)")
    parser.add_argument("--bench", dest="project", help=argparse.SUPPRESS)  # the option's name in version 0.1
    if data:
        parser.add_argument("--output", choices=("text", "json"), default="text", help="output format (default: text)")
    if data and json_is_output:
        parser.add_argument("--json", dest="output", action="store_const", const="json", help="print JSON")


def add_consents(parser: Parser) -> None:
    """Add the options that replace the window's confirmations in scripts."""
    parser.add_argument(
        "--allow", action="store_true", help="allow a server to start for the first time; stderr shows its command"
    )
    parser.add_argument("--yes", action="store_true", help="allow calls that may change or send something")


def project_paths(folder: str | None) -> Paths:
    """The paths of the named project."""
    if folder is None:
        return paths_of()
    path = Path(folder).expanduser()
    if not path.exists():
        raise WorkbenchError(f"There is no folder {folder}.", "Create it first, or see `mcp-workbench --help`.")
    if not path.is_dir():
        raise WorkbenchError(f"{folder} is not a folder.", "Name the folder that contains the project.")
    return paths_of(path)


DONE, FAULT, USAGE, BROKEN, NOT_RUNNING, TOOL_ERROR, UNANSWERED, REFUSED = range(8)
INTERRUPTED = 130  # the shell convention for Ctrl+C

MEANING = {
    DONE: "done",
    FAULT: "an error, or a check that did not go as expected; the message is on stderr",
    USAGE: "wrong usage",
    BROKEN: "the audit is not intact",
    NOT_RUNNING: "no core is running",
    TOOL_ERROR: "the tool reported an error",
    UNANSWERED: "approval is needed first: --yes for a risky call, --allow for a new server, or a terminal",
    REFUSED: "the analysis or the user refused the program",
    INTERRUPTED: "interrupted",
}


T = TypeVar("T")


def ask(paths: Paths, question: Callable[[CoreApi], Awaitable[T]], start: bool = True) -> T:
    """Call one API method over a new connection and return its result."""
    return talk(paths, lambda connection: question(connection.api), start)


def talk(
    paths: Paths, conversation: Callable[[CoreConnection], Awaitable[T]], start: bool = True, role: str = "script"
) -> T:
    """Run several API calls over one connection and return the result. Ctrl+C cancels pending calls."""
    import asyncio

    from workbench.api.client import connect

    async def hold() -> T:
        connection = await connect(paths, start, role=role)
        try:
            return await conversation(connection)
        finally:
            await connection.close()

    return asyncio.run(hold())
