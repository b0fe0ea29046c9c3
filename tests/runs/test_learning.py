"""Search learns from programs: the query that led to a call, and the tools that ran in one program."""

from __future__ import annotations

from workbench.broker.agent_sessions import Session
from workbench.records import Depth, RunState
from workbench.settings import Settings

QUESTION = "ᚠᚢᚦᚨᚱᚲ"  # similar to no tool, also in meaning, because the core may already compare meanings
PROGRAM = f"""
from tool_discovery import get_tool_definition, search_tools
from servers.demo import list_orders
search_tools("{QUESTION} orders")
await list_orders(limit=1)
result = [get_tool_definition(name)["name"] for name in ("mcp__demo__list_orders", "demo.list_orders", "list_orders")]
"""


async def run(core, session: Session, code: str):
    done = await core.run_manager.wait_until_finished(core.run_manager.submit(code, session).id)
    assert done.state is RunState.DONE, done.fault
    return done


def first(core, question: str) -> str:
    matches = core.services.catalog.search(question, Depth.NAME).matches
    return matches[0].name if matches else ""


async def test_a_tool_is_found_again_by_the_question_after_which_it_ran(demo):
    assert first(demo, QUESTION) == ""
    done = await run(demo, demo.services.sessions.open("an agent"), PROGRAM)
    assert done.result == '["list_orders", "list_orders", "list_orders"]'
    assert first(demo, QUESTION) == "list_orders"


async def test_another_session_and_a_switched_off_setting_learn_nothing(demo, monkeypatch):
    searched, called = (demo.services.sessions.open(name) for name in ("one", "two"))
    await run(demo, searched, f"search_tools('{QUESTION} orders')")
    await run(demo, called, "from servers.demo import list_orders\nawait list_orders(limit=1)")
    assert first(demo, QUESTION) == ""
    monkeypatch.setattr(demo.services.catalog, "_settings", lambda: Settings(search_learns=False))
    await run(demo, demo.services.sessions.open("three"), PROGRAM)
    assert first(demo, QUESTION) == ""


async def test_personal_data_in_a_question_is_not_kept(demo):
    session = demo.services.sessions.open("an agent")
    session.add_search("orders of ada.lovelace@example.org", demo.services.catalog.search("orders", Depth.NAME).matches)
    await run(demo, session, "from servers.demo import list_orders\nawait list_orders(limit=1)")
    kept = demo.paths.search_lessons.read_text()
    assert "orders of [EMAIL" in kept
    assert "lovelace" not in kept


async def test_tools_of_one_program_are_named_together_later(demo):
    session = demo.services.sessions.open("an agent")
    program = "from servers.demo import count_orders, list_orders\nawait list_orders(limit=1)\nawait count_orders()"
    for _ in range(2):
        await run(demo, session, program)
    text = demo.services.catalog.search("list_orders", Depth.FULL, 1).text
    assert "Often used in the same programs:\nfrom servers.demo import count_orders" in text
