"""Reads text, CSV, JSON and JSON lines piece by piece, and changes each piece.

A text up to `WHOLE` is one piece, so that a value is masked wherever it occurs. A longer one is read in pieces that end
at a line; in them a value is masked from the piece on in which it is first detected.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import PurePath
from typing import Final, TextIO

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.privacy.masked_documents import MaskedSpan
from workbench.privacy.pii_tokens import cut_after
from workbench.records import JsonValue

WHOLE: Final = 2_000_000  # characters
PIECE: Final = 1_000_000
_BOM: Final = "\ufeff"  # which some programs write at the beginning of UTF-8
_UTF_16: Final = ("\udcff\udcfe", "\udcfe\udcff")  # its byte order marks, read as UTF-8


class Format(StrEnum):
    """How a document is read."""

    TEXT = "text"
    CSV = "csv"  # text whose first line names the columns
    JSON = "json"
    JSON_LINES = "jsonl"


_BY_ENDING: Final = {
    ".json": Format.JSON,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
}


class Piece(Struct):
    """A part of a document: its text, or its JSON value, and where it begins."""

    value: JsonValue
    line: int  # from 1
    start: int  # characters before it
    column_names: str = ""  # the first line of a table, for its other pieces
    is_json: bool = False
    indent: int | None = None  # of a JSON document


Change = Callable[[Piece], JsonValue]  # the changed value of a piece


def change_document(reader: TextIO, name: str, format: Format | None, change: Change) -> Iterator[str]:
    """The changed document as text, piece by piece."""
    for piece in _pieces(reader, name, format):
        value = change(piece)
        if not piece.is_json:
            assert isinstance(value, str)
            yield value[value.find("\n") + 1 :] if piece.column_names else value
        else:
            yield _json_text(value, piece.indent) + "\n"


def _json_text(value: JsonValue, indent: int | None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can write
        return json.dumps(value, indent=indent)
    return text


def located_spans(piece: Piece, spans: Iterable[MaskedSpan]) -> Iterator[dict[str, JsonValue]]:
    """Each span with its place in the document: JSON pointer, or line, column and characters from the beginning."""
    text = piece.value if isinstance(piece.value, str) and not piece.is_json else ""
    skipped, line, line_start = len(piece.column_names), piece.line, len(piece.column_names)
    at = skipped
    for span in sorted(spans, key=lambda one: one.start):
        found: dict[str, JsonValue] = {"kind": span.kind, "reason": span.reason}
        if piece.is_json:
            yield {**found, "line": piece.line, "pointer": span.pointer, "start": span.start, "end": span.end}
        elif span.start >= skipped:
            line += text.count("\n", at, span.start)
            line_start = max(line_start, text.rfind("\n", at, span.start) + 1)
            at = span.start
            moved = piece.start - skipped
            place = {"line": line, "column": span.start - line_start + 1}
            yield {**found, **place, "start": span.start + moved, "end": span.end + moved}


def _pieces(reader: TextIO, name: str, format: Format | None) -> Iterator[Piece]:
    head = reader.read(WHOLE)
    if head.startswith(_UTF_16) or head.count("\0", 0, PIECE) * 4 > min(len(head), PIECE):
        raise WorkbenchError(f"{name} is not UTF-8, so nothing would be found in it.", "Convert it to UTF-8 first.")
    known = format or _BY_ENDING.get(PurePath(name).suffix.lower())
    format = known or _guess(head)
    if format is Format.JSON:
        yield _document(head + reader.read(), name)
    elif format is Format.JSON_LINES:
        yield from _json_lines(_texts(reader, head, whole=0), name, guessed=known is None)
    else:
        yield from _text_pieces(_texts(reader, head), repeat_first=format is Format.CSV)


def _guess(head: str) -> Format:
    """The format of a text by its beginning: JSON lines if the first two lines are JSON, JSON if all of it is."""
    text = head.removeprefix(_BOM).strip()
    if text[:1] not in ("{", "["):
        return Format.TEXT
    lines = text.split("\n", 2)
    if len(lines) > 1 and _is_json(lines[0]) and _is_json(lines[1]):
        return Format.JSON_LINES
    return Format.JSON if len(head) < WHOLE and _is_json(text) else Format.TEXT


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _texts(reader: TextIO, head: str, whole: int = WHOLE) -> Iterator[str]:
    """The text in pieces that end at a line. A shorter text than `whole` is one piece."""
    rest, at_end = head, len(head) < WHOLE
    if at_end and len(rest) < whole:
        if rest:
            yield rest
        return
    while True:
        while len(rest) >= PIECE or (at_end and rest):
            cut = _cut(rest) if len(rest) > PIECE else len(rest) if at_end else 0
            if not cut:
                break
            yield rest[:cut]
            rest = rest[cut:]
        if at_end:
            return
        more = reader.read(PIECE)
        at_end, rest = not more, rest + more


def _cut(text: str) -> int:
    """Where a piece ends: after the last line that is complete, else after a word, else anywhere but in a token."""
    return text.rfind("\n", 0, PIECE) + 1 or text.rfind(" ", 0, PIECE) + 1 or cut_after(text, PIECE)


def _text_pieces(texts: Iterator[str], *, repeat_first: bool) -> Iterator[Piece]:
    line, start, names = 1, 0, ""
    for text in texts:
        yield Piece(names + text, line, start, names)
        if repeat_first and not names:
            names = text[: text.find("\n") + 1]
        line += text.count("\n")
        start += len(text)


def _document(text: str, name: str) -> Piece:
    hint = "Use --text to mask it as text, or --jsonl if each line is a JSON value."
    try:
        return Piece(
            json.loads(text.removeprefix(_BOM)), 1, 0, is_json=True, indent=2 if "\n" in text.strip() else None
        )
    except ValueError as fault:
        raise WorkbenchError(f"JSON was expected in {name}: {fault}.", hint) from fault
    except RecursionError:
        raise WorkbenchError(
            f"The JSON value in {name} is nested too deeply.", "Use --text to mask it as text."
        ) from None


def _json_lines(texts: Iterator[str], name: str, *, guessed: bool) -> Iterator[Piece]:
    """One piece for each line. If the format was only guessed, lines that are not JSON are text."""
    start = 0
    for number, line in enumerate(_lines(texts), 1):
        try:
            yield Piece(json.loads(line.removeprefix(_BOM)), number, start, is_json=True)
        except (ValueError, RecursionError) as fault:
            if line.strip() and not guessed:
                hint = "Use --text to mask it as text."
                raise WorkbenchError(f"JSON was expected in line {number} of {name}: {fault}.", hint) from fault
            yield Piece(line, number, start)
        start += len(line)


def _lines(texts: Iterator[str]) -> Iterator[str]:
    """The lines of a text that comes in pieces, with their ends."""
    rest = ""
    for text in texts:
        *lines, rest = (rest + text).split("\n")
        yield from (line + "\n" for line in lines)
    if rest:
        yield rest
