"""Offers the tools of chosen servers individually, for small catalogs, where definitions cost fewer model tokens than
searching.

Each call becomes a one-line program in the same pipeline as all programs: the same approval, guard, privacy, pins and
audit.
"""

from __future__ import annotations

import json
import re
from typing import Final

import mcp.types as T
from msgspec import Struct

from workbench.agent.program_tools import Context, ProgramTools
from workbench.agent.tool_calls import ToolAnswer
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.privacy.text_kinds import KindMarks, TextKind
from workbench.records import JsonObject, Tool
from workbench.servers.server_catalog import ServerCatalog, one_tool

LONGEST_NAME: Final = 64  # characters that model APIs accept
MOST: Final = 200  # tools of all chosen servers together
PREFACE: Final = b'{"workbench":'
_LONGEST_PREFACE: Final = 10_000
_ODD: Final = re.compile(r"[^a-zA-Z0-9_-]")


class _NamedTool(Struct, frozen=True):
    name: str
    tool: Tool


class DirectTools:
    """The tools of servers that the setting agent.direct names, read at each use, and of servers named for this
    agent."""

    def __init__(self, services: Services, programs: ProgramTools, marks: KindMarks) -> None:
        self._services = services
        self._marks = marks
        self._programs = programs
        self._also: tuple[str, ...] = ()  # servers named for this agent only

    def accept_preface(self, line: bytes) -> bool:
        """Whether a connection's first line comes from `serve --direct`, which names servers for this agent only. It
        grants nothing: calls of these tools need the same approval as any others."""
        if not line.startswith(PREFACE) or len(line) > _LONGEST_PREFACE:
            return False
        try:
            named = json.loads(line)["workbench"]["direct"]
            self._also = tuple(str(name) for name in named)
        except (ValueError, KeyError, TypeError, RecursionError):
            return False
        return True

    async def tools(self, *, learn: bool) -> list[T.Tool]:
        """Return the definitions as sent by their servers, without output schemas, because answers may hold PII
        tokens."""
        return [self._definition(one) for one in await self._named_tools(learn=learn)]

    async def call(self, context: Context, name: str, arguments: JsonObject) -> ToolAnswer | None:
        """Return the tool's answer; None when no tool of this name is shown."""
        found = next((one for one in await self._named_tools(learn=True) if one.name == name), None)
        if found is None:
            return None
        spelled = f"{found.tool.server}.{found.tool.name}"
        code = f"{one_tool(self._services.catalog, spelled).import_line}\n"
        function = code.rpartition(" ")[2].strip()
        try:
            json.dumps(arguments, allow_nan=False)
        except ValueError as fault:
            raise WorkbenchError(
                "An argument has a number that JSON cannot represent.", "Leave out NaN and Infinity."
            ) from fault
        code += f"result = await {function}({arguments!r})\n"
        return await self._programs.run(context, code, f"Call {spelled}.", "call", required=(spelled,))

    def _definition(self, one: _NamedTool) -> T.Tool:
        marks, kind = self._marks, kind_of(self._services.catalog, one.tool)
        hints = one.tool.hints
        schema = {"type": "object", **one.tool.input_schema}
        return T.Tool(
            name=marks.mark(one.name, kind),
            title=marks.mark(one.tool.title, kind) or None,
            description=marks.mark(one.tool.description, kind),
            input_schema=marks.mark_schema(schema, kind),
            annotations=T.ToolAnnotations(
                read_only_hint=hints.read_only,
                destructive_hint=hints.destructive,
                idempotent_hint=hints.idempotent,
                open_world_hint=hints.open_world,
            ),
        )

    async def _named_tools(self, *, learn: bool) -> list[_NamedTool]:
        chosen = {*self._services.settings().agent_direct.split(), *self._also}
        if not chosen:
            return []
        catalog = self._services.catalog
        if learn:
            await catalog.learn()
        tools = [tool for tool in catalog.tools() if tool.server in chosen and catalog.blocked(tool) is None]
        taken: dict[str, _NamedTool] = {}
        for tool in tools[:MOST]:
            name = _unused_name(f"{tool.server}__{tool.name}", taken)
            taken[name] = _NamedTool(name, tool)
        return list(taken.values())


def kind_of(catalog: ServerCatalog, tool: Tool) -> TextKind:
    """Return how a tool's definition is masked: not at all once the user has seen it."""
    return TextKind.FIXED if catalog.is_seen(tool) else TextKind.PUBLIC


def _unused_name(wish: str, taken: dict[str, _NamedTool]) -> str:
    """Return an unused name that every model API accepts."""
    plain = _ODD.sub("_", wish)[:LONGEST_NAME]
    number = 1
    name = plain
    while name in taken:
        number += 1
        end = f"_{number}"
        name = f"{plain[: LONGEST_NAME - len(end)]}{end}"
    return name
