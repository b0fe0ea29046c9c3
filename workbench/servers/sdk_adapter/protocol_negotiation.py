"""Negotiates the protocol version with a server, and adds what that version requires to raw requests.

WORKAROUND(the SDK probes each server at each start and waits 10 s for those that ignore unknown requests; it adds
metadata and `x-mcp-header` headers only to typed calls, which withhold an answer that departs from its output schema,
python-sdk#2626; mcp > 2.3): see `tests/servers/test_plain_sdk.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from workbench.records import JsonObject, Tool
from workbench.servers.sdk_adapter.http_errors import BROKE
from workbench.servers.tool_definitions.definition_parsing import ParsedDefinitions

if TYPE_CHECKING:
    from mcp.client.session import ClientSession
    from mcp.shared.exceptions import MCPError

LEGACY, MODERN = "legacy", "modern"  # the protocol's two eras
CLOSED = -32000
_PROBE_SECONDS = 4.0  # seconds for the probe; a modern server that answers later is asked again
_WORDS = 100  # capabilities stored of one server


class Greeting(Struct, frozen=True):
    """Name, version, protocol and capabilities that a server announced."""

    title: str
    version: str
    protocol: str
    instructions: str
    era: str
    capabilities: tuple[str, ...] = ()  # tools, tools.listChanged, resources, resources.subscribe …
    transport: str = "stdio"


async def negotiate(session: ClientSession, era: str) -> None:
    """Find out the era of a server. A server known as legacy is not probed: some never answer unknown requests."""
    import anyio
    from mcp.shared.exceptions import MCPError
    from pydantic import ValidationError

    if era != LEGACY:
        try:
            with anyio.fail_after(_PROBE_SECONDS):
                await session.discover()
            return
        except MCPError as refusal:
            if _is_final(refusal):
                raise
        except (RuntimeError, ValidationError, TimeoutError):
            pass  # a legacy server, no common modern version, or a slow server
    try:
        await session.initialize()
    except MCPError as refusal:
        if refusal.code == CLOSED or _is_final(refusal):
            raise
        try:
            await session.discover()  # the server was updated since its era was stored, or answered after the probe
        except (MCPError, RuntimeError, ValidationError):
            raise refusal from None


def _is_final(refusal: MCPError) -> bool:
    """Whether another request would fail the same way: server unreachable, not signed in, or failing."""
    told = refusal.error.data if refusal.code == BROKE else None
    status = told.get("status") if isinstance(told, dict) else None
    return isinstance(status, int) and (status in (401, 403, 429) or status >= 500)


def greeting(session: ClientSession, transport: str) -> Greeting:
    modern = session.discover_result is not None
    info, offered = session.server_info, session.server_capabilities
    title, number = (info.title or info.name, info.version) if info else ("", "")
    return Greeting(
        title,
        number,
        session.protocol_version or "",
        session.instructions or "",
        MODERN if modern else LEGACY,
        capability_words(offered.model_dump(by_alias=True, mode="json", exclude_none=True)) if offered else (),
        transport,
    )


def capability_words(capabilities: Mapping[str, Any]) -> tuple[str, ...]:  # Any: untrusted JSON
    """Return capabilities as texts; a feature follows its capability after a dot."""
    found = []
    for name, features in capabilities.items():
        found.append(name)
        if isinstance(features, Mapping):
            found += [f"{name}.{feature}" for feature, value in features.items() if value or value == {}]
    return tuple(word[:100] for word in found[:_WORDS])


def meta(session: ClientSession, me: Any, capabilities: JsonObject) -> JsonObject:  # Any: the SDK's Implementation
    """Return the client metadata that each request of the modern era carries; empty in the legacy era."""
    from mcp.types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

    if session.discover_result is None:
        return {}
    return {
        PROTOCOL_VERSION_META_KEY: session.protocol_version,
        CLIENT_INFO_META_KEY: me.model_dump(by_alias=True, mode="json", exclude_none=True),
        CLIENT_CAPABILITIES_META_KEY: dict(capabilities),
    }


def headers(version: str, modern: bool, method: str, params: JsonObject) -> dict[str, str]:
    """Return the HTTP headers that repeat parts of the body; stdio ignores them."""
    from mcp.shared.inbound import (
        MCP_METHOD_HEADER,
        MCP_NAME_HEADER,
        MCP_PROTOCOL_VERSION_HEADER,
        NAME_BEARING_METHODS,
        encode_header_value,
    )

    found = {MCP_PROTOCOL_VERSION_HEADER: version}
    if modern:
        found[MCP_METHOD_HEADER] = method
        name = params.get(NAME_BEARING_METHODS.get(method, ""))
        if isinstance(name, str):
            found[MCP_NAME_HEADER] = encode_header_value(name)
    return found


def request_argument_headers(tools: Mapping[str, Tool], method: str, params: JsonObject) -> dict[str, str]:
    """Return the argument headers of any request; only calls of known tools have some."""
    given = params.get("arguments")
    tool = tools.get(str(params.get("name"))) if method == "tools/call" else None
    return argument_headers(tool, given) if tool is not None and isinstance(given, Mapping) else {}


def argument_headers(tool: Tool, arguments: JsonObject) -> dict[str, str]:
    """Return the argument headers of a tool call."""
    from mcp.shared.inbound import mcp_param_headers, x_mcp_header_map

    return mcp_param_headers(x_mcp_header_map(dict(tool.input_schema)), arguments)


def without_invalid_headers(found: ParsedDefinitions) -> ParsedDefinitions:
    """Drop tools with invalid header annotations: they must not be called over HTTP, because it is unclear which
    arguments to repeat in headers."""
    from mcp.shared.inbound import find_invalid_x_mcp_header

    faults = {tool.name: find_invalid_x_mcp_header(dict(tool.input_schema)) for tool in found.tools}
    warnings = tuple(f"Tool {name:.80} was left out: {why:.200}." for name, why in faults.items() if why)
    if not warnings:
        return found
    kept = tuple(tool for tool in found.tools if not faults[tool.name])
    return replace(found, tools=kept, warnings=(*found.warnings, *warnings))
