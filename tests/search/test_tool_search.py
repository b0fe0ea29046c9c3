"""What an agent receives for a search: exact names first, an honest count, and not a token too many."""

from __future__ import annotations

import pytest

from workbench import tokens
from workbench.paths import resources
from workbench.records import Depth, Tool
from workbench.search.bm25_ranking import SearchedTool
from workbench.search.tool_search import ToolSearch, first_sentence, import_line
from workbench.search.word_vectors import VECTORS, WordVectors

WORDS = {"type": "object", "properties": {"title": {"type": "string", "description": "What it is called."}}}


def search(*named: tuple[str, str, str]) -> ToolSearch:
    return ToolSearch(
        SearchedTool(
            Tool(server, name, description=text, input_schema=WORDS, definition_tokens=7), name.replace("-", "_"), ""
        )
        for server, name, text in named
    )


HUB = search(
    ("git-hub", "create_issue", "Create a new issue in a repository. It can be assigned."),
    ("git-hub", "create_issue_comment", "Create create create an issue issue issue."),
    ("git-hub", "delete_repository", "Remove a repository for ever."),
    ("mail", "send-mail", "Send an e-mail to somebody."),
)


def names(found: ToolSearch, query: str, **more: object) -> list[str]:
    return [match.name for match in found.answer(query, Depth.NAME, **more).matches]


@pytest.mark.parametrize(
    "query",
    [
        "create_issue",
        "CREATE_ISSUE",
        "git-hub.create_issue",
        "git-hub/create_issue",
        "mcp__git-hub__create_issue",
        "create_isue",
        "createissue",
    ],
)
def test_a_typed_name_comes_first_in_every_spelling(query: str) -> None:
    assert names(HUB, query)[0] == "create_issue"


def test_the_last_part_of_a_name_comes_before_better_scores() -> None:
    found = search(("a", "issues.create", "x"), ("a", "create_create", "create create"), ("a", "recreate", "create"))
    assert names(found, "create")[0] == "issues.create"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("remove repo", "delete_repository"),
        ("creating issues", "create_issue"),
        ("post message", "send-mail"),
        ("comm", "create_issue_comment"),
    ],
)
def test_words_are_found_by_their_meaning_and_their_beginning(query: str, name: str) -> None:
    assert name in names(HUB, query)


def test_the_header_says_n_of_m_and_how_to_see_more() -> None:
    answer = HUB.answer("issue", Depth.NAME, limit=1)
    assert (len(answer.matches), answer.total) == (1, 2)
    assert answer.text.startswith("1 of 2 tools matching 'issue' (raise limit for the other 1")


def test_without_a_query_it_is_a_list_by_server() -> None:
    answer = HUB.answer("", Depth.NAME)
    assert answer.text.splitlines()[1:] == [
        "git-hub: create_issue, create_issue_comment, delete_repository",
        "mail: send_mail",
    ]
    assert (answer.total, answer.definition_tokens) == (4, 28)


def test_descriptions_are_an_import_line_and_one_sentence() -> None:
    text = HUB.answer("create_issue", Depth.DESCRIPTION, limit=1).text
    assert text.splitlines()[1] == "from servers.git_hub import create_issue  # Create a new issue in a repository."


def test_full_shows_a_signature_that_can_be_called() -> None:
    text = HUB.answer("create_issue", Depth.FULL, limit=1).text
    assert "from servers.git_hub import create_issue" in text
    assert "create_issue(" in text
    assert "title: str" in text


@pytest.mark.parametrize("server", ["mail", "git-hub", "git_hub"])
def test_a_server_narrows_the_search(server: str) -> None:
    for query in ("", "create send"):
        assert {match.server for match in HUB.answer(query, Depth.NAME, server=server).matches} == {
            server.replace("_", "-")
        }


def test_nothing_found_says_so() -> None:
    answer = HUB.answer("xylophone", Depth.FULL)
    assert (answer.matches, answer.total) == ((), 0)
    assert answer.text.startswith("0 of 4 tools matching 'xylophone'")
    assert search().answer("", Depth.NAME).text.startswith("0 of 0 tools")


def test_the_tokens_are_those_of_the_text() -> None:
    for depth in Depth:
        answer = HUB.answer("issue", depth)
        assert answer.tokens == tokens.count(answer.text)


def test_each_depth_costs_more_than_the_one_before() -> None:
    costs = [HUB.answer("issue", depth).tokens for depth in (Depth.NAME, Depth.DESCRIPTION, Depth.FULL)]
    assert costs == sorted(costs)


def test_a_first_sentence_is_short_and_on_one_line() -> None:
    assert first_sentence("Does it.\nThen more.") == "Does it."
    assert first_sentence("a\n\nb") == "a b"
    long = first_sentence("word " * 100)
    assert len(long) <= 80
    assert long.endswith("word…")
    assert len(first_sentence("x" * 500)) <= 80


def test_an_import_line_can_be_imported() -> None:
    compile(import_line("git-hub", "create_issue"), "", "exec")


def test_a_category_is_one_that_a_person_gave_or_more_words() -> None:
    kinds = {"git-hub": "code", "mail": "Talk"}
    entries = [SearchedTool(one.tool, one.function, one.about, kinds[one.tool.server]) for one in HUB.entries]
    found = ToolSearch(entries)
    assert names(found, "", category="talk") == ["send-mail"]
    assert names(found, "create", category="talk") == []
    assert names(found, "", category="repository")[0] == "delete_repository"


def test_a_question_after_which_a_tool_ran_finds_it_again() -> None:
    tool = Tool("shop", "zx9", description="Internal.", input_schema=WORDS)
    others = [Tool("shop", f"late_{at}", description="Something late.", input_schema=WORDS) for at in range(5)]
    entries = [SearchedTool(one, one.name, "") for one in others] + [
        SearchedTool(tool, "zx9", "", "", ("which orders are late",))
    ]
    assert names(ToolSearch(entries), "late orders")[0] == "zx9"


def test_full_details_name_what_often_ran_with_it() -> None:
    often = {("git-hub", "create_issue"): (("mail", "send-mail"), ("gone", "away"))}
    found = ToolSearch(HUB.entries, lambda *name: often.get(name, ()))
    text = found.answer("create_issue", Depth.FULL, 1).text
    assert "Often used in the same programs:\nfrom servers.mail import send_mail" in text
    assert "away" not in text
    assert "Often used" not in found.answer("create_issue", Depth.DESCRIPTION, 1).text


def test_what_is_meant_is_found_without_a_common_word() -> None:
    told = (
        ("maps", "search_places", "Search for places using the maps API."),
        ("phone", "list_numbers", "List numbers."),
    )
    found = search(*told)
    assert names(found, "restaurants near me") == []
    found.deepen(WordVectors(resources() / VECTORS))
    assert names(found, "restaurants near me")[:1] == ["search_places"]
    assert names(found, "list_numbers")[0] == "list_numbers"
    assert names(found, "search_plces")[0] == "search_places"
    assert names(found, "qqq zzz") == []


def test_an_empty_catalogue_can_be_deepened_too() -> None:
    found = search()
    found.deepen(WordVectors(resources() / VECTORS))
    assert names(found, "anything") == []


def test_a_server_that_is_not_there_is_told_with_those_that_are() -> None:
    told = HUB.answer("issue", Depth.NAME, server="git-hubb").text
    assert told.startswith("0 of")
    assert "'git-hubb' is not a server with tools. There are: git-hub, mail." in told
