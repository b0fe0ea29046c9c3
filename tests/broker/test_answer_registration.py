"""The user sees a long answer immediately. Masking with its values waits until they are registered."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import struct
import threading
import zlib

import pytest

from workbench import offload
from workbench.broker import broker, call_audit, resource_reading
from workbench.broker.agent_sessions import Sessions
from workbench.broker.answer_registration import AnswerRegistrations, keep_outcome
from workbench.records import Content, EntryQuery, Fault, Origin, Outcome, RunState, ToolCall

TOKEN = re.compile(r"\[NAME_\d+\.\w{4}\]")


def call(tool, **arguments):
    return ToolCall("", "demo", tool, arguments, Origin.PERSON, "person", confirmed=True)


def noted(core):
    return [entry.note for entry in reversed(core.journal.entries(EntryQuery(kind="call.")))]


@pytest.fixture
def held(monkeypatch):
    """Block the keeping of an answer until this event is set."""
    go = threading.Event()
    go.begun = threading.Event()

    def register(*given):
        go.begun.set()
        go.wait(60)
        keep_outcome(*given)

    monkeypatch.setattr(offload.ANSWER_INDEXING, "limit", 20_000)
    monkeypatch.setattr(broker, "keep_outcome", register)
    monkeypatch.setattr(resource_reading, "keep_outcome", register)
    yield go
    go.set()


async def test_a_long_answer_is_shown_before_it_is_kept_and_noted_after(demo, held):
    answer = await demo.api.call(call("list_customers", limit=500))
    assert answer.ok
    assert answer.bytes > offload.ANSWER_INDEXING.limit
    assert demo.services.sessions.person.registrations.busy
    assert noted(demo) == []
    name = json.loads(answer.structured)["customers"][7]["name"]
    short = await demo.api.call(call("search_customers", query=name))
    assert short.ok, "the next answer does not wait either"
    held.set()
    await demo.services.sessions.person.registrations.wait_until_done()
    first, second = noted(demo)
    assert (first.tool, second.tool) == ("list_customers", "search_customers")
    assert TOKEN.search(str(second.detail["arguments"])), "masked with what the first answer told"
    assert name not in str(second.detail)
    assert first.ms == answer.ms


async def test_what_is_masked_with_the_values_waits_for_them(demo, held):
    answer = await demo.api.call(call("list_customers", limit=500))
    one = json.loads(answer.structured)["customers"][7]
    mail = call("send_email", to="a@example.org", subject=one["name"], body="b")
    assert (await demo.api.call(mail)).ok
    run = await demo.api.submit(f"print({one['name']!r})", "x", "")
    report = asyncio.ensure_future(demo.api.privacy_export("person"))
    while (state := demo.run_manager.run(run.id).state) is RunState.CHECKED or state is RunState.PROPOSED:
        await asyncio.sleep(0.01)
    await demo.api.tools()
    assert not report.done()
    (sent,) = noted(demo)
    assert (sent.kind, sent.detail["arguments"]) == ("call.sent", call_audit.LATER)
    held.set()
    assert "NAME" in await report
    done = await demo.run_manager.wait_until_finished(run.id)
    assert TOKEN.search(done.model_view), done
    answered = next(note for note in noted(demo) if note.tool == "send_email" and note.kind == "call.done")
    assert TOKEN.search(str(answered.detail["arguments"]))


async def test_a_core_that_closes_writes_down_what_was_shown(demo, held):
    await demo.api.call(call("list_customers", limit=500))
    closing = asyncio.ensure_future(demo._end_work())
    for _ in range(20):
        await asyncio.sleep(0)
    assert not closing.done()
    held.set()
    await closing
    assert [note.kind for note in noted(demo)] == ["call.done"]


async def test_a_core_that_closes_does_not_wait_for_ever(demo, held, monkeypatch):
    monkeypatch.setattr("workbench.core.REGISTER_SECONDS", 0.01)
    for _ in range(2):
        assert (await demo.api.call(call("list_customers", limit=500))).ok
    assert demo.busy
    await demo._end_work()
    assert [note.kind for note in noted(demo)] == ["call.done", "call.done"]
    held.set()


async def test_an_agents_answer_reaches_nobody_before_it_is_kept(demo, held):
    session = demo.services.sessions.open("agent")
    run = demo.run_manager.submit(
        "from servers.demo import list_customers\nprint((await list_customers(limit=500))['customers'][7]['name'])",
        session,
        "x",
    )
    await asyncio.to_thread(held.begun.wait, 60)
    assert not demo.run_manager.run(run.id).output
    assert demo.run_manager.run(run.id).state is RunState.RUNNING
    held.set()
    assert TOKEN.search((await demo.run_manager.wait_until_finished(run.id)).model_view)


async def test_an_answer_that_cannot_be_kept_is_shown_and_noted_all_the_same(demo, monkeypatch):
    def broken(*_):
        raise ValueError("odd")

    monkeypatch.setattr(broker, "keep_outcome", broken)
    assert (await demo.api.call(call("list_customers", limit=500))).ok
    await demo.services.sessions.person.registrations.wait_until_done()
    assert [note.kind for note in noted(demo)] == ["call.done"]


async def test_an_answer_that_breaks_its_reader_is_noted_and_so_are_the_next_ones():
    registrations, noted = AnswerRegistrations(), []

    async def breaks():
        raise RuntimeError("odd data")

    async def works():
        pass

    registrations.add(breaks, lambda: noted.append("first"))
    registrations.add(works, lambda: noted.append("second"))
    await registrations.wait_until_done()
    assert noted == ["first", "second"]
    assert not registrations.busy


NAME = "Wilhelmina Qvortrup"  # not recognizable by its form
RECORD = json.dumps({"customer": {"name": NAME, "email": "w.q@example.org"}})


def note(text):
    data = b"tEXt" + text.encode()
    return struct.pack(">I", len(text)) + data + struct.pack(">I", zlib.crc32(data))


def picture(text):
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + note(text) + struct.pack(">I4sI", 0, b"IEND", 0)).decode()


PLACES = {
    "structured content": Outcome("c", True, structured=RECORD),
    "text content": Outcome("c", True, (Content("text", RECORD),)),
    "text beside structure and a picture": Outcome(
        "c", True, (Content("text", RECORD), Content("image", data="eA==")), '{"a": 1}'
    ),
    "an embedded text": Outcome("c", True, (Content("resource", RECORD, uri="a://b"),)),
    "an embedded file": Outcome("c", True, (Content("resource", data=base64.b64encode(RECORD.encode()).decode()),)),
    "an embedded picture": Outcome("c", True, (Content("resource", data=picture(RECORD)),)),
    "a link's address": Outcome("c", True, (Content("link", uri=f"a://b?name={NAME}&email=w.q@example.org"),)),
    "a link's note": Outcome("c", True, (Content("link", "x", uri="a://b", note=RECORD),)),
    "the notes of a picture": Outcome("c", True, (Content("image", data=picture(RECORD)),)),
    "an error": Outcome("c", False, fault=Fault(RECORD)),
    "an error's hint": Outcome("c", False, fault=Fault("No.", RECORD)),
    "a server's last words": Outcome("c", False, fault=Fault("No.", "", RECORD)),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_value_is_known_wherever_it_came_in(place):
    session = Sessions(lambda: True).open("test agent")
    keep_outcome(session, "crm", PLACES[place])
    value = "w.q@example.org" if place == "a link's address" else NAME
    assert "_1." in session.mask(f"It was {value} who came."), place
    assert session.vault.restore_json(session.mask(value), "crm") == value, "and came from that server"


@pytest.mark.parametrize("data", ["no base64", "eA==", "A" * 5])
def test_bytes_that_are_none_teach_nothing(data):
    session = Sessions(lambda: True).open("test agent")
    for kind in ("image", "resource", "audio"):
        keep_outcome(session, "crm", Outcome("c", True, (Content(kind, data=data),)))
    assert session.vault.counts_by_kind() == {}
