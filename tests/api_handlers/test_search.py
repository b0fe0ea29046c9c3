"""A person finds anything with the same words, and what is used with it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import FindKind
from workbench.settings import change


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


async def test_skills_are_found_beside_tools_and_a_wrong_kind_is_a_sentence(core):
    found = await core.api.find("pending orders", (), 5)
    assert (found.finds[0].kind, found.finds[0].name) == (FindKind.SKILL, "pending-orders-summary")
    assert found.known["skill"] >= 3
    assert len((await core.api.find("", (), 1)).finds) == 1
    with pytest.raises(WorkbenchError, match="'cloud' is not a kind of result"):
        await core.api.find("x", ("cloud",), 5)


async def test_companions_are_tools_that_often_ran_together_and_are_known(core):
    await core.api.connect("demo")
    pair = [("demo", "list_orders"), ("demo", "send_email"), ("gone", "away")]
    for _ in range(2):
        core.catalog.lessons.ran_together(pair)
    view = await core.api.tool_view("demo", "list_orders")
    assert (view.tool.name, view.change) == ("list_orders", None)
    assert [(one.server, one.tool, one.times) for one in view.companions] == [("demo", "send_email", 2)]
    assert (await core.api.tool_view("demo", "get_order")).companions == ()
    core.settings = change(core.settings, "search.learns", False)
    assert (await core.api.tool_view("demo", "list_orders")).companions == ()
    with pytest.raises(WorkbenchError, match="no tool"):
        await core.api.tool_view("demo", "nothing")
