"""Bytes become the same lines however they are cut into chunks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from workbench.servers.sdk_adapter.stdio_transport import LineSplitter, OversizedLine, ServerPipes


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
    """Stands for a process's transport: notes whether its stdout is read."""

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
    found.pipe_data_received(1, b"answer 4\n")  # the line before is still being worked on
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
