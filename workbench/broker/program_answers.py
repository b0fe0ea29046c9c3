"""What a program gets of a call: a value, a text, typed parts, or the exception it may catch."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

from workbench.records import Content, Fault, JsonObject, Outcome, Tool, ToolCall
from workbench.sandbox.program import Answered, JsonText, ToolFailure
from workbench.servers.tool_definitions import wrong_argument_hints
from workbench.wrappers.schema_reader import wraps_result

_BEGINNINGS = frozenset('{["-0123456789tfnNI \t\r\n')  # of a text that may be JSON, or what Python takes for it
LONGEST_BLOB = 4_000_000  # characters of a file in an answer that are read as text


def value_of(outcome: Outcome, schema: JsonObject | None = None) -> Answered:
    """Structured content, else text that is JSON, else text, else typed parts; parts beside structure are not lost.
    `schema`: of an answer that is to be handed on as the tool's function does, without a mere `{"result": X}`."""
    if outcome.structured:
        if schema is not None and wraps_result(schema) and (inner := _unwrapped(outcome.structured)):
            return JsonText(inner)
        return _structured(outcome)
    if len(outcome.content) == 1 and outcome.content[0].kind == "text":
        return _value_in(outcome.content[0].text)
    return JsonText(_parts(outcome.content), "blocks")


def failure(outcome: Outcome, call: ToolCall, tool: Tool | None, alike: Sequence[str] = ()) -> ToolFailure:
    """The exception that the program may catch; `alike`: names of tools, where there is none of this name."""
    fault = outcome.fault or Fault("The tool failed without saying why.")
    code = fault.code or ("refused" if outcome.refused else "tool" if outcome.tool_error else "server")
    if tool is None or outcome.refused:
        return ToolFailure(fault.message, code, (), alike, fault.hint)
    valid, close = wrong_argument_hints.names(tool, call.arguments, fault.message)
    return ToolFailure(fault.message, code, valid, close, fault.hint)


def words_of(failure: ToolFailure) -> tuple[str, ...]:
    """What the exception says from the definitions, as the program reads it; not its message."""
    valid = f"Valid parameters: {', '.join(failure.valid_parameters)}." if failure.valid_parameters else ""
    close = f"Did you mean: {', '.join(failure.suggestions)}?" if failure.suggestions else ""
    return tuple(filter(None, (valid, close, f"{valid} {close}".strip())))


def texts_of(outcome: Outcome) -> tuple[str, ...]:
    """Whatever a program can read of an answer: an error's words, addresses and notes of links, texts in a file."""
    texts = [outcome.structured] if outcome.structured else []
    alone = outcome.structured and all(block.kind == "text" for block in outcome.content)
    for block in () if alone else outcome.content:  # text beside structure says the same, and no program gets it
        texts += [block.text, block.uri, block.name, block.note, *_text_in(block)]
    if outcome.fault is not None:
        texts += [outcome.fault.message, outcome.fault.hint]
    return tuple(text for text in texts if text)


def _text_in(block: Content) -> tuple[str, ...]:
    if block.kind != "resource" or not 0 < len(block.data) <= LONGEST_BLOB:
        return ()
    try:
        return (base64.b64decode(block.data).decode(),)
    except ValueError:
        return ()  # no text


def _unwrapped(text: str) -> str:
    """The JSON text of X in `{"result": X}`; empty where the server sent anything else."""
    value = json.loads(text)
    return json.dumps(value["result"], ensure_ascii=False) if isinstance(value, dict) and "result" in value else ""


def _structured(outcome: Outcome) -> JsonText:
    """Text beside structure says the same once more; a picture beside it does not."""
    more = any(block.kind != "text" for block in outcome.content)
    if not (more and outcome.structured.startswith("{")):
        return JsonText(outcome.structured)
    return JsonText(f"[{outcome.structured},{_parts(outcome.content)}]", "structured")


def _parts(blocks: Sequence[Content]) -> str:
    return json.dumps([_part(block) for block in blocks], ensure_ascii=False)


def _part(block: Content) -> JsonObject:
    """A part as the protocol has it."""
    match block.kind:
        case "resource":
            inner = {"uri": block.uri, "mimeType": block.mime}
            whole = inner | ({"blob": block.data} if block.data else {"text": block.text})
            return {"type": "resource", "resource": whole}
        case "link":
            about = {"name": block.name, "title": block.text, "description": block.note, "mimeType": block.mime}
            return {"type": "resource_link", "uri": block.uri} | {key: value for key, value in about.items() if value}
        case "image" | "audio":
            return {"type": block.kind, "mimeType": block.mime, "data": block.data}
    return {"type": "text", "text": block.text}


def _value_in(text: str) -> Answered:
    """A text that is JSON is handed on as it is; NaN and Infinity are no JSON, though Python takes them for it."""
    odd: list[str] = []
    if text[:1] not in _BEGINNINGS:
        return text
    try:
        json.loads(text, parse_constant=odd.append)
    except (ValueError, RecursionError):
        return text
    return json.loads(text) if odd else JsonText(text)
