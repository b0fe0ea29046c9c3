"""What trust and rules make of tools and calls."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.analysis.verdict import RULES
from workbench.errors import WorkbenchError
from workbench.permissions.call_rules import (
    LOST,
    PYTHON,
    RuleAnswer,
    ToolRules,
    approval_basis,
    reason_void,
    void_rules,
)
from workbench.permissions.rule_offers import proposals
from workbench.permissions.rule_sentences import check, sentence
from workbench.permissions.tool_annotations import effective_tool, tool_risk, unverified
from workbench.records import (
    CallDecision,
    Gate,
    Hints,
    JsonObject,
    Permission,
    Predicate,
    Risk,
    ServerDecision,
    Tool,
    Trust,
    UserAnnotations,
    Verdict,
)

NOBODY = Trust()
READER = Tool("shop", "list_orders", hints=Hints(read_only=True), hash="h")
MAIL = Tool("mail", "send_email", hash="m")
TO_ACME = (Predicate("to", "*@acme.com"),)
BOB: JsonObject = {"to": "bob@acme.com", "text": "hello"}
EVE: JsonObject = {"to": "eve@evil.com", "text": "hello"}
ONE = st.sampled_from([True, False, None])


def rule(word: CallDecision, kind: str = "tool", tool: Tool = MAIL, **more: object) -> Permission:
    given = {"id": f"{kind}-{word}", "kind": kind, "word": word, "server": tool.server, "tool": tool.name}
    return Permission(**given | {"key": tool.hash} | more)  # type: ignore[arg-type]


def judge(
    tool: Tool, arguments: JsonObject | None, rules: Sequence[Permission], session: str = "", now: float = 0.0
) -> RuleAnswer:
    return ToolRules(tool, tuple(rules)).judge(arguments, session, now=now)


# trust


def test_the_hint_of_a_server_nobody_trusts_is_worth_what_the_verb_says() -> None:
    assert tool_risk(effective_tool(READER, NOBODY)) is Risk.MEDIUM
    silent = effective_tool(replace(READER, name="orders"), NOBODY)
    assert (tool_risk(silent), unverified(silent)) == (Risk.MEDIUM, True), "only what it says of itself"
    assert tool_risk(effective_tool(replace(READER, name="orders", hints=Hints()), NOBODY)) is Risk.HIGH
    assert tool_risk(effective_tool(READER, Trust(decisions={"shop": ServerDecision(earlier=True)}))) is Risk.LOW
    assert tool_risk(effective_tool(READER, NOBODY, believed=True)) is Risk.LOW


def test_what_a_server_says_against_itself_counts_without_trust() -> None:
    told = replace(READER, hints=Hints(read_only=False, destructive=True, open_world=True))
    assert effective_tool(told, NOBODY).hints == Hints(read_only=False, destructive=True, open_world=True)


def test_a_persons_word_stands_in_place_of_a_hint() -> None:
    said = Trust(annotations={"shop": {"delete_all": UserAnnotations(read_only=True, sends=True, key="h")}})
    tool = effective_tool(replace(READER, name="delete_all"), said)
    assert (tool_risk(tool), tool.sends, tool.said) == (Risk.LOW, True, ("read_only", "sends"))
    assert tool.guessed == ("private", "outsiders")


def test_what_was_said_of_another_definition_counts_only_where_it_is_stricter() -> None:
    kind = UserAnnotations(read_only=True, destructive=False, private=False, sends=False, key="another")
    assert effective_tool(MAIL, Trust(annotations={"mail": {"send_email": kind}})).said == ()
    strict = UserAnnotations(read_only=False, destructive=True, private=True, outsiders=True, key="another")
    tool = effective_tool(MAIL, Trust(annotations={"mail": {"send_email": strict}}))
    assert tool.said == ("read_only", "destructive", "private", "outsiders")


@given(ONE, ONE, ONE)
def test_what_is_effective_stays_and_keeps_the_claims(read: bool | None, gone: bool | None, wide: bool | None) -> None:
    tool = Tool("any", "update_row", hints=Hints(read, gone, None, wide))
    once = effective_tool(tool, NOBODY)
    assert effective_tool(once, NOBODY) == once
    assert once.claimed == tool.hints
    assert effective_tool(once, Trust(decisions={"any": ServerDecision(earlier=True)})).hints == tool.hints


@given(ONE, ONE, ONE)
def test_trust_never_makes_a_tool_riskier(read: bool | None, gone: bool | None, wide: bool | None) -> None:
    order = [Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL]
    for name in ("get_row", "update_row", "delete_row"):
        tool = Tool("any", name, hints=Hints(read, gone, None, wide))
        doubted, believed = (tool_risk(effective_tool(tool, NOBODY, trusted)) for trusted in (False, True))
        assert order.index(believed) <= order.index(doubted)


# rules


def test_without_a_rule_the_risk_decides() -> None:
    assert judge(MAIL, BOB, ()).decision is None


def test_a_rule_about_arguments_allows_those_and_no_others() -> None:
    rules = [rule(CallDecision.ALLOW, "arguments", where=TO_ACME, label="To acme.")]
    found = judge(MAIL, BOB, rules)
    assert (found.decision, found.why, found.depends) == (CallDecision.ALLOW, "Allowed by a rule: To acme.", False)
    assert judge(MAIL, EVE, rules).decision is None
    assert judge(replace(MAIL, server="other"), BOB, rules).decision is None


def test_before_the_arguments_are_known_the_judgement_says_that_it_depends() -> None:
    rules = [rule(CallDecision.ALLOW, "arguments", where=TO_ACME)]
    found = judge(MAIL, None, rules)
    assert (found.decision, found.depends) == (CallDecision.ALLOW, True)


@pytest.mark.parametrize("denied", ["server", "tool", "arguments"])
def test_a_denial_stands_above_every_other_rule(denied: str) -> None:
    where = {"where": TO_ACME} if denied == "arguments" else {}
    rules = [rule(CallDecision.ALLOW, "arguments", where=TO_ACME), rule(CallDecision.DENY, denied, **where)]
    assert judge(MAIL, BOB, rules).decision is CallDecision.DENY


def test_of_other_rules_the_one_that_says_most_decides_and_asking_before_allowing() -> None:
    rules = [rule(CallDecision.ASK, "server"), rule(CallDecision.ALLOW, "arguments", where=TO_ACME)]
    assert judge(MAIL, BOB, rules).decision is CallDecision.ALLOW
    assert judge(MAIL, EVE, rules).decision is CallDecision.ASK
    both = [*rules, rule(CallDecision.ASK, "arguments", where=(Predicate("to", "bob@*"),))]
    assert judge(MAIL, BOB, both).decision is CallDecision.ASK


def test_an_allow_is_void_when_the_definition_changed_and_a_denial_is_not() -> None:
    changed = replace(MAIL, hash="another")
    assert judge(changed, BOB, [rule(CallDecision.ALLOW, "arguments", where=TO_ACME)]).decision is None
    assert judge(changed, BOB, [rule(CallDecision.DENY)]).decision is CallDecision.DENY
    assert reason_void(rule(CallDecision.ALLOW), changed) == "the tool's definition has changed since the rule was made"


def test_a_tool_of_high_risk_is_never_allowed_as_a_whole_for_good() -> None:
    assert tool_risk(MAIL) is Risk.HIGH
    wide = [
        rule(CallDecision.ALLOW),
        rule(CallDecision.ALLOW, "server"),
        rule(CallDecision.ALLOW, "arguments", where=(Predicate("to", "*"),)),
    ]
    assert [judge(MAIL, BOB, [one]).decision for one in wide] == [None, None, None]
    session = rule(CallDecision.ALLOW, scope="session", session="s")
    assert judge(MAIL, BOB, [session], session="s").decision is CallDecision.ALLOW
    assert judge(MAIL, BOB, [session], session="t").decision is None
    assert judge(READER, {}, [rule(CallDecision.ALLOW, "server", READER)]).decision is CallDecision.ALLOW


def test_a_rule_for_a_server_does_not_cover_a_reading_tool_that_goes_where_its_argument_says() -> None:
    schema: JsonObject = {"type": "object", "properties": {"url": {"type": "string"}}}
    for name, more in (
        ("fetch_page", {"input_schema": schema}),
        ("get_bookmark", {"input_schema": schema}),
        ("browse_web", {}),
    ):
        page = Tool("shop", name, hints=Hints(read_only=True, open_world=True), hash="p", **more)  # type: ignore[arg-type]
        assert judge(page, {}, [rule(CallDecision.ALLOW, "server", page)]).decision is None
        assert judge(page, {}, [rule(CallDecision.ALLOW, "tool", page)]).decision is CallDecision.ALLOW


def test_a_rule_that_has_expired_is_none() -> None:
    rules = [rule(CallDecision.ALLOW, "arguments", where=TO_ACME, expires=100.0)]
    assert judge(MAIL, BOB, rules, now=99.0).decision is CallDecision.ALLOW
    assert judge(MAIL, BOB, rules, now=100.0).decision is None


def test_everything_asks_when_what_was_kept_is_lost() -> None:
    found = ToolRules(READER, (rule(CallDecision.ALLOW, tool=READER),), lost=True).judge({})
    assert (found.decision, found.why) == (CallDecision.ASK, LOST)


def test_a_pinned_text_is_no_word_about_a_call() -> None:
    assert judge(MAIL, BOB, [rule(CallDecision.ALLOW, "text")]).decision is None


# which rules are marked as void, and that a tool nobody knows now marks none


VERDICT = Verdict("a" * 64, Risk.LOW, Gate.ASK, "Reads.", rules=RULES, definitions={"shop.list_orders": "h"})


def pin(*told: str) -> Permission:
    return Permission("p", "text", CallDecision.ALLOW, key="k", about=told)


def test_a_pin_is_void_where_one_of_its_definitions_is_another_one() -> None:
    assert void_rules([pin(*approval_basis(VERDICT))], [READER], RULES) == {}
    assert void_rules([pin("shop.list_orders other")], [READER], RULES) == {
        "p": "the definition of shop.list_orders has changed since the rule was made"
    }
    assert void_rules([pin("shop.list_orders other")], [], RULES) == {}, "its server may only be stopped"


def test_a_pin_is_void_where_programs_are_judged_in_another_way() -> None:
    words = {"p": "the analysis of programs or the Python version has changed since the rule was made"}
    assert void_rules([pin("rules 0", f"python {PYTHON}")], [], RULES) == words
    assert void_rules([pin(f"rules {RULES}", "python 2.7")], [], RULES) == words


def test_rules_for_tools_are_marked_and_what_denies_never_is() -> None:
    allow = Permission("t", "tool", CallDecision.ALLOW, "shop", "list_orders", key="old")
    deny = Permission("d", "tool", CallDecision.DENY, "shop", "list_orders", key="old")
    assert void_rules([allow, deny], [READER], RULES) == {
        "t": "the tool's definition has changed since the rule was made"
    }


# a rule says in one sentence what it does, and a decision suggests the narrowest one first


NOTES = Tool("notes", "create_note", hints=Hints(read_only=False, destructive=False), hash="n")
VALUES = st.one_of(st.text(max_size=20), st.integers(), st.booleans(), st.lists(st.text(max_size=8), max_size=3))


def mail_rule(
    word: CallDecision = CallDecision.ALLOW, kind: str = "tool", *where: Predicate, **more: str
) -> Permission:
    return Permission("r", kind, word, "mail", "send_email", where, "m", **more)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            mail_rule(CallDecision.ALLOW, "arguments", Predicate("to", "*@acme.com")),
            "Programs may call mail.send_email without asking when “to” is one address at acme.com,"
            " from any agent, until you revoke it.",
        ),
        (mail_rule(CallDecision.DENY), "No program may call mail.send_email."),
        (mail_rule(CallDecision.ASK, "server"), "Programs call any tool of mail only after you are asked."),
        (
            mail_rule(CallDecision.ALLOW, "server", scope="session"),
            "Programs may call any tool of mail without asking, except high-risk tools and tools that can send data "
            "outside, in this session.",
        ),
        (
            mail_rule(CallDecision.ALLOW, "arguments", Predicate("path", "under workspace")),
            "Programs may call mail.send_email without asking when “path” is in the workspace,"
            " from any agent, until you revoke it.",
        ),
    ],
)
def test_a_rule_is_one_sentence(made: Permission, words: str) -> None:
    assert sentence(made) == words


@pytest.mark.parametrize(
    "made",
    [
        mail_rule(),  # high risk as a whole
        mail_rule(CallDecision.ALLOW, "arguments", Predicate("to", "*")),  # the same in other words
        mail_rule(CallDecision.ALLOW, "arguments"),
        mail_rule(CallDecision.DENY, "arguments", Predicate("", "x")),
        mail_rule(CallDecision.DENY, "text"),
        mail_rule(CallDecision.DENY, "tool", Predicate("to", "x")),
    ],
)
def test_a_rule_that_would_not_count_or_says_less_than_it_seems_is_refused(made: Permission) -> None:
    with pytest.raises(WorkbenchError):
        check(made, MAIL)


def test_a_denial_of_a_whole_tool_of_high_risk_is_a_rule() -> None:
    check(mail_rule(CallDecision.DENY), MAIL)
    check(mail_rule(CallDecision.ASK), MAIL)


def test_always_for_this_recipient_is_suggested_first_and_then_the_domain() -> None:
    found = proposals(MAIL, {"to": "bob@acme.com", "subject": "hello", "body": "…"})
    assert [[(one.path, one.pattern) for one in made.where] for made in found] == [
        [("to", "bob@acme.com")],
        [("to", "*@acme.com")],
    ]
    assert found[0].label == (
        "Programs may call mail.send_email without asking when “to” is “bob@acme.com”, with any “subject” and “body”"
        " but no other argument, from any agent, until you revoke it."
    )


def test_every_destination_is_named_and_a_list_is_its_domain() -> None:
    found = proposals(MAIL, {"to": ["a@acme.com", "b@acme.com"], "cc": "c@acme.com", "body": "x"})
    assert {one.path for one in found[0].where} == {"to[]", "cc"}


def test_recipients_of_several_domains_suggest_nothing() -> None:
    assert proposals(MAIL, {"to": ["a@acme.com", "b@other.com"]}) == ()


def test_a_tool_of_lower_risk_may_be_allowed_as_a_whole() -> None:
    assert [one.kind for one in proposals(NOTES, {"title": "x"})] == ["arguments", "tool"]


def test_a_path_in_the_workspace_suggests_the_workspace() -> None:
    found = proposals(MAIL, {"path": "workspace/a.csv"}, "/bench/workspace")
    assert found[1].where == (Predicate("path", "under workspace"),)


@given(st.dictionaries(st.sampled_from(["to", "cc", "path", "subject", "id", "options"]), VALUES, max_size=4))
def test_whatever_is_suggested_allows_this_call_and_not_one_to_somebody_else(arguments: dict[str, object]) -> None:
    for made in proposals(MAIL, arguments):  # type: ignore[arg-type]
        assert ToolRules(MAIL, (made,)).judge(arguments).decision in (CallDecision.ALLOW, None)  # type: ignore[arg-type]
        other = {**arguments, "bcc": "eve@evil.com"}
        assert ToolRules(MAIL, (made,)).judge(other).decision is None  # type: ignore[arg-type]
