"""Faults of servers as sentences with a remedy. The SDK's message goes into the detail."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator

from workbench.errors import WorkbenchError
from workbench.records import Fault
from workbench.servers.configuration.launch_command import LaunchCommand
from workbench.servers.monitoring.message_log import MessageLog

INSTALLERS = {
    "npx": "Install Node.js, which includes npx.",
    "npm": "Install Node.js, which includes npm.",
    "node": "Install Node.js.",
    "uvx": "Install uv, which includes uvx: pip install uv.",
    "uv": "Install uv: pip install uv.",
    "docker": "Install Docker.",
    "deno": "Install Deno.",
    "bun": "Install Bun.",
    "bunx": "Install Bun, which includes bunx.",
    "python": "Use python3 as the command.",
}
_LONGEST = 300  # characters of a server's own text
_SIGNALS = {-9: "killed (perhaps out of memory)", -11: "crashed (segmentation fault)", -6: "aborted"}


class ServerFault(WorkbenchError):
    """A failure of a server with a message for the user; it becomes the fault of the server's state."""

    def __init__(self, message: str, hint: str = "", detail: str = "", code: str = "") -> None:
        super().__init__(message, hint)
        self.detail = detail
        self.code = code

    @property
    def fault(self) -> Fault:
        return Fault(self.message, self.hint, self.detail, self.code)


def not_running(fault: Fault | None) -> ServerFault:
    """Build the fault for a missing connection from the server's state."""
    if fault is None:
        return ServerFault("The server was stopped.", "Connect it again.")
    return ServerFault(fault.message, fault.hint, fault.detail)


def retired(name: str) -> ServerFault:
    """Fault for a call that still holds a server whose entry was changed or removed."""
    return ServerFault(f"The entry of {name} was changed or removed during this call.", "Call the tool again.")


def masked(fault: Fault, mask: Callable[[str], str]) -> Fault:
    """Return the fault with secrets masked."""
    return Fault(mask(fault.message), mask(fault.hint), mask(fault.detail), fault.code)


def leaves(fault: BaseException) -> Iterator[BaseException]:
    """Yield the single exceptions inside exception groups."""
    if isinstance(fault, BaseExceptionGroup):
        for inner in fault.exceptions:
            yield from leaves(inner)
    else:
        yield fault


def not_started(launch: LaunchCommand, fault: OSError | ValueError) -> ServerFault:
    """Fault for a command that could not be started as a process."""
    name = launch.command
    number = fault.errno if isinstance(fault, OSError) else None
    if number == errno.ENOENT:
        hint = INSTALLERS.get(name, "Install it, or write its full path; the workbench searches PATH.")
        return ServerFault(f"The command {name} was not found.", hint, f"PATH: {launch.env.get('PATH', '')}")
    if number == errno.EACCES:
        return ServerFault(f"The command {name} is not executable.", f"Make it executable: chmod +x {name}")
    if number == errno.ENOEXEC:
        return ServerFault(
            f"The file {name} is not a program.", "If it is a script, add a first line such as #!/usr/bin/env python3."
        )
    return ServerFault(f"The command {name} could not be started: {fault}.")


def left_at_start(returncode: int, traffic: MessageLog) -> ServerFault:
    return ServerFault(
        f"The server {_leaving(returncode)} before it answered.",
        _printed(traffic) or "It printed nothing. Run its command in a terminal to see why.",
        traffic.tail(),
    )


def silent(seconds: float, traffic: MessageLog) -> ServerFault:
    """Fault for a running server that sent nothing readable in time."""
    if traffic.invalid_line_count:
        return ServerFault(
            f"The server printed {traffic.invalid_line_count} lines that are not protocol messages, and no answer.",
            "Check that it is an MCP server: it must speak the protocol on stdout and log to stderr.",
            "\n".join((*traffic.warnings(), traffic.tail())),
        )
    return ServerFault(
        f"The server did not answer within {seconds:g} seconds.",
        "The first start may download a lot: try again, or raise the setting server.start_seconds.",
        traffic.tail(),
    )


def died(returncode: int | None, reason: str, traffic: MessageLog) -> ServerFault:
    """Fault for a server that exited after it was ready."""
    if reason:
        return ServerFault(f"The connection was closed. {reason}", "The next call starts it again.", traffic.tail())
    how = "closed its output" if returncode is None else _leaving(returncode)
    return ServerFault(f"The server {how}.", "The next call starts it again.", traffic.tail())


def refused(words: str, traffic: MessageLog) -> ServerFault:
    """Fault for a server that refused the handshake."""
    return ServerFault(f"The server refused the connection: {_cut(words)}", "", traffic.tail())


def left_alone(fault: Fault, deaths: int, wait: float) -> ServerFault:
    """Fault for a server that keeps exiting, while the restart back-off lasts."""
    return ServerFault(
        f"{fault.message} It failed {deaths} times in a row.",
        f"The workbench tries again in {wait:.0f} s, or at once when the user presses Connect.",
        fault.detail,
    )


def protocol(fault: BaseException, traffic: MessageLog) -> ServerFault:
    """Fault for a server whose answers break the protocol."""
    first = next(leaves(fault))
    words = _cut(" ".join(str(first).split())).rstrip(".") or type(first).__name__
    hint = "Look at its first messages. It may need an update, or speak a different protocol."
    return ServerFault(f"The server violates the protocol: {words}.", hint, traffic.tail())


def _leaving(returncode: int) -> str:
    if returncode < 0:
        return (
            f"was {_SIGNALS[returncode]}"
            if returncode == -9
            else _SIGNALS.get(returncode, f"was ended by signal {-returncode}")
        )
    return f"exited with code {returncode}"


def _printed(traffic: MessageLog) -> str:
    """Return the last line of stderr, which says most, or the first line that is not a message."""
    last = next((line.strip() for line in reversed(traffic.stderr()) if line.strip()), "")
    if last:
        return f"It printed: {_cut(last)}"
    return f"It printed: {traffic.warnings()[0]}" if traffic.invalid_line_count else ""


def _cut(text: str) -> str:
    """The beginning of a server's own text; an ellipsis says that it goes on."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
