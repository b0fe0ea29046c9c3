"""Calls tools from inside the sandbox. Every call goes to the workbench, which checks it and returns the answer.

    from client import call_tool, call_mcp_tool, ToolError
    orders = await call_tool("demo", "list_orders", {"limit": 5})

An answer is the tool's structured content. Without structured content it is the parsed value if its text is JSON, or
the text itself. Answers with other parts are `Blocks`, a list of typed parts: Text, Image, Audio, Resource, Link.

Data in a program is real. What an agent reads of it has tokens such as `[EMAIL_1.k7q2]` in place of values; so have the
answers of tools that the user sealed. In arguments of tools, tokens are replaced by the values, also in longer text. A
token that is a text of its own in a program equals its value once the program has read that value from the server that
supplied it first. These functions take values and tokens:

    equal(a, b)   domain_of(email)   year_of(date)   last4(card_or_phone)   initials(name)   masked(value)
"""

from __future__ import annotations

from typing import Any, TypeAlias  # Any: arguments and answers are JSON of any kind

from mcp_content import (  # type: ignore[import-not-found]  # in the sandbox it is in the same folder
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
"""Answer of a tool without an output schema: a JSON value, text, or `Blocks`."""


class ToolError(Exception):
    """A tool reported an error, failed, or may not be called. Programs can catch it and continue."""

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
        self.code = code  # tool, refused, unknown_tool, timeout, arguments, …; or the code of a server's protocol error
        self.valid_parameters = list(valid_parameters or ())
        self.suggestions = list(suggestions or ())
        self.hint = hint  # what to do next

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
    """Tool calls of this run, and their count."""

    def __init__(self) -> None:
        self.call_count = 0
        self._line: Any = None

    @property
    def total_tokens(self) -> int:
        """Estimated model tokens of arguments and answers: four bytes per token."""
        return int(self._line.bytes_exchanged) // 4

    async def call_tool(self, server: str, tool: str, arguments: Any = None, *, whole: bool = False) -> Any:
        self.call_count += 1
        wish = {"server": server, "tool": tool, "arguments": dict(arguments or {})}
        return await self._line.ask("call", **wish, **({} if whole else {"unwrap": True}))


MCPClient = Client  # alternative name that existing programs use
_client = Client()


def save_skill(name: str, code: str, description: str = "") -> str:
    """Propose a program as a skill. It can be used after the user has kept it."""
    return str(_client._line.ask_now("offer", name=name, code=code, description=description))


def get_client() -> Client:
    return _client


async def call_tool(server: str, tool: str, arguments: Any = None, *, whole: bool = False) -> Any:
    """Call a tool by the names of its server and tool. Raises ToolError.

    An answer that only wraps one value by its schema, such as `{"result": X}`, is returned as X, as with the tool's
    generated function. `whole=True` returns the answer as the server sent it.
    """
    return await _client.call_tool(server, tool, arguments, whole=whole)


def as_arguments(given: Any, name: str) -> Any:
    """Convert the positional argument of a tool's generated function to a dict of arguments.

    It is either that dict already, or the value of `name`, the only argument that the tool requires.
    """
    if given is None or hasattr(given, "keys"):
        return given or {}
    return {name: given}


async def call_mcp_tool(id: str, arguments: Any = None, type: Any = None) -> Any:
    """Call a tool by a single name: `mcp__server__tool` or `server__tool`.

    `type`, such as dict, is the type that the caller expects. It has no effect.
    """
    if isinstance(type, str) and type != "tool":
        raise ToolError(f"Only tools can be called, not {type!r}.", "unsupported")
    server, found, tool = id.removeprefix("mcp__").partition("__")
    if not (server and found and tool):
        raise ToolError(f"{id!r} is not a tool name. Use the form mcp__server__tool.", "bad_name")
    return await _client.call_tool(server, tool, arguments)


def equal(a: Any, b: Any) -> bool:
    """Whether two values or tokens are the same value, regardless of its spelling."""
    for one, other in ((a, b), (b, a)):
        same = getattr(one, "equals_value", None)  # a token in the program's text
        if same is not None and (found := same(other)) is not None:
            return bool(found)
    if isinstance(a, str) and isinstance(b, str) and "_" not in a and "_" not in b:
        return a.casefold().split() == b.casefold().split()
    return bool(_about("equal", a, b))


def domain_of(email: str) -> str:
    """The domain of an e-mail address."""
    return str(_about("domain_of", email))


def year_of(date: str) -> int:
    """The year of a date, such as a date of birth."""
    return int(_about("year_of", date))


def last4(number: str) -> str:
    """The last four characters of a card, phone, IBAN or account number."""
    return str(_about("last4", number))


def initials(name: str) -> str:
    """The initials of a name."""
    return str(_about("initials", name))


def masked(value: str) -> str:
    """An e-mail address, number or name in a form that may be shown: `a…@example.org`, `…1234`, `A.L.`"""
    return str(_about("masked", value))


def _about(operation: str, *values: Any) -> Any:
    return _client._line.ask_now("sealed", operation=operation, values=list(values))
