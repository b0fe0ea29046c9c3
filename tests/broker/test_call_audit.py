"""The audit never contains a known personal value, wherever a program puts it and whichever component writes the
entry.
"""

from __future__ import annotations

import asyncio
import json

from msgspec import to_builtins

from workbench.broker.call_audit import shown_arguments
from workbench.core import Core
from workbench.records import Decision, EntryQuery, Note, RunState
from workbench.records.runs import ENDS

MADE_UP = """
from servers.demo import list_customers
from client import call_tool
people = await list_customers(limit=3)
mail = people[0]["email"] if isinstance(people, list) else people["customers"][0]["email"]
for tool, arguments in ((mail, {}), ("list_orders", {mail: mail}), ("x " + mail, {"a": [mail]})):
    try:
        await call_tool("demo", tool, arguments)
    except Exception as fault:
        print(type(fault).__name__)
print(mail)
"""


async def test_a_value_in_the_name_of_a_tool_that_a_program_made_up_is_masked(demo: Core) -> None:
    session = demo.services.sessions.open("tester")
    run = demo.run_manager.submit(MADE_UP, session, "looks")
    async with asyncio.timeout(60):
        while run.state not in ENDS:
            if run.state is RunState.WAITING:
                demo.run_manager.decide(
                    Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint)
                )
            await asyncio.sleep(0.02)
            run = demo.run_manager.run(run.id)
            for held_call in run.held_calls:
                raise AssertionError(held_call)
    assert run.state is RunState.DONE, run.fault
    mail = run.output.split()[-1]
    assert "@" in mail
    assert session.mask_known(mail) != mail
    notes = [entry.note for entry in demo.journal.entries(EntryQuery(limit=500))]
    assert [note.kind for note in notes if mail in json.dumps(to_builtins(note), ensure_ascii=False, default=str)] == []
    (unforeseen,) = [note for note in notes if note.kind == "run.unpredicted_effect"]
    assert "[EMAIL_" in json.dumps(unforeseen.detail)
    assert unforeseen.detail["sha"] == run.proposal.sha


async def test_every_entry_is_masked_whoever_notes_it_and_real_names_stay(demo: Core) -> None:
    session = demo.services.sessions.open("tester")
    session.vault.register([{"email": "ada@example.org"}, {"name": "list_orders"}], "crm")
    detail = {"list": ["to ada@example.org", {"ada@example.org": ("ada@example.org", 5)}], "sha": "0" * 64}
    for tool in ("ada@example.org", "list_orders"):
        demo.journal.append(
            Note("test.noted", "for ada@example.org", session=session.id, server="demo", tool=tool, detail=detail)
        )
    real, made_up = [entry.note for entry in demo.journal.entries(EntryQuery(kind="test."))]
    assert (real.tool, "ada" in made_up.tool) == ("list_orders", False)
    assert "ada@" not in json.dumps([to_builtins(real), to_builtins(made_up)], default=str)
    assert real.detail["sha"] == "0" * 64


async def test_only_the_beginning_of_huge_arguments_is_kept_and_no_half_of_an_address(core):
    session = core.services.sessions.open("agent")
    text = "x" * 3_580 + " anna.muster@example.com" + " tail" * 1_000_000
    cut = "y" * 3_990 + " anna.muster@example.com"
    shown = shown_arguments(session, {"a": text, "b": cut, "c": [[1] * 1000] * 1000, "k" * 9_000: 1})
    assert len(shown) < 4_010
    assert "anna" not in shown_arguments(session, {"a": text})
    assert "anna" not in shown_arguments(session, {"b": cut})
    assert len(shown_arguments(session, {"c": [[1] * 1000] * 1000})) < 4_010
    assert shown_arguments(session, {"a": [1, {"b": None}]}) == '{"a": [1, {"b": null}]}'


async def test_what_was_shown_once_is_masked_anew_when_something_was_learnt_meanwhile(core):
    session = core.services.sessions.open("agent")
    arguments = {"shelf": "Quilling Brothers", "limit": 3}
    before = shown_arguments(session, arguments)
    assert before == '{"shelf": "Quilling Brothers", "limit": 3}'
    assert shown_arguments(session, arguments) is before
    session.vault.learn("NAME", "Quilling Brothers")
    assert "Quilling" not in shown_arguments(session, arguments)
    session.forget()
    assert "Quilling" in shown_arguments(session, arguments)


async def test_megabytes_are_not_held_on_to_for_having_been_shown(core):
    session = core.services.sessions.open("agent")
    for number in range(200):
        shown_arguments(session, {"a": "x" * 5_000, "number": number})
        shown_arguments(session, {"rows": [0] * 600})
        shown_arguments(session, {"number": number})
    assert len(session.shown_arguments) <= 64
    assert all(len(str(arguments)) < 100 for arguments, _, _ in session.shown_arguments.values())


async def test_an_entry_is_written_without_its_texts_while_an_answer_cannot_be_searched(
    demo: Core, monkeypatch
) -> None:
    session = demo.services.sessions.open("tester")
    session.keep('[{"email": "ada@example.org"}]', "crm")

    def fails(*_):
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(session.vault, "register", fails)
        for _ in range(2):  # it is not taken for searched after the first time
            demo.journal.append(Note("call.done", "to ada@example.org", session=session.id, detail={"to": "ada"}))
    demo.journal.append(Note("call.done", "to ada@example.org", session=session.id))
    notes = [entry.note for entry in demo.journal.entries(EntryQuery(limit=3))]
    assert [note.summary for note in notes[1:]] == ["call.done", "call.done"]
    assert notes[0].summary.startswith("to [EMAIL_")
    assert "ada" not in json.dumps([to_builtins(note) for note in notes], default=str)
