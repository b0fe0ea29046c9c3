"""Prints the answer of a tool: text as it is, a line for each other block, or everything as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.cli.exit_codes import DONE, FAULT, TOOL_ERROR, UNANSWERED
from workbench.cli.terminal_output import narrate, print_data, print_json
from workbench.records import Content, Outcome

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection


async def bring_whole(connection: CoreConnection, outcome: Outcome) -> Outcome:
    """The outcome with its long texts, which wait in the core, fetched."""
    content = [
        replace(block, text=await connection.whole(block.text), data=await connection.whole(block.data))
        for block in outcome.content
    ]
    return replace(outcome, content=tuple(content), structured=await connection.whole(outcome.structured))


def print_outcome(outcome: Outcome, output: str) -> int:
    """Data to stdout, what is to be said about it to stderr; answers with the exit code."""
    if outcome.needs_confirmation:
        reason = outcome.fault.message if outcome.fault else "This call may change or send something."
        narrate(f"mcp-workbench: {reason}\nNothing was sent. Run the command again with --yes to call the tool anyway.")
        return UNANSWERED
    if output == "json":
        print_json(plain_outcome(outcome))
    else:
        _print_text(outcome)
    if outcome.schema_fault:
        narrate(f"The answer departs from the tool's output schema. {outcome.schema_fault}")
    if outcome.ok:
        return DONE
    if not outcome.tool_error or output == "json" or not outcome.content:
        fault = outcome.fault
        narrate(f"mcp-workbench: {fault.message} {fault.hint}".rstrip() if fault else "mcp-workbench: The call failed.")
    elif outcome.fault and outcome.fault.hint:
        narrate(outcome.fault.hint)
    return TOOL_ERROR if outcome.tool_error else FAULT


def plain_outcome(outcome: Outcome) -> dict[str, object]:
    """What scripts read: the words of MCP where it has them, and our measures beside."""
    fault = outcome.fault
    return {
        "ok": outcome.ok,
        "isError": outcome.tool_error,
        "content": [_plain_block(block) for block in outcome.content],
        "structuredContent": json.loads(outcome.structured) if outcome.structured else None,
        "fault": {"message": fault.message, "hint": fault.hint, "detail": fault.detail} if fault else None,
        "schemaFault": outcome.schema_fault,
        "ms": round(outcome.ms, 3),
        "bytes": outcome.bytes,
        "tokens": outcome.tokens,
    }


def _plain_block(block: Content) -> dict[str, str]:
    parts = {"type": block.kind, "text": block.text, "mimeType": block.mime, "data": block.data, "uri": block.uri}
    return {name: value for name, value in parts.items() if value or (name == "text" and block.kind == "text")}


def _print_text(outcome: Outcome) -> None:
    if not any(block.kind == "text" for block in outcome.content) and outcome.structured:
        print_data(json.dumps(json.loads(outcome.structured), indent=2, ensure_ascii=False))
    for block in outcome.content:
        print_data(block.text if block.kind == "text" else _described(block))


def _described(block: Content) -> str:
    """A picture or link as a line; --output json has its bytes."""
    size = f"{len(block.data) * 3 // 4} bytes" if block.data else ""
    words = " ".join(word for word in (block.kind, block.mime, block.uri, size) if word)
    return f"[{words}]\n{block.text}" if block.text else f"[{words}]"
