"""One locked child of any isolation level, and the interface of what makes children."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from workbench.records import Level
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.child_profile import ChildProfile

Tell: TypeAlias = Callable[[str], None]  # shows one line to whoever watches an image being built


@dataclass(frozen=True, slots=True)
class ChildExit:
    """How a child's processes ended."""

    code: int = -1
    cpu: float = 0.0  # seconds of processor time
    memory_mb: float = 0.0
    lost: bool = False  # whatever could have told how it ended is gone too


class ChildFiles(Protocol):
    """Copies of the project's files for a child that cannot mount the project's folders."""

    async def bring(self) -> None:
        """Copy everything in, before the program begins."""
        ...

    async def collect(self) -> tuple[str, str]:
        """Copy the program's changes out, after it ended by itself. Returns the reason and text of a failure."""
        ...

    def notes(self) -> str:
        """Files that were not copied out, as lines for the program's author."""
        ...

    def close(self) -> None:
        """Stop what is still being copied."""
        ...


@dataclass(slots=True, eq=False)
class SandboxChild:
    """One locked child: its channel, its output, and the future that tells how it ended."""

    number: int
    profile: ChildProfile
    channel: Channel
    gone: asyncio.Future[ChildExit]
    silent: asyncio.Future[None]  # done when nothing more is written to descriptors 1 and 2
    last_words: bytes = b""  # error output of the program's runtime, where that is not Python
    transports: list[asyncio.BaseTransport] = field(default_factory=list)
    files: ChildFiles | None = None  # copies the project's files; None: its folders are mounted
    process: int = 0  # the outermost process of the child, where this machine can see it
    take_rest: Callable[[], None] = lambda: None  # read now what was written to descriptors 1 and 2
    handle: int = -1  # pidfd of its first process, whose end is the end of all of it; -1: its maker ends it


class ChildMaker(Protocol):
    """Makes children of one kind of isolation. Each is used for one program, or one REPL session."""

    async def make(self, profile: ChildProfile) -> SandboxChild:
        """Start a child; its channel tells when it is ready."""
        ...

    def kill(self, child: SandboxChild) -> None:
        """Kill a child, whatever it is doing; does not wait."""
        ...

    async def finish(self, child: SandboxChild) -> ChildExit:
        """Kill a child and wait until nothing of it is left."""
        ...

    async def close(self) -> None:
        """Kill every child and stop what makes them."""
        ...


class IsolationEngine(ChildMaker, Protocol):
    """The maker of a level above processes: it may be missing on this machine, or not be built yet."""

    async def look(self) -> Level:
        """Probe whether it works on this machine now; quick, and may be called any number of times."""
        ...
