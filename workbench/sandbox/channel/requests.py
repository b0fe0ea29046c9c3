"""Checks the requests and end frames of a program, and encodes answers to requests."""

from __future__ import annotations

import logging
from typing import Any

from workbench.sandbox.channel.frames import BULKY, Bulk, FrameFault, encode, pack, pack_bulk, read_json, written
from workbench.sandbox.program import Answered, JsonText, ToolFailure

log = logging.getLogger(__name__)

# characters of a call's arguments: parsing and checking more would block the event loop for too long
LARGEST_ARGUMENTS = 8 << 20

_MOST_MEMORY = 1 << 30  # megabytes, above the memory of any machine


def insert_bulk_arguments(
    what: str, wish: dict[str, Any], bulk: Bulk
) -> ToolFailure | None:  # Any: the answer checks it
    """Add the long value of a bulk frame to the request. Returns a failure if the value is too long to parse."""
    if what != "call" or not bulk.is_json:
        raise FrameFault("an unexpected bulk frame")
    if len(bulk.text) > LARGEST_ARGUMENTS:
        words = (
            f"The arguments of this call have {len(bulk.text):,} characters; at most {LARGEST_ARGUMENTS:,} are allowed."
        )
        return ToolFailure(f"{words} Write them to a file and pass its path, or split the call.", "too_large")
    wish["arguments"] = read_json(bulk.text)
    return None


def failure_of(fault: Exception) -> ToolFailure:
    if isinstance(fault, ToolFailure):
        return fault
    log.error("a request of the sandbox could not be answered", exc_info=fault)
    return ToolFailure(f"Internal error of the workbench: {fault}", "internal")


def answer_frame(number: int, found: Answered | ToolFailure) -> bytes:
    if isinstance(found, ToolFailure):
        return encode({"kind": "answer", "id": number, "error": _error_fields(found)})
    if isinstance(found, str) and len(found) > BULKY:
        return pack_bulk({"kind": "answer", "id": number}, found, is_json=False)
    answer = found if isinstance(found, JsonText) else JsonText(written(found))
    about = {name: fact for name, fact in (("shape", answer.shape), ("tokens", answer.tokens)) if fact}
    if len(answer.text) > BULKY:
        return pack_bulk({"kind": "answer", "id": number, **about}, answer.text, is_json=True)
    told = "".join(f',"{name}":{written(fact)}' for name, fact in about.items())
    return pack(f'{{"kind":"answer","id":{number}{told},"value":{answer.text}}}')


def _error_fields(failure: ToolFailure) -> dict[str, Any]:  # Any: JSON
    return {
        "message": failure.message,
        "code": failure.code,
        "valid_parameters": list(failure.valid_parameters),
        "suggestions": list(failure.suggestions),
        "hint": failure.hint,
    }


def checked_end(frame: dict[str, Any]) -> dict[str, Any]:  # Any: checked here
    texts = {name: frame.get(name, "") for name in ("result", "error_type", "message", "traceback")}
    if (bulk := frame.get("bulk")) is not None:
        if not bulk.is_json:
            raise FrameFault("a result that is not JSON")
        texts["result"] = bulk.text
    if type(frame.get("ok")) is not bool or not all(isinstance(text, str) for text in texts.values()):
        raise FrameFault("an end frame with missing or invalid fields")
    if texts["result"]:
        read_json(texts["result"], deepest=0)
    memory = frame.get("memory_mb", 0.0)
    known = isinstance(memory, float) and 0 <= memory < _MOST_MEMORY
    return {"ok": frame["ok"], "memory_mb": memory if known else 0.0, **texts}
