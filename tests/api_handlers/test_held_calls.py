"""A person sees what waits in the middle of a run, and their word lets it pass or not."""

from __future__ import annotations

import asyncio

import pytest

from workbench.api_handlers.runs import RunHandler
from workbench.audit.audit_statistics import review_figures
from workbench.errors import WorkbenchError
from workbench.records import (
    CallDecision,
    Entry,
    EntryQuery,
    HeldCall,
    HeldCallAnswer,
    Permission,
    ReviewFigures,
    RuleOffer,
)


def notes(core):
    return [entry.note for entry in core.journal.entries(EntryQuery(kind="run.decided.call"))]


async def test_what_waits_is_listed_and_answered(core):
    api, held_calls = RunHandler(core.services, core.run_manager), core.run_manager.held_calls
    call = asyncio.ensure_future(held_calls.ask(HeldCall("", "r1", "c1", "demo", "send_email", "{}"), "{}", 60.0))
    await asyncio.sleep(0)
    (waiting,) = held_calls.all()
    assert (await api.answer_held_call(HeldCallAnswer(waiting.id, allow=False, reason="not now"))).tool == "send_email"
    assert (await call).reason == "not now"
    with pytest.raises(WorkbenchError):
        await api.answer_held_call(HeldCallAnswer(waiting.id, allow=True))
    assert len(notes(core)) == 1, "an answer that came too late decided nothing"


async def test_an_answer_about_many_calls_is_one_decision_with_the_time_it_took(core):
    api, held_calls = RunHandler(core.services, core.run_manager), core.run_manager.held_calls
    question = HeldCall("", "r1", "c1", "demo", "send_email", "{}")
    calls = [asyncio.ensure_future(held_calls.ask(question, "{}", 60.0)) for _ in range(3)]
    async with asyncio.timeout(60):
        while len((held_calls.all() or (question,))[0].list) < 3:
            await asyncio.sleep(0)
    await api.answer_held_call(HeldCallAnswer((held_calls.all())[0].id, allow=True, seconds=0.9))
    await asyncio.gather(*calls)
    (note,) = notes(core)
    assert note.summary == "3 calls of demo.send_email were allowed by you after 0.9 s, too soon to have been read"
    entry = Entry(1, 0.0, note, "", "")
    assert review_figures([entry]) == ReviewFigures(decided=1, allowed=1, median_seconds=0.9, hasty=1)


async def test_an_answer_that_is_refused_makes_no_rule(core):
    api, held_calls = RunHandler(core.services, core.run_manager), core.run_manager.held_calls
    rule = Permission("", "tool", CallDecision.ALLOW, "demo", "list_customers")
    offer = RuleOffer("rule-0", "call", "always", "demo may list customers.", (rule,))
    await core.catalog.connect("demo")
    request = HeldCall("", "", "c1", "demo", "list_customers", "{}", rule_offers=(offer,))
    call = asyncio.ensure_future(held_calls.ask(request, "{}", 60.0))
    await asyncio.sleep(0)
    (waiting,) = held_calls.all()
    await core.api.change_setting("agent.paused", True)
    with pytest.raises(WorkbenchError, match="Agents are paused"):
        await api.answer_held_call(HeldCallAnswer(waiting.id, allow=True, scope="rule-0"))
    assert core.services.rules.rules == ()
    await core.api.change_setting("agent.paused", False)
    await api.answer_held_call(HeldCallAnswer(waiting.id, allow=True, scope="rule-0"))
    assert (await call).allow
    assert [one.tool for one in core.services.rules.rules] == ["list_customers"]
