"""Options that several commands take: the project, and how data is printed."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.paths import Paths, paths_of

Command = Callable[[argparse.Namespace, Paths], int]
Parser = argparse.ArgumentParser


def add_common(parser: Parser, run: Command, *, data: bool = True, json_is_output: bool = True) -> None:
    """The project, and for commands that print data its form."""
    parser.set_defaults(run=run)
    parser.add_argument("--project", metavar="DIR", help="folder of the project (your own project)")
    parser.add_argument("--bench", dest="project", help=argparse.SUPPRESS)  # the option's name in version 0.1
    if data:
        parser.add_argument("--output", choices=("text", "json"), default="text", help="how data is printed (text)")
    if data and json_is_output:
        parser.add_argument("--json", dest="output", action="store_const", const="json", help="print JSON")


def add_consents(parser: Parser) -> None:
    """What a person agrees to by hand in the window, and beforehand in a script."""
    parser.add_argument(
        "--allow", action="store_true", help="start a server that was never allowed; its command is shown on stderr"
    )
    parser.add_argument("--yes", action="store_true", help="make a call that may change or send something")


def project_paths(folder: str | None) -> Paths:
    """The paths of the project that was named."""
    if folder is None:
        return paths_of()
    path = Path(folder).expanduser()
    if not path.exists():
        raise WorkbenchError(f"There is no folder {folder}.", "Make it first, or see `mcp-workbench --help`.")
    if not path.is_dir():
        raise WorkbenchError(f"{folder} is not a folder.", "A project is a folder; name the one that holds it.")
    return paths_of(path)
