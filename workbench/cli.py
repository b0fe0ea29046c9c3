"""The door for scripts: reads the command line, asks the core, prints. Data goes to stdout, narration to stderr.

It decides nothing and opens no window: when a window is wished for, it says for which bench, and `__main__` opens it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench import __version__
from workbench.errors import WorkbenchError
from workbench.paths import Paths, paths_of
from workbench.records import ChainReport, CoreStatus, Entry, EntryQuery

if TYPE_CHECKING:
    from workbench.wire.questions import Questions

DONE, FAULT, USAGE, BROKEN, NOT_RUNNING = 0, 1, 2, 3, 4  # exit codes; documented in ABOUT
INTERRUPTED = 130  # as shells say it for Ctrl+C
STOP_SECONDS = 30.0  # how long `stop` waits for the core to be gone

ABOUT = """commands:
  mcp-workbench [FOLDER]       open the window on a bench: a folder, or your own bench
  mcp-workbench serve          serve an agent over stdin and stdout
  mcp-workbench status         say what the core of a bench is doing
  mcp-workbench stop           end the core of a bench and everything it started
  mcp-workbench audit verify   check that the audit is whole
  mcp-workbench audit query    read the audit

examples:
  mcp-workbench ~/projects/shop
  claude mcp add workbench -- mcp-workbench serve --bench ~/projects/shop
  mcp-workbench status --json
  mcp-workbench audit query --kind run. --limit 20

