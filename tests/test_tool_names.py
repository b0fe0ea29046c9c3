"""Which tool a name means, in every spelling, and what is suggested where none does."""

from __future__ import annotations

import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from workbench.identifiers import fold, package_name, python_names
from workbench.records import Tool
from workbench.similar_names import did_you_mean, similar_names
from workbench.tool_names import ToolNames, tool_names

TOOLS = (
    Tool("git-hub", "create_issue"),
    Tool("git-hub", "a__b"),
    Tool("git-hub", "list"),
    Tool("lab", "create_issue"),
    Tool("lab", "mix.it"),
    Tool("my server", "get.item", title="first"),
    Tool("my server", "get.item"),
)
NAMES = ToolNames(TOOLS, ("empty-one",))


def _meant(found: Tool | None) -> tuple[str, str] | None:
    return (found.server, found.name) if found is not None else None


def test_a_whole_name_is_understood_in_every_spelling() -> None:
    for spelling in (
        "mcp__git-hub__create_issue",
        "git-hub__create_issue",
        "git-hub.create_issue",
        "git_hub/create_issue",
        "servers.git_hub.create_issue",
        " GIT-HUB.Create_Issue ",
    ):
        assert _meant(NAMES.find_id(spelling)) == ("git-hub", "create_issue"), spelling


def test_server_and_tool_are_found_by_raw_and_generated_names() -> None:
    for server, name, wanted in (
        ("lab", "mix.it", ("lab", "mix.it")),
        ("lab", "mix_it", ("lab", "mix.it")),
        ("my_server", "get_item", ("my server", "get.item")),
        ("my server", "get.item", ("my server", "get.item")),
        ("Lab", "MIX-IT", ("lab", "mix.it")),
        ("git_hub", "list_", ("git-hub", "list")),
        ("git-hub", "list", ("git-hub", "list")),
        ("git", "hub__list", ("git-hub", "list")),  # cut within a name
        ("lab", "list", None),
        ("nobody", "create_issue", None),
    ):
        assert _meant(NAMES.find(server, name)) == wanted, (server, name)
    assert NAMES.find("my server", "get.item") is TOOLS[5]  # of tools with one name the first counts


def test_an_import_is_spelled_exactly() -> None:
    assert NAMES.find_exact("git-hub", "list_") is NAMES.find_exact("git-hub", "list") is TOOLS[2]
    assert NAMES.find_exact("git-hub", "LIST") is None
    assert NAMES.server_of_package("git_hub") == "git-hub"
    assert NAMES.server_of_package("Git_Hub") is None
    assert ToolNames([Tool("a-b", "x"), Tool("a.b", "x")]).server_of_package("a_b") is None


def test_a_name_that_only_one_server_has_is_enough() -> None:
    for word, wanted in (("a__b", ("git-hub", "a__b")), (" mix.it ", ("lab", "mix.it")), ("mix_it", ("lab", "mix.it"))):
        assert _meant(NAMES.find_id(word)) == wanted, word
    assert [tool.server for tool in NAMES.candidates_of_id("create_issue")] == ["git-hub", "lab"]
    assert NAMES.find_id("create_issue") is None
    for word in ("", "__", ".", "create_isue", "nobody.create_issue"):
        assert NAMES.candidates_of_id(word) == (), word


def test_a_server_that_is_called_servers_keeps_its_name() -> None:
    names = ToolNames([*TOOLS, Tool("servers", "lab.create")])
    assert _meant(names.find_id("servers.lab.create")) == ("servers", "lab.create")


def test_a_server_may_have_the_separator_in_its_own_name() -> None:
    names = ToolNames([Tool("crm", "find"), Tool("crm__eu", "find"), Tool("crm", "eu__list")])
    for identifier, wanted in {
        "crm__find": ("crm", "find"),
        "crm__eu__find": ("crm__eu", "find"),
        "crm__eu__list": ("crm", "eu__list"),
        "else__a__b": None,
    }.items():
        assert _meant(names.find_id(identifier)) == wanted, identifier
        server, _, name = identifier.partition("__")  # as the client inside a sandbox cuts it
        assert _meant(names.find(server, name)) == wanted, identifier


def test_of_names_that_meet_the_exact_one_wins_and_else_none_is_chosen() -> None:
    names = ToolNames([Tool("s", "a-b"), Tool("s", "a.b")])
    assert _meant(names.find("s", "a-b")) == ("s", "a-b")
    assert names.find("s", "a_b") is None
    assert len(names.candidates("s", "a_b")) == 2


def test_the_suffix_of_a_generated_name_finds_its_tool() -> None:
    suffix = hashlib.sha256(b"a-b!").hexdigest()[:4]
    assert _meant(ToolNames([Tool("s", "a_b"), Tool("s", "a-b!")]).find("s", f"a_b_{suffix}")) == ("s", "a-b!")


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=5, unique=True), st.text(min_size=1, max_size=6))
def test_every_raw_and_every_generated_name_leads_back_to_its_tool(raw: list[str], server: str) -> None:
    names = ToolNames([Tool(server, name) for name in raw])
    for name, function in python_names(raw).items():
        for spelling in (name, function):
            for owner in (server, package_name(server)):
                found = names.find(owner, spelling)
                assert found is not None, (owner, spelling)
                assert found.name == name
        assert names.find_exact(server, function) is names.find_exact(server, name)


def test_servers_without_known_tools_are_known() -> None:
    assert NAMES.server("empty_one") == "empty-one"
    assert NAMES.splits("empty-one.anything") == [("empty-one", "anything")]
    assert NAMES.tools_of("empty-one") == ()


def test_suggestions_are_of_the_server_where_it_is_known() -> None:
    assert [tool.name for tool in NAMES.similar("get_itm", "my_server")] == ["get.item"]
    assert [tool.server for tool in NAMES.similar("create_isue")] == ["git-hub", "lab"]
    assert NAMES.similar_servers("labb") == ["lab"]
    assert NAMES.similar("zzzzzz", "lab") == []


def test_one_measure_says_what_is_similar() -> None:
    assert similar_names("GETITEM", ["get_item", "other"]) == ["get_item"]
    assert similar_names("zzz", ["get_item"]) == []
    assert did_you_mean("get_itm", ["get_item"]) == "Did you mean get_item?"
    assert did_you_mean("zzz", ["get_item"]) == ""


def test_spellings_of_a_name_meet_in_one_form() -> None:
    assert fold("My-Server") == fold("my_server") == fold("my  server_") == fold("ｍy.server") == "my_server"


def test_a_list_that_nobody_can_change_is_read_once_and_another_one_anew() -> None:
    tools = (Tool("a", "one"), Tool("a", "two"))
    assert tool_names(tools) is tool_names(tools)
    assert tool_names((*tools, Tool("a", "three"))).find("a", "three") == Tool("a", "three")
    assert tool_names(tools).find("a", "three") is None
    assert tool_names(list(tools)) is not tool_names(list(tools))


def test_many_threads_get_the_same_answers() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        tools = tuple(Tool(f"s-{number % 20}", f"tool-{number}") for number in range(400))
        for _ in range(5):
            names = ToolNames(tools)  # its indexes are built by whichever thread comes first
            with ThreadPoolExecutor(8) as pool:
                found = list(
                    pool.map(lambda tool, names=names: names.find(fold(tool.server), fold(tool.name)), tools * 2)
                )
            assert found == [*tools, *tools]
    finally:
        sys.setswitchinterval(before)
