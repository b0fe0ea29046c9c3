"""`audit`: verify it, query it, export entries, make a report."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.api.client_texts import parse_time
from workbench.cli.common_options import BROKEN, DONE, Parser, add_common, ask, talk
from workbench.cli.terminal_output import format_time, print_data, print_record, visible
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import EntryQuery

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

_TIMES = "from this date, this time, or this long ago: 2026-11-05, 2026-11-05T14:00, 7d"


def arrange_audit(parser: Parser) -> None:
    """Add the subcommands and their options."""
    commands = parser.add_subparsers(required=True, metavar="verify|query|export|report")
    add_common(commands.add_parser("verify", help="check that the audit is complete and unchanged"), _verify)
    query = commands.add_parser("query", help="print entries, newest first")
    add_common(query, _query)
    _add_filters(query)
    query.add_argument("--before", type=int, default=0, metavar="NUMBER", help="only entries before this entry number")
    query.add_argument("--limit", type=int, default=50, help="maximum number of entries (default: 50)")
    export = commands.add_parser("export", help="write entries to a file, with the hashes that chain them")
    add_common(export, _export)
    _add_filters(export)
    export.add_argument("file", help="file to write; its name ends in .json or .csv")
    report = commands.add_parser("report", help="write the compliance report for a period")
    add_common(report, _report)
    _add_period(report)
    report.add_argument(
        "--format", default="html", choices=("html", "json", "csv"), help="html, json or csv (default: html)"
    )
    report.add_argument("--out", default="", metavar="FILE", help="file to write; without it, the report is printed")


def _add_filters(query: Parser) -> None:
    """Add the options that filter entries."""
    query.add_argument("--text", default="", help="only entries that contain these words")
    query.add_argument("--kind", default="", help='only this kind, or kinds that start with it: "run.", "call.failed"')
    query.add_argument("--session", default="", help="only this agent session")
    query.add_argument("--run", dest="run_id", default="", metavar="ID", help="only this run")
    query.add_argument("--server", default="", help="only this server")
    query.add_argument("--tool", default="", help="only this tool")
    query.add_argument("--risk", default="", choices=("low", "medium", "high", "critical"), help="only this risk")
    query.add_argument(
        "--agent", dest="actor", default="", metavar="NAME", help='only actions of this agent; "you" for your own'
    )
    query.add_argument(
        "--outcome", default="", choices=("ok", "failed"), help="only what succeeded, or only what failed"
    )
    _add_period(query)


def _add_period(parser: Parser) -> None:
    parser.add_argument("--from", dest="since", type=_parse_time, default=0.0, metavar="TIME", help=_TIMES)
    parser.add_argument(
        "--to", dest="until", type=_parse_time, default=0.0, metavar="TIME", help="only entries before this time"
    )


def _parse_time(text: str) -> float:
    """Parse a local date or time, or a duration before now."""
    if (at := parse_time(text)) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write 2026-11-05, 2026-11-05T14:00 or 7d")
    return at


def _verify(given: argparse.Namespace, paths: Paths) -> int:
    report = ask(paths, lambda api: api.verify_audit())
    if given.output == "json":
        print_record(report)
    elif report.whole:
        print(f"The audit is intact: {report.entries} entries, head {report.head}.")
    else:
        print(f"The audit is not intact at entry {report.broken_at}: {visible(report.reason)}.")
    return DONE if report.whole else BROKEN


def _query(given: argparse.Namespace, paths: Paths) -> int:
    query = _entry_query(given)
    entries = ask(paths, lambda api: api.entries(query))
    if given.output == "json":
        print_record(entries)
        return DONE
    for entry in entries:
        note = entry.note
        words = (
            f"{entry.seq:>6}",
            format_time(entry.at),
            "    " if note.ok else "FAIL",
            f"{note.kind:<16}",
            note.summary,
        )
        print(visible("  ".join(words)))
    if not entries:
        print("No entry matches.", file=sys.stderr)
    return DONE


def _export(given: argparse.Namespace, paths: Paths) -> int:
    file = Path(given.file).absolute()
    form = file.suffix.removeprefix(".").lower()
    count = ask(paths, lambda api: api.export_entries(_entry_query(given), str(file), form))
    print(f"Entries written to {file}: {count:,}.", file=sys.stderr)
    return DONE


def _report(given: argparse.Namespace, paths: Paths) -> int:
    async def fetch_report(connection: CoreConnection) -> str:
        return await connection.fetch_full_text(
            await connection.api.audit_report(given.since, given.until, given.format)
        )

    text = talk(paths, fetch_report)
    if not given.out:
        print_data(text)
        return DONE
    try:
        with open(os.open(given.out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as fault:
        raise WorkbenchError(f"{given.out} cannot be written: {fault.strerror}.", "Choose another file.") from fault
    print(f"The report was written to {given.out}.", file=sys.stderr)
    return DONE


def _entry_query(given: argparse.Namespace) -> EntryQuery:
    options = vars(given)
    return EntryQuery(**{name: options[name] for name in EntryQuery.__struct_fields__ if name in options})
