"""One word for a tool, in all the ways in which it is written."""

from __future__ import annotations

import pytest

from workbench.catalog.spelled import parted, spelled
from workbench.errors import WorkbenchError
from workbench.records import Tool

TOOLS = [Tool("git-hub", "create_issue"), Tool("git-hub", "a__b"), Tool("lab", "create_issue"), Tool("lab", "mix.it")]


@pytest.mark.parametrize(
    "word",
    [
        "mcp__git-hub__create_issue",
        "git-hub__create_issue",
        "git-hub.create_issue",
        "git_hub/create_issue",
        "servers.git_hub.create_issue",
    ],
)
def test_server_and_tool_are_told_apart(word: str) -> None:
    assert spelled(word, TOOLS) == ("git-hub", "create_issue")


@pytest.mark.parametrize(("word", "wanted"), [("a__b", ("git-hub", "a__b")), (" mix.it ", ("lab", "mix.it"))])
def test_a_name_that_only_one_server_has_is_enough(word: str, wanted: tuple[str, str]) -> None:
    assert spelled(word, TOOLS) == wanted


def test_a_server_that_is_called_servers_keeps_its_name() -> None:
    assert spelled("servers.lab.create", [*TOOLS, Tool("servers", "lab.create")]) == ("servers", "lab.create")


def test_a_name_that_two_servers_have_is_asked_back() -> None:
    with pytest.raises(WorkbenchError, match="Several servers") as told:
        spelled("create_issue", TOOLS)
    assert told.value.hint == "Say which: git-hub.create_issue, lab.create_issue."


@pytest.mark.parametrize("word", ["", "create_isue", "__", "nobody.create_issue"])
def test_an_unknown_name_is_told_with_what_is_near(word: str) -> None:
    with pytest.raises(WorkbenchError, match="There is no tool"):
        spelled(word, TOOLS)


def test_a_server_may_have_the_mark_in_its_own_name() -> None:
    tools = [Tool("crm", "find"), Tool("crm__eu", "find"), Tool("crm", "eu__list")]
    there = {(tool.server, tool.name) for tool in tools}

    def cut(identifier: str) -> tuple[str, str]:
        server, _, name = identifier.partition("__")
        return parted(server, name, ("crm", "crm__eu"), lambda *one: one in there)

    for identifier, wanted in {
        "crm__find": ("crm", "find"),
        "crm__eu__find": ("crm__eu", "find"),
        "crm__eu__list": ("crm", "eu__list"),
        "else__a__b": ("else", "a__b"),
    }.items():
        assert cut(identifier) == wanted
        if wanted in there:
            assert spelled(identifier, tools) == wanted
