"""Tokens of a call become values again as far as its person lets them; a person's own call asks them back."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.broker.broker import Broker
from workbench.broker.token_release import BIG_ARGUMENTS, count, noted, restored
from workbench.permissions.release_rules import ReleaseDecision
from workbench.privacy.restorations import Restoration
from workbench.records import Origin, ToolCall, Word

MAILS = Restoration("EMAIL", 2, "crm", "gmail", foreign=True, tool="send")
CARD = Restoration("CARD", 1, "crm", "gmail", foreign=True, tool="send")


def test_what_was_given_is_told_without_values(core) -> None:
    given = (ReleaseDecision(MAILS, Word.ASK), ReleaseDecision(CARD, Word.ALLOW))
    assert noted(given)[0] == {"kind": "EMAIL", "count": 2, "of": "crm", "to": "gmail.send"}
    session = core.services.sessions.open("agent")
    count(given, session)
    count(given, session)
    assert session.given["EMAIL", "crm", "gmail", "send"] == 4


@pytest.mark.parametrize("letters", [10, 2 * BIG_ARGUMENTS])
async def test_a_value_of_another_server_is_restored_also_in_long_arguments(demo, letters) -> None:
    session, tool = demo.services.sessions.person, demo.catalog.tool("demo", "send_email")
    session.vault.register({"email": "ada@northwind.example.org"}, "crm")
    token = session.mask("ada@northwind.example.org")
    call = ToolCall("c", "demo", "send_email", {"body": "x" * letters + token}, Origin.PERSON, "person")
    assert (await restored(call, tool, session))["body"].endswith("ada@northwind.example.org")


async def test_a_persons_own_call_says_what_its_tokens_give_away_before_it_goes(demo) -> None:
    session = demo.services.sessions.person
    session.vault.register({"email": "ada@northwind.example.org"}, "crm")
    token = session.mask("ada@northwind.example.org")
    broker = Broker(demo.services)
    search = ToolCall("c", "demo", "search_customers", {"query": token}, Origin.PERSON, "person")
    question = await broker.call(search)
    assert question.needs_confirmation
    assert question.fault.message == "1 e-mail of crm goes to demo.search_customers."
    assert (await broker.call(replace(search, confirmed=True))).ok
    send = replace(search, tool="send_email", arguments={"to": token, "subject": "s", "body": "b"})
    both = (await broker.call(send)).fault.message
    assert "send something out" in both, "the tool's own risk is said beside it"
    assert "1 e-mail of crm goes to demo.send_email." in both
