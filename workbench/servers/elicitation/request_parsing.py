"""Parses elicitation and sampling requests of servers into an `Ask` or a refusal, and checks the user's answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from workbench.errors import WorkbenchError
from workbench.records import Ask, JsonObject, JsonValue
from workbench.servers.elicitation import form_schema, link_warnings

INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
NOT_NOW = -32600  # no user is present, or too many requests are open
REJECTED = -1  # the user refused sampling; the protocol's examples use this code


class ElicitationRefusal(Exception):
    """A refusal of a server's request, with the JSON-RPC error code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


FORM, URL, SAMPLING = "form", "url", "sampling"
LONGEST_MESSAGE = 8_000  # characters; a longer message is cut with a note
ACTIONS = ("accept", "decline", "cancel")


def read(ask_id: str, server: str, method: str, params: JsonObject) -> Ask:
    """Parse a request into the form that the user is shown."""
    if method == "sampling/createMessage":
        return _sampling(ask_id, server, params)
    if method != "elicitation/create":
        raise ElicitationRefusal(METHOD_NOT_FOUND, f"This client does not support {method:.80}.")
    if params.get("mode", "form") == "url":
        return _url(ask_id, server, params)
    return _form(ask_id, server, params)


def response_to(ask: Ask, action: str, content: str) -> JsonObject | ElicitationRefusal:
    """Build the response to the server for the user's answer. Raises WorkbenchError when the answer does not fit the
    request."""
    if action not in ACTIONS:
        raise WorkbenchError(f"{action!r:.40} is not a valid answer.", "Use accept, decline or cancel.")
    value = _parsed(content)
    if ask.kind == SAMPLING:
        return _sampled(ask, action, value)
    if action != "accept":
        return {"action": action}
    return {"action": "accept"} if ask.kind == URL else _filled(ask, value)


def response_without_answer(ask: Ask) -> JsonObject | ElicitationRefusal:
    """Build the response to the server when the user did not answer in time."""
    return (
        ElicitationRefusal(REJECTED, "The user did not answer in time.")
        if ask.kind == SAMPLING
        else {"action": "cancel"}
    )


def _form(ask_id: str, server: str, params: JsonObject) -> Ask:
    schema = params.get("requestedSchema", {})
    if words := form_schema.flaw(schema):
        raise ElicitationRefusal(INVALID_PARAMS, words)
    return Ask(ask_id, server, FORM, _message(params), schema=json.dumps(schema, ensure_ascii=False))


def _url(ask_id: str, server: str, params: JsonObject) -> Ask:
    try:
        found = link_warnings.look(str(params.get("url", "")))
    except ValueError as fault:
        raise ElicitationRefusal(INVALID_PARAMS, str(fault)) from fault
    return Ask(
        ask_id, server, URL, _message(params), url=found.url, host=found.host, host_shown=found.shown,
        warnings=found.warnings,
    )  # fmt: skip


def _sampling(ask_id: str, server: str, params: JsonObject) -> Ask:
    if words := sampling_request_flaw(params):
        raise ElicitationRefusal(INVALID_PARAMS, words)
    shown = {key: value for key, value in params.items() if key != "_meta"}
    return Ask(ask_id, server, SAMPLING, request=json.dumps(shown, ensure_ascii=False))


def _message(params: JsonObject) -> str:
    text = params.get("message")
    if not isinstance(text, str):
        raise ElicitationRefusal(INVALID_PARAMS, "A request for input needs a message.")
    rest = len(text) - LONGEST_MESSAGE
    return text if rest <= 0 else f"{text[:LONGEST_MESSAGE]}… ({rest:,} more characters)"


def _filled(ask: Ask, value: JsonValue) -> JsonObject:
    _check(form_schema.faults(json.loads(ask.schema), value))
    return {"action": "accept", "content": dict(value)}


def _sampled(ask: Ask, action: str, value: JsonValue) -> JsonObject | ElicitationRefusal:
    if action != "accept":
        reason = value.get("reason") if isinstance(value, Mapping) else ""
        words = reason.strip() if isinstance(reason, str) else ""
        return ElicitationRefusal(REJECTED, words[:1_000] or _NO[action])
    _check(sampling_answer_faults(json.loads(ask.request), value))
    return dict(value)


def _check(faults: tuple[str, ...]) -> None:
    if faults:
        raise WorkbenchError(faults[0], "Correct the answer and send it again; nothing was sent.")


def _parsed(content: str) -> JsonValue:
    try:
        return json.loads(content, parse_constant=_no_number) if content else {}
    except (ValueError, RecursionError) as fault:
        raise WorkbenchError(
            f"The answer is not valid JSON: {fault}.", "Correct it and send it again; nothing was sent."
        ) from fault


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


_NO: Final[Mapping[str, str]] = {"decline": "The user declined to answer.", "cancel": "The user dismissed the request."}


LONGEST_REQUEST = 1_000_000  # characters of JSON
MOST_MESSAGES = 500
LONGEST_ANSWER = 1_000_000  # characters of JSON
_BLOCKS = {"text": "text", "image": "data", "audio": "data"}


def sampling_request_flaw(params: JsonObject) -> str:
    """Explain why a request cannot be shown to the user; "" when it can."""
    messages = params.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, Mapping) for one in messages):
        return "messages must be a list of objects."
    if len(messages) > MOST_MESSAGES:
        return f"A request may have at most {MOST_MESSAGES} messages."
    tools = params.get("tools", [])
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) and "name" in tool for tool in tools):
        return "tools must be a list of objects with a name."
    if len(json.dumps(params, ensure_ascii=False)) > LONGEST_REQUEST:
        return f"A request may have at most {LONGEST_REQUEST:,} characters."
    return ""


def sampling_answer_faults(request: JsonObject, answer: JsonValue) -> tuple[str, ...]:
    """Return a sentence for each fault of an answer."""
    if not isinstance(answer, Mapping):
        return ("The answer must be an object.",)
    if answer.get("role") not in ("assistant", "user"):
        return ("The role must be assistant or user.",)
    if not isinstance(answer.get("model"), str) or not answer["model"].strip():
        return ("The answer must name a model.",)
    if not isinstance(answer.get("stopReason", ""), str):
        return ("The stop reason must be text.",)
    if len(json.dumps(answer, ensure_ascii=False)) > LONGEST_ANSWER:
        return (f"The answer has more than {LONGEST_ANSWER:,} characters.",)
    content = answer.get("content")
    blocks = content if isinstance(content, list) else [content]
    if isinstance(content, list) and not request.get("tools"):
        return ("The answer to a request without tools must be a single block.",)
    return tuple(words for block in blocks if (words := _block_fault(request, block)))


def _block_fault(request: JsonObject, block: JsonValue) -> str:
    if not isinstance(block, Mapping):
        return "A block of the answer must be an object."
    kind = str(block.get("type"))
    if kind == "tool_use":
        return _use_fault(request, block)
    if kind not in _BLOCKS:
        return f"A block of type {kind:.40} cannot be sent."
    return "" if isinstance(block.get(_BLOCKS[kind]), str) else f"A block of type {kind} needs {_BLOCKS[kind]}."


def _use_fault(request: JsonObject, block: JsonObject) -> str:
    names = [tool["name"] for tool in request.get("tools") or []]
    if block.get("name") not in names:
        return "The answer uses a tool that was not offered."
    if not isinstance(block.get("id"), str) or not isinstance(block.get("input"), Mapping):
        return "A tool use needs an id and an object as input."
    return ""
