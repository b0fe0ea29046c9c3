"""Converts raw answers about resources, prompts and completions into records; what breaks the protocol is shown."""

from __future__ import annotations

import json
from collections.abc import Mapping

from workbench import tokens
from workbench.records import Completion, Content, JsonObject, Outcome, PromptAnswer, PromptMessage
from workbench.servers import call_results

_PARTS = 1_000  # contents or messages of one answer
_VALUES = 100  # proposals of one completion, which is also the protocol's limit
_VALUE = 2_000  # characters of a proposal; a longer one helps nobody
_ROLE = 40
_SLICE = 100_000  # characters counted at a time, so that a thread lets the loop breathe


def resource(call_id: str, raw: JsonObject, ms: float) -> Outcome:
    """What a resource holds."""
    contents = raw.get("contents")
    listed = contents if isinstance(contents, list) else [] if contents is None else [contents]
    content = tuple(_content(one) for one in listed[:_PARTS])
    if len(listed) > _PARTS:
        content = (*content, Content("text", f"… {len(listed) - _PARTS} more parts were left out."))
    size = sum(call_results.size_of(block.text) + call_results.size_of(block.data) for block in content)
    return Outcome(call_id, True, content, ms=ms, bytes=size, tokens=_cost(content))


def prompt(name: str, raw: JsonObject, ms: float) -> PromptAnswer:
    """A prompt with its blanks filled."""
    found = raw.get("messages")
    listed = found if isinstance(found, list) else []
    messages = tuple(_message(one) for one in listed[:_PARTS])
    if len(listed) > _PARTS:
        note = Content("text", f"… {len(listed) - _PARTS} more messages were left out.")
        messages = (*messages, PromptMessage("", note))
    description = raw.get("description")
    text = json.dumps(call_results.finite(raw), ensure_ascii=False)
    return PromptAnswer(
        name,
        description if isinstance(description, str) else "",
        messages,
        raw=text,
        ms=ms,
        bytes=call_results.size_of(text),
        tokens=_cost(tuple(message.content for message in messages)),
    )


def completion(raw: JsonObject) -> Completion:
    found = raw.get("completion")
    found = found if isinstance(found, Mapping) else {}
    values = found.get("values")
    texts = [one for one in values if isinstance(one, str) and len(one) <= _VALUE] if isinstance(values, list) else []
    total = found.get("total")
    number = total if isinstance(total, int) and not isinstance(total, bool) and 0 < total < 1 << 62 else 0
    return Completion(tuple(dict.fromkeys(texts))[:_VALUES], number, found.get("hasMore") is True)


def _content(raw: object) -> Content:
    """Pictures and sounds are told as what they are, so that they can be shown."""
    if not isinstance(raw, Mapping):
        return Content("text", raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))
    words = {key: raw[key] if isinstance(raw.get(key), str) else "" for key in ("uri", "mimeType", "text", "blob")}
    kind = words["mimeType"].split("/")[0].lower()
    if words["blob"]:
        kind = kind if kind in ("image", "audio") else "resource"
        return Content(kind, "", words["mimeType"], words["blob"], words["uri"])
    if isinstance(raw.get("text"), str):
        return Content("text", words["text"], words["mimeType"], uri=words["uri"])
    return Content("text", json.dumps(raw, ensure_ascii=False), uri=words["uri"])


def _message(raw: object) -> PromptMessage:
    if not isinstance(raw, Mapping):
        return PromptMessage("", call_results.read_block(raw))
    role = raw.get("role")
    return PromptMessage(role[:_ROLE] if isinstance(role, str) else "", call_results.read_block(raw.get("content")))


def _cost(content: tuple[Content, ...]) -> int:
    """What a model would read of it; pictures are not counted."""
    texts = [block.text for block in content if block.text]
    return sum(tokens.count(text[at : at + _SLICE]) for text in texts for at in range(0, len(text), _SLICE))
