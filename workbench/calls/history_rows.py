"""Rows of the call history: encodes a call as a row with secrets masked and large values cut, decodes rows, and builds
the SQL of a query."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from workbench.records import Content, Outcome, PastCall, PastQuery, Tool, ToolCall
from workbench.wrappers.argument_redaction import without_secrets

ARGUMENTS = 262_144  # characters of arguments that are stored
WORDS = 65_536  # characters of arguments and answer that can be searched
ROW = 300  # bytes of a row in addition to its texts
NOTE = 200  # characters of the answer that a list shows
MOST = 500  # calls in one answer
LONGEST = 400  # characters of a search text that are used
COLUMNS = (
    "at, server, tool, origin, run_id, ok, note, ms, bytes, tokens, withheld, cut, arguments, words, outcome, size"
)
LISTED = "id, at, server, tool, origin, run_id, ok, note, ms, bytes, tokens, withheld, cut, substr(arguments, 1, 400)"
WHOLE = LISTED.replace("substr(arguments, 1, 400)", "arguments, outcome")
_FIELDS = (*COLUMNS.split(", ")[:12], "arguments", "outcome")
_WITHHELD = msgspec.json.Decoder(tuple[str, ...])
_OUTCOME = msgspec.json.Decoder(Outcome)
Mask: TypeAlias = Callable[[str], str]
Row: TypeAlias = tuple[Any, ...]  # Any: the value types of SQLite


class FinishedCall(Struct, frozen=True):
    """A finished call before it is encoded as a row."""

    call: ToolCall
    tool: Tool
    outcome: Outcome
    cut: bool
    at: float


def finished_call(call: ToolCall, tool: Tool, outcome: Outcome, budget: int) -> FinishedCall:
    """Collect what is stored for a call. Cuts a huge answer now, so that it does not stay in memory until it is
    written."""
    small = shortened(outcome, budget)
    return FinishedCall(call, tool, small, small is not outcome, time.time())


def encode_row(finished: FinishedCall, mask: Mask) -> Row:
    """Encode a finished call as the values of `COLUMNS`."""
    given, withheld = without_secrets(finished.call.arguments, finished.tool.input_schema)
    arguments = mask(json.dumps(given, ensure_ascii=False, default=str))
    whole = len(arguments) <= ARGUMENTS
    arguments = arguments if whole else json.dumps({"…": f"{len(arguments)} characters, too many to be kept"})
    call, outcome, text = finished.call, finished.outcome, mask(_plain(finished.outcome))
    words = _clean(f"{call.server} {call.tool} {arguments[: WORDS // 2]} {text[: WORDS // 2]}")
    packed = zlib.compress(_clean(mask(json.dumps(to_builtins(outcome), ensure_ascii=False))).encode("utf-8"), 1)
    return (
        finished.at, call.server, call.tool, str(call.origin), call.run_id, outcome.ok, _note(text),
        outcome.ms, outcome.bytes, outcome.tokens, json.dumps(withheld), finished.cut or not whole, _clean(arguments),
        words, packed, ROW + len(arguments) + 2 * len(words) + len(packed),  # twice: also in the index
    )  # fmt: skip


def decode_row(row: Row) -> PastCall:
    """Decode a row of `LISTED`, or of `WHOLE` with its outcome. Raises ValueError for an invalid row. An outcome that
    cannot be decoded becomes None, because the rest of the call is still useful."""
    values = dict(zip(("id", *_FIELDS), row, strict=False))
    values["withheld"] = _WITHHELD.decode(values["withheld"])
    if "outcome" in values:
        values["outcome"] = _decode_outcome(values["outcome"])
    return msgspec.convert(values, PastCall, strict=False)


def decode_rows(rows: list[Row]) -> tuple[tuple[PastCall, ...], int]:
    """Decode rows. Returns the calls and the number of rows that cannot be read."""
    calls = []
    for row in rows:
        try:
            calls.append(decode_row(row))
        except (ValueError, TypeError):
            continue
    return tuple(calls), len(rows) - len(calls)


def select(query: PastQuery) -> tuple[str, list[Any]] | None:
    """Build the SQL of a query and its values (Any: as SQLite takes them), or None when no call can match."""
    words = search_terms(query.text)
    if query.text.strip() and not words:
        return None
    wanted: list[tuple[str, Any]] = [("found MATCH ?", words)] if words else []
    wanted += [("server = ?", query.server)] if query.server else []
    wanted += [("tool = ?", query.tool)] if query.tool else []
    wanted += [("ok = ?", query.state == "ok")] if query.state in ("ok", "failed") else []
    wanted += [("run_id = ?", "")] if not query.nested else []
    wanted += [("calls.id < ?", query.before)] if query.before else []
    source = "found JOIN calls ON calls.id = found.rowid" if words else "calls"
    where = " AND ".join(clause for clause, _ in wanted) or "1"
    order = "found.rowid" if words else "calls.id"
    text = f"SELECT {LISTED} FROM {source} WHERE {where} ORDER BY {order} DESC LIMIT ?"
    return text, [*(value for _, value in wanted), max(1, min(query.limit, MOST))]


def search_terms(text: str) -> str:
    """Convert a search text to an FTS5 query of prefix terms, each quoted so that none acts as an operator."""
    words = [word for word in text[:LONGEST].replace("\0", " ").split() if any(c.isalnum() for c in word)]
    return " ".join('"{}"*'.format(word.replace('"', '""')) for word in words)


def shortened(outcome: Outcome, budget: int) -> Outcome:
    """Shorten an outcome to `budget` characters: texts are cut, and binary data that does not fit is left out."""
    if sum([len(b.text) + len(b.data) for b in outcome.content]) + len(outcome.structured) <= budget:
        return outcome
    left, blocks = budget, []
    structured = outcome.structured if len(outcome.structured) <= left else ""
    left -= len(structured)
    beginning = () if structured else (Content("text", outcome.structured),) if outcome.structured else ()
    for block in (*outcome.content, *beginning):
        text = block.text[: max(0, left)]
        left -= len(text)
        data = block.data if len(block.data) <= left else ""
        left -= len(data)
        blocks.append(replace(block, text=text, data=data))
    return replace(outcome, content=tuple(blocks), structured=structured)


def _plain(outcome: Outcome) -> str:
    parts = [block.text or block.uri for block in outcome.content if block.text or block.uri]
    if outcome.fault and not any(outcome.fault.message in part for part in parts):
        parts.insert(0, outcome.fault.message)
    return "\n".join(parts) or outcome.structured


def _note(text: str) -> str:
    return _clean(" ".join(text[: NOTE * 2].split())[:NOTE])


def _clean(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, and NUL, which ends a text in SQLite."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "␀")


def _decode_outcome(packed: bytes) -> Outcome | None:
    try:
        return _OUTCOME.decode(zlib.decompress(packed))
    except (zlib.error, ValueError, TypeError):
        return None
