"""Requests for input in place of an answer: answered, repeated, and limited in number."""

from __future__ import annotations

import asyncio

import pytest
from mcp.shared.exceptions import MCPError

from workbench.records import JsonObject
from workbench.servers.sdk_adapter.input_rounds import settle
from workbench.servers.server_faults import ServerFault


def question(**requests: object) -> JsonObject:
    return {"resultType": "input_required", "inputRequests": requests, "requestState": "s1"}


NAME = {"method": "elicitation/create", "params": {"message": "Who?"}}


async def ask(method: str, params: JsonObject) -> JsonObject:
    return {"action": "accept", "content": {"to": params.get("message", method)}}


async def test_an_answer_is_an_answer() -> None:
    async def never(added: JsonObject) -> JsonObject:
        raise AssertionError

    assert await settle({"content": []}, ask, never) == {"content": []}


async def test_questions_are_answered_under_their_keys_and_the_state_comes_back_as_it_was() -> None:
    sent: list[JsonObject] = []

    async def send(added: JsonObject) -> JsonObject:
        sent.append(added)
        return {"content": "done"} if len(sent) == 2 else {"resultType": "input_required", "requestState": "s2"}

    assert await settle(question(a=NAME, b={"method": "roots/list"}), ask, send) == {"content": "done"}
    answers = {
        "a": {"action": "accept", "content": {"to": "Who?"}},
        "b": {"action": "accept", "content": {"to": "roots/list"}},
    }
    assert sent == [{"inputResponses": answers, "requestState": "s1"}, {"requestState": "s2"}]


async def test_questions_without_an_end_end() -> None:
    rounds: list[JsonObject] = []

    async def send(added: JsonObject) -> JsonObject:
        rounds.append(added)
        return question(a=NAME)

    with pytest.raises(ServerFault, match="10 times"):
        await settle(question(a=NAME), ask, send)
    assert len(rounds) == 10


async def test_a_refusal_ends_the_call() -> None:
    async def refuse(method: str, params: JsonObject) -> JsonObject:
        raise MCPError(-1, "not now")

    with pytest.raises(ServerFault, match="received none: not now"):
        await settle(question(a=NAME), refuse, ask)  # type: ignore[arg-type]  # never sent again


@pytest.mark.parametrize("asked", [["a"], 7, {"a": "b"}, {"a": {"method": 5}}, {str(n): NAME for n in range(100)}])
async def test_odd_questions_are_a_fault_and_not_a_crash(asked: object) -> None:
    async def send(added: JsonObject) -> JsonObject:
        raise AssertionError

    with pytest.raises(ServerFault):
        await settle({"resultType": "input_required", "inputRequests": asked}, ask, send)


async def test_all_questions_of_a_round_are_open_at_once_and_one_refusal_takes_the_rest_back() -> None:
    asked: list[str] = []
    taken_back: list[str] = []

    async def wait(method: str, params: JsonObject) -> JsonObject:
        asked.append(method)
        if len(asked) == 2:
            raise MCPError(-1, "No.")
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            taken_back.append(method)

    with pytest.raises(ServerFault, match="No"):
        await settle(question(a=NAME, b={"method": "sampling/createMessage"}), wait, ask)  # type: ignore[arg-type]
    assert asked == ["elicitation/create", "sampling/createMessage"]
    assert taken_back == ["elicitation/create"]
