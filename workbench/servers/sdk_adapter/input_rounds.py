"""Answers requests for input that a server sends in place of a result (protocol 2026-07-28), and repeats the request.

WORKAROUND(the SDK's driver is part of the typed client and has no limit for the requests of one round, mcp > 2.3): see
`tests/servers/test_plain_sdk.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from workbench.events import spawn
from workbench.records import JsonObject
from workbench.servers.server_faults import ServerFault

_ROUNDS = 10
_QUESTIONS = 32  # requests in one round
_PAUSE, _LONGEST_PAUSE = 0.05, 0.25  # seconds before a repetition without an input request

Ask = Callable[[str, JsonObject], Awaitable[JsonObject]]
Send = Callable[[JsonObject], Awaitable[JsonObject]]  # repeats the request with these parameters added


async def settle(raw: JsonObject, ask: Ask, send: Send) -> JsonObject:
    """Answer requests for input until the server returns a result. Raises ServerFault when it never does."""
    from mcp.shared.exceptions import MCPError

    pause = _PAUSE
    for _ in range(_ROUNDS):
        if raw.get("resultType") != "input_required":
            return raw
        added: dict[str, object] = {}
        if (questions := _questions(raw)) is not None:
            try:
                added["inputResponses"] = await _answers(questions, ask)
            except MCPError as fault:
                raise ServerFault(f"The server requested input and received none: {fault.message:.300}") from fault
        else:
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        if isinstance(state := raw.get("requestState"), str):
            added["requestState"] = state
        raw = await send(added)
    if raw.get("resultType") != "input_required":
        return raw
    raise ServerFault(f"The server requested input {_ROUNDS} times and returned no result.")


async def _answers(questions: Mapping[str, tuple[str, JsonObject]], ask: Ask) -> dict[str, JsonObject]:
    """Answer all requests of a round. All are shown to the user at once; a refusal withdraws the others."""
    asking = {key: spawn(f"question {key:.40}", _answer(ask, *question)) for key, question in questions.items()}
    try:
        for answered in asyncio.as_completed(asking.values()):
            if isinstance(answer := await answered, Exception):
                raise answer
        return {key: one.result() for key, one in asking.items()}
    finally:
        for one in asking.values():
            one.cancel()
        await asyncio.gather(*asking.values(), return_exceptions=True)


async def _answer(ask: Ask, method: str, params: JsonObject) -> JsonObject | Exception:
    """Answer one request. A refusal is returned as a value, so that the others are withdrawn before it is raised."""
    from mcp.shared.exceptions import MCPError

    try:
        return await ask(method, params)
    except MCPError as fault:
        return fault


def _questions(raw: JsonObject) -> dict[str, tuple[str, JsonObject]] | None:
    asked = raw.get("inputRequests")
    if not asked:
        return None
    if not isinstance(asked, Mapping) or len(asked) > _QUESTIONS:
        raise ServerFault("The server requested input in a form that the protocol does not define.")
    questions = {}
    for key, question in asked.items():
        method = question.get("method") if isinstance(question, Mapping) else None
        if not isinstance(method, str):
            raise ServerFault("The server sent a request for input without a method.")
        params = question.get("params")
        questions[key] = (method, params if isinstance(params, Mapping) else {})
    return questions
