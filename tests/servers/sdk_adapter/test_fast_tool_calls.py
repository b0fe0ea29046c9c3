"""Calls on the fast path: matched by id, with progress, cancellation, and an end in every case."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from workbench.servers.sdk_adapter.fast_tool_calls import FIRST, FastToolCalls, UnwritableRequest


class Pipe:
    """Records written messages; `direct` writes to it."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.fault: OSError | None = None
        self.direct = FastToolCalls(self.lines.append, self.drained)

    async def drained(self) -> None:
        if self.fault is not None:
            raise self.fault

    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    async def asked(self, number: int = 1) -> None:
        while len(self.lines) < number:
            await asyncio.sleep(0)


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


def line(**message: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


async def test_answers_in_any_order_reach_who_asked(pipe: Pipe) -> None:
    calls = [asyncio.ensure_future(pipe.direct.request("tools/call", {"n": n}, None)) for n in range(3)]
    await pipe.asked(3)
    for message in reversed(pipe.sent()):
        assert pipe.direct.take(line(id=message["id"], result={"was": message["params"]["n"]}))
    assert [(await call)["was"] for call in calls] == [0, 1, 2]


async def test_an_error_is_raised_with_code_and_data(pipe: Pipe) -> None:
    call = asyncio.ensure_future(pipe.direct.request("tools/call", {}, None))
    await pipe.asked()
    assert pipe.direct.take(line(id=FIRST, error={"code": -32602, "message": "No.", "data": {"a": 1}}))
    with pytest.raises(MCPError) as caught:
        await call
    assert (caught.value.error.code, caught.value.error.message, caught.value.error.data) == (-32602, "No.", {"a": 1})


@pytest.mark.parametrize(
    "odd",
    [
        b"no JSON",
        b"[]",
        b"7",
        b"[" * 100_000,
        b"\xff",
        line(id=FIRST + 7, result={}),
        line(id=str(FIRST), result={}),
        line(id=float(FIRST), result={}),
        line(id=True, result={}),
        line(id=FIRST),
        line(id=FIRST, result=[1]),
        line(id=FIRST, error="no"),
        line(id=FIRST, error={"code": "x", "message": "m"}),
        line(id=FIRST, method="tools/call", params={}),
        line(id=FIRST, result={"half": "\ud800"}),
        line(method="notifications/message", params={}),
    ],
)
async def test_what_is_odd_is_left_to_the_long_way_and_nobody_gets_it(pipe: Pipe, odd: bytes) -> None:
    call = asyncio.ensure_future(pipe.direct.request("tools/call", {}, None))
    await pipe.asked()
    assert not pipe.direct.take(odd)
    assert not call.done()
    assert pipe.direct.take(line(id=FIRST, result={"ok": 1}))
    assert await call == {"ok": 1}


async def test_a_second_answer_and_one_nobody_waits_for_are_not_ours(pipe: Pipe) -> None:
    call = asyncio.ensure_future(pipe.direct.request("tools/call", {}, None))
    await pipe.asked()
    assert pipe.direct.take(line(id=FIRST, result={"n": 1}))
    assert not pipe.direct.take(line(id=FIRST, result={"n": 2}))
    assert await call == {"n": 1}
    assert not pipe.direct.take(line(id=FIRST, result={"n": 3}))


async def test_who_gives_up_tells_the_server(pipe: Pipe) -> None:
    call = asyncio.ensure_future(pipe.direct.request("tools/call", {}, None))
    await pipe.asked()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    last = pipe.sent()[-1]
    assert (last["method"], last["params"]["requestId"]) == ("notifications/cancelled", FIRST)


async def test_progress_reaches_the_call_it_is_about(pipe: Pipe) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    call = asyncio.ensure_future(pipe.direct.request("tools/call", {"_meta": {"a": 1}}, hear))
    await pipe.asked()
    assert pipe.sent()[0]["params"]["_meta"] == {"a": 1, "progressToken": FIRST}
    assert await pipe.direct.progress({"progressToken": FIRST, "progress": 1, "total": 2, "message": "half"})
    assert await pipe.direct.progress({"progressToken": FIRST, "progress": "much"})
    assert not await pipe.direct.progress({"progressToken": 7, "progress": 1})
    assert not await pipe.direct.progress(None)
    assert heard == [(1.0, 2.0, "half")]
    pipe.direct.close()
    with pytest.raises(MCPError):
        await call


async def test_nobody_waits_for_a_server_that_is_gone(pipe: Pipe) -> None:
    call = asyncio.ensure_future(pipe.direct.request("tools/call", {}, None))
    await pipe.asked()
    pipe.direct.close()
    for one in (call, pipe.direct.request("tools/call", {}, None)):
        with pytest.raises(MCPError, match="closed"):
            await one


async def test_a_pipe_that_breaks_is_a_server_that_is_gone(pipe: Pipe) -> None:
    pipe.fault = BrokenPipeError()
    with pytest.raises(MCPError, match="closed"):
        await pipe.direct.request("tools/call", {}, None)


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800", object()])
async def test_what_is_no_plain_json_is_not_sent(pipe: Pipe, value: object) -> None:
    with pytest.raises(UnwritableRequest):
        await pipe.direct.request("tools/call", {"a": value}, None)
    assert not pipe.lines


async def test_the_log_is_heard_beside_answers_and_nothing_else_is(pipe: Pipe) -> None:
    heard: list[tuple[str, object]] = []
    one = line(method="notifications/message", params={"level": "info", "data": "x"})
    assert not pipe.direct.take(one)
    pipe.direct.on_log = lambda method, params: heard.append((method, params))
    assert pipe.direct.take(one)
    for odd in (
        line(method="notifications/message", params=[1]),
        line(method="notifications/message"),
        line(method="notifications/message", params={}, id=1),
        line(method="notifications/message", params={"data": "\ud800"}),
        line(method="notifications/other", params={"was": "notifications/message"}),
        b'{"jsonrpc":"2.0","method":"notifications/message",',
    ):
        assert not pipe.direct.take(odd)
    assert heard == [("notifications/message", {"level": "info", "data": "x"})]
