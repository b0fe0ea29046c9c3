"""`audit`: check that it is whole, or read it."""

from __future__ import annotations

import argparse
import sys

from workbench.cli.ask import ask
from workbench.cli.codes import BROKEN, DONE
from workbench.cli.options import Parser, add_common
from workbench.cli.printing import moment, print_record, visible
from workbench.paths import Paths
from workbench.records import ChainReport, Entry, EntryQuery


def arrange_audit(parser: Parser) -> None:
    """The two commands and their options."""
    commands = parser.add_subparsers(required=True, metavar="verify|query")
    add_common(commands.add_parser("verify", help="check that the audit is whole"), _verify)
    query = commands.add_parser("query", help="print entries, newest first")
    add_common(query, _query)
    query.add_argument("--text", default="", help="words that must occur")
    query.add_argument("--kind", default="", help='a kind or its beginning: "run.", "call.failed"')
    query.add_argument("--session", default="", help="one agent's session")
    query.add_argument("--run", dest="run_id", default="", metavar="ID", help="one run")
    query.add_argument("--server", default="", help="one server")
    query.add_argument("--tool", default="", help="one tool")
    query.add_argument("--risk", default="", choices=("low", "medium", "high", "critical"), help="one level of risk")
    query.add_argument("--before", type=int, default=0, metavar="NUMBER", help="only entries before this one")
    query.add_argument("--limit", type=int, default=50, help="how many at most (50)")


def _verify(given: argparse.Namespace, paths: Paths) -> int:
    report = ask(paths, lambda questions: questions.verify_audit())
    if given.output == "json":
        print_record(ChainReport, report)
    elif report.whole:
        print(f"The audit is whole: {report.entries} entries, head {report.head}.")
    else:
        print(f"The audit is not whole at entry {report.broken_at}: {visible(report.reason)}.")
    return DONE if report.whole else BROKEN


def _query(given: argparse.Namespace, paths: Paths) -> int:
    names = ("text", "kind", "session", "run_id", "server", "tool", "risk", "before", "limit")
    query = EntryQuery(**{name: getattr(given, name) for name in names})
    entries = ask(paths, lambda questions: questions.entries(query))
    if given.output == "json":
        print_record(tuple[Entry, ...], entries)
        return DONE
    for entry in entries:
        note = entry.note
        words = (f"{entry.seq:>6}", moment(entry.at), "    " if note.ok else "FAIL", f"{note.kind:<16}", note.summary)
        print(visible("  ".join(words)))
    if not entries:
        print("No entry fits.", file=sys.stderr)
    return DONE
