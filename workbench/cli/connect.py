"""`connect`: adds this workbench to an agent's settings, or prints what to add, and waits for the agent."""

from __future__ import annotations

import argparse
import contextlib
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.cli.common_options import DONE, FAULT, USAGE, Parser, add_common, talk
from workbench.cli.terminal_output import narrate, print_data, print_json, print_table
from workbench.errors import WorkbenchError
from workbench.paths import Paths, resources
from workbench.records import AgentInfo, ClientFile, ExportPreview, ExportReport

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.events import Event

LOOK_SECONDS = 1.0  # interval of the checks whether the core is still running
EPILOG = """Without CLIENT, the known clients and their files are listed. Without --write, nothing is written: the entry
is printed to stdout, the change of the file to stderr. --write makes a backup next to the file and prints the command
that restores it. --hooks installs hooks instead of the entry.

exit codes: 0 done, 1 the file cannot be written, 2 unknown client, 130 interrupted"""


def arrange_connect(parser: Parser) -> None:
    """Add the client argument and the options."""
    parser.epilog = EPILOG
    parser.add_argument(
        "client", nargs="?", default="", metavar="CLIENT", help="for example claude-code, cursor or codex"
    )
    deed = parser.add_mutually_exclusive_group()
    deed.add_argument("--print", dest="show", action="store_true", help="print the entry and the change (the default)")
    deed.add_argument("--write", action="store_true", help="write the entry to the client's file")
    deed.add_argument("--prompt", action="store_true", help="print instructions for an agent")
    parser.add_argument(
        "--here", action="store_true", help="use the client's file for this project, not the one for all projects"
    )
    parser.add_argument("--wait", action="store_true", help="wait until an agent has connected")
    hooks = parser.add_argument_group("hooks (docs/hooks.md)")
    hooks.add_argument(
        "--hooks", action="store_true", help="have CLIENT ask the workbench about its own calls; without CLIENT, list"
    )
    deed.add_argument("--remove", action="store_true", help="with --hooks: remove the hooks from CLIENT")
    hooks.add_argument(
        "--absent", choices=("ask", "deny"), default="",
        help="what happens to calls while the workbench is not running (default: ask, by the client's own prompt)",
    )  # fmt: skip
    hooks.add_argument(
        "--deny", action="append", default=[], metavar="COMMAND", help="refuse such commands of CLIENT: 'git push *'"
    )
    hooks.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="COMMAND",
        help="allow such commands of CLIENT, never at critical risk",
    )
    add_common(parser, _connect)


def _connect(given: argparse.Namespace, paths: Paths) -> int:
    if given.prompt:
        print_data((resources() / "agent_prompt.md").read_text(encoding="utf-8"))
        return DONE
    if given.hooks:
        from workbench.cli.hooks import connect_hooks

        return talk(paths, lambda connection: connect_hooks(connection, given))
    if given.remove or given.absent or given.deny or given.allow:
        raise WorkbenchError(
            "--remove, --absent, --deny and --allow need --hooks.", "See `mcp-workbench connect --help`."
        )
    return talk(paths, lambda connection: _connect_client(connection, given))


async def _connect_client(connection: CoreConnection, given: argparse.Namespace) -> int:
    files = await connection.api.client_files()
    if not given.client:
        _list(files, given.output)
        return DONE
    found = _chosen(files, given.client, here=given.here)
    if found is None:
        where = " with a file for one project" if given.here else ""
        narrate(f"mcp-workbench: There is no client {given.client!r:.60}{where}.")
        narrate(f"Known clients: {', '.join(_names(files))}.")
        return USAGE
    preview = await connection.api.preview_export(found.id, (), True)
    code = await _write(connection, preview) if given.write else _show(preview, given.output)
    if given.wait and code == DONE:
        await _wait(connection)
    return code


def _list(files: Sequence[ClientFile], output: str) -> None:
    if output == "json":
        print_json([{"client": _name(one), "title": one.client, "file": one.file, "installed": one.installed}
                    for one in files])  # fmt: skip
        return
    here = {True: "installed", False: "not found"}
    print_table([(_name(one), one.client, here[one.installed], one.file) for one in files if not one.project])


def _show(preview: ExportPreview, output: str) -> int:
    if output == "json":
        blocked = preview.blocked.message if preview.blocked else ""
        report = {"file": preview.client.file, "entry": preview.entries, "diff": preview.diff, "blocked": blocked}
        print_json(report | {"notes": list(preview.notes)})
        return DONE
    print_data(preview.entries)
    _print_preview(preview)
    if preview.diff and preview.blocked is None:
        narrate(f"--write makes this change in {preview.client.file}:\n{preview.diff}")
    elif preview.blocked is None:
        narrate(f"The entry is already in {preview.client.file}.")
    return DONE


async def _write(connection: CoreConnection, preview: ExportPreview) -> int:
    _print_preview(preview)
    if preview.blocked is not None:
        print_data(preview.entries)
        return FAULT
    if not preview.diff:
        narrate(f"The entry is already in {preview.client.file}.")
        return DONE
    narrate(f"{preview.client.file}:\n{preview.diff}")
    report = await connection.api.export_servers(preview.client.id, (), True, preview.sha)
    narrate(f"Written. Restart {report.client.client} if it is running.")
    print_data(_describe_undo(report))
    return DONE


def _describe_undo(report: ExportReport) -> str:
    """The command that undoes the export."""
    if report.backup:
        return f"cp {shlex.quote(report.backup)} {shlex.quote(report.client.file)}"
    return f"rm {shlex.quote(report.client.file)}"


def _print_preview(preview: ExportPreview) -> None:
    for note in preview.notes:
        narrate(note)
    if preview.blocked is not None:
        narrate(f"mcp-workbench: {preview.blocked.message} {preview.blocked.hint}".rstrip())


async def _wait(connection: CoreConnection) -> None:
    """Wait until an agent connects, and print its name."""
    import asyncio

    from workbench.api.client_texts import agent_title
    from workbench.events import AgentsChanged

    came: asyncio.Queue[tuple[AgentInfo, ...]] = asyncio.Queue()

    def hear(event: Event) -> None:
        if isinstance(event, AgentsChanged):
            came.put_nowait(event.agents)

    forget = connection.listen(hear)
    try:
        came.put_nowait((await connection.api.status()).agents)
        narrate("Waiting for an agent … (Ctrl+C to stop waiting)")
        named: list[AgentInfo] = []
        while not named:
            if connection.closed.is_set():
                raise WorkbenchError("The core ended before an agent connected.", "Run the command again.")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    named = [one for one in await came.get() if one.version]
        print_data("\n".join(f"{agent_title(one.name)} is connected." for one in named))
    finally:
        forget()


def _chosen(files: Sequence[ClientFile], wish: str, *, here: bool) -> ClientFile | None:
    """The settings file whose short name or title matches. Among several, the file of an installed client."""
    plain = wish.lower().replace(" ", "-")
    fitting = [one for one in files if plain in (_name(one), one.client.lower().replace(" ", "-"))]
    fitting = [one for one in fitting if bool(one.project) == here]
    return next((one for one in fitting if one.installed), fitting[0] if fitting else None)


def _name(file: ClientFile) -> str:
    return file.id.partition(":")[0]


def _names(files: Sequence[ClientFile]) -> list[str]:
    return list(dict.fromkeys(map(_name, files)))
