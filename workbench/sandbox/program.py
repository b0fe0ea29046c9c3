"""A program on its way into the sandbox, who answers its questions, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.channel.connection_passing import ConnectionPassing


@dataclass(frozen=True, slots=True)
class JsonText:
    """An answer that is JSON text already and is passed on unchanged. `shape` says what a program gets of it: the value
    itself, typed parts ("blocks"), or a list of the value and its parts as one ("structured").
    """

    text: str
    shape: str = ""


Answered: TypeAlias = JsonValue | JsonText
# Kinds: "call" {server, tool, arguments}, "search" {query, detail_level, server, category, limit}, "definition" {name},
# "skill" {name}, "sealed" {operation, values}, "connect" {host, port, seconds}, "send" {number, data}, "receive"
# {number}. Who knows the answer at once may give it at once. Any: as asyncio types coroutines.
Answer: TypeAlias = Callable[[str, JsonObject], Coroutine[Any, Any, Answered] | Answered]
Output: TypeAlias = Callable[[str, str], None]  # stream ("stdout" or "stderr"), text


@dataclass(frozen=True, slots=True)
class Program:
    """A text to run, what it may use up, and the only folders of the project it sees."""

    code: str
    limits: Limits
    workspace: Path  # made when it is missing
    servers: Path | None = None  # generated packages, importable as `servers.<package>`
    skills: Path | None = None  # kept skills, importable as `skills.<module>`
    writable: bool = True
    language: str = "python"
    level: str = "process"  # process, container or vm: the least that may isolate it
    packages: tuple[tuple[str, str], ...] = ()  # what it may import: place inside, and path on this machine
    preload: tuple[str, ...] = ()  # modules that are imported before anybody asks
    network: ConnectionPassing | None = None  # how connections are handed to it; None: it reaches nothing
    awaits_end: bool = False  # it is over only when nothing of it is left that could write in its workspace
    stands: Callable[[], bool] = lambda: False  # the user is asked because of it now: that time is not counted at all


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended. Everything in it came from untrusted code."""

    ok: bool
    reason: str  # done failed timeout memory cpu output calls disk killed stopped lost protocol
    result: str = ""  # JSON text; empty when the program answered nothing
    error_type: str = ""
    message: str = ""
    traceback: str = ""
    output: str = ""
    seconds: float = 0.0
    memory_mb: float = 0.0


class ToolFailure(Exception):
    """Raised by an answer; inside the sandbox it becomes `client.ToolError` with the same fields."""

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
