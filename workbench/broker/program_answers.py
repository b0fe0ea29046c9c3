"""Converts the answer of a call for a program: a value, a text, typed parts, or an exception that the program may
catch."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from workbench import offload
from workbench.broker.agent_sessions import Session
from workbench.errors import WorkbenchError
from workbench.permissions.release_rules import ReleaseDecision
from workbench.privacy.pii_tokens import LOOKALIKE, normalize_token
from workbench.privacy.sealed_values import TokenSubstitution, operate
from workbench.privacy.vault import Vault
from workbench.records import Content, Fault, JsonObject, JsonValue, Outcome, Tool, ToolCall
from workbench.sandbox.program import Answered, JsonText, ToolFailure
from workbench.servers.tool_definitions import tool_error_messages
from workbench.wrappers.schema_reader import wraps_result

# first characters of a text that may be JSON, including what only Python accepts
_BEGINNINGS = frozenset('{["-0123456789tfnNI \t\r\n')
LONGEST_BLOB = 4_000_000  # characters; larger files in an answer are not read as text


def program_value(outcome: Outcome, schema: JsonObject | None = None) -> Answered:
    """Return structured content, else text that is JSON, else text, else typed parts; parts besides structured
    content are included. `schema`: output schema of the tool, if the answer is returned as the tool's function
    returns it, without a mere `{"result": X}`."""
    if outcome.structured:
        if schema is not None and wraps_result(schema) and (inner := _unwrapped(outcome.structured)):
            return JsonText(inner)
        return _structured(outcome)
    if len(outcome.content) == 1 and outcome.content[0].kind == "text":
        return _value_in(outcome.content[0].text)
    return JsonText(_parts(outcome.content), "blocks")


def failure(outcome: Outcome, call: ToolCall, tool: Tool | None, alike: Sequence[str] = ()) -> ToolFailure:
    """Return the exception for the program. `alike`: similar tool names, if there is no tool of this name."""
    fault = outcome.fault or Fault("The tool failed without an error message.")
    code = fault.code or ("refused" if outcome.refused else "tool" if outcome.tool_error else "server")
    if tool is None or outcome.refused:
        return ToolFailure(fault.message, code, (), alike, fault.hint)
    valid, close = tool_error_messages.names(tool, call.arguments, fault.message)
    return ToolFailure(fault.message, code, valid, close, fault.hint)


def definition_hints(failure: ToolFailure) -> tuple[str, ...]:
    """Return the hints of a failure that come from definitions, as the program reads them, without its message."""
    valid = f"Valid parameters: {', '.join(failure.valid_parameters)}." if failure.valid_parameters else ""
    close = f"Did you mean: {', '.join(failure.suggestions)}?" if failure.suggestions else ""
    return tuple(filter(None, (valid, close, f"{valid} {close}".strip())))


def readable_texts(outcome: Outcome) -> tuple[str, ...]:
    """Return every text of an answer that a program can read: error messages, addresses and notes of links, text
    files."""
    texts = [outcome.structured] if outcome.structured else []
    alone = outcome.structured and all(block.kind == "text" for block in outcome.content)
    for block in () if alone else outcome.content:  # text besides structured content repeats it, and no program gets it
        texts += [block.text, block.uri, block.name, block.note, file_text(block)]
    if outcome.fault is not None:
        texts += [outcome.fault.message, outcome.fault.hint]
    return tuple(text for text in texts if text)


def file_text(block: Content) -> str:
    """Return the text of a file in an answer; empty if it is not a text file."""
    if block.kind != "resource" or not 0 < len(block.data) <= LONGEST_BLOB:
        return ""
    try:
        return base64.b64decode(block.data).decode()
    except ValueError:
        return ""


def _unwrapped(text: str) -> str:
    """Return the JSON text of X in `{"result": X}`; empty if the server sent anything else."""
    value = json.loads(text)
    return json.dumps(value["result"], ensure_ascii=False) if isinstance(value, dict) and "result" in value else ""


def _structured(outcome: Outcome) -> JsonText:
    """Return structured content. Text besides it repeats it and is dropped; other parts, such as pictures, are
    added."""
    more = any(block.kind != "text" for block in outcome.content)
    if not (more and outcome.structured.startswith("{")):
        return JsonText(outcome.structured)
    return JsonText(f"[{outcome.structured},{_parts(outcome.content)}]", "structured")


def _parts(blocks: Sequence[Content]) -> str:
    return json.dumps([_part(block) for block in blocks], ensure_ascii=False)


def _part(block: Content) -> JsonObject:
    """Return a part of an answer in the form of the MCP specification."""
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
    """Return text that is JSON as JSON. NaN and Infinity are not JSON, although Python accepts them."""
    odd: list[str] = []
    if text[:1] not in _BEGINNINGS:
        return text
    try:
        json.loads(text, parse_constant=odd.append)
    except (ValueError, RecursionError):
        return text
    return json.loads(text) if odd else JsonText(text)


log = logging.getLogger(__name__)

_MOST_GUESSES: Final = 200  # comparisons of tokens with texts per session, because each reveals a little
_ENOUGH: Final = (
    "Compare tokens with tokens. A token that is not sealed also equals its value if it is written as a text in the"
    " program that reads the value."
)
_HINT: Final = (
    "Some values of {} are sealed: programs hold tokens such as [EMAIL_1.k7q2], which are replaced by the values in the"
    " arguments of tools. To query them: `from client import equal, domain_of, year_of, last4, initials, masked`."
)


async def seal_answer(
    outcome: Outcome, tool: Tool, session: Session, fields: Sequence[str], given: Sequence[ReleaseDecision] = ()
) -> Outcome:
    """Return the answer for the sandbox with sealed values replaced by tokens; an answer that cannot be sealed is
    withheld."""
    tokens = [token for one in given for token in one.restoration.tokens]
    if fields:
        session.sealed_tools.setdefault(f"{tool.server}.{tool.name}", False)
    if not fields and not tokens and not session.sealed:
        return outcome
    try:
        return await offload.REGISTRATION.run(outcome.bytes, _sealed, outcome, tool, session, fields, tokens)
    except Exception as fault:  # data from a server can make a parser fail in any way
        log.exception("an answer of %s.%s cannot be sealed", tool.server, tool.name)
        unread = Fault("The answer could not be sealed, so it is withheld.", "", type(fault).__name__)
        return Outcome(outcome.call_id, ok=False, fault=unread, ms=outcome.ms, bytes=outcome.bytes)


def sealed_values_hint(session: Session) -> str:
    """Return a hint about sealed tools that the agent was not told of before."""
    fresh = [name for name, told in session.sealed_tools.items() if not told]
    session.sealed_tools.update(dict.fromkeys(fresh, True))
    return _HINT.format(" and ".join(fresh)) if fresh else ""


def answer_about_sealed_values(session: Session, params: JsonObject) -> JsonValue:
    """Answer a program's request about values that it holds as tokens."""
    values = params.get("values")
    if not isinstance(values, list) or not all(isinstance(one, str | int | float) for one in values):
        raise WorkbenchError(
            "Sealed values are queried with tokens or texts.", 'Example: domain_of(customer["email"]).'
        )
    read = [_read(session.vault, str(one)) for one in values]
    if any(not kind for kind, _ in read) and any(kind for kind, _ in read):
        session.guesses += 1
        if session.guesses > _MOST_GUESSES:
            words = f"Tokens were compared with texts {_MOST_GUESSES} times in this session, which is the limit."
            raise WorkbenchError(words, _ENOUGH)
    return operate(str(params.get("operation", "")), read)


