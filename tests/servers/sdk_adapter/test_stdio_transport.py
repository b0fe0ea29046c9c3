"""One server process and its pipes, without a session: messages in order, and no process left at the end."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest

from workbench.servers.configuration.launch_command import LaunchCommand
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.process_groups import ProcessGroups
from workbench.servers.sdk_adapter.fast_tool_calls import FIRST
from workbench.servers.sdk_adapter.stdio_transport import LineSplitter, OversizedLine, ServerPipes, StdioTransport

Make = Callable[..., StdioTransport]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    """A transport for a server given as one line of Python."""
    groups = ProcessGroups()

    def build(code: str, limit: int = 1 << 20) -> StdioTransport:
        launch = LaunchCommand(sys.executable, ("-S", "-c", code), {}, ".")
        return StdioTransport("one", launch, limit, MessageLog("one"), groups)

    yield build
    await groups.close()


def traffic(transport: StdioTransport) -> MessageLog:
    return transport._traffic


ANSWER = '{"jsonrpc": "2.0", "id": %d, "result": {"text": "%s"}}'


async def test_messages_come_in_order_and_whole_even_without_a_last_line_end(make: Make) -> None:
    code = f"import sys; [print({ANSWER!r} % (n, 'x' * n * 1000)) for n in range(100)]; sys.stdout.write('half')"
    transport = make(code)
    async with transport as (incoming, _):
        got = [message.message async for message in incoming]
    assert [one.id for one in got] == list(range(100))
    assert [len(one.result["text"]) for one in got] == [n * 1000 for n in range(100)]
    assert transport.returncode == 0
    assert traffic(transport).invalid_line_count == 1


async def test_half_a_character_costs_nothing_but_itself(make: Make) -> None:
    code = f"print({ANSWER!r} % (1, 'a' + chr(92) + 'ud83d' + chr(92) + 'n')); print({ANSWER!r} % (2, 'b'))"
    transport = make(code)
    async with transport as (incoming, _):
        got = [message.message async for message in incoming]
    assert [one.result["text"] for one in got] == ["a\ufffd\n", "b"]


TALKS = """
import json, sys
def say(*messages):
    print("\\n".join(json.dumps({"jsonrpc": "2.0", **one}) for one in messages), flush=True)
for line in sys.stdin:
    number = json.loads(line)["id"]
    log = {"method": "notifications/message", "params": {"level": "info", "data": number}}
    step = {"method": "notifications/progress", "params": {"progressToken": number, "progress": 1}}
    change = {"method": "notifications/tools/list_changed"}
    say(log, *[step, change] * (number % 2), {"id": number, "result": {"number": number}})
