"""What a person hears of tokens: each conversation's, and which way of working the catalogue calls for."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workbench.api_handlers.token_report import own_tokens
from workbench.core import Core
from workbench.records import ModeAdvice
from workbench.tokens import advice_sentence, money


@pytest.fixture
async def demo(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    yield house
    await house.close()


async def test_a_run_with_calls_shows_up_with_what_it_kept_back(demo):
    session = demo.services.sessions.open("an agent")
    code = "from servers.demo import list_orders\npage = await list_orders(limit=100)\nresult = page['total']"
    await demo.run_manager.wait_until_finished(demo.run_manager.submit(code, session).id)
    report = await demo.api.token_report()
    (mine,) = [one for one in report.sessions if one.author == "an agent"]
    assert mine.ledger.kept_bytes > 5_000
    assert mine.ledger.direct > mine.ledger.actual > 0
    assert report.total.kept_bytes == mine.ledger.kept_bytes
    assert report.cents_per_million == 300


async def test_the_advice_follows_from_its_numbers(demo):
    advice = (await demo.api.token_report()).advice
    assert advice.tools == len(demo.services.catalog.tools()) > 15
    assert advice.entry == own_tokens() > 300
    assert advice.searches == max(0, advice.definitions - advice.entry) // advice.finding
    assert (advice.mode == "code") is (advice.searches > 0)


def test_the_sentence_says_which_way_pays():
    assert "Connect a server" in advice_sentence(ModeAdvice("direct", 0, 0, 900, 0, 0))
    assert "direct calls cost less" in advice_sentence(ModeAdvice("direct", 2, 300, 900, 100, 0))
    assert "up to 7 searches" in advice_sentence(ModeAdvice("code", 90, 9_000, 900, 1_100, 7))


def test_money_is_told_in_dollars_and_never_as_nothing_when_it_is_something():
    told = [money(number, 300) for number in (0, 10, 1_000_000, 2_500_000_000)]
    assert told == ["$0.00", "< $0.01", "$3.00", "$7,500.00"]
