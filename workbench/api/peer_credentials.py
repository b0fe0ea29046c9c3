"""Identifies who calls the API: the process at the other end of a local socket, its terminal, and whether an agent
started it.

Read from /proc and the socket's credentials, so a caller cannot pretend to be a different one. A process that detached
itself from its parents is no longer recognised: best effort, described in SECURITY.md.
"""

from __future__ import annotations

import os
import pwd
import socket
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import WorkbenchError

WINDOW, TERMINAL = "window", "terminal"  # roles that clients declare; any other role is a script
DEEPEST = 200  # ancestors that are followed at most
_CREDENTIALS = struct.Struct("3i")  # struct of SO_PEERCRED: process, user, group
_PIPES = ("pipe:", "socket:")


@dataclass(frozen=True, slots=True)
class PeerProcess:
    """One process; its start time distinguishes it from a later one with the same id."""

    pid: int
    started: int

    @property
    def name(self) -> str:
        """Return the name as `ps` shows it."""
        try:
            return Path(f"/proc/{self.pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return "a process that has ended"


@dataclass(slots=True)
class ApiCaller:
    """The client of one connection, as the core knows it."""

    role: str
    process: PeerProcess | None = None  # None: the system does not provide it
    terminal: str = ""  # its controlling terminal, such as /dev/pts/3
    user: str = ""
    clients: Callable[[], Iterable[PeerProcess]] = tuple  # processes of the connected agents' clients
    unlocked: bool = False  # it has entered the user's PIN

    @property
    def description(self) -> str:
        """Describe the caller for the audit."""
        pid = self.process.pid if self.process is not None else 0
        return f"{self.terminal or 'no terminal'}, process {pid}, user {self.user}"


_current: ContextVar[ApiCaller | None] = ContextVar("asking", default=None)


def current_caller() -> ApiCaller | None:
    """Return the client whose request is being answered; None inside the core itself."""
    return _current.get()


@contextmanager
def answering_caller(one: ApiCaller) -> Iterator[None]:
    """Set the current caller while a request of this client is answered."""
    token = _current.set(one)
    try:
        yield
    finally:
        _current.reset(token)


def caller_at(end: socket.socket | None, role: str, clients: Callable[[], Iterable[PeerProcess]]) -> ApiCaller:
    """Return the client at the other end of this local socket."""
    found = _peer(end)
    if found is None:
        return ApiCaller(role)
    pid, uid = found
    return ApiCaller(role, process_of(pid), _terminal(pid), _user(uid), clients)


def client_at(end: socket.socket | None) -> PeerProcess | None:
    """Return the MCP client that started this `mcp-workbench serve`: its nearest ancestor with a different standard
    input. Launchers in between (`uv run`, a shell) pass their standard input on. None if standard input is not a
    pipe."""
    found = _peer(end)
    if found is None or not (pipe := _stdin(found[0])).startswith(_PIPES):
        return None
    return next((one for one in _ancestors(found[0]) if _stdin(one.pid) != pipe), None)


def check_is_user() -> None:
    """Refuse a call from a process that an agent's client started, because only the user may make it."""
    one = current_caller()
    if one is None or one.process is None:
        return
    above = set(_ancestors(one.process.pid))
    if (client := next((client for client in one.clients() if client in above), None)) is not None:
        raise WorkbenchError(
            f"This process was started by {client.name} (process {client.pid}), which is an agent's client, and an"
            " agent must not answer for its user.",
            "Nothing was decided. Answer in the workbench's window, or in a terminal that you opened yourself.",
        )


def process_of(pid: int) -> PeerProcess | None:
    """Return the process; None if it has exited."""
    stat = _stat(pid)
    return PeerProcess(pid, int(stat[19])) if stat else None


def _ancestors(pid: int) -> Iterator[PeerProcess]:
    """Yield the parent of a process, its parent, and so on."""
    for _ in range(DEEPEST):
        stat = _stat(pid)
        pid = int(stat[1]) if stat else 0
        if pid <= 1 or (one := process_of(pid)) is None:
            return
        yield one


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name: state, parent, group, session, terminal …; empty for a
    process that has exited."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _terminal(pid: int) -> str:
    number = int(stat[4]) if (stat := _stat(pid)) else 0
    if not number:
        return ""
    major, minor = (number >> 8) & 0xFFF, (number & 0xFF) | ((number >> 12) & 0xFFF00)
    return f"/dev/pts/{minor + 256 * (major - 136)}" if 136 <= major <= 143 else f"/dev/tty ({major}:{minor})"


def _stdin(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/fd/0")
    except OSError:
        return ""


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _peer(end: socket.socket | None) -> tuple[int, int] | None:
    """Return process and user at the other end of a local socket."""
    if end is None or end.family != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
        return None
    pid, uid, _ = _CREDENTIALS.unpack(end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return (pid, uid) if pid > 0 else None
