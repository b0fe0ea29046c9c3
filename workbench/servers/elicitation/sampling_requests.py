"""Validates a server's sampling request, and the user's answer in place of a model."""

from __future__ import annotations

import json
from collections.abc import Mapping

from workbench.records import JsonObject, JsonValue

LONGEST_REQUEST = 1_000_000  # characters of JSON
MOST_MESSAGES = 500
LONGEST_ANSWER = 1_000_000  # characters of JSON
_BLOCKS = {"text": "text", "image": "data", "audio": "data"}


def flaw(params: JsonObject) -> str:
    """Why a request cannot be shown to a person, as a sentence; empty when it can."""
    messages = params.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, Mapping) for one in messages):
        return "messages must be a list of messages."
    if len(messages) > MOST_MESSAGES:
        return f"At most {MOST_MESSAGES} messages are shown to a person."
    tools = params.get("tools", [])
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) and "name" in tool for tool in tools):
        return "tools must be a list of tools."
    if len(json.dumps(params, ensure_ascii=False)) > LONGEST_REQUEST:
        return f"A request has at most {LONGEST_REQUEST:,} characters."
    return ""


def faults(request: JsonObject, answer: JsonValue) -> tuple[str, ...]:
    """What is wrong with an answer, in sentences."""
    if not isinstance(answer, Mapping):
        return ("The answer must be an object.",)
    if answer.get("role") not in ("assistant", "user"):
        return ("The role must be assistant or user.",)
    if not isinstance(answer.get("model"), str) or not answer["model"].strip():
        return ("The answer must name a model.",)
    if not isinstance(answer.get("stopReason", ""), str):
        return ("The reason to stop must be a text.",)
    if len(json.dumps(answer, ensure_ascii=False)) > LONGEST_ANSWER:
        return (f"The answer has more than {LONGEST_ANSWER:,} characters.",)
    content = answer.get("content")
    blocks = content if isinstance(content, list) else [content]
    if isinstance(content, list) and not request.get("tools"):
        return ("A request without tools is answered with one block.",)
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
        return "A use of a tool needs an id and an object as input."
    return ""
