"""`agents`: lists connected agents, and pauses and resumes all of them."""

from __future__ import annotations

import argparse

from workbench.cli.common_options import DONE, Parser, add_common, ask
from workbench.cli.terminal_output import format_time, narrate, print_record, print_table
from workbench.paths import Paths

EPILOG = """`agents pause` refuses new programs and all calls of agents, in all your projects, until `agents resume`:
also calls of programs that run already and of other clients' own tools. What waits for you goes on waiting. It is the
setting agent.paused. An agent cannot resume itself.

exit codes: 0 done, 1 an error"""


def arrange_agents(parser: Parser) -> None:
    """Add the subcommands list, pause and resume."""
    parser.epilog = EPILOG
    commands = parser.add_subparsers(required=True, metavar="list|pause|resume")
    for name, words, run in (
        ("list", "list the connected agents", _list),
        ("pause", "refuse new programs and calls of agents", _pause),
        ("resume", "let agents work again", _resume),
    ):
        made = commands.add_parser(name, help=words, epilog=EPILOG, formatter_class=parser.formatter_class)
        add_common(made, run, data=name == "list")


def _list(given: argparse.Namespace, paths: Paths) -> int:
    status = ask(paths, lambda api: api.status())
    if given.output == "json":
        print_record(status.agents)
        return DONE
    print_table([(one.name, one.version, f"since {format_time(one.since)}", one.session) for one in status.agents])
    if not status.agents:
        narrate("No agent is connected.")
    if status.paused:
        narrate("Agents are paused. To resume them: mcp-workbench agents resume")
    return DONE


def _pause(given: argparse.Namespace, paths: Paths) -> int:
    ask(paths, lambda api: api.change_setting("agent.paused", True))
    narrate("Agents are paused: their new programs and calls are refused. To resume: mcp-workbench agents resume")
    return DONE


def _resume(given: argparse.Namespace, paths: Paths) -> int:
    ask(paths, lambda api: api.change_setting("agent.paused", False))
    narrate("Agents can work again.")
    return DONE
