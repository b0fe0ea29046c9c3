"""The core's end of a file transfer, with arbitrary input from the remote end."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.records import Limits
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.child_profile import ChildProfile
from workbench.sandbox.file_transfer.transfer_frames import Head, TransferReader, pack
from workbench.sandbox.file_transfer.transfer_host import TransferHost, TransferTarget
from workbench.sandbox.vm.vm_maker import GuestFrames


class Line:
    """A transfer whose remote end is held by the test."""

    def __init__(self, profile: ChildProfile) -> None:
        self.channel = Channel()
        self.frames = GuestFrames(self.channel)
        self.transfer = TransferHost(profile, self.channel, self.frames, TransferTarget("the far end", "Try again."))
        self.reader = TransferReader()
        self.heard: list[tuple[Head, bytes]] = []
        self.printed: list[str] = []

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        pairs = [socket.socketpair() for _ in range(2)]
        await loop.create_connection(lambda: self.frames, sock=pairs[0][0])
        await loop.create_connection(lambda: self.transfer, sock=pairs[1][0])
        self.port, self.target = pairs[0][1], pairs[1][1]
        for end in (self.port, self.target):
            end.setblocking(False)

    async def hear(self, kind: str) -> Head:
        while not any(head["kind"] == kind for head, _ in self.heard):
            self.heard += self.reader.feed(await asyncio.get_running_loop().sock_recv(self.target, 1 << 16))
        return next(head for head, _ in self.heard if head["kind"] == kind)

    async def say(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.target, data)

    async def frame(self, **words: Any) -> int:
        data = json.dumps(words).encode()
        await asyncio.get_running_loop().sock_sendall(self.port, struct.pack(">I", len(data)) + data)
        return len(data) + 4

    async def begun(self) -> int:
        """Proceed until a program runs. Returns the number of bytes of the received frames."""
        bringing = asyncio.ensure_future(self.transfer.bring())
        await self.hear("filled")
        await self.say(pack("filled", fault=""))
        await bringing
        sent = await self.frame(kind="ready")
        await self.channel.ready
        self.channel.begin("", Limits(), _nobody, lambda stream, text: self.printed.append(text))
        return sent

    async def close(self) -> None:
        self.channel.close()
        self.transfer.close()
        self.port.close()
        self.target.close()
        await self.channel.closed()


async def _nobody(what: str, wish: Any) -> None:
    raise AssertionError("nobody asks")


@pytest.fixture
def profile(tmp_path: Path) -> ChildProfile:
    for name in ("workspace", "servers", "skills"):
        (tmp_path / name).mkdir()
    folders = (str(tmp_path / name) for name in ("workspace", "servers", "skills"))
    return ChildProfile("qemu", *folders, True, memory_mb=64, cpu_seconds=1, pids=1, disk_mb=1)


@pytest.fixture
async def line(profile: ChildProfile) -> AsyncIterator[Line]:
    made = Line(profile)
    await made.open()
    yield made
    await made.close()


async def test_files_go_in_and_changes_come_out(line: Line, profile: ChildProfile) -> None:
    Path(profile.workspace, "in").write_text("hello")
    sent = await line.begun()
    assert [head["path"] for head, _ in line.heard if head["kind"] == "file"] == ["in"]
    await line.say(pack("raw", b"past Python's streams"))
    await line.say(pack("file", path="out", mode=0o644, time=0, length=2) + pack("data", b"ok"))
    await line.say(pack("gone", path="in") + pack("left", path="l", why="it is a link"))
    sent += await line.frame(kind="end", ok=True, result="1")
    await line.say(pack("over", code=0, cpu=0.5, memory_mb=20, sent=sent))
    assert await line.transfer.collect() == ("", "")
    assert [path.name for path in Path(profile.workspace).iterdir()] == ["out"]
    assert "'l': it is a link" in line.transfer.notes()
    assert "".join(line.printed) == "past Python's streams"
    assert (await line.transfer.over).cpu == 0.5


async def test_a_process_that_died_without_a_word_ends_the_channel_after_its_last_frame(line: Line) -> None:
    sent = await line.begun()
    await line.say(pack("over", code=137, cpu=1.0, memory_mb=1.0, sent=sent + 40))
    await line.transfer.over
    assert not line.channel.ended.done()
    await line.frame(kind="output", stream="stdout", text="last words of it")
    assert await line.channel.ended is None
    assert line.printed == ["last words of it"]


@pytest.mark.parametrize(
    "attack",
    [
        struct.pack(">I", 0xFFFFFFFF),
        pack("file", path="../../x", mode=0, time=0, length=0),
        pack("file", path="x", mode=0, time=0, length=2 << 20),
        pack("data", b"x"),
        pack("approve", path="x"),
        pack("over", code=0),
        pack("over", code=0, cpu=float("inf"), memory_mb=0, sent=0),
        pack("over", code=0, cpu=0, memory_mb=0, sent=-1),
        pack("over", code=True, cpu=0, memory_mb=0, sent=0),
    ],
)
async def test_a_dishonest_machine_ends_its_run_with_nothing_changed(
    line: Line, profile: ChildProfile, attack: bytes
) -> None:
    await line.begun()
    await line.say(pack("file", path="staged", mode=0o644, time=0, length=1) + pack("data", b"x"))
    await line.say(attack)
    await line.channel.ended
    assert line.channel.reason == "protocol"
    reason, message = await line.transfer.collect()
    assert (reason, "violated the file transfer protocol" in message) == ("protocol", True)
    line.transfer.close()
    assert list(Path(profile.workspace).iterdir()) == []


async def test_a_program_that_may_not_write_brings_nothing_back(profile: ChildProfile) -> None:
    line = Line(replace(profile, writable=False))
    await line.open()
    await line.begun()
    await line.say(pack("folder", path="x"))
    await line.channel.ended
    assert line.channel.reason == "protocol"
    await line.close()


async def test_changes_before_the_files_were_brought_are_refused(line: Line) -> None:
    await line.say(pack("folder", path="x"))
    await line.channel.ended
    assert line.channel.reason == "protocol"


async def test_a_full_workspace_ends_the_run_as_elsewhere(line: Line) -> None:
    await line.begun()
    await line.say(pack("full"))
    await line.channel.ended
    assert (line.channel.reason, "1 MB" in line.channel.message) == ("disk", True)


async def test_a_machine_that_cannot_take_a_file_says_which(line: Line) -> None:
    bringing = asyncio.ensure_future(line.transfer.bring())
    await line.hear("filled")
    await line.say(pack("filled", fault="a/b: No space left on device"))
    with pytest.raises(WorkbenchError, match="could not store a/b: No space") as refused:
        await bringing
    assert "Move files that are not needed" in refused.value.hint


async def test_a_machine_that_goes_away_leaves_nobody_waiting(line: Line) -> None:
    bringing = asyncio.ensure_future(line.transfer.bring())
    await line.hear("filled")
    line.target.close()
    with pytest.raises(WorkbenchError, match="because it ended"):
        await bringing
    assert (await line.transfer.over).lost
