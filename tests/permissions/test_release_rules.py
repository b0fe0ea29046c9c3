"""Which kinds of personal data may go where: a person's rules, and what holds without any."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.permissions.call_rules import ToolRules
from workbench.permissions.release_rules import (
    NEVER_ALWAYS,
    check,
    judge,
    offered_rules,
    reason_void,
    sentence,
    void_rules,
)
from workbench.privacy.vault import Restoration
from workbench.records import CallDecision, Permission, Tool

SEND = Tool("gmail", "send", hash="h")
MAILS = Restoration("EMAIL", 2, "crm", "gmail", foreign=True)
OWN = Restoration("EMAIL", 1, "gmail", "gmail", foreign=False)
CARDS = Restoration("CARD", 1, "crm", "gmail", foreign=True)


def rule(word: CallDecision, data: str = "EMAIL", tool: str = "send", **more: str) -> Permission:
    return Permission("r", "restore", word, "gmail", tool, key="h", data=data, **more)


def words(*rules: Permission, found: tuple[Restoration, ...] = (MAILS,), session: str = "") -> list[CallDecision]:
    return [one.decision for one in ToolRules(SEND, rules).judge_release(found, session)]


def test_without_a_rule_the_supplier_gets_its_own_and_others_ask() -> None:
    judged = judge((OWN, MAILS), (), SEND)
    assert [one.decision for one in judged] == [CallDecision.ALLOW, CallDecision.ASK]
    assert str(judged[1].restoration) == "2 e-mail addresses from crm would be sent to gmail.send"


def test_a_rule_allows_one_kind_to_one_tool_and_to_no_other() -> None:
    assert words(rule(CallDecision.ALLOW), found=(MAILS, CARDS)) == [CallDecision.ALLOW, CallDecision.ASK]
    other = replace(SEND, name="forward")
    assert judge((MAILS,), (rule(CallDecision.ALLOW),), other)[0].decision is CallDecision.ASK


def test_a_denial_stands_above_all_and_the_narrower_word_above_the_wider() -> None:
    everywhere = rule(CallDecision.DENY, "", "")
    assert words(everywhere, rule(CallDecision.ALLOW)) == [CallDecision.DENY]
    assert words(rule(CallDecision.ASK, "", ""), rule(CallDecision.ALLOW)) == [CallDecision.ALLOW]
    assert words(rule(CallDecision.ALLOW, tool=""), rule(CallDecision.ASK)) == [CallDecision.ASK]
    assert words(everywhere, found=(OWN,)) == [CallDecision.DENY], "also what the server supplied itself"


def test_an_allow_is_void_once_the_definition_changed_and_a_lost_list_asks_about_everything() -> None:
    changed = replace(SEND, hash="other")
    assert judge((MAILS,), (rule(CallDecision.ALLOW),), changed)[0].decision is CallDecision.ASK
    assert void_rules((rule(CallDecision.ALLOW), rule(CallDecision.DENY)), (changed,)) == {
        "r": "the tool's definition has changed since the rule was made"
    }
    lost = ToolRules(SEND, (rule(CallDecision.ALLOW),), lost=True).judge_release((MAILS, OWN))
    assert [one.decision for one in lost] == [CallDecision.ASK, CallDecision.ASK]


def test_rules_for_a_session_or_until_a_day_end() -> None:
    assert words(rule(CallDecision.ALLOW, scope="session", session="s"), session="s") == [CallDecision.ALLOW]
    assert words(rule(CallDecision.ALLOW, scope="session", session="s"), session="t") == [CallDecision.ASK]
    assert words(replace(rule(CallDecision.ALLOW), expires=5.0)) == [CallDecision.ASK]


@pytest.mark.parametrize("kind", sorted(NEVER_ALWAYS))
def test_what_opens_or_proves_something_is_never_allowed_for_good(kind: str) -> None:
    forged = rule(CallDecision.ALLOW, kind)
    assert reason_void(forged, SEND)
    assert words(forged, found=(replace(CARDS, kind=kind),)) == [CallDecision.ASK]
    if kind in ("SECRET", "CARD", "SSN"):
        with pytest.raises(WorkbenchError, match=r"cannot allow .* permanently"):
            check(forged, SEND)
    assert offered_rules(judge((replace(CARDS, kind=kind),), (), SEND), SEND) == ()


def test_a_question_offers_one_rule_for_each_kind() -> None:
    phones = replace(MAILS, kind="PHONE")
    (first, second) = offered_rules(judge((MAILS, phones, CARDS), (), SEND), SEND)
    assert (first.label, second.data) == ("E-mail addresses may be sent to gmail.send without asking.", "PHONE")
    check(first, SEND)
    assert words(first) == [CallDecision.ALLOW]


def test_a_rule_is_one_sentence_and_a_senseless_one_is_refused() -> None:
    assert sentence(rule(CallDecision.DENY, "", "")) == "Personal data may never be sent to any tool of gmail."
    assert (
        sentence(rule(CallDecision.ASK, "PHONE")) == "Phone numbers may be sent to gmail.send only after you are asked."
    )
    for wrong in (rule(CallDecision.ALLOW, ""), rule(CallDecision.ASK, "SHOE_SIZE")):
        with pytest.raises(WorkbenchError):
            check(wrong, SEND)
    with pytest.raises(WorkbenchError, match="no tool"):
        check(rule(CallDecision.ASK), None)
