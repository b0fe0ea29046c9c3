"""Calls tools from inside the sandbox: every call goes to the workbench, which checks it and answers.

from client import call_tool, call_mcp_tool, ToolError
orders = await call_tool("demo", "list_orders", {"limit": 5})

An answer is the structured content of the tool; else the value of its text where that is JSON, else the text; else
`Blocks`, a list of typed parts: Text, Image, Audio, Resource, Link.

Where a person sealed a tool, its answers hold tokens such as `[EMAIL_1.k7q2]` in place of values. They may stand in
texts, and become values again in the arguments of tools. What the workbench tells about them:

equal(a, b)   domain_of(email)   year_of(date)   last4(card_or_phone)   initials(name)   masked(value)
"""

from __future__ import annotations

from typing import Any, TypeAlias  # Any: arguments and answers are whatever JSON the tool speaks

from mcp_content import (  # type: ignore[import-not-found]  # inside the sandbox it stands beside this file
    Audio,
    Block,
    Blocks,
    Image,
    Link,
    Resource,
    Structured,
    Text,
)

__all__ = [
    "Answer",
    "Audio",
    "Block",
    "Blocks",
    "Client",
    "Image",
    "Link",
    "MCPClient",
    "Resource",
    "Structured",
    "Text",
    "ToolError",
    "as_arguments",
    "call_mcp_tool",
    "call_tool",
    "domain_of",
    "equal",
    "get_client",
    "initials",
    "last4",
    "masked",
    "save_skill",
    "year_of",
]

Answer: TypeAlias = Any
"""What a tool answers that does not say what it answers: a JSON value, a text, or `Blocks`."""


class ToolError(Exception):
    """A tool said no, failed, or may not be called; catch it and go on."""

    def __init__(
        self,
        message: str,
        code: str = "",
        valid_parameters: Any = (),
        suggestions: Any = (),
        hint: str = "",
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code  # tool, refused, unknown_tool, timeout, arguments, …; what a server's protocol error said
        self.valid_parameters = list(valid_parameters or ())
        self.suggestions = list(suggestions or ())
        self.hint = hint  # what to do next, in words

    def __str__(self) -> str:
        if self.hint:
            return f"{self.message} {self.hint}"
        parts = [self.message]
        if self.valid_parameters:
            parts.append("Valid parameters: " + ", ".join(map(str, self.valid_parameters)) + ".")
        if self.suggestions:
            parts.append("Did you mean: " + ", ".join(map(str, self.suggestions)) + "?")
        return " ".join(parts)


class Client:
    """What this run has asked for so far."""

    def __init__(self) -> None:
        self.call_count = 0
        self._line: Any = None

    @property
    def total_tokens(self) -> int:
        """An estimate: four characters a token, arguments and answers."""
        return int(self._line.bytes_exchanged) // 4

    async def call_tool(self, server: str, tool: str, arguments: Any = None, *, whole: bool = False) -> Any:
        self.call_count += 1
        wish = {"server": server, "tool": tool, "arguments": dict(arguments or {})}
        return await self._line.ask("call", **wish, **({} if whole else {"unwrap": True}))


MCPClient = Client  # by the name that programs written elsewhere know
_client = Client()


def save_skill(name: str, code: str, description: str = "") -> str:
    """Offer a program as a skill; it can be used once the user has kept it."""
    return str(_client._line.ask_now("offer", name=name, code=code, description=description))


def get_client() -> Client:
    return _client


async def call_tool(server: str, tool: str, arguments: Any = None, *, whole: bool = False) -> Any:
    """Call a tool by the names its server gave; raises ToolError. An answer that only wraps one value, as
    `{"result": X}` by its schema, is X, as with the tool's function; `whole`: as the server sent it."""
    return await _client.call_tool(server, tool, arguments, whole=whole)


def as_arguments(given: Any, name: str) -> Any:
    """What a tool's function was given without a keyword: a dict of arguments, or the value of `name`, the only
    argument that the tool needs."""
    if given is None or hasattr(given, "keys"):
        return given or {}
    return {name: given}


async def call_mcp_tool(id: str, arguments: Any = None, type: Any = None) -> Any:
    """Call a tool by one name: `mcp__server__tool` or `server__tool`. `type`, such as dict, is what the caller expects
    to get; it changes nothing."""
    if isinstance(type, str) and type != "tool":
        raise ToolError(f"Only tools can be called, not {type!r}.", "unsupported")
    server, found, tool = id.removeprefix("mcp__").partition("__")
    if not (server and found and tool):
        raise ToolError(f"{id!r} is not a tool's name; it looks like mcp__server__tool.", "bad_name")
    return await _client.call_tool(server, tool, arguments)


def equal(a: Any, b: Any) -> bool:
    """Whether two tokens stand for the same value, however it is written; one of them may be a text."""
    return bool(_about("equal", a, b))


def domain_of(email: str) -> str:
    """What follows the @ of an e-mail address that is sealed."""
    return str(_about("domain_of", email))


def year_of(date: str) -> int:
    """The year of a date of birth, or of another date that is sealed."""
    return int(_about("year_of", date))


def last4(number: str) -> str:
    """The last four signs of a card, phone, IBAN or account number that is sealed."""
    return str(_about("last4", number))


def initials(name: str) -> str:
    """The first letters of a name that is sealed."""
    return str(_about("initials", name))


def masked(value: str) -> str:
    """A sealed value as it may be shown: `a…@example.org`, `…1234`, `A.L.`"""
    return str(_about("masked", value))


def _about(operation: str, *values: Any) -> Any:
    return _client._line.ask_now("sealed", operation=operation, values=list(values))
