"""Saved calls through the desk: files in the project, made through the broker, held to what is expected."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from workbench.broker.broker import Broker
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import SavedCallsChanged
from workbench.records import EntryQuery, Expect, Expectation, Origin, Outcome, PastQuery, SavedCall, ToolCall

CALL = SavedCall("shop", "first", "demo", "list_orders", {"limit": 2})


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    yield house
    await house.close()


async def outcome_of(core, call: SavedCall):
    return await core.api.call(ToolCall("", call.server, call.tool, call.arguments, Origin.PERSON, "person"))


async def test_a_call_with_what_it_got_is_a_test_that_passes_and_then_fails(core, paths):
    call = await core.api.expect_this(CALL, await outcome_of(core, CALL), False)
    kept = await core.api.save_call(call, "")
    assert (await core.api.saved_calls()).calls == (kept,)
    checked = await core.api.check_saved(kept.file, False)
    assert checked.passed
    assert {mark.expectation.kind for mark in checked.marks} >= {Expect.OK, Expect.SCHEMA, Expect.COUNT}
    file = paths.project / kept.file
    file.write_text(file.read_text().replace('"count": 1', '"count": 3'))
    checked = await core.api.check_saved(kept.file, False)
    assert [mark.words for mark in checked.marks if not mark.holds] == ["Expected at least 3 at orders, found 2."]


async def test_a_whole_answer_can_be_kept(core):
    call = await core.api.expect_this(CALL, await outcome_of(core, CALL), True)
    kept = await core.api.save_call(call, "")
    assert kept.kept["total"] == 10_000
    assert (await core.api.check_saved(kept.file, False)).passed


async def test_a_check_is_a_call_like_any_other(core):
    kept = await core.api.save_call(CALL, "")
    await core.api.check_saved(kept.file, False)
    assert [call.tool for call in await core.api.past_calls(PastQuery())] == ["list_orders"]


async def test_a_risky_call_is_made_only_with_a_yes(core):
    call = SavedCall("", "gone", "demo", "delete_customer", {"customer_id": "CUS-0001"})
    kept = await core.api.save_call(call, "")
    checked = await core.api.check_saved(kept.file, False)
    assert (checked.passed, checked.needs_confirmation, checked.outcome) == (False, True, None)
    checked = await core.api.check_saved(kept.file, True)
    assert checked.outcome is not None


async def test_one_call_that_the_user_chose_is_their_own_and_one_of_many_is_not(core, monkeypatch):
    made = []

    async def call(self, call, guard=None, progress=None):
        made.append(call.unattended)
        return Outcome("c", ok=True)

    kept = await core.api.save_call(CALL, "")
    monkeypatch.setattr(Broker, "call", call)
    await core.api.check_saved(kept.file, False)
    await core.api.check_saved(kept.file, False, True)
    assert made == [True, False]


async def test_an_expected_error_passes_and_an_unexpected_one_does_not(core):
    broken = SavedCall("", "broken", "demo", "broken_report", {})
    kept = await core.api.save_call(broken, "")
    assert not (await core.api.check_saved(kept.file, False)).passed
    expecting = await core.api.expect_this(kept, await outcome_of(core, broken), False)
    await core.api.save_call(expecting, kept.file)
    assert (await core.api.check_saved(kept.file, False)).passed


@pytest.mark.parametrize(("server", "tool"), [("nowhere", "x"), ("demo", "no_such_tool")])
async def test_a_call_that_cannot_be_made_says_why(core, server, tool):
    kept = await core.api.save_call(SavedCall("", "a", server, tool), "")
    checked = await core.api.check_saved(kept.file, False)
    assert not checked.passed
    assert checked.fault.message


async def test_what_the_schema_calls_secret_is_not_written_and_has_to_be_typed_again(core, paths, monkeypatch):
    from msgspec.structs import replace

    tool = core.catalog.tool("demo", "list_orders")
    secret = replace(tool, input_schema={"properties": {"word": {"format": "password"}}})
    monkeypatch.setattr(core.catalog, "tool", lambda server, name: secret)
    kept = await core.api.save_call(replace(CALL, arguments={"word": "hunter2", "limit": 1}), "")
    assert json.loads((paths.project / kept.file).read_text())["secret"] == ["word"]
    assert "hunter2" not in (paths.project / kept.file).read_text()
    checked = await core.api.check_saved(kept.file, False)
    assert "because they are secret: word." in checked.fault.message


async def test_a_file_taken_away_comes_back_and_doors_hear_of_both(core):
    told = []
    core.bus.listen(lambda event: told.append(event.file) if isinstance(event, SavedCallsChanged) else None)
    kept = await core.api.save_call(CALL, "")
    text = await core.api.remove_saved(kept.file)
    assert (await core.api.saved_calls()).calls == ()
    await core.api.restore_saved(kept.file, text)
    assert (await core.api.saved_calls()).calls == (kept,)
    assert told == [kept.file] * 3
    noted = [entry.note.kind for entry in core.journal.entries(EntryQuery(kind="call."))]
    assert noted == ["call.restored", "call.removed", "call.saved"]


async def test_a_file_that_cannot_be_understood_is_a_sentence_with_its_line(core, paths):
    (paths.project / "calls").mkdir()
    (paths.project / "calls" / "x.json").write_text('{\n"tool": 3}')
    (broken,) = (await core.api.saved_calls()).broken
    assert (broken.file, broken.line) == ("calls/x.json", 1)
    with pytest.raises(WorkbenchError, match='"server" must be a non-empty string'):
        await core.api.check_saved("calls/x.json", False)


async def test_a_call_in_other_words(core):
    assert '"method": "tools/call"' in await core.api.call_as_text("json-rpc", "demo", "list_orders", {"limit": 1})
    assert "printf" in await core.api.call_as_text("curl", "demo", "list_orders", {"limit": 1})
    assert "mcp-workbench call" in await core.api.call_as_text("command", "demo", "list_orders", {"limit": 1})


async def test_expectations_written_by_hand_are_looked_at(core):
    expectations = (Expectation(Expect.MATCHES, "^ORD-", "orders[*].id"), Expectation(Expect.EQUALS, 10_000, "total"))
    kept = await core.api.save_call(SavedCall("", "a", "demo", "list_orders", {"limit": 3}, "", (), expectations), "")
    assert (await core.api.check_saved(kept.file, False)).passed
