"""`pin`, and answers at the controlling terminal: requests are shown and answered there, independent of stdin.

An answer is never taken from a flag, a pipe, a file, or keys that were pressed before the request was shown.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import termios
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from workbench.api.core_lock import lock_holder
from workbench.cli.common_options import DONE, NOT_RUNNING, UNANSWERED, Parser, add_common, ask, talk
from workbench.cli.terminal_output import narrate, narrate_fault, visible
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.paths import Paths, paths_of, runtime_folder

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.api.client_stub import CoreApi

T = TypeVar("T")

ROLE = "terminal"  # the role of this client
TRIES = 3  # attempts to enter the PIN
LATER = "Nothing was decided."
NO_CORE = "No core is running, so nothing is waiting for you."


class NoTerminal(WorkbenchError):
    """The process has no controlling terminal for an answer."""


class LineReader(Protocol):
    """Asks the user for a line of text."""

    async def read_line(self, question: str, stop: asyncio.Event | None = None, *, hidden: bool = False) -> str | None:
        """Read one line after the question; `None` if the user enters none."""
        ...

    def say(self, text: str) -> None:
        """Show a message."""
        ...


class Terminal:
    """Input and output of the controlling terminal."""

    def __init__(self) -> None:
        try:
            self._handle = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as fault:
            raise NoTerminal(
                "This command needs an interactive terminal, but has none. Nothing was decided.",
                "Run it in a terminal of your own, or answer in the workbench's window.",
            ) from fault

    def close(self) -> None:
        os.close(self._handle)

    @property
    def width(self) -> int:
        return max(40, shutil.get_terminal_size((100, 24)).columns)

    def say(self, text: str) -> None:
        """Print lines. Control characters are escaped, so untrusted text cannot control the terminal."""
        data = memoryview(f"{visible(text, keep=chr(10))}\n".encode("utf-8", "replace"))
        while data:
            data = data[os.write(self._handle, data) :]

    async def read_line(self, question: str, stop: asyncio.Event | None = None, *, hidden: bool = False) -> str | None:
        """Read one line after the question. Returns `None` at the end of input, or if `stop` is set first."""
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        termios.tcflush(self._handle, termios.TCIFLUSH)
        with self._echo(off=hidden):
            os.write(self._handle, visible(question).encode("utf-8", "replace"))
            loop.add_reader(self._handle, ready.set)
            waits = [spawn("terminal", one.wait()) for one in (ready, stop) if one is not None]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                typed = os.read(self._handle, 65_536) if ready.is_set() else b""
            finally:
                loop.remove_reader(self._handle)
                for one in waits:
                    one.cancel()
                if hidden or not ready.is_set():
                    os.write(self._handle, b"\n")
        return typed.decode("utf-8", "replace").strip() if typed else None

    @contextmanager
    def _echo(self, *, off: bool) -> Iterator[None]:
        before = termios.tcgetattr(self._handle)
        if off:
            quiet = [*before]
            quiet[3] &= ~termios.ECHO
            termios.tcsetattr(self._handle, termios.TCSADRAIN, quiet)
        try:
            yield
        finally:
            termios.tcsetattr(self._handle, termios.TCSADRAIN, before)


def answer(
    paths: Paths, conversation: Callable[[CoreConnection, Terminal], Awaitable[int]], *, start: bool = False
) -> int:
    """Run a conversation at the terminal. Meanwhile agents are informed that the user can answer."""
    try:
        terminal = Terminal()
    except NoTerminal as fault:
        narrate_fault(fault)
        return UNANSWERED

    async def hold(connection: CoreConnection) -> int:
        await connection.api.may_answer()
        # agents are informed that the user can answer, and no request lapses while the user reads one
        presence = [
            spawn("attend", _hold_open(connection.api.attend(True))),
            spawn("review", _hold_open(connection.api.review())),
        ]
        try:
            return await conversation(connection, terminal)
        finally:
            for one in presence:
                one.cancel()
            await asyncio.wait(presence)

    try:
        return talk(paths, hold, start, role=ROLE)
    finally:
        terminal.close()


async def _hold_open(request: Awaitable[None]) -> None:
    with suppress(WorkbenchError):  # the core has ended
        await request


async def unlock(api: CoreApi, terminal: LineReader) -> bool:
    """Ask for the user's PIN if one is set. Returns False if the user entered none, or only wrong ones."""
    if not await api.has_pin():
        return True
    for _ in range(TRIES):
        pin = await terminal.read_line("Your PIN: ", hidden=True)
        if not pin:
            return False
        try:
            await api.unlock(pin)
        except WorkbenchError as fault:
            terminal.say(str(fault))
        else:
            return True
    return False


