"""The masked answer of a program waits until the user has seen it, if it contains what the setting names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.records import EntryQuery, HeldCall, HeldCallAnswer, PrivacyMark, Run

PROGRAM = 'print("write to ada@example.org, please")'


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.api.change_setting("privacy.preview", "EMAIL")
    yield house
    await house.close()


async def held(core: Core, before: str = "") -> HeldCall:
    """The answer that waits, other than the one of this id."""
    while not (waiting := [one for one in core.run_manager.held_calls.all() if one.id != before]):
        await asyncio.sleep(0.01)
    return waiting[0]


async def submitted(core: Core, code: str = PROGRAM) -> tuple[str, asyncio.Task[Run]]:
    session = core.services.sessions.open("an agent")
    run_id = core.run_manager.submit(code, session).id
    return run_id, asyncio.ensure_future(core.run_manager.wait_until_finished(run_id))


async def test_an_answer_is_shown_masked_and_sent_as_it_was_shown(core):
    run_id, ending = await submitted(core)
    waiting = await held(core)
    assert (waiting.is_answer, waiting.run_id, waiting.author) == (True, run_id, "an agent")
    assert "[EMAIL_1." in waiting.arguments
    assert "ada@" not in repr(waiting)
    assert waiting.why == ("It contains tokens for 1 e-mail address.",)
    assert core.run_manager.run(run_id).model_view == ""
    assert core.run_manager.asks_user(run_id)
    await core.api.answer_held_call(HeldCallAnswer(waiting.id, True, seconds=3.0))
    assert (await ending).model_view == waiting.arguments
    kinds = [entry.note.kind for entry in await core.api.entries(EntryQuery(run_id=run_id))]
    assert {"privacy.answer_waiting", "privacy.answer_sent"} <= set(kinds)


@pytest.mark.parametrize(("reason", "told"), [("", "does not want to send it."), ("not this", "Reason: not this")])
async def test_a_withheld_answer_reaches_no_agent(core, reason, told):
    _, ending = await submitted(core)
    await core.api.answer_held_call(HeldCallAnswer((await held(core)).id, False, reason=reason))
    run = await ending
    assert run.model_view.endswith(told)
    assert "EMAIL" not in run.model_view
    assert run.state == "done"


async def test_a_withheld_answer_that_is_long_is_not_in_the_workspace_either(core):
    run_id, ending = await submitted(core, "for n in range(9000):\n    print(f'write to person{n}@example.org')")
    waiting = await held(core)
    assert f"results/{run_id}.txt" in waiting.arguments
    await core.api.answer_held_call(HeldCallAnswer(waiting.id, False))
    await ending
    assert not [info for info in core.services.workspace_files.list() if run_id in info.path]


async def test_after_a_change_of_marks_the_answer_is_masked_and_shown_again(core):
    run_id, ending = await submitted(core)
    first = await held(core)
    await core.api.mark_privacy(PrivacyMark(True, "value", "please", "CUSTOM"))
    await core.api.mark_privacy(PrivacyMark(False, "value", "ada@example.org", scope="project"))
    await core.api.answer_held_call(HeldCallAnswer(first.id, True, "again"))
    second = await held(core, first.id)
    assert "[CUSTOM_1." in second.arguments
    assert "ada@example.org" in second.arguments, "it passes now, and waits all the same"
    assert core.run_manager.run(run_id).model_view == ""
    await core.api.answer_held_call(HeldCallAnswer(second.id, True))
    assert (await ending).model_view == second.arguments


async def test_an_answer_that_nobody_looks_at_in_time_is_not_sent(core):
    await core.api.change_setting("approval.wait_seconds", 1)
    _, ending = await submitted(core)
    assert "has not decided. The approval request was not answered in time." in (await ending).model_view


async def test_a_stopped_run_sends_nothing_of_its_answer(core):
    run_id, ending = await submitted(core)
    await held(core)
    await core.api.stop_run(run_id)
    run = await ending
    assert "EMAIL" not in run.model_view
    assert "has seen" not in run.model_view
    assert not core.run_manager.held_calls.all()


async def test_answers_without_these_kinds_and_the_users_own_are_not_held(core):
    _, ending = await submitted(core, 'print("from 81.2.69.142")')
    assert "[IP_1." in (await ending).model_view
    own = core.run_manager.submit(PROGRAM, core.services.sessions.person)
    assert "[EMAIL_" in (await core.run_manager.wait_until_finished(own.id)).model_view
    await core.api.change_setting("privacy.preview", "")
    _, ending = await submitted(core)
    assert "[EMAIL_" in (await ending).model_view


async def test_all_means_each_kind_and_unknown_kinds_are_reported(core):
    await core.api.change_setting("privacy.preview", "all")
    _, ending = await submitted(core, 'print("from 81.2.69.142")')
    await core.api.answer_held_call(HeldCallAnswer((await held(core)).id, True))
    await ending
    await core.api.change_setting("privacy.preview", "EMAIL NOPE")
    rules = await core.api.privacy_rules()
    assert (rules.preview, "NOPE" in rules.notices[0].message) == ("EMAIL NOPE", True)


MAIL = """
from servers.demo import read_mail
result = {}
"""


@pytest.fixture
async def gated(core):
    """A core whose user reads all answers with text of the demo server first."""
    await core.catalog.connect("demo")
    await core.api.change_setting("privacy.preview", "")
    await core.api.change_setting("approval.answers_of", "nobody DEM*")
    return core


async def test_text_of_a_named_server_is_shown_before_the_model_reads_it_and_may_be_cut(gated):
    run_id, ending = await submitted(gated, MAIL.format("(await read_mail(mail_id='IN-0004'))['body']"))
    waiting = await held(gated)
    assert (waiting.is_answer, waiting.editable) == (True, True)
    assert waiting.why == ("It may contain text of demo, which you want to read first.",)
    assert "IMPORTANT INSTRUCTION" in waiting.arguments
    changed = await gated.api.edit_held_call(waiting.id, "The mail asks for records. Write to anna.berger@posteo.de")
    assert "anna.berger" not in changed.arguments, "it is masked as always"
    assert changed.original == waiting.arguments
    await gated.api.answer_held_call(HeldCallAnswer(changed.id, True))
    view = (await ending).model_view
    assert view == f"The user changed this answer before it was sent.\n\n{changed.arguments}"
    assert "IMPORTANT" not in view
    (sent,) = await gated.api.entries(EntryQuery(kind="privacy.answer_sent", run_id=run_id))
    assert "anna.berger" not in str(sent.note.detail)
    assert "IMPORTANT" in sent.note.detail["before"]


async def test_numbers_other_servers_and_the_users_own_programs_are_not_held_back(gated):
    for code in (MAIL.format("len((await read_mail(mail_id='IN-0004'))['body'])"), "result = 'my own text'"):
        _, ending = await submitted(gated, code)
        assert (await ending).model_view.startswith("result = ")
    own = gated.run_manager.submit(MAIL.format("await read_mail(mail_id='IN-0004')"), gated.services.sessions.person)
    assert "IN-0004" in (await gated.run_manager.wait_until_finished(own.id)).model_view


async def test_text_that_an_earlier_program_of_a_repl_session_read_is_held_back_too(gated):
    session = gated.services.sessions.open("an agent")
    first = gated.run_manager.submit(
        "from servers.demo import read_mail\nmail = await read_mail(mail_id='IN-0004')", session, state="s"
    )
    assert (await gated.run_manager.wait_until_finished(first.id)).state == "done", "nothing to read in it"
    second = gated.run_manager.submit("result = mail['body'].upper()", session, state="s")
    ending = asyncio.ensure_future(gated.run_manager.wait_until_finished(second.id))
    await gated.api.answer_held_call(HeldCallAnswer((await held(gated)).id, False, reason="An injection."))
    assert "An injection." in (await ending).model_view
