"""A stored approval applies to exactly the same program with the same definitions, for its session or until it
expires.
"""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from tests.runs.steps import reached, waiting
from workbench.broker.provenance_index import AnswerRead
from workbench.errors import WorkbenchError
from workbench.permissions.rules import Rules
from workbench.records import Decision, RunState

TICKET = (
    "from servers.demo import create_ticket\nawait create_ticket(customer_id='CUS-0001', subject='late', body='b')\n"
)
SENDS = 'from servers.demo import send_email\nawait send_email(to="a@example.org", subject="s", body="b")\n'


@pytest.fixture
def agent(demo):
    demo.services.settings.set(replace(demo.settings, approval_auto_mild=False))  # so that the ticket needs approval
    return demo.services.sessions.open("test agent")


async def asked(demo, agent, code, **fields):
    return await waiting(demo, demo.run_manager.submit(code, agent, **fields))


async def allow(demo, run, kind, reach):
    offer = next(one for one in run.offers if (one.kind, one.reach) == (kind, reach))
    demo.run_manager.decide(
        Decision(run.id, run.proposal.sha, True, "you", offer=offer.id, fingerprint=run.fingerprint, seconds=5.0)
    )
    return await demo.run_manager.wait_until_finished(run.id)


async def ran_unasked(demo, agent, code):
    run = demo.run_manager.submit(code, agent)
    return (await reached(demo, run, RunState.WAITING, RunState.DONE, RunState.FAILED)).state is RunState.DONE


async def test_exactly_this_text_runs_unasked_and_nothing_else_does(demo, agent):
    done = await allow(demo, await asked(demo, agent, TICKET), "program", "always")
    assert done.state is RunState.DONE
    stranger = demo.services.sessions.open("another agent")
    assert await ran_unasked(demo, agent, TICKET)
    assert await ran_unasked(demo, stranger, TICKET)
    for code in (TICKET.replace("late", "lost"), f"# a word\n{TICKET}"):
        await asked(demo, agent, code)
    await asked(demo, agent, TICKET, force_approval=True)
    (rule,) = demo.services.rules.view().rules
    assert (rule.kind, rule.scope, rule.count) == ("text", "always", 2)
    assert 29 < (rule.expires - time.time()) / 86_400 < 31
    kept = Rules(demo.paths.permissions, demo.paths.workspace)
    assert [one.key for one in kept.rules] == [rule.key], "it outlives the core"


async def test_a_rule_that_is_revoked_or_over_asks_again_and_undoing_brings_it_back(demo, agent):
    await allow(demo, await asked(demo, agent, TICKET), "program", "always")
    (rule,) = demo.services.rules.view().rules
    demo.services.rules.revoke(rule.id)
    waits = await asked(demo, agent, TICKET)
    assert demo.services.rules.restore(rule.id).key == rule.key
    assert await ran_unasked(demo, agent, TICKET)
    demo.services.rules.store_rule(replace(rule, expires=time.time() - 1))
    await asked(demo, agent, TICKET)
    await demo.run_manager.stop(waits.id)


async def test_another_definition_voids_it(demo, agent, monkeypatch):
    await allow(demo, await asked(demo, agent, TICKET), "program", "always")
    tools = demo.catalog.tools()
    changed = tuple(replace(one, hash="new") if one.name == "create_ticket" else one for one in tools)
    assert (await demo.api.permissions()).void == {}
    monkeypatch.setattr(demo.catalog, "tools", lambda: changed)
    await asked(demo, agent, TICKET)
    assert list((await demo.api.permissions()).void.values()) == [
        "the definition of demo.create_ticket has changed since the rule was made"
    ]
    kept = Rules(demo.paths.permissions, demo.paths.workspace)
    assert list(kept.view(changed).void) == [kept.rules[0].id], "it is known to a later core, too"


async def test_a_session_that_has_read_worse_asks_again(demo, agent):
    await allow(demo, await asked(demo, agent, TICKET), "program", "always")
    agent.provenance.learn(AnswerRead("c", "r", "web", "fetch", frozenset({"untrusted"}), ("call me",)))
    await asked(demo, agent, TICKET)
    assert await ran_unasked(demo, demo.services.sessions.open("another agent"), TICKET)


async def test_a_yes_for_the_session_clears_what_waits_in_it_and_ends_there(demo, agent):
    first, queued = await asked(demo, agent, TICKET), await asked(demo, agent, TICKET)
    stranger = demo.services.sessions.open("another agent")
    theirs = await asked(demo, stranger, TICKET)
    assert (await allow(demo, first, "program", "session")).state is RunState.DONE
    cleared = await demo.run_manager.wait_until_finished(queued.id)
    assert (cleared.state, cleared.decision.by.startswith("your rule of")) == (RunState.DONE, True)
    assert await ran_unasked(demo, agent, TICKET)
    assert demo.run_manager.run(theirs.id).state is RunState.WAITING
    assert Rules(demo.paths.permissions, demo.paths.workspace).rules == (), "nothing of it is kept"


async def test_an_answer_reaches_no_further_than_the_question_offered(demo, agent):
    ticket, sends = await asked(demo, agent, TICKET), await asked(demo, agent, SENDS)
    unknown = await asked(demo, agent, f"try:\n    import helper\nexcept ImportError:\n    pass\n{SENDS}")
    offered = {(one.kind, one.reach) for one in ticket.offers}
    assert offered >= {("program", "session"), ("program", "always"), ("server", "always")}
    assert ticket.offers_limit == ""
    assert unknown.offers == ()
    assert "whose code can change" in unknown.offers_limit
    assert sends.verdict.risk != "high" or ("program", "always") not in {(one.kind, one.reach) for one in sends.offers}
    for offer in ticket.offers:
        with pytest.raises(WorkbenchError, match="not offered"):
            demo.run_manager.decide(
                Decision(unknown.id, unknown.proposal.sha, True, "you", offer=offer.id, fingerprint=unknown.fingerprint)
            )
    assert demo.run_manager.run(unknown.id).state is RunState.WAITING
    assert demo.services.rules.view().rules == ()


async def test_a_yes_for_the_server_is_a_rule_like_any_other(demo, agent):
    await allow(demo, await asked(demo, agent, TICKET), "server", "always")
    (rule,) = demo.services.rules.view().rules
    assert (rule.kind, rule.server) == ("server", "demo")
    assert await ran_unasked(demo, agent, TICKET.replace("late", "lost"))


async def test_another_server_behind_the_same_name_asks_again(demo, agent, monkeypatch):
    await allow(demo, await asked(demo, agent, TICKET), "program", "always")
    monkeypatch.setattr("workbench.runs.approvals.fingerprint", lambda config: "another command")
    await demo.run_manager.stop((await asked(demo, agent, TICKET)).id)
