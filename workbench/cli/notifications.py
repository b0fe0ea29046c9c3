"""`notify test`: sends a test message through every channel of notifications that is set up."""

from __future__ import annotations

import argparse

from workbench.cli.common_options import DONE, FAULT, Parser, add_common, ask
from workbench.cli.terminal_output import print_data, print_json, print_table
from workbench.paths import Paths
from workbench.records import CheckState

EPILOG = """The message has no content: it says only that messages arrive. The settings `notify` in your settings.toml
name the channels; a project cannot set them.

exit codes: 0 sent, 1 a channel failed or none is on"""


def arrange_notify(parser: Parser) -> None:
    """Add the subcommand test."""
    parser.epilog = EPILOG
    commands = parser.add_subparsers(required=True, metavar="test")
    made = commands.add_parser(
        "test",
        help="send a test message through every channel that is on",
        epilog=EPILOG,
        formatter_class=parser.formatter_class,
    )
    add_common(made, _test)


def _test(given: argparse.Namespace, paths: Paths) -> int:
    checks = ask(paths, lambda api: api.test_notifications())
    if given.output == "json":
        print_json([{"channel": one.name, "state": str(one.state), "sentence": one.sentence} for one in checks])
    else:
        words = {CheckState.GOOD: "sent", CheckState.SKIPPED: "off"}
        print_table([(one.name, words.get(one.state, "failed"), one.sentence) for one in checks], 120)
    used = [one for one in checks if one.state is not CheckState.SKIPPED]
    if not used:
        print_data("No channel is on. docs/review.md describes the settings.")
    return DONE if used and all(one.state is CheckState.GOOD for one in used) else FAULT
