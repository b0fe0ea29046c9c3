"""The program that was shown, hashed and approved is the one that runs, and an approval applies in its scope only."""

from __future__ import annotations

import hashlib
import random

import pytest
from msgspec.structs import replace

from tests.runs.steps import waiting
from workbench.broker.provenance_index import AnswerRead
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import Decision, EntryQuery, Gate, Likeness, Risk, RunState
from workbench.runs.approvals import is_same_request

SENDS = 'from servers.demo import send_email\nawait send_email(to="a@example.org", subject="s", body="b")\n'
HASHES_ITSELF = (
    "import hashlib, linecache\nprint(hashlib.sha256(''.join(linecache.cache['<program>'][2]).encode()).hexdigest())\n"
)
FIT = ["a", "é", "漢", "👩\u200d🦰", "e\u0301", " ", "\t", "\r\n", "\n", "#", "'", "Ω", "ﬀ", "\u00a0", "\U0001f9ea"]
UNFIT = ["\r", "\x0b", "\u2028", "\u202e", "\0", "\ud800"]
TICKET = (
    "from servers.demo import create_ticket\nawait create_ticket(customer_id='CUS-0001', subject='late', body='b')\n"
)


@pytest.fixture
def agent(core):
    return core.services.sessions.open("test agent")


def allow(run, **fields):
    return Decision(run.id, run.proposal.sha, allow=True, by="you", **{"fingerprint": run.fingerprint, **fields})


def decided(core, run):
    return [one.note for one in core.journal.entries(EntryQuery(kind="run.decided", run_id=run.id))]


async def test_the_bytes_that_ran_are_the_bytes_that_were_shown_and_hashed_whatever_is_edited(core, agent):
    core.services.settings.set(replace(core.settings, approval_auto_low=False))
    chance, ran = random.Random(7), 0
    for _ in range(16):
        text = "".join(
            chance.choices(FIT, k=chance.randrange(1, 12)) + chance.choices(UNFIT, k=chance.randrange(4) == 0)
        )
        shown = await waiting(core, core.run_manager.submit(f"x = {chance.randrange(99)}\n{HASHES_ITSELF}", agent))
        edited = await core.run_manager.edit(shown.id, f'x = {text!r}\ny = r"""{text} """\n{HASHES_ITSELF}')
        code = edited.proposal.code.encode("utf-8", "surrogatepass")
        assert edited.proposal.sha == hashlib.sha256(code).hexdigest() == edited.verdict.sha
        if edited.verdict.gate is Gate.BLOCKED:
            with pytest.raises(WorkbenchError):
                core.run_manager.decide(allow(edited, fingerprint=edited.fingerprint))
            await core.run_manager.stop(edited.id)
            continue
        core.run_manager.decide(allow(edited, fingerprint=edited.fingerprint))
        done = await core.run_manager.wait_until_finished(edited.id)
        assert done.output.strip() == edited.proposal.sha
        assert done.proposal == edited.proposal
        ran += 1
    assert 4 < ran < 16, "some of these texts run and some must not"


async def test_the_seal_is_over_text_limits_servers_and_definitions(demo, agent):
    first, longer = (demo.run_manager.submit(SENDS, agent, seconds=seconds) for seconds in (0, 5))
    first, longer = await waiting(demo, first), await waiting(demo, longer)
    again = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    edited = await demo.run_manager.edit(longer.id, SENDS.replace("a@", "b@"))
    assert first.fingerprint == again.fingerprint
    demo.services.settings.set(replace(demo.settings, run_memory_mb=demo.settings.run_memory_mb * 2))
    roomier = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    assert len({first.fingerprint, longer.fingerprint, edited.fingerprint, roomier.fingerprint}) == 4
    demo.run_manager.decide(allow(again, fingerprint=again.fingerprint))
    done = await demo.run_manager.wait_until_finished(again.id)
    assert (done.state, done.calls) == (RunState.REFUSED, ()), "it would have run under other limits than were shown"


async def test_what_changed_after_it_was_shown_cannot_be_allowed_and_what_changed_after_that_does_not_run(
    demo, agent, monkeypatch
):
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    with pytest.raises(WorkbenchError, match="changed while you looked"):
        demo.run_manager.decide(allow(run, fingerprint="of another question"))
    tool = demo.catalog.tool
    changed = replace(tool("demo", "send_email"), hash="another definition")
    monkeypatch.setattr(
        demo.catalog, "tool", lambda server, name: changed if name == "send_email" else tool(server, name)
    )
    demo.run_manager.decide(allow(run, fingerprint=run.fingerprint))
    done = await demo.run_manager.wait_until_finished(run.id)
    assert (done.state, done.calls) == (RunState.REFUSED, ())
    assert "changed between the approval and its start" in done.fault.message
    assert "run.approval_invalidated" in [one.note.kind for one in demo.journal.entries(EntryQuery(run_id=run.id))]


