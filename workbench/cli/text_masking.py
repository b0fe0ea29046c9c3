"""`sanitize` and `interceptor`: mask personal data in files and pipes, and for other gateways, without a core."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from workbench.cli.common_options import DONE, FAULT, Parser, add_common
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import JsonValue

if TYPE_CHECKING:
    from workbench.text_masking.file_masking import Change, Piece

STDIN: Final = "-"
SANITIZE_EPILOG = """Without FILE, or for "-", standard input is read. The format follows from the file's ending or
from the content. JSON is written anew. Your marks and privacy settings apply, and those of the project.
Text above 2 MB is masked in pieces: a value is masked from the piece on in which it is first detected.
--map writes what each token stands for. Keep that file secret; --restore reads it and puts the values back.
Exit code 1: with --check, something is masked; with --restore, a token is not in the map."""


def arrange_sanitize(parser: Parser) -> None:
    parser.epilog = SANITIZE_EPILOG
    parser.add_argument("files", nargs="*", metavar="FILE", help="files to mask (default: standard input)")
    kind = parser.add_mutually_exclusive_group()
    for name, words in (
        ("text", "text"),
        ("csv", "a table whose first line names the columns"),
        ("json", "one JSON value"),
        ("jsonl", "one JSON value on each line"),
    ):
        kind.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=f"the input is {words}")
    parser.add_argument("--spans", action="store_true", help="print what is masked, one JSON object for each value")
    parser.add_argument("--check", action="store_true", help="print no masked text, only the exit code")
    _add_rules(parser)
    tokens = parser.add_mutually_exclusive_group()
    tokens.add_argument("--map", metavar="FILE", help="write what each token stands for, readable by you only")
    tokens.add_argument("--restore", metavar="FILE", help="put the values of a map back in place of tokens")
    add_common(parser, _sanitize, data=False)


def _add_rules(parser: Parser) -> None:
    """Add the options that change what is masked."""
    parser.add_argument("--kinds", default="", metavar="KINDS", help="mask only these kinds: EMAIL,PHONE")
    parser.add_argument("--never", action="append", default=[], metavar="WORD", help="do not mask WORD (repeatable)")
    parser.add_argument(
        "--strictness", choices=("forms", "balanced", "recall"), default="",
        help="how much is masked (default: your setting privacy.strictness)",
    )  # fmt: skip


def _sanitize(given: argparse.Namespace, paths: Paths) -> int:
    if given.restore:
        if given.spans or given.check or given.kinds or given.never or given.strictness:
            raise WorkbenchError(
                "--restore puts values back and masks nothing.",
                "Leave out --spans, --check, --kinds, --never and --strictness.",
            )
        return _restore(given)
    return _mask(given, paths)


def _mask(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.text_masking.file_masking import located_spans
    from workbench.text_masking.masking_session import MaskingSession, user_rules
    from workbench.text_masking.token_map import TokenMap, read_token_map

    session = MaskingSession(user_rules(paths, given.kinds, given.never, given.strictness))
    map_file = Path(given.map) if given.map else None
    token_map = read_token_map(map_file) if map_file and map_file.exists() else TokenMap()
    found = False

    def mask(piece: Piece) -> JsonValue:
        nonlocal found
        masked = session.mask(piece.value)
        found = found or masked != piece.value
        if map_file:
            token_map.add(session.values(masked))
        if given.spans:
            for span in located_spans(piece, session.spans(piece.value, masked)):
                print(json.dumps({"file": name, **span}, ensure_ascii=False))
        return masked

    try:
        for name in given.files or [STDIN]:
            _change_file(name, given, mask, quiet=given.spans or given.check)
    finally:
        if map_file:
            token_map.write(map_file)
    return FAULT if given.check and found else DONE


def _restore(given: argparse.Namespace) -> int:
    from workbench.text_masking.token_map import read_token_map

    token_map = read_token_map(Path(given.restore))
    for name in given.files or [STDIN]:
        _change_file(name, given, lambda piece: token_map.restore(piece.value), quiet=False)
    if not token_map.unknown:
        return DONE
    tokens = ", ".join(sorted(token_map.unknown)[:5])
    print(f"mcp-workbench: {len(token_map.unknown)} unknown in the map, not replaced: {tokens}", file=sys.stderr)
    return FAULT


def _change_file(name: str, given: argparse.Namespace, change: Change, *, quiet: bool) -> None:
    from workbench.text_masking.file_masking import Format, change_document

    format = Format(given.format) if given.format else None
    shown = "standard input" if name == STDIN else name
    with _open_text(name) as reader:
        for text in change_document(reader, shown, format, change):
            if not quiet:
                sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.flush()


@contextmanager
def _open_text(name: str) -> Iterator[TextIO]:
    """A file or standard input as text. Bytes that are not UTF-8 are kept."""
    try:
        handle = os.dup(sys.stdin.fileno()) if name == STDIN else name
        with open(handle, encoding="utf-8", errors="surrogateescape", newline="") as reader:
            yield reader
    except OSError as fault:
        if isinstance(fault, BrokenPipeError):
            raise
        raise WorkbenchError(f"{name} cannot be read: {fault.strerror}.", "Check the name and permissions.") from fault


INTERCEPTOR_EPILOG = """Serves an MCP gateway over stdin and stdout with interceptors of SEP-2624, a draft of July 2026
whose messages may still change. mask-personal-data (mutation) masks results of tool calls, resources and prompts, and
puts values back into arguments of tool calls in the same session, which the gateway names (`context.sessionId`).
report-personal-data (validation) reports findings and changes nothing. Values are kept in memory only.
--mode and --fail-open are defaults that a gateway may override."""


def arrange_interceptor(parser: Parser) -> None:
    parser.epilog = INTERCEPTOR_EPILOG
    parser.add_argument(
        "--mode", choices=("active", "enforce", "audit"), default="active",
        help="active: the gateway applies the results (default; drafts before June 2026 say enforce). "
        "audit: it only records them",
    )  # fmt: skip
    parser.add_argument(
        "--fail-open", action="store_true", help="messages pass if masking fails (default: they are blocked)"
    )
    parser.add_argument(
        "--severity", choices=("info", "warn", "error"), default="warn",
        help="severity of a finding (default: warn); error blocks the message",
    )  # fmt: skip
    _add_rules(parser)
    add_common(parser, _serve_interceptors, data=False)


def _serve_interceptors(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.text_masking.interceptor_server import serve
    from workbench.text_masking.masking_interceptors import Defaults
    from workbench.text_masking.masking_session import user_rules

    rules = user_rules(paths, given.kinds, given.never, given.strictness)
    serve(rules, Defaults("active" if given.mode == "enforce" else given.mode, given.fail_open, given.severity))
    return DONE
