"""What a person hears of hidden values: where they came from and went, one value at a time, and each look is told."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, PrivacyMark, PrivacyQuery, ServerStrictness

PROGRAM = """
from servers.demo import list_customers, get_customer
page = await list_customers(limit=3)
one = page["customers"][0]
await get_customer(customer_id=one["id"])
print(one["email"])
result = page["customers"][1]["email"]
"""


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


@pytest.fixture
async def ran(core):
    """An agent's session in which a program has read customers."""
    await core.catalog.connect("demo")
    session = core.services.sessions.open("an agent")
    run = await core.run_manager.wait_until_finished(core.run_manager.submit(PROGRAM, session).id)
    assert run.state == "done", run.fault
    return core, session, run


async def test_a_report_says_where_a_value_came_from_and_in_which_run_it_was_hidden(ran):
    core, session, run = ran
    report = await core.api.privacy_report(PrivacyQuery(session.id, kind="EMAIL"))
    assert report.fitting >= 2
    for value in report.values:
        assert value.token in run.model_view
        assert value.times == 1
        assert value.runs == (run.id,)
        assert ("demo", "list_customers", run.id) in [(one.server, one.tool, one.run_id) for one in value.came]
    assert {count.kind for count in report.counts} >= {"EMAIL"}
    assert "@" not in repr(report)


async def test_a_value_that_went_into_a_call_says_which(ran):
    core, session, _ = ran
    token = (await core.api.privacy_report(PrivacyQuery(session.id))).values[0].token
    code = f"from servers.demo import search_customers\nresult = await search_customers(query={token!r})"
    next_run = await core.run_manager.wait_until_finished(core.run_manager.submit(code, session).id)
    assert next_run.state == "done", next_run.fault
    report = await core.api.privacy_report(PrivacyQuery(session.id, text=token))
    assert [(place.server, place.run_id) for place in report.values[0].went] == [("demo", next_run.id)]


async def test_values_are_paged_and_searched_by_token_tool_and_whole_value(ran):
    core, session, _ = ran
    ask = core.api.privacy_report
    whole = await ask(PrivacyQuery(session.id))
    pages = [await ask(PrivacyQuery(session.id, after=at, limit=1)) for at in range(whole.fitting)]
    assert [page.values[0].token for page in pages] == [value.token for value in whole.values]
    revealed = await core.api.reveal(session.id, whole.values[0].token)
    assert (await ask(PrivacyQuery(session.id, text=revealed.value))).fitting == 1
    assert (await ask(PrivacyQuery(session.id, text=revealed.value[:5]))).fitting == 0
    assert (await ask(PrivacyQuery(session.id, text="list_customers"))).fitting > 0


async def test_a_look_at_a_value_is_in_the_audit_with_the_token_and_never_the_value(ran):
    core, session, _ = ran
    token = (await core.api.privacy_report(PrivacyQuery(session.id))).values[0].token
    value = (await core.api.reveal(session.id, token.lower())).value
    assert (await core.api.reveal(session.id, token, copied=True)).value == value
    copied, looked = (await core.api.entries(EntryQuery(kind="privacy.")))[:2]
    assert (copied.note.kind, looked.note.kind) == ("privacy.copied", "privacy.revealed")
    for entry in (copied, looked):
        assert token in entry.note.summary
        assert entry.note.actor == "you"
        assert entry.note.session == session.id
        assert value not in repr(entry)


async def test_a_token_of_another_session_or_of_none_reveals_nothing(ran):
    core, session, _ = ran
    token = (await core.api.privacy_report(PrivacyQuery(session.id))).values[0].token
    for elsewhere, told in (("person", token), (session.id, "[EMAIL_77.aaaa]"), ("agent-gone", token)):
        with pytest.raises(WorkbenchError):
            await core.api.reveal(elsewhere, told)


async def test_forgetting_makes_old_tokens_stand_for_nothing_and_new_ones_are_others(ran):
    core, session, _ = ran
    token = (await core.api.privacy_report(PrivacyQuery(session.id))).values[0].token
    value = (await core.api.reveal(session.id, token)).value
    assert await core.api.forget_values(session.id) > 0
    with pytest.raises(WorkbenchError):
        await core.api.reveal(session.id, token)
    assert (await core.api.privacy_report(PrivacyQuery(session.id))).fitting == 0
    assert token not in session.mask(value) != value


async def test_an_export_holds_tokens_and_places_and_no_value(ran):
    core, session, _ = ran
    told = json.loads(await core.api.privacy_export(session.id))
    assert {one["kind"] for one in told["values"]} >= {"EMAIL"}
    assert "@" not in json.dumps(told)


