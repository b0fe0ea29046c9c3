"""What trust and rules make of tools and calls."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.permissions.call_rules import LOST, RuleAnswer, ToolRules, void
from workbench.permissions.tool_annotations import effective, tool_risk
from workbench.records import Hints, JsonObject, Permission, Predicate, Risk, Tool, ToolBits, Trust, Word

NOBODY = Trust()
READER = Tool("shop", "list_orders", hints=Hints(read_only=True), hash="h")
MAIL = Tool("mail", "send_email", hash="m")
TO_ACME = (Predicate("to", "*@acme.com"),)
BOB: JsonObject = {"to": "bob@acme.com", "text": "hello"}
EVE: JsonObject = {"to": "eve@evil.com", "text": "hello"}
ONE = st.sampled_from([True, False, None])


def rule(word: Word, kind: str = "tool", tool: Tool = MAIL, **more: object) -> Permission:
    given = {"id": f"{kind}-{word}", "kind": kind, "word": word, "server": tool.server, "tool": tool.name}
    return Permission(**given | {"key": tool.hash} | more)  # type: ignore[arg-type]


def judge(
    tool: Tool, arguments: JsonObject | None, rules: Sequence[Permission], session: str = "", now: float = 0.0
) -> RuleAnswer:
    return ToolRules(tool, tuple(rules)).judge(arguments, session, now=now)


# trust


def test_the_hint_of_a_server_nobody_trusts_is_worth_what_the_verb_says() -> None:
    assert tool_risk(effective(READER, NOBODY)) is Risk.MEDIUM
    assert tool_risk(effective(replace(READER, name="orders"), NOBODY)) is Risk.HIGH
    assert tool_risk(effective(READER, Trust(believed=("shop",)))) is Risk.LOW
    assert tool_risk(effective(READER, NOBODY, believed=True)) is Risk.LOW


def test_what_a_server_says_against_itself_counts_without_trust() -> None:
    told = replace(READER, hints=Hints(read_only=False, destructive=True, open_world=True))
    assert effective(told, NOBODY).hints == Hints(read_only=False, destructive=True, open_world=True)


def test_a_persons_word_stands_in_place_of_a_hint() -> None:
    said = Trust(bits={"shop": {"delete_all": ToolBits(read_only=True, sends=True, key="h")}})
    tool = effective(replace(READER, name="delete_all"), said)
    assert (tool_risk(tool), tool.sends, tool.said) == (Risk.LOW, True, ("read_only", "sends"))
    assert tool.guessed == ("private", "outsiders")


def test_what_was_said_of_another_definition_counts_only_where_it_is_stricter() -> None:
    kind = ToolBits(read_only=True, destructive=False, private=False, sends=False, key="another")
    assert effective(MAIL, Trust(bits={"mail": {"send_email": kind}})).said == ()
    strict = ToolBits(read_only=False, destructive=True, private=True, outsiders=True, key="another")
    tool = effective(MAIL, Trust(bits={"mail": {"send_email": strict}}))
    assert tool.said == ("read_only", "destructive", "private", "outsiders")


@given(ONE, ONE, ONE)
def test_what_is_effective_stays_and_keeps_the_claims(read: bool | None, gone: bool | None, wide: bool | None) -> None:
    tool = Tool("any", "update_row", hints=Hints(read, gone, None, wide))
    once = effective(tool, NOBODY)
    assert effective(once, NOBODY) == once
    assert once.claimed == tool.hints
    assert effective(once, Trust(believed=("any",))).hints == tool.hints


@given(ONE, ONE, ONE)
def test_trust_never_makes_a_tool_riskier(read: bool | None, gone: bool | None, wide: bool | None) -> None:
    order = [Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL]
    for name in ("get_row", "update_row", "delete_row"):
        tool = Tool("any", name, hints=Hints(read, gone, None, wide))
        doubted, believed = (tool_risk(effective(tool, NOBODY, trusted)) for trusted in (False, True))
        assert order.index(believed) <= order.index(doubted)


# rules


def test_without_a_rule_the_risk_decides() -> None:
    assert judge(MAIL, BOB, ()).word is None


def test_a_rule_about_arguments_allows_those_and_no_others() -> None:
    rules = [rule(Word.ALLOW, "arguments", where=TO_ACME, label="To acme.")]
    found = judge(MAIL, BOB, rules)
    assert (found.word, found.why, found.depends) == (Word.ALLOW, "Allowed by your rule: To acme.", False)
    assert judge(MAIL, EVE, rules).word is None
    assert judge(replace(MAIL, server="other"), BOB, rules).word is None


def test_before_the_arguments_are_known_the_judgement_says_that_it_depends() -> None:
    rules = [rule(Word.ALLOW, "arguments", where=TO_ACME)]
    found = judge(MAIL, None, rules)
    assert (found.word, found.depends) == (Word.ALLOW, True)


@pytest.mark.parametrize("denied", ["server", "tool", "arguments"])
def test_a_denial_stands_above_every_other_rule(denied: str) -> None:
    where = {"where": TO_ACME} if denied == "arguments" else {}
    rules = [rule(Word.ALLOW, "arguments", where=TO_ACME), rule(Word.DENY, denied, **where)]
    assert judge(MAIL, BOB, rules).word is Word.DENY


def test_of_other_rules_the_one_that_says_most_decides_and_asking_before_allowing() -> None:
    rules = [rule(Word.ASK, "server"), rule(Word.ALLOW, "arguments", where=TO_ACME)]
    assert judge(MAIL, BOB, rules).word is Word.ALLOW
    assert judge(MAIL, EVE, rules).word is Word.ASK
    both = [*rules, rule(Word.ASK, "arguments", where=(Predicate("to", "bob@*"),))]
    assert judge(MAIL, BOB, both).word is Word.ASK


def test_an_allow_is_void_when_the_definition_changed_and_a_denial_is_not() -> None:
    changed = replace(MAIL, hash="another")
    assert judge(changed, BOB, [rule(Word.ALLOW, "arguments", where=TO_ACME)]).word is None
    assert judge(changed, BOB, [rule(Word.DENY)]).word is Word.DENY
    assert void(rule(Word.ALLOW), changed) == "the tool's definition changed since"


def test_a_tool_of_high_risk_is_never_allowed_as_a_whole_for_good() -> None:
    assert tool_risk(MAIL) is Risk.HIGH
    wide = [rule(Word.ALLOW), rule(Word.ALLOW, "server"), rule(Word.ALLOW, "arguments", where=(Predicate("to", "*"),))]
    assert [judge(MAIL, BOB, [one]).word for one in wide] == [None, None, None]
    session = rule(Word.ALLOW, scope="session", session="s")
    assert judge(MAIL, BOB, [session], session="s").word is Word.ALLOW
    assert judge(MAIL, BOB, [session], session="t").word is None
    assert judge(READER, {}, [rule(Word.ALLOW, "server", READER)]).word is Word.ALLOW


def test_a_rule_for_a_server_does_not_cover_a_reading_tool_that_goes_where_its_argument_says() -> None:
    schema: JsonObject = {"type": "object", "properties": {"url": {"type": "string"}}}
    for name, more in (
        ("fetch_page", {"input_schema": schema}),
        ("get_bookmark", {"input_schema": schema}),
        ("browse_web", {}),
    ):
        page = Tool("shop", name, hints=Hints(read_only=True, open_world=True), hash="p", **more)  # type: ignore[arg-type]
        assert judge(page, {}, [rule(Word.ALLOW, "server", page)]).word is None
        assert judge(page, {}, [rule(Word.ALLOW, "tool", page)]).word is Word.ALLOW


def test_a_rule_that_has_expired_is_none() -> None:
    rules = [rule(Word.ALLOW, "arguments", where=TO_ACME, expires=100.0)]
    assert judge(MAIL, BOB, rules, now=99.0).word is Word.ALLOW
    assert judge(MAIL, BOB, rules, now=100.0).word is None


def test_everything_asks_when_what_was_kept_is_lost() -> None:
    found = ToolRules(READER, (rule(Word.ALLOW, tool=READER),), lost=True).judge({})
    assert (found.word, found.why) == (Word.ASK, LOST)


def test_a_pinned_text_is_no_word_about_a_call() -> None:
    assert judge(MAIL, BOB, [rule(Word.ALLOW, "text")]).word is None
