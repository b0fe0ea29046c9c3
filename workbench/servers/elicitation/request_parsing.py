"""Parses a server's request into an `Ask` or a refusal, and the user's answer into the response."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from workbench.errors import WorkbenchError
from workbench.records import Ask, JsonObject, JsonValue
from workbench.servers.elicitation import form_schema, link_warnings, sampling_requests
from workbench.servers.elicitation.refusal import INVALID_PARAMS, METHOD_NOT_FOUND, REJECTED, ElicitationRefusal

FORM, URL, SAMPLING = "form", "url", "sampling"
LONGEST_MESSAGE = 8_000  # characters; the rest is cut and said to be
ACTIONS = ("accept", "decline", "cancel")


def read(ask_id: str, server: str, method: str, params: JsonObject) -> Ask:
    """The question as a person can be shown it."""
    if method == "sampling/createMessage":
        return _sampling(ask_id, server, params)
    if method != "elicitation/create":
        raise ElicitationRefusal(METHOD_NOT_FOUND, f"This client does not answer {method:.80}.")
    if params.get("mode", "form") == "url":
        return _url(ask_id, server, params)
    return _form(ask_id, server, params)


def answered(ask: Ask, action: str, content: str) -> JsonObject | ElicitationRefusal:
    """What the server gets for a person's answer; raises WorkbenchError when that is no answer to the question."""
    if action not in ACTIONS:
        raise WorkbenchError(f"There is no answer {action!r:.40}.", "Accept, decline or cancel.")
    value = _parsed(content)
    if ask.kind == SAMPLING:
        return _sampled(ask, action, value)
    if action != "accept":
        return {"action": action}
    return {"action": "accept"} if ask.kind == URL else _filled(ask, value)


def withdrawn(ask: Ask) -> JsonObject | ElicitationRefusal:
    """What the server gets when nobody answered in time."""
    return ElicitationRefusal(REJECTED, "Nobody answered in time.") if ask.kind == SAMPLING else {"action": "cancel"}


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
    if words := sampling_requests.flaw(params):
        raise ElicitationRefusal(INVALID_PARAMS, words)
    shown = {key: value for key, value in params.items() if key != "_meta"}
    return Ask(ask_id, server, SAMPLING, request=json.dumps(shown, ensure_ascii=False))


def _message(params: JsonObject) -> str:
    text = params.get("message")
    if not isinstance(text, str):
        raise ElicitationRefusal(INVALID_PARAMS, "A question needs a message.")
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
    _check(sampling_requests.faults(json.loads(ask.request), value))
    return dict(value)


def _check(faults: tuple[str, ...]) -> None:
    if faults:
        raise WorkbenchError(faults[0], "Nothing was sent; correct it and send it again.")


def _parsed(content: str) -> JsonValue:
    try:
        return json.loads(content, parse_constant=_no_number) if content else {}
    except (ValueError, RecursionError) as fault:
        raise WorkbenchError(f"The answer is no JSON: {fault}.", "Nothing was sent.") from fault


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


_NO: Final[Mapping[str, str]] = {"decline": "The user declined to answer.", "cancel": "The user dismissed the request."}
