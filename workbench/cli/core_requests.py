"""Connects to the core for one command. Imports asyncio and the client only then, so that `--help` stays instant."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from workbench.paths import Paths

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.api.client_stub import CoreApi

T = TypeVar("T")


def ask(paths: Paths, question: Callable[[CoreApi], Awaitable[T]], start: bool = True) -> T:
    """The answer to one question."""
    return talk(paths, lambda connection: question(connection.api), start)


def talk(
    paths: Paths, conversation: Callable[[CoreConnection], Awaitable[T]], start: bool = True, role: str = "script"
) -> T:
    """What came of several questions over one connection; Ctrl+C takes back what is still open."""
    import asyncio

    from workbench.api.client import connect

    async def hold() -> T:
        connection = await connect(paths, start, role=role)
        try:
            return await conversation(connection)
        finally:
            await connection.close()

    return asyncio.run(hold())
