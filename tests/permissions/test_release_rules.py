"""Which kinds of personal data may go where: a person's rules, and what holds without any."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.permissions.call_rules import ToolRules
from workbench.permissions.release_rules import NEVER_ALWAYS, check, judge, offers, sentence, void, voided
from workbench.privacy.vault import Restoration
from workbench.records import Permission, Tool, Word

SEND = Tool("gmail", "send", hash="h")
MAILS = Restoration("EMAIL", 2, "crm", "gmail", foreign=True)
OWN = Restoration("EMAIL", 1, "gmail", "gmail", foreign=False)
CARDS = Restoration("CARD", 1, "crm", "gmail", foreign=True)


def rule(word: Word, data: str = "EMAIL", tool: str = "send", **more: str) -> Permission:
    return Permission("r", "restore", word, "gmail", tool, key="h", data=data, **more)


def words(*rules: Permission, found: tuple[Restoration, ...] = (MAILS,), session: str = "") -> list[Word]:
    return [one.word for one in ToolRules(SEND, rules).judge_release(found, session)]


def test_without_a_rule_the_supplier_gets_its_own_and_others_ask() -> None:
    judged = judge((OWN, MAILS), (), SEND)
    assert [one.word for one in judged] == [Word.ALLOW, Word.ASK]
    assert str(judged[1].what) == "2 e-mails of crm go to gmail.send"


def test_a_rule_allows_one_kind_to_one_tool_and_to_no_other() -> None:
    assert words(rule(Word.ALLOW), found=(MAILS, CARDS)) == [Word.ALLOW, Word.ASK]
    other = replace(SEND, name="forward")
    assert judge((MAILS,), (rule(Word.ALLOW),), other)[0].word is Word.ASK


def test_a_denial_stands_above_all_and_the_narrower_word_above_the_wider() -> None:
    everywhere = rule(Word.DENY, "", "")
    assert words(everywhere, rule(Word.ALLOW)) == [Word.DENY]
    assert words(rule(Word.ASK, "", ""), rule(Word.ALLOW)) == [Word.ALLOW]
    assert words(rule(Word.ALLOW, tool=""), rule(Word.ASK)) == [Word.ASK]
    assert words(everywhere, found=(OWN,)) == [Word.DENY], "also what the server supplied itself"


def test_an_allow_is_void_once_the_definition_changed_and_a_lost_list_asks_about_everything() -> None:
    changed = replace(SEND, hash="other")
    assert judge((MAILS,), (rule(Word.ALLOW),), changed)[0].word is Word.ASK
    assert voided((rule(Word.ALLOW), rule(Word.DENY)), (changed,)) == {"r": "the tool's definition changed since"}
    lost = ToolRules(SEND, (rule(Word.ALLOW),), lost=True).judge_release((MAILS, OWN))
    assert [one.word for one in lost] == [Word.ASK, Word.ASK]


def test_rules_for_a_session_or_until_a_day_end() -> None:
    assert words(rule(Word.ALLOW, scope="session", session="s"), session="s") == [Word.ALLOW]
    assert words(rule(Word.ALLOW, scope="session", session="s"), session="t") == [Word.ASK]
    assert words(replace(rule(Word.ALLOW), expires=5.0)) == [Word.ASK]


@pytest.mark.parametrize("kind", sorted(NEVER_ALWAYS))
def test_what_opens_or_proves_something_is_never_allowed_for_good(kind: str) -> None:
    forged = rule(Word.ALLOW, kind)
    assert void(forged, SEND)
    assert words(forged, found=(replace(CARDS, kind=kind),)) == [Word.ASK]
    if kind in ("SECRET", "CARD", "SSN"):
        with pytest.raises(WorkbenchError, match="asked each time"):
            check(forged, SEND)
    assert offers(judge((replace(CARDS, kind=kind),), (), SEND), SEND) == ()


def test_a_question_offers_one_rule_for_each_kind() -> None:
    phones = replace(MAILS, kind="PHONE")
    (first, second) = offers(judge((MAILS, phones, CARDS), (), SEND), SEND)
    assert (first.label, second.data) == ("E-mails may go to gmail.send without asking.", "PHONE")
    check(first, SEND)
    assert words(first) == [Word.ALLOW]


def test_a_rule_is_one_sentence_and_a_senseless_one_is_refused() -> None:
    assert sentence(rule(Word.DENY, "", "")) == "Personal data never go to any tool of gmail."
    assert sentence(rule(Word.ASK, "PHONE")) == "Phone numbers go to gmail.send only after you are asked."
    for wrong in (rule(Word.ALLOW, ""), rule(Word.ASK, "SHOE_SIZE")):
        with pytest.raises(WorkbenchError):
            check(wrong, SEND)
    with pytest.raises(WorkbenchError, match="no tool"):
        check(rule(Word.ASK), None)