"""


async def test_what_comes_with_an_answer_is_heard_before_it_whichever_way_it_goes(make: Make) -> None:
    transport = make(TALKS)
    heard: list[object] = []
    transport.direct.on_log = lambda method, params: heard.append(params["data"])

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append("progress")

    async with transport as (incoming, _):
        for at in range(4):
            asked = [transport.direct.request("tools/call", {}, progress), *(anext(incoming) for _ in range(at % 2))]
            answer, *others = await asyncio.wait_for(asyncio.gather(*asked), 60)
            heard.append(answer)
            assert [one.message.method for one in others] == ["notifications/tools/list_changed"] * (at % 2)
    first = FIRST
    expected: list[object] = []
    for number in range(first, first + 4):
        expected += [number, *["progress"] * (number % 2), {"number": number}]
    assert heard == expected
    assert [frame.direction for frame in traffic(transport).frames()].count("<") == 2 * 4 + 2 * 2


async def test_a_message_reaches_the_server(make: Make) -> None:
    transport = make("import sys; sys.stderr.write(sys.stdin.readline())")
    async with transport as (_, outgoing):
        await outgoing.send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="hello")))
        await asyncio.wait_for(transport.ended.wait(), 60)
    assert traffic(transport).stderr() == ('{"jsonrpc":"2.0","id":1,"method":"hello"}',)
    assert [frame.direction for frame in traffic(transport).frames()] == [">"]


async def test_an_oversized_answer_becomes_an_error_for_its_call(make: Make) -> None:
    code = f"print({ANSWER!r} % (7, 'x' * 100_000)); print({ANSWER!r} % (8, 'y'))"
    async with make(code, limit=10_000) as (incoming, _):
        first, second = [message.message async for message in incoming]
    assert (first.id, second.id) == (7, 8)
    assert "limit of 10,000" in first.error.message


async def test_an_oversized_message_of_nobody_ends_the_connection(make: Make) -> None:
    transport = make("print('x' * 100_000); import time; time.sleep(300)", limit=10_000)
    async with transport as (incoming, _):
        assert [message async for message in incoming] == []
    assert "limit of 10,000" in transport.fault


async def test_stderr_in_endless_lines_is_kept_short(make: Make) -> None:
    transport = make("import sys; sys.stderr.write('x' * 1_000_000); sys.stderr.write('\\nlast')")
    async with transport:
        await asyncio.wait_for(transport.ended.wait(), 60)
    assert [len(line) < 5_000 for line in traffic(transport).stderr()] == [True, True]
    assert traffic(transport).stderr()[-1] == "last"


async def test_a_server_that_floods_its_stdout_can_be_ended(make: Make, house) -> None:
    transport = make("import sys\nwhile True: sys.stdout.write('{}\\n' * 1000)")
    async with transport:
        await asyncio.sleep(0.1)
        pid = transport.pid
        assert house.lives(pid)
    assert not house.lives(pid)


@given(st.lists(st.binary(max_size=30).map(lambda part: part.replace(b"a", b"\n")), max_size=20))
def test_chunks_do_not_matter(chunks: list[bytes]) -> None:
    lines = LineSplitter(10_000)
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    *whole, rest = b"".join(chunks).split(b"\n")
    assert found == whole
    assert lines.rest() == rest


@given(st.binary(max_size=100), st.integers(1, 20), st.integers(1, 30))
def test_a_line_over_the_limit_is_told_and_the_next_one_is_whole(long: bytes, limit: int, step: int) -> None:
    data = long.replace(b"\n", b"x") + b"\nnext\n"
    lines = LineSplitter(max(limit, 4))
    found = [line for start in range(0, len(data), step) for line in lines.feed(data[start : start + step])]
    assert found[1] == b"next"
    if len(long) > max(limit, 4):
        assert isinstance(found[0], OversizedLine)
        assert data.startswith(found[0].head)
    else:
        assert found[0] == data.split(b"\n")[0]


def test_a_line_without_end_is_told_at_once_and_costs_no_memory() -> None:
    lines = LineSplitter(1_000)
    found = [line for _ in range(10_000) for line in lines.feed(b"x" * 100)]
    assert found == [OversizedLine(b"x" * 512)]
    assert lines.rest() == b""


class Process:
    """Replaces a process's transport and records whether its stdout is being read."""

    def __init__(self) -> None:
        self.reading = True

    def get_pipe_transport(self, fd: int) -> Process:
        return self

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


def pipes(take: Callable[[bytes], bool]) -> tuple[ServerPipes, Process]:
    process = Process()
    made = ServerPipes(1 << 20, take, lambda line: None)
    made.connection_made(cast("asyncio.BaseTransport", process))
    return made, process


async def test_a_line_is_not_taken_at_once_while_an_earlier_one_waits() -> None:
    taken: list[bytes] = []

    def take(line: bytes) -> bool:
        taken.append(line)
        return line.startswith(b"answer")

    found, _ = pipes(take)
    found.pipe_data_received(1, b"answer 1\nlog 2\nanswer 3\n")
    assert taken == [b"answer 1", b"log 2"]
    assert await found.next_line() == b"log 2"
    found.pipe_data_received(1, b"answer 4\n")  # the previous line is still being processed
    assert [await found.next_line(), await found.next_line()] == [b"answer 3", b"answer 4"]
    waiting = asyncio.create_task(found.next_line())
    await asyncio.sleep(0)
    found.pipe_data_received(1, b"answer 5\n")
    assert taken[-1] == b"answer 5"
    found.pipe_connection_lost(1, None)
    assert await waiting is None


async def test_reading_pauses_while_lines_wait_and_goes_on_when_they_are_read_or_discarded() -> None:
    found, process = pipes(lambda line: False)
    for _ in range(30):
        found.pipe_data_received(1, b"\n" * 1_000)
    assert not process.reading
    for _ in range(15_000):
        await found.next_line()
    assert process.reading
    found.pipe_data_received(1, b"x" * (1 << 19) + b"\n" + b"y" * (1 << 19) + b"\n")
    assert not process.reading
    found.discard()
    assert process.reading
