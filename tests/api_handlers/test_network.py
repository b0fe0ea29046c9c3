"""A person opens and closes places: it counts at once, stands in the audit, and every door hears of it."""

from __future__ import annotations

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import NetworkChanged
from workbench.paths import Paths
from workbench.records import EntryQuery


def _said(core: Core) -> list[str]:
    return [entry.note.kind for entry in core.journal.entries(EntryQuery(kind="network."))]


async def test_an_own_rule_comes_and_goes(core: Core) -> None:
    heard: list[NetworkChanged] = []
    core.bus.listen(lambda event: heard.append(event) if isinstance(event, NetworkChanged) else None)
    rules = await core.api.add_host("API.example.org", (), ("tls",))
    assert [rule.domain for rule in rules.open] == ["api.example.org"]
    assert rules == heard[0].rules == await core.api.network()
    assert "Programs may reach these hosts: api.example.org." in [c.sentence for c in await core.api.diagnose_machine()]
    await core.api.remove_host(rules.open[0].sha)
    assert (await core.api.network()).open == ()
    assert _said(core) == ["network.removed", "network.allowed"]


async def test_an_offer_is_accepted_and_the_yes_taken_back(core: Core, paths: Paths) -> None:
    paths.project_settings.write_text('[[network.allow]]\ndomain = "team.example.org"\n', "utf-8")
    (offer,) = (await core.api.network()).hosts
    assert (await core.api.accept_host(offer.sha)).open
    assert not (await core.api.withdraw_host(offer.sha)).open
    assert _said(core) == ["network.withdrawn", "network.accepted"]


async def test_what_cannot_be_opened_changes_nothing(core: Core) -> None:
    with pytest.raises(WorkbenchError):
        await core.api.add_host("127.0.0.1:80", (), ("tls",))
    with pytest.raises(WorkbenchError):
        await core.api.accept_host("0" * 64)
    assert _said(core) == []


async def test_a_wrong_entry_is_among_the_notices_and_the_doctor_says_when_all_is_closed(
    core: Core, paths: Paths
) -> None:
    paths.project_settings.write_text('[network]\ndeny = ["nonsense/9"]\n', "utf-8")
    assert [notice for notice in (await core.api.status()).notices if "network.deny" in notice.message]
    assert [check for check in await core.api.diagnose_machine() if "Programs cannot reach any host" in check.sentence]