def report_unanswered() -> int:
    """Report that no decision was entered."""
    narrate(LATER)
    return UNANSWERED


def find_running_projects(project: str | None, paths: Paths) -> list[Paths]:
    """The projects with a running core: the named project, or all projects of the user with the default project
    first.
    """
    if project is not None:
        return [paths] if lock_holder(paths.lock) else []
    found = [paths] if lock_holder(paths.lock) else []
    folder = runtime_folder()
    for lock in sorted(folder.glob("*/core.lock")) if folder.is_dir() else ():
        one = _project(lock_holder(lock))
        if one is not None and one.lock == lock and one not in found:
            found.append(one)
    return found


def report_no_core() -> int:
    narrate(NO_CORE)
    return NOT_RUNNING


def _project(pid: int) -> Paths | None:
    """The project of a core process."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        flag = b"--project" if b"--project" in words else b"--bench"  # the second by a core of version 0.1
        return paths_of(Path(os.fsdecode(words[words.index(flag) + 1])))
    except (OSError, ValueError, IndexError):
        return None


EPILOG = """`runs allow|deny|edit`, `calls allow|deny`, `skills keep` and `servers allow` ask for the PIN. Only a salted
scrypt hash of it is stored, in terminal-pin.json in your config folder. After each wrong PIN, the next try has to wait
longer. If you forget the PIN, delete that file. SECURITY.md describes what a PIN prevents and what it does not."""


def arrange_pin(parser: Parser) -> None:
    """Add the subcommands set, clear and status."""
    parser.epilog = EPILOG
    commands = parser.add_subparsers(required=True, metavar="set|clear|status")
    for name, words, run in (
        ("set", "set a PIN, or replace it", _set),
        ("clear", "remove the PIN", _clear),
        ("status", "show whether a PIN is set", _status),
    ):
        made = commands.add_parser(name, help=words, epilog=EPILOG, formatter_class=parser.formatter_class)
        add_common(made, run, data=False)


def _set(given: argparse.Namespace, paths: Paths) -> int:
    return answer(_pin_project(given, paths), _choose, start=True)


def _clear(given: argparse.Namespace, paths: Paths) -> int:
    return answer(_pin_project(given, paths), _remove, start=True)


def _pin_project(given: argparse.Namespace, paths: Paths) -> Paths:
    """The project of any running core, because one PIN applies to all projects."""
    return next(iter(find_running_projects(given.project, paths)), paths)


def _status(given: argparse.Namespace, paths: Paths) -> int:
    there = ask(_pin_project(given, paths), lambda api: api.has_pin())
    print("A PIN is set." if there else "No PIN is set.")
    return DONE


async def _choose(connection: CoreConnection, terminal: Terminal) -> int:
    old = ""
    if await connection.api.has_pin() and not (old := await terminal.read_line("Current PIN: ", hidden=True) or ""):
        return report_unanswered()
    new = await terminal.read_line("New PIN: ", hidden=True)
    if not new:
        return report_unanswered()
    if new != await terminal.read_line("Repeat the new PIN: ", hidden=True):
        raise WorkbenchError("The two PINs are different.", "Nothing was changed. Run the command again.")
    await connection.api.set_pin(new, old)
    narrate("The PIN is set. Answers at a terminal now ask for it.")
    return DONE


async def _remove(connection: CoreConnection, terminal: Terminal) -> int:
    old = ""
    if await connection.api.has_pin() and not (old := await terminal.read_line("Your PIN: ", hidden=True) or ""):
        return report_unanswered()
    await connection.api.clear_pin(old)
    narrate("The PIN is removed.")
    return DONE
