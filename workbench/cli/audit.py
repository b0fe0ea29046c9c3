"""`audit`: verify it, query it, export entries, make a report."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.api.client_texts import parse_time
from workbench.cli.common_options import BROKEN, DONE, Parser, add_common, ask, talk
from workbench.cli.terminal_output import moment, print_data, print_record, visible
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import EntryQuery

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

_TIMES = "from this day, time or so long ago on: 2026-11-05, 2026-11-05T14:00, 7d"


def arrange_audit(parser: Parser) -> None:
    """Add the subcommands and their options."""
    commands = parser.add_subparsers(required=True, metavar="verify|query|export|report")
    add_common(commands.add_parser("verify", help="check that the audit is whole"), _verify)
    query = commands.add_parser("query", help="print entries, newest first")
    add_common(query, _query)
    _narrow(query)
    query.add_argument("--before", type=int, default=0, metavar="NUMBER", help="only entries before this one")
    query.add_argument("--limit", type=int, default=50, help="how many at most (50)")
    export = commands.add_parser("export", help="write entries into a file, with the hashes that chain them")
    add_common(export, _export)
    _narrow(export)
    export.add_argument("file", help="ends in .json or .csv")
    report = commands.add_parser("report", help="make the compliance report of a stretch of time")
    add_common(report, _report)
    _stretch(report)
    report.add_argument("--format", default="html", choices=("html", "json", "csv"), help="html, json or csv (html)")
    report.add_argument("--out", default="", metavar="FILE", help="the file to write; without it the report is printed")


def _narrow(query: Parser) -> None:
    """Add the options that filter entries."""
    query.add_argument("--text", default="", help="words that must occur")
    query.add_argument("--kind", default="", help='a kind or its beginning: "run.", "call.failed"')
    query.add_argument("--session", default="", help="one agent's session")
    query.add_argument("--run", dest="run_id", default="", metavar="ID", help="one run")
    query.add_argument("--server", default="", help="one server")
    query.add_argument("--tool", default="", help="one tool")
    query.add_argument("--risk", default="", choices=("low", "medium", "high", "critical"), help="one level of risk")
    query.add_argument("--agent", dest="actor", default="", metavar="NAME", help="who did it: an agent, or you")
    query.add_argument("--outcome", default="", choices=("ok", "failed"), help="what worked, or what did not")
    _stretch(query)


def _stretch(parser: Parser) -> None:
    parser.add_argument("--from", dest="since", type=_moment, default=0.0, metavar="TIME", help=_TIMES)
    parser.add_argument("--to", dest="until", type=_moment, default=0.0, metavar="TIME", help="until before this time")


def _moment(text: str) -> float:
    """Parse a local date or time, or a duration before now."""
    if (at := parse_time(text)) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time: 2026-11-05, 2026-11-05T14:00 or 7d")
    return at


def _verify(given: argparse.Namespace, paths: Paths) -> int:
    report = ask(paths, lambda api: api.verify_audit())
    if given.output == "json":
        print_record(report)
    elif report.whole:
        print(f"The audit is whole: {report.entries} entries, head {report.head}.")
    else:
        print(f"The audit is not whole at entry {report.broken_at}: {visible(report.reason)}.")
    return DONE if report.whole else BROKEN


def _query(given: argparse.Namespace, paths: Paths) -> int:
    query = _asked(given)
    entries = ask(paths, lambda api: api.entries(query))
    if given.output == "json":
        print_record(entries)
        return DONE
    for entry in entries:
        note = entry.note
        words = (f"{entry.seq:>6}", moment(entry.at), "    " if note.ok else "FAIL", f"{note.kind:<16}", note.summary)
        print(visible("  ".join(words)))
    if not entries:
        print("No entry fits.", file=sys.stderr)
    return DONE


def _export(given: argparse.Namespace, paths: Paths) -> int:
    file = Path(given.file).absolute()
    form = file.suffix.removeprefix(".").lower()
    count = ask(paths, lambda api: api.export_entries(_asked(given), str(file), form))
    print(f"{count:,} entries were written into {file}.", file=sys.stderr)
    return DONE


def _report(given: argparse.Namespace, paths: Paths) -> int:
    async def made(connection: CoreConnection) -> str:
        return await connection.whole(await connection.api.audit_report(given.since, given.until, given.format))

    text = talk(paths, made)
    if not given.out:
        print_data(text)
        return DONE
    try:
        with open(os.open(given.out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as fault:
        raise WorkbenchError(f"{given.out} cannot be written: {fault.strerror}.", "Choose another file.") from fault
    print(f"The report was written into {given.out}.", file=sys.stderr)
    return DONE


def _asked(given: argparse.Namespace) -> EntryQuery:
    options = vars(given)
    return EntryQuery(**{name: options[name] for name in EntryQuery.__struct_fields__ if name in options})
