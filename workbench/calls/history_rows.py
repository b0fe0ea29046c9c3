"""A call becomes the row that is kept: without secrets, cut where it is large, with the words it is found by."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from workbench.records import Content, Fault, JsonValue, Origin, Outcome, PastCall, Tool, ToolCall
from workbench.wrappers.argument_redaction import without_secrets

ARGUMENTS = 262_144  # characters of arguments that are kept
WORDS = 65_536  # characters of arguments and answer that a search looks at
ROW = 300  # bytes of a row beside its texts
NOTE = 200  # characters of the answer in a list
COLUMNS = (
    "at, server, tool, origin, run_id, ok, note, ms, bytes, tokens, withheld, cut, arguments, words, outcome, size"
)
LISTED = "id, at, server, tool, origin, run_id, ok, note, ms, bytes, tokens, withheld, cut, substr(arguments, 1, 400)"
WHOLE = LISTED.replace("substr(arguments, 1, 400)", "arguments, outcome")


Mask: TypeAlias = Callable[[str], str]


class Made(Struct, frozen=True):
    """A call that was just made, before it is written down."""

    call: ToolCall
    tool: Tool
    outcome: Outcome
    cut: bool
    at: float


def made(call: ToolCall, tool: Tool, outcome: Outcome, budget: int) -> Made:
    """What is kept of it; cutting here means that a giant answer is not held until it is written."""
    small = shortened(outcome, budget)
    return Made(call, tool, small, small is not outcome, time.time())


def row_of(one: Made, mask: Mask) -> tuple[Any, ...]:
    """Any: the values of `COLUMNS`."""
    given, withheld = without_secrets(one.call.arguments, one.tool.input_schema)
    arguments = mask(json.dumps(given, ensure_ascii=False, default=str))
    whole = len(arguments) <= ARGUMENTS
    arguments = arguments if whole else json.dumps({"…": f"{len(arguments)} characters, too many to be kept"})
    outcome, text = one.outcome, mask(_plain(one.outcome))
    words = _clean(f"{one.call.server} {one.call.tool} {arguments[: WORDS // 2]} {text[: WORDS // 2]}")
    packed = zlib.compress(_clean(mask(json.dumps(to_builtins(outcome), ensure_ascii=False))).encode("utf-8"), 1)
    return (
        one.at, one.call.server, one.call.tool, str(one.call.origin), one.call.run_id, outcome.ok, _note(text),
        outcome.ms, outcome.bytes, outcome.tokens, json.dumps(withheld), one.cut or not whole, _clean(arguments),
        words, packed, ROW + len(arguments) + 2 * len(words) + len(packed),  # words stand in their index too
    )  # fmt: skip


def past_of(row: tuple[Any, ...]) -> PastCall:  # Any: as SQLite gives it
    """A row of `LISTED`, or of `WHOLE` with its outcome."""
    number, at, server, tool, origin, run_id, ok, note, ms, size, tokens, withheld, was_cut, arguments, *rest = row
    return PastCall(
        number, at, server, tool, arguments, Origin(origin), run_id, bool(ok), note, ms, size, tokens,
        tuple(json.loads(withheld)), bool(was_cut), _outcome(rest[0]) if rest else None,
    )  # fmt: skip


def shortened(outcome: Outcome, budget: int) -> Outcome:
    """The outcome within so many characters: what does not fit is shortened, and bytes that do not fit are left out."""
    if sum(len(b.text) + len(b.data) for b in outcome.content) + len(outcome.structured) <= budget:
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
    """Half characters cannot be written, and a NUL ends a text for SQLite."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "␀")


def _outcome(kept: bytes) -> Outcome | None:
    """What was kept; None when it cannot be read, because a newer or damaged row must not hide the others."""
    try:
        found: JsonValue = json.loads(zlib.decompress(kept))
        content = tuple(Content(**_known(Content, block)) for block in found["content"])
        fault = Fault(**_known(Fault, found["fault"])) if found["fault"] else None
        return Outcome(**{**_known(Outcome, found), "content": content, "fault": fault})
    except (zlib.error, ValueError, KeyError, TypeError):
        return None


def _known(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:  # Any: a record's fields as JSON
    return {name: values[name] for name in kind.__struct_fields__ if name in values}  # type: ignore[attr-defined]
