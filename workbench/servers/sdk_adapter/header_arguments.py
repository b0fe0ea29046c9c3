"""Mirrors arguments into HTTP headers (`x-mcp-header`, protocol 2026-07-28), for requests that are sent raw.

The SDK does this in `ClientSession.call_tool` only, which validates results after the call has happened.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from workbench.records import JsonObject, Tool
from workbench.servers.tool_definitions.definition_parsing import ParsedDefinitions


def of_request(tools: Mapping[str, Tool], method: str, params: JsonObject) -> dict[str, str]:
    """The headers beside any request; only a call of a known tool has some."""
    given = params.get("arguments")
    tool = tools.get(str(params.get("name"))) if method == "tools/call" else None
    return headers(tool, given) if tool is not None and isinstance(given, Mapping) else {}


def headers(tool: Tool, arguments: JsonObject) -> dict[str, str]:
    """The headers beside a call of the tool."""
    from mcp.shared.inbound import mcp_param_headers, x_mcp_header_map

    return mcp_param_headers(x_mcp_header_map(dict(tool.input_schema)), arguments)


def without_invalid(found: ParsedDefinitions) -> ParsedDefinitions:
    """A tool whose annotations are wrong must not be called over HTTP: what it wants mirrored is not clear."""
    from mcp.shared.inbound import find_invalid_x_mcp_header

    faults = {tool.name: find_invalid_x_mcp_header(dict(tool.input_schema)) for tool in found.tools}
    warnings = tuple(f"Tool {name:.80} was left out: {why:.200}." for name, why in faults.items() if why)
    if not warnings:
        return found
    kept = tuple(tool for tool in found.tools if not faults[tool.name])
    return replace(found, tools=kept, warnings=(*found.warnings, *warnings))
