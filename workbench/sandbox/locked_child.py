"""A locked child of any isolation level, and the interface of the makers of children."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from workbench.records import Level
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.child_profile import ChildProfile

Tell: TypeAlias = Callable[[str], None]  # shows a progress line while an image is built


@dataclass(frozen=True, slots=True)
class ChildExit:
    """Exit status and resource usage of a child's processes."""

    code: int = -1
    cpu: float = 0.0  # seconds of CPU time
    memory_mb: float = 0.0
    lost: bool = False  # the exit status is unknown, because the process that reports it is gone too


class ChildFiles(Protocol):
    """Copies the project's files for a child that cannot mount the project's folders."""

    async def bring(self) -> None:
        """Copy everything into the child before the program begins."""
        ...

    async def collect(self) -> tuple[str, str]:
        """Copy the program's changes out after it ended by itself. Returns the reason and text of a failure."""
        ...

    def notes(self) -> str:
        """Files that were not copied out, as lines for the program's author."""
        ...

    def close(self) -> None:
        """Stop copying."""
        ...


@dataclass(slots=True, eq=False)
class SandboxChild:
    """One locked child: its channel, its output, and a future with its exit status."""

    number: int
    profile: ChildProfile
    channel: Channel
    gone: asyncio.Future[ChildExit]
    silent: asyncio.Future[None]  # done when descriptors 1 and 2 are closed, so no more output follows
    last_words: bytes = b""  # error output of the program's runtime, for runtimes other than Python
    transports: list[asyncio.BaseTransport] = field(default_factory=list)
    files: ChildFiles | None = None  # copies the project's files; None: the folders are mounted
    process: int = 0  # outermost process of the child, if it is visible on this machine
    take_rest: Callable[[], None] = lambda: None  # reads at once what was written to descriptors 1 and 2
    # pidfd of the child's first process, whose end ends all others; -1: use the maker to end the child
    handle: int = -1


class ChildMaker(Protocol):
    """Makes children of one isolation level. Each child is used for one program or one REPL session."""

    async def make(self, profile: ChildProfile) -> SandboxChild:
        """Start a child. Its channel reports when it is ready."""
        ...

    def kill(self, child: SandboxChild) -> None:
        """Kill a child without waiting for its end."""
        ...

    async def finish(self, child: SandboxChild) -> ChildExit:
        """Kill a child and wait until all its processes ended and its resources are released."""
        ...

    async def close(self) -> None:
        """Kill all children and stop the processes that make them."""
        ...


class IsolationEngine(ChildMaker, Protocol):
    """Maker of a level above processes. It may be missing on this machine or not built yet."""

    async def look(self) -> Level:
        """Probe whether the engine works on this machine now. Quick; may be called any number of times."""
        ...
