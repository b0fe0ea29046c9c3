"""Search over all servers: one ranking for all kinds, with reasons, including servers that are not running."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.paths import resources
from workbench.records import FindKind, FoundIn, Prompt, PromptArgument, Resource, ResourceTemplate, Skill, SkillState
from workbench.search.bm25_ranking import Bm25Ranking
from workbench.search.search_all import SearchAll
from workbench.search.searchable_items import of_skill
from workbench.search.semantic.sentence_embeddings import OutdatedIndex
from workbench.search.word_vectors import VECTORS, WordVectors
from workbench.servers.server_cache import CachedResources

FILE = "file:///crm/customers.csv"
KEPT = CachedResources(
    (Resource("echo", FILE, "customers.csv", "Our customers", "Everyone who buys.", "text/csv", 9),),
    (ResourceTemplate("echo", "crm://{customer}/letters", "letters", "Letters", "", "", ("customer",)),),
    (Prompt("echo", "greet", "Greet", "Write to a customer.", (PromptArgument("tone", "", "How formal it is."),)),),
)  # fmt: skip
SKILLS = (of_skill(Skill("late-orders", "Lists customers whose orders are late.", "", SkillState.KEPT)),)


@pytest.fixture
async def home(house: Any) -> Any:
    """A server that ran once in an earlier core."""
    first = await house(house.faulty("echo"))
    await first.catalog.connect("echo")
    config = first.catalog.server("echo").state.config
    await first.catalog.close()
    memory = first.catalog._context.memory
    memory.keep_resources(config, KEPT)
    assert memory.recall(config).offers == KEPT
    return await house()


async def test_all_kinds_stand_in_one_order_though_their_server_has_not_started(home: Any) -> None:
    found = await home.catalog.everywhere.find("who are my customers", (), 10, SKILLS)
    kinds = [(one.kind, one.name) for one in found.finds]
    assert kinds[0] == (FindKind.RESOURCE, FILE)
    assert {FindKind.TEMPLATE, FindKind.PROMPT, FindKind.SKILL} <= {kind for kind, _ in kinds}
    first = found.finds[0]
    assert (first.status, first.allowed, first.summary) == ("stopped", True, "Everyone who buys.")
    assert [(one.at, one.words) for one in first.reasons] == [(FoundIn.NAME, "customers")]
    assert home.catalog.server("echo").running is None
    assert (home.catalog.server("echo").state.resource_count, found.known["prompt"]) == (2, 1)


@pytest.mark.parametrize(
    ("words", "kind", "at"),
    [
        ("greet", FindKind.PROMPT, FoundIn.EXACT),
        (FILE.upper(), FindKind.RESOURCE, FoundIn.EXACT),
        ("formal", FindKind.PROMPT, FoundIn.PARAMETERS),
        ("lteodr", FindKind.SKILL, FoundIn.LETTERS),
        ("client", FindKind.RESOURCE, FoundIn.SYNONYM),
    ],
)
async def test_it_is_said_why_something_was_found(home: Any, words: str, kind: FindKind, at: FoundIn) -> None:
    found = await home.catalog.everywhere.find(words, (), 10, SKILLS)
    assert (found.finds[0].kind, found.finds[0].reasons[0].at) == (kind, at)


async def test_kinds_narrow_it_and_no_words_list_it(home: Any) -> None:
    everywhere = home.catalog.everywhere
    assert {one.kind for one in (await everywhere.find("customers", (FindKind.SKILL,), 10, SKILLS)).finds} == {"skill"}
    listed = await everywhere.find("", (FindKind.PROMPT, FindKind.SKILL), 10, SKILLS)
    assert [one.name for one in listed.finds] == ["greet", "late-orders"]
    tools = await everywhere.find("", (FindKind.TOOL,), 10_000)
    assert tools.total == len(home.catalog.tools()) > 0
    assert (await everywhere.find("qqqq xxxx", (), 10, SKILLS)).finds == ()


async def test_what_changes_is_found_at_once_and_an_unread_list_is_not_gone(home: Any) -> None:
    await home.catalog.connect("echo")  # the server has only tools
    everywhere = home.catalog.everywhere
    async with asyncio.timeout(60):
        while (await everywhere.find("customers", (), 10)).finds:
            await asyncio.sleep(0.02)
    assert (await everywhere.find("customers", (), 10, SKILLS)).finds[0].name == "late-orders"


async def test_a_question_beside_a_changing_catalogue_gets_the_last_index(home: Any) -> None:
    finder = home.catalog.finder
    search, _ = await finder.ready()
    async with asyncio.timeout(60):
        while not (await finder.ready())[1]:
            await asyncio.sleep(0.05)
    finder.forget()
    finder.forget()
    again, _ = await finder.ready()
    assert again.entries == search.entries


class Gone:
    """A sentence model whose rows are no longer needed."""

    name, weight = "the sentence model", (0.65, 0.8)

    def __init__(self) -> None:
        self.asked = 0

    def vectors(self, texts: Any) -> Any:
        self.asked += 1
        raise OutdatedIndex


@pytest.mark.parametrize(("number", "asked"), [(2, 1), (300, 0)], ids=["a few", "too many to wait for"])
def test_what_the_model_does_not_read_now_is_read_by_word_vectors(number: int, asked: int) -> None:
    reader = Gone()
    tools = SimpleNamespace(ranking=Bm25Ranking([]), reader=reader)
    everywhere = SearchAll(SimpleNamespace(meaning=WordVectors(resources() / VECTORS)), list)
    skills = (*SKILLS, *(of_skill(Skill(f"s{at}", "Other.", "", SkillState.KEPT)) for at in range(number - 1)))
    found = everywhere._build_index(tools, skills).ranking.look("purchases that have not arrived")
    assert found.similarities is not None
    assert (int(found.similarities.argmax()), reader.asked) == (0, asked)