async def test_sessions_without_a_token_are_told_only_while_their_agent_is_here(ran):
    core, session, _ = ran
    idle = core.services.sessions.open("idle")
    names = [one.id for one in await core.api.privacy_sessions()]
    assert names[0] == "person"
    assert session.id in names
    assert idle.id not in names


async def test_a_models_view_of_an_answer_is_what_leaves_the_workbench_and_is_laid_beside_the_real_text(core):
    text = json.dumps({"name": "Ada Lovelace", "email": "ada@example.org", "note": "call 7"}, indent=2)
    view = await core.api.model_view(text, "crm")
    assert "ada@example.org" not in view.text
    assert "call 7" in view.text
    assert {text[one.start : one.end] for one in view.hidden} == {"Ada Lovelace", "ada@example.org"}
    assert all(one.token in view.text for one in view.hidden)
    assert (await core.api.reveal(view.session, view.hidden[0].token)).value in text
    assert core.services.sessions.person.vault.counts_by_kind() == {}


async def test_what_is_turned_off_hides_nothing_and_says_so(core):
    await core.api.change_setting("privacy.enabled", False)
    view = await core.api.model_view("ada@example.org", "crm")
    assert (view.text, view.enabled) == ("ada@example.org", False)


async def test_trying_the_detector_keeps_nothing(core):
    trial = await core.api.try_privacy('{"email": "ada@example.org", "n": 3}')
    assert trial.is_json
    assert [span.kind for span in trial.spans] == ["EMAIL"]
    assert trial.spans[0].why
    assert "ada@" not in trial.masked
    assert all(not session.vault.counts_by_kind() for session in core.services.sessions.all())


async def test_a_mark_counts_in_every_session_at_once_and_the_audit_has_no_value(ran):
    core, session, _ = ran
    assert session.mask("project Falcon-9") == "project Falcon-9"
    rules = await core.api.mark_privacy(PrivacyMark(True, "value", "Falcon-9", "CUSTOM"))
    later = core.services.sessions.open("later")
    assert all("Falcon" not in one.mask("project Falcon-9") for one in (session, later))
    assert [span.why for span in (await core.api.try_privacy("of Falcon-9")).spans] == ["You marked it to be masked."]
    entry = (await core.api.entries(EntryQuery(kind="privacy.")))[0]
    assert "Falcon" not in repr(entry)
    token = (await core.api.privacy_report(PrivacyQuery(session.id, kind="EMAIL"))).values[0].token
    mail = (await core.api.reveal(session.id, token)).value
    await core.api.mark_privacy(PrivacyMark(False, "value", mail))
    assert mail in session.mask(f"to {mail}")
    await core.api.unmark_privacy(rules.marks[0].id)
    assert [mark.hide for mark in (await core.api.privacy_rules()).marks] == [False]


async def test_a_kind_is_switched_off_and_on_for_every_session(ran):
    core, session, _ = ran
    off = await core.api.set_privacy_kind("IP", False, 0)
    assert [kind.kind for kind in off.kinds if not kind.on] == ["IP"]
    assert session.mask("host 10.20.30.40") == "host 10.20.30.40"
    assert (await core.api.settings()).privacy_off == "IP"
    assert all(kind.on for kind in (await core.api.set_privacy_kind("IP", True, 0)).kinds)
    assert "10.20" not in session.mask("host 10.20.30.40")
    for kind, threshold in (("SEALED", 0), ("NAME", 7)):
        with pytest.raises(WorkbenchError):
            await core.api.set_privacy_kind(kind, True, threshold)


async def test_forgetting_keeps_what_was_marked(ran):
    core, session, _ = ran
    await core.api.mark_privacy(PrivacyMark(True, "value", "Falcon-9", "CUSTOM"))
    await core.api.forget_values(session.id)
    assert "Falcon" not in session.mask("of Falcon-9")


async def test_a_token_is_explained_with_its_reason_its_sources_and_who_received_it(ran):
    core, session, run = ran
    token = (await core.api.privacy_report(PrivacyQuery(session.id, kind="EMAIL"))).values[0].token
    explanation = await core.api.explain_masking(session.id, token)
    assert explanation.masked
    assert explanation.reason == "It is the value of the key `email`."
    assert ("demo", "list_customers", run.id) in [(one.server, one.tool, one.run_id) for one in explanation.came]
    assert (explanation.readers, explanation.runs) == (("an agent",), (run.id,))
    assert "@" not in repr(explanation)
    report = await core.api.privacy_report(PrivacyQuery(session.id, text="the key `email`"))
    assert report.fitting >= 2
    assert {value.why for value in report.values} == {"It is the value of the key `email`."}


