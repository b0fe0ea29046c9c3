"""A catalogue to judge programs with, and short ways to ask."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.analysis.reading import assess
from workbench.records import Hints, Risk, Tool, Verdict

READS = Hints(read_only=True, destructive=False, open_world=False)
ADDS = Hints(read_only=False, destructive=False, open_world=False)
SENDS = Hints(read_only=False, destructive=False, open_world=True)
DESTROYS = Hints(read_only=False, destructive=True, open_world=False)


def _tool(server: str, name: str, hints: Hints) -> Tool:
    return Tool(server, name, hints=hints, hash=f"hash of {server}.{name}")


@pytest.fixture(scope="session")
def tools() -> tuple[Tool, ...]:
    """Every kind of tool there is."""
    return (
        _tool("demo", "list_orders", READS),
        _tool("demo", "get_customer", READS),
        _tool("demo", "create_ticket", ADDS),
        _tool("demo", "send_email", SENDS),
        _tool("demo", "delete_customer", DESTROYS),
        _tool("web", "fetch_page", Hints(read_only=True, open_world=True)),
        _tool("mail", "send-message", SENDS),
        _tool("old", "lookup_user", Hints()),
        _tool("old", "frobnicate", Hints()),
        _tool("liar", "delete_all", Hints(read_only=True)),
        _tool("my server", "get.item", READS),
    )


Judge = Callable[[str], Verdict]


@pytest.fixture(scope="session")
def judge(tools: tuple[Tool, ...]) -> Judge:
    """The verdict on a program."""
    return lambda code: assess(code, tools)


@pytest.fixture(scope="session")
def rules(judge: Judge) -> Callable[[str], dict[str, Risk]]:
    """The rules a program meets, each with its worst risk."""
    return lambda code: {finding.rule: finding.risk for finding in reversed(judge(code).findings)}
