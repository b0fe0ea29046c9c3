"""Sends tool calls over pipes without the SDK's dispatcher: one line out, one line in.

WORKAROUND(the dispatcher takes five tasks and two validations for each call, mcp > 2.3). Measured with 2.3.0 on the
demo server: 115 instead of 305 us of CPU and 0.3 instead of 0.7 ms for one call; a program makes thousands. A test in
`tests/servers/test_plain_sdk.py` compares both. Everything else, and every line that is not clearly the answer to such
a call, goes through the SDK. Request ids start above the range that the SDK uses.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.records import JsonObject
from workbench.servers.sdk_adapter.protocol_negotiation import CLOSED

log = logging.getLogger(__name__)

FIRST = 1_000_000_000  # fits into 32 bits, the number range of some servers
_LOGGED = "notifications/message"
_LOG = f'"{_LOGGED}"'.encode()
_BEGINNING = 80  # bytes at the start of a line that identify a message that is not an answer
_written = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_decoded = json.JSONDecoder().decode


class UnwritableRequest(Exception):
    """Raised for a message that is not plain JSON; the SDK may be able to write it."""


class Heard(Protocol):
    """Receives the progress of a request."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None: ...


@dataclass(slots=True)
class _Waiting:
    answer: asyncio.Future[dict[str, Any]]  # Any: untrusted JSON
    heard: Heard | None


class FastToolCalls:
    """Tool calls that wait for their answer lines. `write` sends a line; `drained` waits until a slow
    server has room."""

    def __init__(self, write: Callable[[bytes], None], drained: Callable[[], Any]) -> None:  # Any: an awaitable
        self._write = write
        self._drained = drained
        self._waiting: dict[int, _Waiting] = {}
        self._numbers = itertools.count(FIRST)
        self._closed = False
        self.on_log: Callable[[str, JsonObject], None] | None = None  # receives the server's log messages

    async def request(self, method: str, params: JsonObject, heard: Heard | None) -> dict[str, Any]:  # Any: as above
        """Send a request and return the raw result. Raises MCPError, or UnwritableRequest before anything was sent."""
        number = next(self._numbers)
        if heard is not None:
            params = {**params, "_meta": {**(params.get("_meta") or {}), "progressToken": number}}
        try:
            line = _line({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        except (TypeError, ValueError, RecursionError) as fault:
            raise UnwritableRequest(str(fault)) from fault
        if self._closed:
            raise _closed()
        waiting = self._waiting[number] = _Waiting(asyncio.get_running_loop().create_future(), heard)
        try:
            self._write(line)
            await self._drained()
            return await waiting.answer
        except asyncio.CancelledError:
            self._cancel(number)
            raise
        except OSError:
            raise _closed() from None
        finally:
            self._waiting.pop(number, None)
            if waiting.answer.done() and not waiting.answer.cancelled():
                waiting.answer.exception()  # retrieved, so that asyncio does not log it

    def take(self, line: bytes) -> bool:
        """Handle a line that answers one of these calls or is a log message. Returns false for every other or irregular
        line, which the SDK handles."""
        beginning = line[:_BEGINNING]
        if b'"method"' in beginning:
            return _LOG in beginning and self._hear(_read(line))
        if not self._waiting:
            return False
        message = _read(line)
        waiting = self._waiting.get(message.get("id")) if _is_answer(message) else None
        return waiting is not None and self.settle(message["id"], message.get("result"), message.get("error"))

    def settle(self, number: object, result: object, error: object) -> bool:
        """Deliver an answer, whichever code parsed it."""
        waiting = self._waiting.get(number) if type(number) is int else None
        if waiting is None or waiting.answer.done():
            return False
        if isinstance(result, dict):
            waiting.answer.set_result(result)
        elif isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str):
            waiting.answer.set_exception(_refusal(error["code"], error["message"], error.get("data")))
        else:
            return False
        return True

    def _hear(self, message: Any) -> bool:  # Any: as above
        """Handle a log message; many servers send one with each call. Returns false for other messages."""
        plain = isinstance(message, dict) and message.keys() == {"jsonrpc", "method", "params"}
        if self.on_log is None or not plain or message["method"] != _LOGGED or not isinstance(message["params"], dict):
            return False
        self.on_log(_LOGGED, message["params"])
        return True

    async def progress(self, params: object) -> bool:
        """Handle a progress notification. Returns whether it belongs to one of these calls."""
        if not isinstance(params, dict) or type(token := params.get("progressToken")) is not int:
            return False
        waiting, done, total, words = self._waiting.get(token), *map(params.get, ("progress", "total", "message"))
        if waiting is None:
            return False
        if waiting.heard is not None and isinstance(done, int | float):
            number = float(total) if isinstance(total, int | float) else None
            await waiting.heard(float(done), number, words if isinstance(words, str) else None)
        return True

    def close(self) -> None:
        """Fail all waiting requests, because no answer will come."""
        self._closed = True
        for waiting in self._waiting.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(_closed())

    def _cancel(self, number: int) -> None:
        """Send a cancellation; a server that is gone needs none."""
        told = {"requestId": number, "reason": "caller cancelled"}
        if not self._closed:
            self._write(_line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": told}))


def _read(line: bytes) -> Any:  # Any: untrusted JSON
    """Parse a line. Returns None for invalid JSON and for lone surrogates, which the SDK's code path handles."""
    if b"\\ud" in line or b"\\uD" in line:
        return None
    try:
        return _decoded(str(line, "utf-8"))
    except (ValueError, RecursionError):
        return None


def _is_answer(message: Any) -> bool:  # Any: untrusted JSON
    return isinstance(message, dict) and "method" not in message and type(message.get("id")) is int


def _line(message: dict[str, Any]) -> bytes:  # Any: JSON
    return _written(message).encode()


def _closed() -> Exception:
    return _refusal(CLOSED, "Connection closed", None)


def _refusal(code: int, message: str, data: object) -> Exception:
    from mcp.shared.exceptions import MCPError

    return MCPError(code=code, message=message, data=data)
