"""A rule says in one sentence what it does, and a decision suggests the narrowest one first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.permissions.call_rules import ToolRules
from workbench.permissions.rule_sentences import check, proposals, sentence
from workbench.records import Hints, Permission, Predicate, Tool, Word

MAIL = Tool("mail", "send_email", hash="m")
NOTES = Tool("notes", "create_note", hints=Hints(read_only=False, destructive=False), hash="n")
VALUES = st.one_of(st.text(max_size=20), st.integers(), st.booleans(), st.lists(st.text(max_size=8), max_size=3))


def rule(word: Word = Word.ALLOW, kind: str = "tool", *where: Predicate, **more: str) -> Permission:
    return Permission("r", kind, word, "mail", "send_email", where, "m", **more)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            rule(Word.ALLOW, "arguments", Predicate("to", "*@acme.com")),
            "Programs may call mail.send_email without asking when “to” is “*@acme.com”.",
        ),
        (rule(Word.DENY), "No program may call mail.send_email."),
        (rule(Word.ASK, "server"), "Programs call any tool of mail only after you are asked."),
        (
            rule(Word.ALLOW, "server", scope="session"),
            "Programs may call any tool of mail that is of lower risk and sends nothing out without asking, "
            "in this session.",
        ),
        (
            rule(Word.ALLOW, "arguments", Predicate("path", "under workspace")),
            "Programs may call mail.send_email without asking when “path” lies in the workspace.",
        ),
    ],
)
def test_a_rule_is_one_sentence(made: Permission, words: str) -> None:
    assert sentence(made) == words


@pytest.mark.parametrize(
    "made",
    [
        rule(),  # high risk as a whole
        rule(Word.ALLOW, "arguments", Predicate("to", "*")),  # the same in other words
        rule(Word.ALLOW, "arguments"),
        rule(Word.DENY, "arguments", Predicate("", "x")),
        rule(Word.DENY, "text"),
        rule(Word.DENY, "tool", Predicate("to", "x")),
    ],
)
def test_a_rule_that_would_not_count_or_says_less_than_it_seems_is_refused(made: Permission) -> None:
    with pytest.raises(WorkbenchError):
        check(made, MAIL)


def test_a_denial_of_a_whole_tool_of_high_risk_is_a_rule() -> None:
    check(rule(Word.DENY), MAIL)
    check(rule(Word.ASK), MAIL)


def test_always_for_this_recipient_is_suggested_first_and_then_the_domain() -> None:
    found = proposals(MAIL, {"to": "bob@acme.com", "subject": "hello", "body": "…"})
    assert [[(one.path, one.pattern) for one in made.where] for made in found] == [
        [("to", "bob@acme.com")],
        [("to", "*@acme.com")],
    ]
    assert found[0].label == "Programs may call mail.send_email without asking when “to” is “bob@acme.com”."


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
        assert ToolRules(MAIL, (made,)).judge(arguments).word in (Word.ALLOW, None)  # type: ignore[arg-type]
        other = {**arguments, "bcc": "eve@evil.com"}
        assert ToolRules(MAIL, (made,)).judge(other).word is None  # type: ignore[arg-type]
