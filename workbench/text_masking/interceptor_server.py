"""MCP server over stdin and stdout that offers masking to gateways as interceptors (SEP-2624, a draft)."""

from __future__ import annotations

import functools
import threading
from typing import Any, Final

import anyio
import anyio.to_thread
import mcp.types as T
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from workbench import __version__
from workbench.errors import WorkbenchError
from workbench.privacy.user_marks import StartRules
from workbench.records import JsonObject
from workbench.text_masking.masking_interceptors import (
    RESULTS,
    Defaults,
    InvalidInvocation,
    Invocation,
    MaskingInterceptors,
    Phase,
)
from workbench.thread_cancellation import cancellable

EXTENSION: Final = "io.modelcontextprotocol/interceptors"
LIST, INVOKE = "interceptors/list", "interceptor/invoke"
TIMEOUT: Final = -32000  # as the draft says
_INSTRUCTIONS: Final = (
    "Masks personal data and secrets for an MCP gateway. Offers interceptors (SEP-2624, a draft) and no tools."
)
_Context = ServerRequestContext[Any, Any]  # Any: as the SDK leaves it


class ListParams(T.RequestParams):
    event: str | None = None


class InvokeParams(T.RequestParams):
    name: str
    event: str
    phase: Phase
    payload: Any = None  # Any: JSON
    config: dict[str, Any] | None = None
    timeout_ms: float | None = None
    context: dict[str, Any] | None = None


def interceptor_server(start: StartRules, defaults: Defaults) -> Server[Any]:
    """The server, without a transport."""
    interceptors = MaskingInterceptors(start, defaults)
    server: Server[Any] = Server("mcp-workbench-interceptor", version=__version__, instructions=_INSTRUCTIONS)
    server.extensions[EXTENSION] = {"supportedEvents": [*RESULTS]}

    async def list_interceptors(context: _Context, params: ListParams) -> dict[str, Any]:
        return {"interceptors": interceptors.descriptors(params.event)}

    async def invoke(context: _Context, params: InvokeParams) -> dict[str, Any]:
        return dict(await _invoke(interceptors, params))

    server.add_request_handler(LIST, ListParams, list_interceptors)
    server.add_request_handler(INVOKE, InvokeParams, invoke)
    return server


async def _invoke(interceptors: MaskingInterceptors, params: InvokeParams) -> JsonObject:
    session = str((params.context or {}).get("sessionId", ""))
    invocation = Invocation(params.name, params.event, params.phase, params.payload, params.config or {}, session)
    cancelled = threading.Event()
    seconds = None if params.timeout_ms is None else params.timeout_ms / 1000
    try:
        with anyio.fail_after(seconds), cancellable(cancelled):
            work = functools.partial(interceptors.invoke, invocation)
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
    except TimeoutError:
        data = {"interceptor": params.name, "timeoutMs": params.timeout_ms, "phase": params.phase}
        raise MCPError(TIMEOUT, "Interceptor execution timeout", data) from None
    except InvalidInvocation as fault:
        raise MCPError(T.INVALID_PARAMS, str(fault), {"interceptor": params.name}) from None
    except (WorkbenchError, RecursionError) as fault:
        data = {"interceptor": params.name, "reason": str(fault)}
        raise MCPError(T.INTERNAL_ERROR, "Interceptor execution failed", data) from None
    finally:
        cancelled.set()  # a search that goes on after a timeout ends


def serve(start: StartRules, defaults: Defaults) -> None:
    """Serve one client until it closes standard input."""

    async def run() -> None:
        server = interceptor_server(start, defaults)
        # Clients of protocol versions before 2026 only see experimental capabilities.
        options = server.create_initialization_options(experimental_capabilities=server.extensions)
        async with stdio_server() as (read_stream, write_stream):
            await server.run(read_stream, write_stream, options)

    anyio.run(run)
