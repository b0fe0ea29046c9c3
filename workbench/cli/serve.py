"""`serve`: serves an agent over stdin and stdout. Imports little, because the agent waits for it."""

from __future__ import annotations

import argparse

from workbench.cli.common_options import Parser, add_common
from workbench.errors import WorkbenchError
from workbench.paths import Paths

EPILOG = """Without --http: MCP over stdin and stdout, which is what an agent's settings name.
With --http: streamable HTTP on 127.0.0.1, with a token that every request brings as `Authorization: Bearer …`. Address
and token are printed (--json for programs); the door closes with Ctrl+C. The setting agent.http keeps it open.
--direct is good for few tools: their definitions cost the model more than searching them when there are many. Each call
passes the same gate. The setting agent.direct does the same for all agents."""

DIRECT_HINT = "The setting agent.direct shows the tools of the servers it names to all agents, such as: demo github."


def arrange_serve(parser: Parser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "--direct", action="append", default=[], metavar="SERVER",
        help="show this agent the tools of SERVER one by one, too; may stand several times",
    )  # fmt: skip
    parser.add_argument("--http", action="store_true", help="open the HTTP endpoint instead, until Ctrl+C")
    parser.add_argument("--port", type=int, default=None, metavar="N", help="its port; 0 is any that is free (8737)")
    parser.add_argument("--new-token", action="store_true", help="make a new token; the old one opens nothing then")
    add_common(parser, _serve)


def _serve(given: argparse.Namespace, paths: Paths) -> int:
    if given.http and given.direct:
        raise WorkbenchError("--direct is for one agent; --http opens an endpoint for many.", DIRECT_HINT)
    if given.http:
        from workbench.cli.http_endpoint import hold_door

        return hold_door(given, paths)
    if given.port is not None or given.new_token:
        raise WorkbenchError("--port and --new-token belong to --http.", "See `mcp-workbench serve --help`.")
    from workbench.api.stdio_bridge import serve

    return serve(paths, given.direct)
