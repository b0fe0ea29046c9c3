"""The floor: JSON-RPC lines to the server's pipe, written and read by hand. `floor.py SERVER TOOLS`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from line import SIX, serve


class Pipe:
    """One server, one request at a time or many at once."""

    def __init__(self, *command: str) -> None:
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def send(self, method: str, params: dict[str, Any]) -> None:  # Any: JSON
        assert self._child.stdin is not None
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._child.stdin.write(json.dumps(message).encode() + b"\n")
        self._child.stdin.flush()

    def take(self) -> Any:  # Any: JSON
        """The next answer; notifications are passed over."""
        assert self._child.stdout is not None
        while line := self._child.stdout.readline():
            message = json.loads(line)
            if "id" in message and "method" not in message:
                if "error" in message:
                    raise RuntimeError(str(message["error"]))
                return message["result"]
        raise RuntimeError("the server has gone")

    def ask(self, method: str, params: dict[str, Any]) -> Any:  # Any: JSON
        self.send(method, params)
        return self.take()

    def greet(self) -> None:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "project", "version": "1"}}
        self.ask("initialize", about)
        assert self._child.stdin is not None
        self._child.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self._child.stdin.flush()

    def end(self) -> None:
        for stream in (self._child.stdin, self._child.stdout):
            assert stream is not None
            stream.close()
        self._child.wait(30)


def main(server: str, tools: str) -> None:
    pipe = Pipe(sys.executable, server, tools)
    pipe.greet()

    def hundred() -> None:
        for at in range(100):
            pipe.ask("tools/call", {"name": SIX[at % 6], "arguments": {}})

    def parallel() -> None:
        for _ in range(10):
            pipe.send("tools/call", {"name": SIX[0], "arguments": {"limit": 100}})
        for _ in range(10):
            pipe.take()

    serve({"calls": hundred, "parallel": parallel})
    pipe.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
