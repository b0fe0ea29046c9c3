"""What a raw message is: request, answer or notice; its method, its id, what it is about. Strangers wrote it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

_PARSED = 1 << 18  # bytes up to which a message is parsed; of longer ones both ends are looked at
_END = 600
_ABOUT = 120  # characters
_NAMES = ("name", "uri", "message", "level", "requestId", "progressToken")  # what says most about a request, in order
_METHOD = re.compile(rb'"method"\s*:\s*"([^"\\]{1,200})"')
_ID = re.compile(rb'"id"\s*:\s*(\d{1,15}|"[^"\\]{1,200}")')


@dataclass(frozen=True, slots=True)
class Label:
    """The words of one row in a list of messages."""

    kind: str = ""
    method: str = ""
    id: str = ""
    about: str = ""


def label(data: bytes) -> Label:
    """What the message is, as far as it can be told."""
    if len(data) > _PARSED:
        return _glance(data)
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        return _glance(data)  # only its beginning was kept
    if isinstance(message, list):
        return Label("batch", about=f"{len(message)} messages")
    return _read(message) if isinstance(message, Mapping) else Label()


def _read(message: Mapping[str, object]) -> Label:
    number = json.dumps(message["id"])[:200] if message.get("id") is not None else ""
    if isinstance(method := message.get("method"), str):
        return Label("request" if number else "notice", method[:200], number, _subject(message.get("params")))
    if (error := message.get("error")) is not None:
        return Label("error", "", number, _error(error))
    result = message.get("result")
    if isinstance(result, Mapping) and result.get("isError") is True:
        return Label("error", "", number, _first_text(result.get("content")))
    return Label("answer", "", number)


def _glance(data: bytes) -> Label:
    """A long message is an answer or a call with long arguments; its ends say which."""
    head, tail = data[:_END], data[-_END:]
    number = _ID.search(head) or _ID.search(tail)
    shown = number[1].decode("utf-8", "replace") if number else ""
    if b'"result"' in head:
        return Label("answer", "", shown)
    if b'"error"' in head:
        return Label("error", "", shown)
    if method := _METHOD.search(head) or _METHOD.search(tail):
        return Label("request" if shown else "notice", method[1].decode("utf-8", "replace"), shown)
    return Label()


def _subject(params: object) -> str:
    if not isinstance(params, Mapping):
        return ""
    for name in _NAMES:
        if isinstance(value := params.get(name), str | int) and not isinstance(value, bool):
            return str(value)[:_ABOUT]
    return ""


def _error(error: object) -> str:
    if not isinstance(error, Mapping):
        return ""
    message, code = error.get("message"), error.get("code")
    words = message[:_ABOUT] if isinstance(message, str) else ""
    return f"{code} {words}".strip() if isinstance(code, int) else words


def _first_text(content: object) -> str:
    first = content[0] if isinstance(content, list) and content else None
    words = first.get("text") if isinstance(first, Mapping) else None
    return words[:_ABOUT] if isinstance(words, str) else ""