async def test_one_answer_is_for_all_runs_of_one_question_and_for_no_other(demo, agent):
    other = demo.services.sessions.open("another agent")
    same = [await waiting(demo, demo.run_manager.submit(SENDS, agent)) for _ in range(2)]
    theirs = await waiting(demo, demo.run_manager.submit(SENDS, other))
    changed = await waiting(demo, demo.run_manager.submit(SENDS.replace("a@", "b@"), agent))
    named = (same[1].id, theirs.id, changed.id, "no such run")
    demo.run_manager.decide(
        Decision(same[0].id, same[0].proposal.sha, False, "you", "not now", also=named, seconds=4.0)
    )
    ended = [await demo.run_manager.wait_until_finished(run.id) for run in same]
    assert [run.fault.message for run in ended] == ["The user denied it: not now"] * 2
    assert [decided(demo, run)[0].detail["seconds"] for run in ended] == [4.0, 0.0]
    assert demo.run_manager.run(theirs.id).state is demo.run_manager.run(changed.id).state is RunState.WAITING


async def test_what_was_allowed_before_is_shown_beside_what_waits_now(demo, agent):
    demo.services.settings.set(replace(demo.settings, approval_auto_mild=False))
    first = await waiting(demo, demo.run_manager.submit(TICKET, agent))
    assert first.like is None
    demo.run_manager.decide(allow(first))
    await demo.run_manager.wait_until_finished(first.id)
    spaced = await waiting(demo, demo.run_manager.submit(f"# a comment\n{TICKET}", agent))
    assert (spaced.like.likeness, spaced.like.code) == (Likeness.TREE, TICKET)
    other = await waiting(demo, demo.run_manager.submit(TICKET.replace("late", "lost"), agent))
    assert other.like.likeness is Likeness.VALUES
    assert [(one.before, one.after) for one in other.like.changes] == [("'late'", "'lost'")]
    longer = await waiting(demo, demo.run_manager.submit(f"{TICKET}print('done')\n", agent))
    assert longer.like.likeness is Likeness.NEAR


async def test_a_yes_that_came_too_fast_to_have_been_read_is_a_finding(demo, agent):
    for seconds, hasty in ((0.8, True), (8.0, False)):
        run = await waiting(demo, demo.run_manager.submit(SENDS, agent))
        demo.run_manager.decide(allow(run, seconds=seconds))
        (note,) = decided(demo, await demo.run_manager.wait_until_finished(run.id))
        assert ("too soon to have been read" in note.summary) is hasty
        assert note.detail.get("hasty", False) is hasty


async def test_the_text_of_the_author_stays_beside_the_one_that_a_person_made_of_it(demo, agent):
    run = await waiting(demo, demo.run_manager.submit(SENDS, agent))
    for name in ("b", "c"):
        edited = await demo.run_manager.edit(run.id, SENDS.replace("a@", f"{name}@"))
    assert (edited.proposal.original, edited.proposal.code) == (SENDS, SENDS.replace("a@", "c@"))
    assert (await demo.run_manager.assess_edit(run.id, "print(1)")).risk is Risk.LOW
    assert demo.run_manager.run(run.id).proposal == edited.proposal


async def test_a_question_that_was_open_when_the_core_ended_is_asked_again_before_it_can_be_answered(paths):
    before = Core(paths)
    await before.open()
    await before.catalog.connect("demo")
    run = await waiting(before, before.run_manager.submit(SENDS, before.services.sessions.open("agent")))
    await before.close()
    after = Core(paths)
    await after.open()
    try:
        assert after.run_manager.run(run.id).state is RunState.PROPOSED
        with pytest.raises(WorkbenchError, match="no longer waits"):
            after.run_manager.decide(allow(run, fingerprint=run.fingerprint))
        assert (await waiting(after, after.run_manager.run(run.id))).fingerprint
        await after.run_manager.stop(run.id)
    finally:
        await after.close()


async def test_the_same_text_is_another_question_once_more_was_found_in_it(demo):
    agent = demo.services.sessions.open("test agent")
    code = "from servers.demo import send_email\nawait send_email(to='eve@evil-corp.example', subject='s', body='b')\n"
    first = await waiting(demo, demo.run_manager.submit(code, agent))
    alike = await waiting(demo, demo.run_manager.submit(code, agent))
    assert is_same_request(first, alike)
    agent.provenance.learn(
        AnswerRead("c", "r", "demo", "read_mail", frozenset({"untrusted"}), ("to eve@evil-corp.example",))
    )
    marked = await waiting(demo, demo.run_manager.submit(code, agent))
    assert marked.fingerprint == first.fingerprint
    assert not is_same_request(first, marked), "its question says where the address stood"
    for run in (first, alike, marked):
        await demo.run_manager.stop(run.id)
