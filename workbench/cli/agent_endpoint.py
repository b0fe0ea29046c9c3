"""`serve`: serves agents over stdin and stdout or over HTTP.

Imports few modules, because agents wait until it has started.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from workbench.cli.common_options import DONE, Parser, add_common, talk
from workbench.errors import WorkbenchError
from workbench.paths import Paths

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.records import HttpEndpoint

EPILOG = """Without --http, this command serves one agent over stdin and stdout. MCP clients start it this way.
With --http, it serves agents over streamable HTTP on 127.0.0.1. Each request needs the header
`Authorization: Bearer TOKEN`. The address and the token are printed (--json for scripts). Ctrl+C closes the endpoint.
The setting agent.http keeps it open.
--direct is for servers with few tools. With many tools, searching costs the model fewer tokens than their definitions.
Each call needs the same approval as without --direct. The setting agent.direct does the same for all agents."""

DIRECT_HINT = "Use the setting agent.direct, which applies to all agents. Example: demo github."


def arrange_serve(parser: Parser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "--direct", action="append", default=[], metavar="SERVER",
        help="also offer the tools of SERVER one by one; may be repeated",
    )  # fmt: skip
    parser.add_argument("--http", action="store_true", help="open the HTTP endpoint instead, until Ctrl+C")
    parser.add_argument(
        "--port", type=int, default=None, metavar="N", help="port of the endpoint (default: 8737; 0: any free port)"
    )
    parser.add_argument("--new-token", action="store_true", help="make a new token; the old one becomes invalid")
    add_common(parser, _serve)


def _serve(given: argparse.Namespace, paths: Paths) -> int:
    if given.http and given.direct:
        raise WorkbenchError("--direct is for one agent, but --http opens an endpoint for many.", DIRECT_HINT)
    if given.http:
        return hold_endpoint(given, paths)
    if given.port is not None or given.new_token:
        raise WorkbenchError("--port and --new-token need --http.", "See `mcp-workbench serve --help`.")
    from workbench.api.stdio_bridge import serve

    return serve(paths, given.direct)


def hold_endpoint(given: argparse.Namespace, paths: Paths) -> int:
    """Keep the HTTP endpoint open until Ctrl+C, SIGTERM or the end of the core."""
    return talk(paths, lambda connection: _hold(given, connection))


async def _hold(given: argparse.Namespace, connection: CoreConnection) -> int:
    import asyncio
    import signal

    from workbench.events import spawn

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    api = connection.api
    settings = await api.settings()
    before = await api.http_endpoint()
    port = settings.agent_http_port if given.port is None else given.port
    _tell(given, await api.open_http_endpoint(port, given.new_token))
    ends = [spawn("told to stop", stop.wait()), spawn("the core is gone", connection.closed.wait())]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    for end in ends:
        end.cancel()
    if connection.closed.is_set():
        raise WorkbenchError("The core has ended, so the endpoint is closed.", "Run the command again.")
    if not before.url:  # this command opened the endpoint
        await api.close_http_endpoint()
    return DONE


def _tell(given: argparse.Namespace, endpoint: HttpEndpoint) -> None:
    if given.output == "json":
        from workbench.cli.terminal_output import print_record

        print_record(endpoint)
    else:
        print(f"url    {endpoint.url}\ntoken  {endpoint.token}")
        print(
            "Send the header Authorization: Bearer TOKEN with each request. Ctrl+C closes the endpoint.",
            file=sys.stderr,
        )
    sys.stdout.flush()
