"""Cassettes: recorded from a run, played offline, and failing with the reason when something is another one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import Origin, RunState, Skill, SkillTest, Strength
from workbench.servers.tool_definitions.definition_parsing import digest

CODE = """\
from servers.demo import list_orders


async def count_orders(status: str = "pending", limit: int = 3) -> dict:
    page = await list_orders(status=status, limit=limit)
    return {"total": page["total"], "shown": len(page["orders"])}
"""
CUSTOMERS = """\
import time
from servers.demo import list_customers


async def first_mails() -> dict:
    page = await list_customers(limit=3)
    mails = [one["email"] for one in page["customers"]]
    return {"mails": mails, "at": time.time(), "hosts": sorted({mail.split("@")[1] for mail in mails})}
"""


async def kept(core: Core, name: str, code: str) -> Skill:
    draft = await core.api.draft_skill(name, "Does something.", code, "")
    return await core.api.keep_skill(name, draft.sha)


async def recorded(core: Core, name: str, code: str, arguments: dict[str, Any]) -> Path:
    await core.catalog.connect("demo")
    await kept(core, name, code)
    run = await core.run_manager.wait_until_finished((await core.api.run_skill(name, arguments)).id)
    assert run.state is RunState.DONE, run.fault
    await core.api.record_cassette(run.id, name, "A first one", {})
    return core.services.library.folder(name) / "cassettes" / "a-first-one.json"


def kinds(test: SkillTest) -> list[str]:
    return [str(one.kind) for one in test.differences]


async def test_a_cassette_says_which_of_code_definition_and_argument_changed(core, paths):
    file = await recorded(core, "count-orders", CODE, {"limit": 2})
    (listed,) = await core.api.cassettes("count-orders")
    assert (listed.name, listed.arguments, listed.tools, listed.calls) == (
        "a-first-one", '{"limit": 2}', ("demo.list_orders",), 1)  # fmt: skip
    (test,) = await core.api.test_skill("count-orders")
    assert (test.state, test.differences) == ("passed", ())

    text = file.read_text()
    file.write_text(text.replace('"limit": 2', '"limit": 4', 1))  # what the skill is called with
    (test,) = await core.api.test_skill("count-orders")
    assert (test.state, kinds(test)) == ("failed", ["argument"])
    assert "The arguments of demo.list_orders differ at limit" in test.differences[0].words
    assert (test.differences[0].before, test.differences[0].after) == ("2", "4")

    data = json.loads(text)
    data["tools"]["demo.list_orders"]["inputSchema"]["properties"]["colour"] = {"type": "string"}
    file.write_text(json.dumps(data))
    (test,) = await core.api.test_skill("count-orders")
    assert (test.state, kinds(test)) == ("changed", ["definition"])
    assert "colour was removed" in test.differences[0].words

    file.write_text(text)
    await core.api.draft_skill("count-orders", "Counts.", CODE + "# the same\n", "")
    (test,) = await core.api.test_skill("count-orders", draft=True)
    assert (test.state, kinds(test), test.draft) == ("changed", ["code"], True)
    broken = CODE.replace('len(page["orders"])', '1 + len(page["orders"])').replace("status=status, ", "")
    await core.api.draft_skill("count-orders", "Counts.", broken, "")
    (test,) = await core.api.test_skill("count-orders", draft=True)
    assert (test.state, kinds(test)) == ("failed", ["code", "argument", "result"])
    (test,) = await core.api.test_skill("count-orders")
    assert test.state == "passed"

    await core.api.accept_cassette("count-orders", "a-first-one", draft=True)
    (test,) = await core.api.test_skill("count-orders", draft=True)
    assert test.state == "passed"
    await core.api.remove_cassette("count-orders", "a-first-one")
    assert await core.api.cassettes("count-orders") == ()


async def test_a_definition_that_changed_at_its_server_breaks_what_used_it(core):
    await recorded(core, "count-orders", CODE, {})
    server = core.catalog.server("demo")
    tool = core.catalog.tool("demo", "list_orders")
    raw = json.loads(json.dumps(dict(tool.raw)).replace('"status"', '"order_status"'))
    now = replace(tool, raw=raw, input_schema=raw["inputSchema"], hash=digest(raw))
    real = core.catalog.tools()
    core.catalog.tools = lambda: tuple(now if one is tool else one for one in real)  # type: ignore[method-assign]
    assert server.state.config.name == "demo"
    (test,) = await core.api.test_skill("count-orders")
    assert test.state == "failed"
    assert kinds(test)[0] == "definition"
    assert "status was removed, order_status was added" in test.differences[0].words


async def test_nothing_personal_is_recorded_and_what_differs_each_time_is_not_expected(core, paths, tmp_path):
    file = await recorded(core, "first-mails", CUSTOMERS, {})
    text = file.read_text()
    page = await core.api.call(call(limit=3))
    mails = [one["email"] for one in json.loads(page.structured)["customers"]]
    assert not any(mail in text for mail in mails)
    data = json.loads(text)
    assert data["expected"]["ignore"] == ["at"]
    assert data["expected"]["result"]["hosts"] == ["example.invalid"]
    (test,) = await core.api.test_skill("first-mails")
    assert test.state == "passed", test.differences
    drift = await core.api.check_drift("first-mails", "a-first-one")
    assert drift.state in ("passed", "changed"), drift.differences
    await core.close()
    shutil.rmtree(paths.state)  # another machine: no server was ever connected there, and nobody kept the skill
    shutil.rmtree(paths.cache)
    other = Core(paths)
    await other.open()
    try:
        assert other.catalog.tools() == ()
        (test,) = await other.api.test_skill("first-mails")
        assert test.state == "passed", test.differences
    finally:
        await other.close()


def call(**arguments: Any) -> Any:
    from workbench.records import ToolCall

    return ToolCall("x", "demo", "list_customers", arguments, Origin.PERSON, "person")


async def test_a_run_that_is_not_held_or_asks_for_more_is_not_recorded(core, monkeypatch):
    await core.catalog.connect("demo")
    await kept(core, "count-orders", CODE)
    other = await core.run_manager.wait_until_finished((await core.api.submit("result = 1", "", "")).id)
    monkeypatch.setattr("workbench.recordings.call_recorder.MOST_HELD", -1)  # as if many others had run since
    await core.run_manager.wait_until_finished((await core.api.submit("result = 2", "", "")).id)
    await core.run_manager.wait_until_finished((await core.api.submit("result = 3", "", "")).id)
    monkeypatch.undo()
    with pytest.raises(WorkbenchError, match="its recording was deleted"):
        await core.api.record_cassette(other.id, "count-orders", "x", {})
    one = await core.api.submit("from servers.demo import list_customers\nawait list_customers(limit=1)", "", "")
    await core.run_manager.wait_until_finished(one.id)
    with pytest.raises(WorkbenchError, match="makes a call that was not recorded"):
        await core.api.record_cassette(one.id, "count-orders", "x", {})
    (core.services.library.folder("count-orders") / "cassettes").mkdir()
    (core.services.library.folder("count-orders") / "cassettes" / "odd.json").write_text('{"format": 9}')
    (test,) = await core.api.test_skill("count-orders")
    assert (test.state, "format" in test.differences[0].words) == ("error", True)


async def test_a_program_that_gives_a_skill_what_is_no_json_is_recorded_as_it_stands(core, monkeypatch):
    await kept(core, "call-twice", "async def call_twice(call) -> list:\n    return [await call(1), await call(2)]\n")
    code = "from skills.call_twice import call_twice\n\n\nasync def double(number):\n    return 2 * number\n\n\n"
    run = await core.run_manager.wait_until_finished(
        (await core.api.submit(f"{code}result = await call_twice(double)\n", "", "")).id
    )
    assert run.state is RunState.DONE, run.fault
    info = await core.api.record_cassette(run.id, "call-twice", "doubled", {})
    assert (info.calls, info.result, "call_twice(double)" in info.program) == (0, "[2, 4]", True)
    file = core.services.library.folder("call-twice") / "cassettes" / "doubled.json"
    assert [one.state for one in await core.api.test_skill("call-twice")] == ["passed"]
    file.write_text(file.read_text().replace("2 * number", "3 * number"))
    (test,) = await core.api.test_skill("call-twice")
    assert (test.state, kinds(test)) == ("failed", ["result", "result"])
    monkeypatch.setattr(core.services.sandbox, "_strength", Strength("reduced", "reduced"))
    (test,) = await core.api.test_skill("call-twice")
    assert "it contains a program" in test.differences[0].words


async def test_use_is_counted_and_forms_that_come_again_are_told(core, paths):
    await core.catalog.connect("demo")
    await kept(core, "count-orders", CODE)
    await core.run_manager.wait_until_finished((await core.api.run_skill("count-orders", {"limit": 2})).id)
    for limit in (1, 2, 3):
        code = f"from servers.demo import list_orders\nresult = (await list_orders(limit={limit}))['total']\n"
        run = await core.run_manager.wait_until_finished((await core.api.submit(code, "count them", "")).id)
        assert run.state is RunState.DONE, run.fault
    (use,) = await core.api.skill_uses()
    assert (use.name, use.runs, use.done) == ("count-orders", 1, 1)
    (hint,) = await core.api.skill_hints()
    assert (hint.times, hint.run_id, hint.tools, hint.purpose) == (3, run.id, ("demo.list_orders",), "count them")
    await core.api.draft_skill("total-orders", "Counts them.", code, run.id)
    assert await core.api.skill_hints() == ()
    assert Core(paths).paths.drafts.joinpath(".lessons.json").exists()


async def test_what_nobody_kept_is_not_played_where_the_sandbox_is_of_reduced_strength(core, monkeypatch):
    await recorded(core, "count-orders", CODE, {})
    await core.api.draft_skill("count-orders", "Counts.", CODE + "# another\n", "")
    monkeypatch.setattr(core.services.sandbox, "_strength", Strength("reduced", "reduced"))
    (draft,) = await core.api.test_skill("count-orders", draft=True)
    assert "its code is not kept" in draft.differences[-1].words
    (test,) = await core.api.test_skill("count-orders")
    assert test.state == "passed"
