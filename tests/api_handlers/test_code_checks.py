"""What the editor asks, answered by a real core with a real server: generated functions are known, nothing is run."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workbench.core import Core


@pytest.fixture
async def demo(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    yield house
    await house.close()


async def test_the_functions_of_a_server_are_proposed_explained_and_checked(demo: Core) -> None:
    api, code = demo.api, "from servers.demo import list_o"
    assert demo.completion.pid == 0
    assert "list_orders" in [one.name for one in await api.complete_code(code, 1, len(code))]
    call = "from servers.demo import list_orders\nawait list_orders(limit="
    (shape,) = await api.call_shapes(call, 2, 24)
    assert shape.parameters[shape.current].startswith("limit")
    assert "list_orders" in (await api.explain_code(call, 2, 8)).words
    found = await api.check_code("from servers.demo import list_orders\nawait list_orders(limits=3)")
    assert any("limits" in one.message for one in found)
    assert await api.check_code("from servers.demo import list_orders\nawait list_orders(limit=3)") == ()
    skills = "from skills."
    names = [one.name for one in await api.complete_code(skills, 1, len(skills))]
    assert any(name.isidentifier() for name in names)
