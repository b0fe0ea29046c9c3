"""Requests from the demo server to its client during a call: elicitation and sampling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from workbench.demo.tool import Json, Refused

_NEEDS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling"}
_here: ContextVar[DemoElicitation] = ContextVar("asking")


class DemoElicitation:
    """Open elicitation and sampling requests of one connection."""

    def __init__(self, write: Callable[[Json], None]) -> None:
        self._write = write
        self._open: dict[str, asyncio.Future[Json]] = {}
        self._count = 0
        self._client: Json = {}  # the client's capabilities

    def meet(self, params: Json) -> None:
        """Store the capabilities that the client sends in `initialize`."""
        found = params.get("capabilities")
        self._client = found if isinstance(found, dict) else {}

    def hear(self, message: Json) -> bool:
        """Handle a response of the client. Returns false for any other message. A response without an open request is
        dropped."""
        if "method" in message or "id" not in message or not {"result", "error"} & message.keys():
            return False
        waiting = self._open.pop(str(message["id"]), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)
        return True

    @contextmanager
    def here(self) -> Iterator[None]:
        """Context in which tools send their requests through this connection."""
        before = _here.set(self)
        try:
            yield
        finally:
            _here.reset(before)

    async def ask(self, method: str, params: Json) -> Json:
        if _NEEDS[method] not in self._client:
            raise Refused(f"This client does not support {_NEEDS[method]}, which the tool needs.")
        self._count += 1
        number = f"ask-{self._count}"
        waiting = self._open[number] = asyncio.get_running_loop().create_future()
        self._write({"id": number, "method": method, "params": params})
        try:
            answer = await waiting
        except asyncio.CancelledError:
            self._open.pop(number, None)
            self._write({"method": "notifications/cancelled", "params": {"requestId": number}})
            raise
        if "error" in answer:
            raise Refused(f"The client refused the request: {answer['error'].get('message', 'no reason was given')}")
        result = answer.get("result")
        return result if isinstance(result, dict) else {}


async def fill_in(message: str, schema: Json) -> Json:
    """Send a form elicitation and return the content. Raises Refused when the user declines or cancels."""
    answer = await _here.get().ask(
        "elicitation/create", {"mode": "form", "message": message, "requestedSchema": schema}
    )
    if answer.get("action") != "accept" or not isinstance(answer.get("content"), dict):
        raise Refused(f"Nothing was planned, because the form was not accepted: {answer.get('action', 'no answer')}.")
    found: Json = answer["content"]
    return found


async def say(system: str, words: str, longest: int) -> Json:
    """Send a sampling request and return the result."""
    message = {"role": "user", "content": {"type": "text", "text": words}}
    wish = {"systemPrompt": system, "messages": [message], "maxTokens": longest}
    return await _here.get().ask("sampling/createMessage", wish)