exit codes: 0 done, 1 a fault (the sentence is on stderr), 2 wrong usage, 3 the audit is not whole, 4 no core runs.
A folder that is named like a command is opened as ./status."""

T = TypeVar("T")
Command = Callable[[argparse.Namespace, Paths], int]


def main(arguments: list[str]) -> int | Paths:
    """The exit code of a command, or the paths of the bench a window is wished for."""
    try:
        command = _COMMANDS.get(arguments[0]) if arguments else None
        return _run(command, arguments) if command else _window(arguments)
    except WorkbenchError as fault:
        print(f"mcp-workbench: {fault.message}", file=sys.stderr)
        if fault.hint:
            print(fault.hint, file=sys.stderr)
        return FAULT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read us has read enough
        return FAULT
    except KeyboardInterrupt:
        return INTERRUPTED


def check_window(environ: Mapping[str, str], python: tuple[int, int], qt: str) -> None:
    """Refuse what would end in an abort inside Qt: no display, or a Qt that does not work with this Python."""
    if sys.platform == "linux" and not any(environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")):
        raise WorkbenchError(
            "There is no display to open a window on.",
            "Run it in a desktop session. Without one, `mcp-workbench serve` and the other commands work.",
        )
    if not qt:
        raise WorkbenchError("PySide6 is not installed.", "Install it with: pip install mcp-workbench")
    if python < (3, 12) and _numbers(qt) >= (6, 12):
        raise WorkbenchError(
            f"PySide6 {qt} crashes on Python {python[0]}.{python[1]}.",
            'Install one that works: pip install "PySide6-Essentials>=6.10,<6.12"',
        )


def _window(arguments: list[str]) -> Paths:
    parser = argparse.ArgumentParser(
        prog="mcp-workbench",
        description="Browse and test MCP tools, review and approve agent-proposed code, curate the skill library.",
        epilog=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="the bench to open; your own when none is given")
    parser.add_argument("--version", action="version", version=f"mcp-workbench {__version__}")
    paths = _paths(parser.parse_args(arguments).folder)
    check_window(os.environ, sys.version_info[:2], _qt_version())
    return paths


def _run(command: tuple[Callable[[argparse.ArgumentParser], None], str], arguments: list[str]) -> int:
    arrange, description = command
    parser = argparse.ArgumentParser(prog=f"mcp-workbench {arguments[0]}", description=description)
    arrange(parser)
    given = parser.parse_args(arguments[1:])
    run: Command = given.run
    return run(given, _paths(given.bench))


def _arrange_serve(parser: argparse.ArgumentParser) -> None:
    _add_common(parser, _serve, data=False)


def _arrange_status(parser: argparse.ArgumentParser) -> None:
    _add_common(parser, _status)


def _arrange_stop(parser: argparse.ArgumentParser) -> None:
    _add_common(parser, _stop, data=False)


def _arrange_audit(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="verify|query")
    _add_common(commands.add_parser("verify", help="check that the audit is whole"), _verify)
    query = commands.add_parser("query", help="print entries, newest first")
    _add_common(query, _query)
    query.add_argument("--text", default="", help="words that must occur")
    query.add_argument("--kind", default="", help='a kind or its beginning: "run.", "call.failed"')
    query.add_argument("--session", default="", help="one agent's session")
    query.add_argument("--run", dest="run_id", default="", metavar="ID", help="one run")
    query.add_argument("--server", default="", help="one server")
    query.add_argument("--tool", default="", help="one tool")
    query.add_argument("--risk", default="", choices=("low", "medium", "high", "critical"), help="one level of risk")
    query.add_argument("--before", type=int, default=0, metavar="NUMBER", help="only entries before this one")
    query.add_argument("--limit", type=int, default=50, help="how many at most (50)")


def _add_common(parser: argparse.ArgumentParser, run: Command, *, data: bool = True) -> None:
    parser.set_defaults(run=run)
    parser.add_argument("--bench", default=None, metavar="DIR", help="the bench; your own when none is given")
    if data:
        parser.add_argument("--json", action="store_true", help="print JSON")


_COMMANDS: Mapping[str, tuple[Callable[[argparse.ArgumentParser], None], str]] = {
    "serve": (_arrange_serve, "Serve an agent over stdin and stdout; starts the core of the bench when none runs."),
    "status": (_arrange_status, "Say what the core of a bench is doing. Starts nothing; exit code 4 when none runs."),
    "stop": (_arrange_stop, "End the core of a bench and everything it started."),
    "audit": (_arrange_audit, "Check or read the audit of a bench."),
}


def _serve(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.wire.proxy import serve

    return serve(paths)


def _status(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.wire.lock import holder

    if not holder(paths.lock):
        print(f"No core runs for {paths.bench}.", file=sys.stderr)
        return NOT_RUNNING
    status = _ask(paths, lambda questions: questions.status(), start=False)
    if given.json:
        _print_json(CoreStatus, status)
        return DONE
    print(f"bench     {status.bench}")
    print(f"core      version {status.version}, process {status.pid}, since {_moment(status.started)}")
    print(f"servers   {status.servers_ready} of {status.servers} ready, {status.tools} tools known")
    print(f"agents    {len(status.agents)}")
    print(f"runs      {status.waiting} waiting for a person, {status.running} running")
    print(f"skills    {status.skills}")
    print(f"sandbox   {status.strength.backend}, {status.strength.level}")
    for notice in status.notices:
        print(_visible(f"notice    {notice.message} {notice.hint}"))
    return DONE


def _stop(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.wire.lock import holder

    if not holder(paths.lock):
        print(f"No core runs for {paths.bench}.", file=sys.stderr)
        return DONE
    _ask_to_end(paths, holder(paths.lock))
    deadline = time.monotonic() + STOP_SECONDS
    while pid := holder(paths.lock):
        if time.monotonic() > deadline:
            raise WorkbenchError(f"The core (process {pid}) does not end.", f"End it the hard way: kill -9 {pid}")
        time.sleep(0.05)
    print("The core has ended.", file=sys.stderr)
    return DONE


def _ask_to_end(paths: Paths, pid: int) -> None:
    """By the wire; a core that does not listen, or is of another version, by a signal."""
    import signal

    try:
        _ask(paths, lambda questions: questions.shut_down(), start=False)
    except WorkbenchError as fault:
        print(f"{fault.message} It is ended by a signal.", file=sys.stderr)
        if pid:
            os.kill(pid, signal.SIGTERM)


def _verify(given: argparse.Namespace, paths: Paths) -> int:
    report = _ask(paths, lambda questions: questions.verify_audit())
    if given.json:
        _print_json(ChainReport, report)
    elif report.whole:
        print(f"The audit is whole: {report.entries} entries, head {report.head}.")
    else:
        print(f"The audit is not whole at entry {report.broken_at}: {_visible(report.reason)}.")
    return DONE if report.whole else BROKEN


def _query(given: argparse.Namespace, paths: Paths) -> int:
    names = ("text", "kind", "session", "run_id", "server", "tool", "risk", "before", "limit")
    query = EntryQuery(**{name: getattr(given, name) for name in names})
    entries = _ask(paths, lambda questions: questions.entries(query))
    if given.json:
        _print_json(tuple[Entry, ...], entries)
        return DONE
    for entry in entries:
        note = entry.note
        words = (f"{entry.seq:>6}", _moment(entry.at), "    " if note.ok else "FAIL", f"{note.kind:<16}", note.summary)
        print(_visible("  ".join(words)))
    if not entries:
        print("No entry fits.", file=sys.stderr)
    return DONE


def _ask(paths: Paths, question: Callable[[Questions], Awaitable[T]], start: bool = True) -> T:
    """The answer to one question; asyncio and the client are imported only when something is asked."""
    import asyncio

    from workbench.wire.client import connect

    async def ask() -> T:
        connection = await connect(paths, start, role="script")
        try:
            return await question(connection.questions)
        finally:
            await connection.close()

    return asyncio.run(ask())


def _paths(folder: str | None) -> Paths:
    if folder is None:
        return paths_of()
    path = Path(folder).expanduser()
    if not path.exists():
        raise WorkbenchError(f"There is no folder {folder}.", "Make it first, or see `mcp-workbench --help`.")
    if not path.is_dir():
        raise WorkbenchError(f"{folder} is not a folder.", "A bench is a folder; name the one that holds it.")
    return paths_of(path)


def _qt_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("PySide6-Essentials")
    except PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _print_json(hint: Any, value: Any) -> None:
    """Any: a record and its type; the wire's codec knows how."""
    from workbench.wire.codec import encode

    print(json.dumps(encode(hint, value), indent=2, ensure_ascii=False))


def _moment(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def _visible(text: str) -> str:
    """Control characters as escapes: what an agent wrote must not steer somebody's terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
