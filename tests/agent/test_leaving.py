"""Agents that come and go leave nothing behind that grows."""

from __future__ import annotations

import gc

from workbench.broker import agent_sessions as limits
from workbench.broker.agent_sessions import Session

MANY = 500


async def test_five_hundred_connections_leave_no_session_behind(core, by_hand, monkeypatch):
    monkeypatch.setattr(limits, "KEEP_SECONDS", 0.0)
    info = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "comes and goes", "version": "1"},
    }
    for at in range(MANY):
        async with by_hand() as ask:
            answer = await ask({"jsonrpc": "2.0", "id": at, "method": "initialize", "params": info})
            assert answer["id"] == at
    assert [one.id for one in core.services.sessions.all()] == ["person"]
    gc.collect()
    held = [one for one in gc.get_objects() if isinstance(one, Session)]
    assert len(held) < 10


async def test_agents_that_read_personal_data_and_leave_take_bounded_memory(core, agent, monkeypatch):
    """Also while their runs are still shown: the values of the oldest go."""
    monkeypatch.setattr(limits, "MOST_WEIGHT", 1_000)
    await core.catalog.connect("demo")
    weights = []
    code = "from servers.demo import list_customers\nprint(await list_customers(limit=50))"
    for _ in range(12):
        async with agent() as client:
            answer = await client.call_tool("execute_code", {"code": code, "description": "reads"})
            assert not answer.is_error, answer
            (session,) = [one for one in core.services.sessions.all() if one.connected and one.id != "person"]
        weights.append(session.weight)
        assert core.services.sessions.get(session.id) is session
    gone = [one for one in core.services.sessions.all() if one.id != "person"]
    assert max(weights) > 100
    assert sum(one.weight for one in gone) <= 1_000 + max(weights)
    assert len(core.run_manager.runs()) == 12
    assert core.services.sessions.total().direct > 0