async def test_selected_text_is_explained_for_a_session_and_for_the_users_own_calls(ran):
    core, session, _ = ran
    token = (await core.api.privacy_report(PrivacyQuery(session.id, kind="EMAIL"))).values[0].token
    value = (await core.api.reveal(session.id, token)).value
    known = await core.api.explain_masking(session.id, value)
    assert known.masked
    assert "demo" in known.sources
    assert known.came
    session.keep('[{"company": "Quarvel Bintz"}]', "crm")
    kept = await core.api.explain_masking(session.id, "Quarvel Bintz")
    assert (kept.masked, kept.kind, kept.sources) == (True, "COMPANY", ("crm",))
    own = await core.api.explain_masking("", "zq-77", "order zq-77 is late", 6)
    assert not own.masked
    with pytest.raises(WorkbenchError, match="too long to explain"):
        await core.api.explain_masking("", "x" * 500)
    await core.api.set_strictness("", "off")
    off = await core.api.explain_masking("", "ada@example.org")
    assert [remedy.action for remedy in off.remedies] == ["enable"]


async def test_a_tokens_value_passes_in_this_project_or_everywhere_without_being_shown(ran, paths):
    core, session, _ = ran
    token = (await core.api.privacy_report(PrivacyQuery(session.id, kind="EMAIL"))).values[0].token
    value = (await core.api.reveal(session.id, token)).value
    rules = await core.api.never_mask_token(session.id, token, "project")
    assert [(mark.hide, mark.scope) for mark in rules.marks] == [(False, "project")]
    assert session.mask(value) == value
    assert value in paths.project_privacy_marks.read_text("utf-8")
    assert not paths.privacy_marks.exists()
    await core.api.unmark_privacy(rules.marks[0].id)
    assert session.mask(value) != value
    await core.api.never_mask_token(session.id, token, "everywhere")
    assert value in paths.privacy_marks.read_text("utf-8")
    with pytest.raises(WorkbenchError):
        await core.api.never_mask_token(session.id, "[EMAIL_77.aaaa]", "project")
    entries = await core.api.entries(EntryQuery(kind="privacy."))
    assert any("in this project" in entry.note.summary for entry in entries)
    assert value not in repr(entries)


async def test_strictness_is_set_for_all_servers_and_for_one_and_applies_at_once(core):
    rules = await core.api.set_strictness("demo", "off")
    assert (rules.strictness, rules.servers) == ("balanced", (ServerStrictness("demo", "off"),))
    session = core.services.sessions.open("an agent")
    await core.catalog.connect("demo")
    run = await core.run_manager.wait_until_finished(core.run_manager.submit(PROGRAM, session).id)
    assert "@" in run.model_view, "values of this server pass"
    assert "@" not in session.mask("rosa.lund@corp.io")
    rules = await core.api.set_strictness("demo", "")
    assert rules.servers == ()
    assert (await core.api.set_strictness("", "recall")).strictness == "recall"
    assert core.services.settings().privacy_strictness == "recall"
    assert not (await core.api.set_strictness("", "off")).enabled
    assert (await core.api.set_strictness("", "forms")).enabled
    for server, step in (("", ""), ("", "maximal"), ("two words", "off")):
        with pytest.raises(WorkbenchError):
            await core.api.set_strictness(server, step)


async def test_the_steps_of_strictness_are_compared_on_the_last_answers_of_a_server(ran):
    core, _, _ = ran
    report = await core.api.strictness_report("demo")
    assert report.answers == 2
    effects = {effect.step: effect for effect in report.effects}
    assert list(effects) == ["off", "forms", "balanced", "recall"]
    assert effects["off"].values == 0
    assert effects["off"].fewer > 0
    assert effects["balanced"].values > 0
    assert (effects["balanced"].more, effects["balanced"].fewer) == (0, 0)
    assert (await core.api.strictness_report("nobody")).answers == 0
    assert all(step.price for step in (await core.api.privacy_rules()).steps if step.name != "off")


async def test_what_a_model_would_see_of_output_so_far_uses_the_values_of_the_run(ran):
    core, session, _ = ran
    token = (await core.api.privacy_report(PrivacyQuery(session.id, kind="EMAIL"))).values[0].token
    value = (await core.api.reveal(session.id, token)).value
    view = await core.api.model_view(f"so far: {value}", "", session.id)
    assert (view.text, view.session) == (f"so far: {token}", session.id)
    assert (await core.api.model_view("so far", "", "agent-gone")).session == "preview"
