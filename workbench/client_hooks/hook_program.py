"""The program that an agent's client starts before each of its calls. It forwards what it gets to the core and prints
the answer.

It runs as `python -I -S hook_program.py CLIENT ABSENT SECONDS SOCKET PROJECT` and uses only modules that are compiled
into Python: importing `socket` and `json` alone takes longer than everything else that it does. It interprets nothing;
the core knows the formats. ABSENT says what happens without a core: "ask" leaves the decision to the client, "deny"
refuses the call and names PROJECT. SECONDS is shorter than the client's own time limit for a hook.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # typeshed lacks it; `signal` imports `enum`, which is slow
import _socket
import posix
import sys

LARGEST = 8 << 20  # bytes of a payload; a larger one is refused, because no rule could see it
TOO_LARGE = (
    b"MCP Workbench refuses this call: it is larger than 8 MB, so no rule can be applied to it. Make it smaller.\n"
)
REFUSED = 2  # exit code with which every client refuses the call
DENIED = (
    "MCP Workbench is not running{}, and its hooks are set to deny calls then. The user can start MCP Workbench, or run"
    " `mcp-workbench connect --hooks {} --absent ask --write`.\n"
)
_ASK = {"cursor": b'{"permission":"ask"}\n'}  # other clients decide by themselves after an empty answer


def answer_without_core(client: str, absent: str, project: str = "") -> int:
    """Print the answer for a call that the core did not judge, and return the exit code."""
    if absent == "deny":
        shown = DENIED.format(f" for the project {project}" if project else "", client)
        posix.write(2, shown.encode("utf-8", "replace"))
        return REFUSED
    posix.write(1, _ASK.get(client, b""))
    return 0


def run(client: str, absent: str, seconds: int, path: str, project: str = "") -> int:
    """Answer one call within this time. Returns the exit code."""

    def give_up(number: int, frame: object) -> None:
        posix._exit(answer_without_core(client, absent, project))

    _signal.signal(_signal.SIGALRM, give_up)
    _signal.alarm(max(1, seconds))
    payload = _read_input()
    answer = _ask_core(client, seconds, path, payload) if payload is not None else b""
    _signal.alarm(0)
    if payload is None:
        posix.write(2, TOO_LARGE)
        return REFUSED
    if len(answer) < 2 or not answer.endswith(b"\n"):
        return answer_without_core(client, absent, project)
    posix.write(1, answer[1:-1])
    return REFUSED if answer[:1] == b"2" else 0


def _read_input() -> bytes | None:
    parts, size = [], 0
    while part := posix.read(0, 1 << 16):
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            return None
    return b"".join(parts)


def _ask_core(client: str, seconds: int, path: str, payload: bytes) -> bytes:
    core = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        core.connect(path)
        core.sendall(b"%s %d %d\n" % (client.encode("ascii", "replace"), seconds, len(payload)) + payload)
        parts = []
        while part := core.recv(1 << 16):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        core.close()


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:6]))
