"""`connect --hooks`: installs the hook program in a client, removes it, and sets rules. `hook`: answers one call."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.cli.common_options import DONE, FAULT, USAGE, Parser, add_common
from workbench.cli.terminal_output import narrate, print_data, print_json, print_table
from workbench.paths import Paths
from workbench.records import CallDecision, HookInstallation, Permission, Predicate

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

HOOK_EPILOG = """Reads the call of CLIENT from stdin in the client's own format and prints the answer in that format.
`connect --hooks` writes a faster form of this command into the client's configuration.

exit codes: 0 answered or left to the client, 2 refused because no core runs and --absent is deny"""


def arrange_hook(parser: Parser) -> None:
    parser.epilog = HOOK_EPILOG
    parser.add_argument("client", metavar="CLIENT", help="claude-code, codex, cursor or vscode")
    parser.add_argument(
        "--absent", choices=("ask", "deny"), default="ask", help="answer when no core runs (default: ask)"
    )
    parser.add_argument("--seconds", type=int, default=590, metavar="N", help="give up after N seconds (default: 590)")
    add_common(parser, _hook, data=False)


def _hook(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.client_hooks.hook_program import run

    return run(given.client, given.absent, given.seconds, str(paths.hook_socket), str(paths.project))


async def connect_hooks(connection: CoreConnection, given: argparse.Namespace) -> int:
    """Do what `connect --hooks` was asked to do."""
    if given.here and given.project is None:
        narrate("mcp-workbench: --here needs --project DIR: clients read such a file only in that folder.")
        return USAGE
    found = await connection.api.hook_installations()
    if not given.client:
        _list(found, given.output)
        return DONE
    place = _chosen(found, given.client, here=given.here)
    if place is None:
        names = ", ".join(dict.fromkeys(one.client.id.partition(":")[0] for one in found))
        narrate(f"mcp-workbench: {given.client!r:.60} has no hooks that the workbench knows. Known: {names}.")
        return USAGE
    if given.allow or given.deny:
        return await _set_rules(connection, place.client.id.partition(":")[0], given)
    return await _change(connection, place, given)


async def _change(connection: CoreConnection, place: HookInstallation, given: argparse.Namespace) -> int:
    preview = await connection.api.preview_hooks(place.client.id, given.absent or place.absent or "ask", given.remove)
    if preview.blocked is not None:
        narrate(f"mcp-workbench: {preview.blocked.message} {preview.blocked.hint}")
        print_data(preview.entries)
        return FAULT
    for note in preview.notes:
        narrate(note)
    if not preview.diff:
        narrate(
            f"{place.client.file} has no hooks of the workbench." if given.remove else "The hooks are already there."
        )
        return DONE
    narrate(f"{place.client.file}:\n{preview.diff}")
    if not (given.write or given.remove):
        narrate("--write makes this change.")
        return DONE
    absent = given.absent or place.absent or "ask"
    report = await connection.api.write_hooks(place.client.id, absent, given.remove, preview.sha)
    done = "Removed" if given.remove else "Written"
    narrate(
        f"{done}. Restart {report.client.client} if it is running."
        + (f" Backup: {report.backup}" * bool(report.backup))
    )
    return DONE


async def _set_rules(connection: CoreConnection, client: str, given: argparse.Namespace) -> int:
    for patterns, decision in ((given.deny, CallDecision.DENY), (given.allow, CallDecision.ALLOW)):
        for pattern in patterns:
            rule = Permission("", "hook", decision, client, "shell", (Predicate("command", pattern),), data="high")
            made = await connection.api.set_permission(rule)
            print_data(made.label)
    return DONE


def _list(found: Sequence[HookInstallation], output: str) -> None:
    rows = [
        (one.client.id.partition(":")[0], one.client.client, _state(one), one.client.file, one.project) for one in found
    ]
    if output == "json":
        keys = ("client", "title", "state", "file", "project")
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
        return
    print_table(
        [row for row, one in zip(rows, found, strict=True) if one.installed or one.fault or not one.client.project]
    )


def _state(one: HookInstallation) -> str:
    if one.fault:
        return "unreadable"
    return f"installed, without a core: {one.absent}" if one.installed else "not installed"


def _chosen(found: Sequence[HookInstallation], wish: str, *, here: bool) -> HookInstallation | None:
    plain = wish.lower().replace(" ", "-")
    fitting = (
        one for one in found if plain in (one.client.id.partition(":")[0], one.client.client.lower().replace(" ", "-"))
    )
    return next((one for one in fitting if bool(one.client.project) == here), None)
