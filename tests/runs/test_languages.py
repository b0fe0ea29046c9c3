"""A TypeScript program uses the same run pipeline. It is not analyzed, always needs approval, and runs in the same
sandbox.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.runs.steps import waiting
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import CallHeld, Event
from workbench.records import Decision, EntryQuery, HeldCallAnswer, Run, RunState, Verdict
from workbench.runs.restored_runs import past_runs
from workbench.runs.sandbox_choice import check_language
from workbench.sandbox.deno import deno_backend

PROGRAM = """
import { list_orders, type List_ordersInput } from "./servers/demo";

const wish: List_ordersInput = { status: "pending", limit: 5 };
const [one, two] = await Promise.all([list_orders(wish), callTool("demo", "list_orders", { limit: 1 })]);
console.log(`orders: ${one.orders.length}`);
await writeFile("seen.json", JSON.stringify(two));
result = { total: one.total > 0, second: two.orders.length };
"""


@pytest.fixture
def agent(demo: Core) -> Any:
    if not deno_backend.runtime():
        pytest.skip("Deno is not installed (the extra `typescript`)")
    if "typescript" not in demo.services.sandbox.levels()[0].languages:
        pytest.skip(demo.services.sandbox.strength.reason or "this machine's sandbox runs Python only")
    return demo.services.sessions.open("test agent")


async def allowed(core: Core, session: Any, code: str) -> Run:
    run = await waiting(core, core.run_manager.submit(code, session, language="typescript"))
    core.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    return await core.run_manager.wait_until_finished(run.id)


async def test_it_works_with_tokens_of_a_sealed_field_and_asks_about_them(demo: Core, agent: Any) -> None:
    demo.settings = replace(demo.settings, privacy_sealed="demo.list_customers:email")
    code = """
import { list_customers } from "./servers/demo";
import { domainOf, domain_of } from "./servers/client";
const [one] = (await list_customers({ limit: 1 })).customers;
result = [one.email, await equal(one.email, one.email), await domainOf(one.email), await masked(one.email),
  await domain_of(one.email)];
"""
    done = await allowed(demo, agent, code)
    assert (done.state, done.fault) == (RunState.DONE, None)
    token, same, domain, shown, also = json.loads(done.result)
    assert also == domain
    assert token.startswith("[EMAIL_1.")
    assert same is True
    assert shown.endswith(f"…@{domain}")
    assert "demo.list_customers are sealed" in done.model_view


async def test_it_waits_for_a_person_and_then_calls_tools_through_the_broker(demo: Core, agent: Any) -> None:
    run = await waiting(demo, demo.run_manager.submit(PROGRAM, agent, language="typescript"))
    assert isinstance(run.verdict, Verdict)
    assert "not assessed" in run.verdict.sentence
    assert [use.tool for use in run.verdict.tools if use.server == "demo"] == ["list_orders"]
    demo.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    done = await demo.run_manager.wait_until_finished(run.id)
    assert (done.state, done.fault) == (RunState.DONE, None)
    assert json.loads(done.result) == {"total": True, "second": 1}
    assert done.output == "orders: 5\n"
    assert [call.state for call in done.calls] == ["done", "done"]
    assert json.loads((demo.paths.workspace / "seen.json").read_text())["orders"]
    called = [entry for entry in demo.journal.entries(EntryQuery(run_id=run.id)) if "list_orders" in entry.note.summary]
    assert len(called) >= 2
    past, _ = past_runs(demo.journal, demo.services.audit_search)
    assert [one.proposal.language for one in past if one.id == run.id] == ["typescript"]


async def test_a_tool_that_its_text_does_not_name_waits_for_a_person_whose_no_refuses_it(
    demo: Core, agent: Any
) -> None:
    def deny(event: Event) -> None:
        if isinstance(event, CallHeld):
            asked.append(event.held_call.tool)
            answer = HeldCallAnswer(event.held_call.id, allow=False)
            asyncio.get_running_loop().call_soon(demo.run_manager.held_calls.answer, answer)

    asked: list[str] = []
    demo.bus.listen(deny)
    call = 'await callTool("demo", ["send", "email"].join("_"), {})'
    code = f"try {{\n  {call};\n}} catch (error) {{\n  result = error.code;\n}}"
    done = await allowed(demo, agent, code)
    assert asked == ["send_email"]
    assert done.result == '"refused"'
    assert [call.state for call in done.calls] == ["refused"]


async def test_a_failure_goes_back_with_its_lines(demo: Core, agent: Any) -> None:
    done = await allowed(demo, agent, "const x: number = 1;\nnull.x;\n")
    assert done.state is RunState.FAILED
    assert "TypeError" in done.model_view
    assert "<program>:2" in done.model_view


async def test_it_is_edited_as_what_it_is(demo: Core, agent: Any) -> None:
    run = await waiting(demo, demo.run_manager.submit("1 as number", agent, language="typescript"))
    edited = await demo.run_manager.edit(run.id, "2 as number")
    assert edited.verdict is not None
    assert edited.verdict.rules.startswith("script.")
    demo.run_manager.decide(Decision(run.id, edited.proposal.sha, allow=True, by="you", fingerprint=edited.fingerprint))
    assert (await demo.run_manager.wait_until_finished(run.id)).result == "2"


async def test_other_languages_and_states_are_refused_at_once(demo: Core, agent: Any) -> None:
    with pytest.raises(WorkbenchError, match="There is no language 'perl'"):
        demo.run_manager.submit("1", agent, language="perl")
    with pytest.raises(WorkbenchError, match="Only programs in Python can use a REPL session"):
        demo.run_manager.submit("1", agent, state="kept", language="typescript")


def test_without_deno_the_refusal_names_the_line_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deno_backend, "runtime", lambda: "")
    with pytest.raises(WorkbenchError, match="need Deno") as refusal:
        check_language("typescript")
    assert 'pip install "deno' in refusal.value.hint
    check_language("python")
