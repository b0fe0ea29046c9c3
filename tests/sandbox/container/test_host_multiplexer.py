"""The core's end of a remote container's line, with arbitrary input and a connection that breaks at any point."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.records import Limits
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.container.host_multiplexer import HostMultiplexer
from workbench.sandbox.file_transfer.transfer_frames import Head, TransferReader, pack
from workbench.sandbox.file_transfer.transfer_host import TransferTarget


class Line:
    """A stream whose other end is held by the test instead of a container."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        profile = ChildProfile("podman", str(workspace), "", "", True, memory_mb=64, cpu_seconds=1, pids=1, disk_mb=1)
        self.channel = Channel()
        self.multiplexer = HostMultiplexer(
            profile, self.channel, "podman on ssh://box", TransferTarget("the far end", "Try again.")
        )
        self.reader = TransferReader()
        self.heard: list[tuple[Head, bytes]] = []
        self.printed: list[str] = []
        self.never = asyncio.get_running_loop().create_future()

    async def open(self) -> None:
        ours, self.target = socket.socketpair()
        self.target.setblocking(False)
        await asyncio.get_running_loop().create_connection(lambda: self.multiplexer, sock=ours)

    async def hear(self, kind: str) -> Head:
        while not any(head["kind"] == kind for head, _ in self.heard):
            self.heard += self.reader.feed(await asyncio.get_running_loop().sock_recv(self.target, 1 << 16))
        return next(head for head, _ in self.heard if head["kind"] == kind)

    async def say(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.target, data)

    async def begun(self) -> None:
        """Proceed until a program runs."""
        bringing = asyncio.ensure_future(self.multiplexer.transfer.bring())
        await self.hear("filled")
        await self.say(pack("filled", fault="") + frame(kind="ready"))
        await bringing
        await self.channel.ready
        self.channel.begin("x", Limits(), self.answer, lambda stream, text: self.printed.append(text))

    async def answer(self, what: str, wish: Any) -> Any:
        return await self.never

    async def broken(self, code: int, *, killed: bool = False) -> None:
        """End the engine's client, and with it the line."""
        self.target.close()
        await self.multiplexer.closed
        self.multiplexer.exit_of(code, killed=killed)
        await self.channel.ended

    async def close(self) -> None:
        self.channel.close()
        self.multiplexer.transfer.close()
        self.target.close()
        await self.multiplexer.closed
        await self.channel.closed()


def frame(**words: Any) -> bytes:
    data = json.dumps(words).encode()
    return pack("frames", struct.pack(">I", len(data)) + data)


def over(code: int = 0) -> bytes:
    return pack("over", code=code, cpu=0.5, memory_mb=20, sent=0)


@pytest.fixture
async def line(tmp_path: Path) -> AsyncIterator[Line]:
    made = Line(tmp_path)
    await made.open()
    yield made
    await made.close()


async def test_frames_files_and_prints_find_their_way_out_of_one_stream(line: Line) -> None:
    (line.workspace / "in").write_text("hello")
    await line.begun()
    await line.hear("frames")
    assert [head["path"] for head, _ in line.heard if head["kind"] == "file"] == ["in"]
    said = frame(kind="output", stream="stdout", text="one ") + pack("raw", b"two") + pack("beat")
    said += frame(kind="end", ok=True, result="1", memory_mb=1.0)
    said += pack("file", path="out", mode=0o644, time=0, length=2) + pack("data", b"ok") + pack("gone", path="in")
    await line.say(said + over())
    assert (await line.channel.ended or {})["result"] == "1"
    assert await line.multiplexer.transfer.collect() == ("", "")
    assert ("".join(line.printed), [path.name for path in line.workspace.iterdir()]) == ("one two", ["out"])


async def test_unanswered_questions_do_not_hide_the_end_behind_them(line: Line) -> None:
    await line.begun()
    asks = [frame(kind="ask", id=one + 1, what="call", wish={}) for one in range(200)]
    await line.say(b"".join(asks))
    await line.say(frame(kind="output", stream="stdout", text="last") + over(-9))
    assert (await line.multiplexer.transfer.over).code == -9
    assert await line.channel.ended is None
    assert line.printed == ["last"]


