"""Only a person's door writes rules: each deed counts at once, stands in the audit, and no agent has any of them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workbench.agent.tool_definitions import TOOLS
from workbench.api_handlers.permissions import PermissionsHandler
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import PermissionsChanged
from workbench.paths import Paths
from workbench.records import CallDecision, EntryQuery, Permission, Predicate, RunState, UserAnnotations

TO_ACME = Permission("", "arguments", CallDecision.ALLOW, "demo", "send_email", (Predicate("to", "*@acme.com"),))
DEEDS = [name for name in vars(PermissionsHandler) if not name.startswith("_")]


@pytest.fixture
async def core(paths: Paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    yield house
    await house.close()


def _said(core: Core, kind: str) -> list[str]:
    return [entry.note.summary for entry in core.journal.entries(EntryQuery(kind=kind))]


async def test_a_rule_comes_and_goes(core: Core) -> None:
    heard: list[PermissionsChanged] = []
    core.bus.listen(lambda event: heard.append(event) if isinstance(event, PermissionsChanged) else None)
    made = await core.api.set_permission(TO_ACME)
    assert heard[-1].permissions.rules == (made,)
    assert (await core.api.revoke_permission(made.id)).rules == ()
    assert len(_said(core, "rule.")) == 2


async def test_a_rule_about_nothing_is_refused(core: Core) -> None:
    for rule in (
        Permission("", "server", CallDecision.ALLOW, "nobody"),
        Permission("", "tool", CallDecision.ALLOW, "demo", "nothing"),
        Permission("", "tool", CallDecision.ALLOW, "demo", "send_email"),
    ):
        with pytest.raises(WorkbenchError):
            await core.api.set_permission(rule)
    assert (await core.api.permissions()).rules == ()


async def test_a_person_says_of_a_tool_what_counts_everywhere_at_once(core: Core) -> None:
    assert (await core.api.tool("demo", "list_orders")).outsiders is False
    said = await core.api.set_annotations("demo", "list_orders", UserAnnotations(read_only=False, outsiders=True))
    assert (said.hints.read_only, said.outsiders, said.said) == (False, True, ("read_only", "outsiders"))
    summary = next(one for one in await core.api.tools() if one.name == "list_orders")
    assert summary.hints.read_only is False
    verdict = await core.api.assess("from servers.demo import list_orders\nawait list_orders()\n")
    assert verdict.risk == "medium"
    assert _said(core, "tool.annotation_changed") == [
        "You set the annotations of demo.list_orders: read_only no, outsiders yes"
    ]
    await core.api.set_annotations("demo", "list_orders", UserAnnotations())
    assert (await core.api.tool("demo", "list_orders")).hints.read_only


async def test_the_built_in_server_is_believed_without_a_word(core: Core) -> None:
    with pytest.raises(WorkbenchError, match="built in"):
        await core.api.decide_trust("demo", "", ())


async def test_a_profile_of_the_project_is_accepted_and_withdrawn(core: Core, paths: Paths) -> None:
    paths.project_settings.write_text('[profiles.wide]\nbase = "read_only"\ntools = "all"\n', "utf-8")
    wide = (await core.api.profiles()).all[-1]
    assert (await core.api.accept_profile(wide.sha)).all[-1].accepted
    assert not (await core.api.withdraw_profile(wide.sha)).all[-1].accepted
    assert len(_said(core, "profile.")) == 2


async def test_a_damaged_file_is_a_notice_and_a_new_list_begins_when_the_person_says_so(paths: Paths) -> None:
    paths.permissions.parent.mkdir(parents=True, exist_ok=True)
    paths.permissions.write_text("{", "utf-8")
    core = Core(paths)
    await core.open()
    try:
        assert any("Your rules for tools cannot be read" in one.message for one in (await core.api.status()).notices)
        verdict = await core.api.assess("result = 1")
        assert verdict.asks == ("The rules for tools cannot be read, so every call needs approval.",)
        await core.api.renew_permissions()
        assert (await core.api.assess("result = 1")).asks == ()
    finally:
        await core.close()


def test_no_tool_of_an_agent_and_no_word_of_it_names_a_deed() -> None:
    assert not {tool.name for tool in TOOLS} & set(DEEDS)


@pytest.mark.parametrize("kind", ["set_permission", "decide_trust", "permissions", "accept_profile"])
async def test_code_in_the_sandbox_cannot_ask_for_one(core: Core, kind: str) -> None:
    """The runner's own channel, used directly: the core answers calls, searches, definitions and skills only."""
    code = f"import client\nresult = client.get_client()._line.ask_now({kind!r})"
    run = core.run_manager.submit(code, core.services.sessions.person)
    run = await core.run_manager.wait_until_finished(run.id)
    assert run.state is RunState.FAILED
    assert run.fault is not None
    assert run.fault.message == f"The program violated the channel protocol: a request of unknown kind {kind!r}."
    assert core.services.rules.view().rules == ()
