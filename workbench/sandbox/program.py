"""Data types for running a program: the program, the handler of its requests, and its end."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.channel.connection_passing import ConnectionPassing

# A key, an index, or `[n]` for the n-th key of an object itself
PathStep: TypeAlias = str | int | list[int]


@dataclass(frozen=True, slots=True)
class JsonText:
    """An answer that is already JSON text and is passed on unchanged.

    `shape` decides what a program receives: the value itself, typed parts ("blocks"), or a list of both ("structured").
    `tokens`: PII tokens of the program's text whose values are in the text, each with the path, begin and end of it.
    """

    text: str
    shape: str = ""
    tokens: tuple[tuple[str, tuple[PathStep, ...], int, int], ...] = ()


Answered: TypeAlias = JsonValue | JsonText
# Handler of a program's requests. Kinds: "call" {server, tool, arguments}, "search" {query, detail_level, server,
# category, limit}, "definition" {name}, "skill" {name}, "sealed" {operation, values}, "tokens" {},
# "connect" {host, port, seconds}, "send" {number, data}, "receive" {number}. A handler that knows the answer at once
# may return it without a coroutine.
# Any: as asyncio types coroutines.
Answer: TypeAlias = Callable[[str, JsonObject], Coroutine[Any, Any, Answered] | Answered]
Output: TypeAlias = Callable[[str, str], None]  # stream ("stdout" or "stderr"), text


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its limits and the only folders of the project that it can access."""

    code: str
    limits: Limits
    workspace: Path  # created if it is missing
    servers: Path | None = None  # generated packages, importable as `servers.<package>`
    skills: Path | None = None  # kept skills, importable as `skills.<module>`
    writable: bool = True
    language: str = "python"
    level: str = "process"  # minimum isolation level: process, container or vm
    packages: tuple[tuple[str, str], ...] = ()  # importable packages: path in the sandbox, path on this machine
    preload: tuple[str, ...] = ()  # modules that are imported before the program
    network: ConnectionPassing | None = None  # passes connections to the program; None: no network access
    awaits_end: bool = False  # the run counts as ended only when none of its processes can write in the workspace
    # whether a request of the program waits for the user; that time does not count
    is_user_asked: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended. All values come from untrusted code."""

    ok: bool
    reason: str  # done failed timeout memory cpu output calls disk killed stopped lost protocol
    result: str = ""  # JSON text; empty if the program returned nothing
    error_type: str = ""
    message: str = ""
    traceback: str = ""
    output: str = ""
    seconds: float = 0.0
    memory_mb: float = 0.0


class ToolFailure(Exception):
    """Error of a request handler. In the sandbox it becomes `client.ToolError` with the same fields."""

    def __init__(
        self,
        message: str,
        code: str = "",
        valid_parameters: Sequence[str] = (),
        suggestions: Sequence[str] = (),
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.valid_parameters = tuple(valid_parameters)
        self.suggestions = tuple(suggestions)
        self.hint = hint