async def test_what_the_channel_does_not_take_waits_and_comes_in_order(line: Line) -> None:
    line.never.cancel()
    line.never = asyncio.get_running_loop().create_future()
    await line.begun()
    asks = [frame(kind="ask", id=one + 1, what="call", wish={}) for one in range(100)]
    texts = [frame(kind="output", stream="stdout", text=f"{one} ") for one in range(50)]
    await line.say(b"".join([*asks, *texts]))
    while not line.multiplexer.is_holding:
        await asyncio.sleep(0)
    line.never.set_result({})
    await line.say(frame(kind="end", ok=True, result="1", memory_mb=1.0) + over())
    await line.channel.ended
    assert "".join(line.printed) == "".join(f"{one} " for one in range(50))


@pytest.mark.parametrize(
    ("code", "killed", "reason", "words"),
    [
        (125, False, "lost", "The connection to podman on ssh://box broke while the program ran."),
        (255, False, "lost", "The connection to podman on ssh://box broke while the program ran."),
        (70, False, "lost", "The file transfer failed inside the container."),
        (137, False, "", ""),
        (125, True, "", ""),
    ],
)
async def test_a_line_that_breaks_is_told_from_a_container_that_was_ended(
    line: Line, code: int, killed: bool, reason: str, words: str
) -> None:
    await line.begun()
    await line.broken(code, killed=killed)
    assert (line.channel.reason, line.channel.message) == (reason, words)


@pytest.mark.parametrize("cut", [1, 30, 90, 150])
async def test_changes_that_break_off_are_not_applied(line: Line, cut: int) -> None:
    await line.begun()
    changes = pack("file", path="out", mode=0o644, time=0, length=2) + pack("data", b"ok") + over()
    await line.say(frame(kind="end", ok=True, result="1", memory_mb=1.0) + changes[:cut])
    line.target.close()
    await line.multiplexer.closed
    await line.multiplexer.transfer.collect()
    line.multiplexer.transfer.close()
    assert list(line.workspace.iterdir()) == []


async def test_silence_ends_the_run_with_a_sentence(line: Line) -> None:
    await line.begun()
    line.multiplexer._heard -= 3600
    line.multiplexer._beat()
    assert (line.channel.reason, "podman on ssh://box did not respond" in line.channel.message) == ("lost", True)


PARCELS = st.one_of(
    st.binary(max_size=200),
    st.builds(
        lambda kind, data, head: pack(kind, data, **head),
        st.sampled_from(
            ["frames", "raw", "file", "data", "gone", "folder", "left", "full", "filled", "over", "up", "x"]
        ),
        st.binary(max_size=60),
        st.fixed_dictionaries(
            {},
            optional={
                "path": st.sampled_from(["a", "a/b", "../x", "/etc/x", "", ".", 1, None, "a\0", "\ud800"]),
                "mode": st.sampled_from([0o644, 0o4755, -1, "x"]),
                "time": st.sampled_from([0, -1, 1 << 70, "x"]),
                "length": st.sampled_from([0, 1, 60, -1, 1 << 40, "x"]),
                "code": st.sampled_from([0, 1, "x", None]),
                "sent": st.sampled_from([0, -1, 1 << 60]),
            },
        ),
    ),
)


@given(said=st.lists(PARCELS, max_size=12), step=st.integers(1, 300))
@settings(max_examples=120, deadline=None)
def test_whatever_comes_is_taken_or_ends_the_run_and_stays_in_the_workspace(said: list[bytes], step: int) -> None:
    async def meet(workspace: Path) -> None:
        line = Line(workspace)
        await line.open()
        await line.begun()
        whole = b"".join(said)
        try:
            for at in range(0, len(whole), step):
                await line.say(whole[at : at + step])
        except OSError:
            assert line.channel.reason  # the run was cut off
        line.target.close()
        await line.multiplexer.closed
        line.multiplexer.exit_of(1, killed=False)
        await line.multiplexer.transfer.collect()
        await line.close()

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "project/workspace")
        place.mkdir(parents=True)
        asyncio.run(meet(place))
        names = {path.name for path in Path(folder).rglob("*")} - {"project", "workspace"}
        assert names <= {"a", "b"}
        assert not any(path.stat().st_mode & 0o6000 for path in place.rglob("*"))
