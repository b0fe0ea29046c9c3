"""A place where generated packages can be imported, with a client that only remembers what it was asked to send."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from workbench.records import Tool
from workbench.wrappers.python_package import write_package

CLIENT = """
from typing import Any

Answer = Any
SENT: list[tuple[str, str, dict[str, Any]]] = []


def as_arguments(given: Any, name: str) -> Any:
    return (given or {}) if given is None or hasattr(given, "keys") else {name: given}


async def call_tool(server: str, tool: str, arguments: dict[str, Any], *, whole: bool = False) -> Any:
    SENT.append((server, tool, arguments))
    return {"result": arguments}
"""


class Generated:
    """The folder above `servers`, as a program in the sandbox sees it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.servers = root / "servers"
        self.servers.mkdir()
        (root / "client.py").write_text(CLIENT)

    def write(self, server: str, tools: Sequence[Tool]) -> tuple[str, ...]:
        self.forget()
        return write_package(server, tools, self.servers)

    def load(self, name: str) -> ModuleType:
        importlib.invalidate_caches()
        return importlib.import_module(name)

    def sent(self) -> list[tuple[str, str, dict[str, object]]]:
        found: list[tuple[str, str, dict[str, object]]] = self.load("client").SENT
        return found

    def forget(self) -> None:
        for name in [name for name in sys.modules if name.split(".")[0] in ("servers", "client")]:
            del sys.modules[name]


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Generated]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    place = Generated(tmp_path)
    yield place
    place.forget()
