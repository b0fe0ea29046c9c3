"""`servers` and `tools`: what a bench has."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.ask import ask, talk
from workbench.cli.codes import DONE
from workbench.cli.options import Parser, add_common
from workbench.cli.printing import narrate, print_record, print_table
from workbench.cli.reach import command_line, find_server
from workbench.paths import Paths
from workbench.records import ServerState, ServerStatus, ToolSummary

if TYPE_CHECKING:
    from workbench.wire.client import Connection

MOST = 200  # matches a search answers with


def arrange_servers(parser: Parser) -> None:
    add_common(parser, _servers)


def arrange_tools(parser: Parser) -> None:
    add_common(parser, _tools)
    parser.add_argument("--server", default="", metavar="NAME", help="only this server's tools")
    parser.add_argument("--search", default="", metavar="WORDS", help="the best matches first, as an agent finds them")
    parser.epilog = (
        "A server's tools are known once it has been connected. In text each line is a server, a tool and a sentence,\n"
        "separated by tabs when the output is not a terminal."
    )


def _servers(given: argparse.Namespace, paths: Paths) -> int:
    states = ask(paths, lambda questions: questions.servers())
    if given.output == "json":
        print_record(tuple[ServerState, ...], states)
    else:
        print_table([_server_row(state) for state in states])
    for state in states:
        if state.fault:
            narrate(f"{state.config.name}: {state.fault.message} {state.fault.hint}".rstrip())
    return DONE


def _server_row(state: ServerState) -> tuple[str, ...]:
    config = state.config
    word = "disabled" if config.disabled else state.status.value
    if not (config.disabled or state.allowed or config.builtin):
        word = "not allowed yet"
    known = state.tool_count or state.status is ServerStatus.READY
    tools = ("1 tool" if state.tool_count == 1 else f"{state.tool_count} tools") if known else ""
    return config.name, word, tools, command_line(config)


def _tools(given: argparse.Namespace, paths: Paths) -> int:
    async def find(connection: Connection) -> tuple[ToolSummary, ...]:
        questions = connection.questions
        if given.server:
            await find_server(questions, given.server)
        if given.search:
            found = (await questions.search(given.search, "name", MOST)).matches
        else:
            found = await questions.tools()
        return tuple(tool for tool in found if given.server in ("", tool.server))

    tools = talk(paths, find)
    if given.output == "json":
        print_record(tuple[ToolSummary, ...], tools)
    else:
        print_table([(tool.server, tool.name, tool.summary) for tool in tools])
    if not tools:
        narrate("No tool fits. A server's tools are known once it has been connected.")
    return DONE
