"""The real demo server as a child process, spoken to line by line, and checked by nothing of ours."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest


class Line:
    """One running demo server. Any: JSON-RPC messages."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "workbench.demo", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.notices: list[dict[str, Any]] = []
        self._next = 0

    def send(self, message: object) -> None:
        self.raw(json.dumps(message).encode())

    def raw(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def start(self, method: str, **params: Any) -> int:
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def answer(self, request: int) -> dict[str, Any]:
        while (message := self.receive()).get("id") != request:
            self.notices.append(message)
        return message

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        return self.answer(self.start(method, **params))

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        return found

    def get(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self.call(tool, **arguments)
        assert answer["isError"] is False, answer
        found: dict[str, Any] = answer["structuredContent"]
        return found

    def refusal(self, tool: str, **arguments: Any) -> str:
        answer = self.call(tool, **arguments)
        assert answer["isError"] is True
        return str(answer["content"][0]["text"])

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(60)
        self.process.stdout.close()
        return code


@pytest.fixture
def start() -> Iterator[Callable[..., Line]]:
    """Starts demo servers with options; all of them end with the test."""
    lines: list[Line] = []

    def begin(*options: str) -> Line:
        lines.append(Line(*options))
        return lines[-1]

    yield begin
    for line in lines:
        line.close()


@pytest.fixture
def demo(start: Callable[..., Line]) -> Line:
    return start("--deployment", "0.2")
