"""`read` and `prompt`: prints a resource or a filled prompt of a server."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.cli.common_options import Parser, add_common
from workbench.cli.consents import NotAllowed, reach
from workbench.cli.core_requests import talk
from workbench.cli.exit_codes import DONE, FAULT, UNANSWERED, USAGE
from workbench.cli.terminal_output import narrate, narrate_fault, print_data, print_json
from workbench.cli.tool_results import bring_whole, print_outcome
from workbench.paths import Paths
from workbench.records import Outcome, PromptAnswer

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

ALLOW = "start a server that was never allowed; its command is shown on stderr"


def arrange_read(parser: Parser) -> None:
    """A server and the address of a resource."""
    parser.add_argument("server", metavar="SERVER")
    parser.add_argument("uri", metavar="URI", help="the resource's address, as the server writes it")
    parser.add_argument("--allow", action="store_true", help=ALLOW)
    add_common(parser, _read)


def arrange_prompt(parser: Parser) -> None:
    """A server, a prompt, its arguments."""
    parser.add_argument("server", metavar="SERVER")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("-a", "--arg", action="append", default=[], metavar="K=V", help="an argument; always a text")
    parser.add_argument("--allow", action="store_true", help=ALLOW)
    add_common(parser, _prompt)


def _read(given: argparse.Namespace, paths: Paths) -> int:
    async def read(connection: CoreConnection) -> Outcome:
        await reach(connection.api, given.server, given.allow)
        return await bring_whole(connection, await connection.api.read_resource(given.server, given.uri))

    try:
        return print_outcome(talk(paths, read), given.output)
    except NotAllowed as fault:
        narrate_fault(fault)
        return UNANSWERED


def _prompt(given: argparse.Namespace, paths: Paths) -> int:
    arguments = _texts(given.arg)
    if arguments is None:
        return USAGE

    async def get(connection: CoreConnection) -> tuple[PromptAnswer, str]:
        await reach(connection.api, given.server, given.allow)
        answer = await connection.api.get_prompt(given.server, given.name, arguments)
        return answer, await connection.whole(answer.raw)

    try:
        answer, raw = talk(paths, get)
    except NotAllowed as fault:
        narrate_fault(fault)
        return UNANSWERED
    if answer.fault is not None:
        narrate(f"mcp-workbench: {answer.fault.message} {answer.fault.hint}".rstrip())
        return FAULT
    if given.output == "json":
        print_json(json.loads(raw))
    else:
        for message in answer.messages:
            content = message.content
            print_data(f"{message.role}: {content.text or f'[{content.kind} {content.mime} {content.uri}]'}")
    return DONE


def _texts(pairs: Sequence[str]) -> dict[str, str] | None:
    """A prompt's arguments are texts; None when one of them is no pair."""
    found = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not key or not sign:
            narrate(f"mcp-workbench: {pair!r:.200} is no argument.\nWrite --arg name=value.")
            return None
        found[key] = value
    return found