def _read(vault: Vault, text: str) -> tuple[str, str]:
    """Return kind and value of a token; an empty kind and the text itself for any other text."""
    if LOOKALIKE.fullmatch(text.strip()):
        return normalize_token(text.strip()).rpartition("_")[0], vault.reveal(text)
    if "_" in text and LOOKALIKE.search(text):
        raise WorkbenchError("The text contains a token and other text.", "Pass one token alone.")
    return "", text


def _sealed(outcome: Outcome, tool: Tool, session: Session, fields: Sequence[str], tokens: Sequence[str]) -> Outcome:
    sealed, veil = session.sealed, TokenSubstitution(session.vault, tokens)

    def seal_value(value: JsonValue) -> JsonValue:
        return sealed.veil(sealed.seal(value, fields, tool.server) if fields else value, veil)

    def seal_text(text: str) -> str:
        return str(sealed.veil(sealed.seal_text(text) if fields else text, veil))

    read = _reader(seal_value, seal_text)
    structured = (
        json.dumps(seal_value(json.loads(outcome.structured)), ensure_ascii=False) if outcome.structured else ""
    )
    content = tuple(_block(block, read, seal_text, closed=bool(fields)) for block in outcome.content)
    fault = outcome.fault
    if fault is not None:
        fault = replace(fault, message=read(fault.message), hint=read(fault.hint), detail=read(fault.detail))
    return replace(outcome, structured=structured, content=content, fault=fault)


def _reader(seal_value: Callable[[JsonValue], JsonValue], seal_text: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that seals a text: JSON by its fields, other text as a whole."""

    def read(text: str) -> str:
        if text.lstrip()[:1] not in ("{", "["):
            return seal_text(text)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return seal_text(text)
        return json.dumps(seal_value(value), ensure_ascii=False)

    return read


def _block(block: Content, read: Callable[[str], str], seal_text: Callable[[str], str], *, closed: bool) -> Content:
    """Seal a part of an answer. Bytes from a sealed tool are withheld, because values in them cannot be replaced."""
    if closed and block.data:
        size = len(block.data) * 3 // 4
        return Content("text", f"[{block.mime or block.kind}, {size:,} bytes: withheld, because its tool is sealed]")
    words = {name: seal_text(getattr(block, name)) for name in ("uri", "name", "note") if getattr(block, name)}
    return replace(block, text=read(block.text), **words)
