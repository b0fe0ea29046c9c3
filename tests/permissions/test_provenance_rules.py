"""What speaks against a call is where its values came from, and what the tool could do with them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.permissions.provenance_rules import beyond_mild, kinds_of, names_place, object_to, trifecta
from workbench.permissions.tool_annotations import effective_tool, facts_of
from workbench.records import Hints, Risk, ServerDecision, Tool, ToolGroup, Trust, UserAnnotations, ValueOrigin

READS = Hints(read_only=True, destructive=False, open_world=False)
SEND = Tool("mail", "send_email", hints=Hints(read_only=False, destructive=False, open_world=True))
ADD = Tool("desk", "create_ticket", hints=Hints(read_only=False, destructive=False, open_world=False))
DELETE = Tool("desk", "delete_ticket", hints=Hints(read_only=False, destructive=True, open_world=False))
LOOK = Tool("desk", "get_ticket", hints=READS)
FETCH = Tool(
    "web", "fetch_page", hints=Hints(read_only=True, open_world=True), input_schema={"properties": {"url": {}}}
)
SEARCH = Tool("web", "search_web", hints=Hints(read_only=True, open_world=True), input_schema={"properties": {"q": {}}})
BOTH = frozenset({"untrusted", "private"})


def came(path="body", *kinds, value="x"):
    return ValueOrigin(path, value, kinds or ("untrusted",), "web", "fetch_page")


def rules(tool, *origins, read=BOTH, covered=False):
    return [one.rule for one in object_to(tool, origins, read, covered=covered)]


def test_reading_at_home_is_harmless_and_everything_else_is_looked_at():
    assert facts_of(LOOK).harmless
    assert not any(facts_of(tool).harmless for tool in (SEND, ADD, DELETE, FETCH))


@pytest.mark.parametrize("tool", [SEND, ADD])
def test_words_of_strangers_in_what_changes_something_are_asked_about_unless_a_person_approved_the_program(tool):
    assert rules(tool, came()) == ["content"]
    assert rules(tool, came(), covered=True) == []


def test_a_destination_out_of_strangers_words_is_always_asked_about():
    assert rules(SEND, came("to"), covered=True) == ["destination"]
    assert rules(FETCH, came("url"), covered=True) == ["destination"]
    assert rules(FETCH, came("url"), read=frozenset({"untrusted"})) == [], "there is nothing to carry out"


def test_private_data_on_its_way_out_is_critical_when_strangers_chose_where_it_goes():
    to_strangers = [came("to"), came("body", "private")]
    place, one = object_to(SEND, to_strangers, BOTH, covered=False)
    assert (place.rule, one.rule, one.risk) == ("destination", "private", Risk.CRITICAL)
    for read in (BOTH, frozenset({"private"})):
        (one,) = object_to(SEND, [came("body", "private")], read, covered=False)
        assert (one.rule, one.risk, one.by_outsiders) == ("private", Risk.HIGH, False)
    assert rules(SEND, came("to", "private")) == [], "who gets it learns their own address only"
    assert rules(FETCH, came("url", "private", value="https://x.example/?d=1")) == ["private"]
    assert rules(ADD, came("body", "private")) == []


def test_destroying_after_strangers_were_read_is_asked_about():
    assert rules(DELETE) == ["destructive"]
    assert rules(DELETE, covered=True) == []
    assert rules(DELETE, read=frozenset({"private"})) == []


def test_what_an_answer_carries_and_what_makes_a_trifecta():
    assert "private" in kinds_of(LOOK)
    assert "untrusted" in kinds_of(FETCH)
    assert trifecta(SEND, BOTH)
    assert not trifecta(ADD, BOTH)
    assert not trifecta(SEND, frozenset({"private"}))


def test_names_of_places():
    assert names_place("to")
    assert names_place("message.recipients[]")
    assert all(map(names_place, ("toAddress", "recipient_email", "webhookUrl", "recipients[].id", "to.value")))
    assert not any(map(names_place, ("body", "message.text", "")))


def test_private_data_is_not_taken_for_an_address_because_of_the_name_it_goes_under():
    assert rules(SEND, came("email_body", "private"), read=frozenset({"private"})) == ["private"]
    assert rules(SEND, came("topic", "private"), read=frozenset({"private"})) == ["private"]


def test_a_private_value_in_a_question_to_the_world_is_asked_about_unless_it_is_that_servers_own():
    theirs = replace(came("q", "private"), server="crm", tool="get_customer")
    assert not facts_of(SEARCH).harmless
    assert rules(SEARCH, theirs) == ["private"]
    assert rules(SEARCH, theirs, covered=True) == [], "a person approved the program"
    assert rules(SEARCH, replace(theirs, server="web")) == [], "its own server knows it"
    assert rules(LOOK, theirs) == [], "nobody outside hears that"
    unnamed = replace(SEARCH, hints=Hints(read_only=True), name="search_notes")
    assert rules(unnamed, theirs) == []
    assert facts_of(unnamed).harmless
    assert rules(replace(unnamed, name="search_web"), theirs) == ["private"], "its name says where it asks"
    doubted = replace(SEARCH, hints=Hints(open_world=True), claimed=Hints(read_only=True, open_world=True))
    assert rules(doubted, theirs) == ["private"], "a server that nobody trusts yet is no better"


CLOSED = Hints(read_only=True, open_world=False)


def test_a_claim_to_reach_nothing_outside_counts_only_if_nothing_contradicts_it():
    theirs = replace(came("q", "private"), server="crm", tool="get_customer")

    def asks(tool: Tool, **said: bool) -> bool:
        trust = Trust(
            annotations={tool.server: {tool.name: UserAnnotations(**said, key=tool.hash)}} if said else {},
            decisions={tool.server: ServerDecision("", (ToolGroup.READS,), {tool.name: tool.hash})},
        )
        return rules(effective_tool(tool, trust), theirs) == ["private"]

    link = {"properties": {"source": {"type": "string", "format": "uri"}}}
    for tool in (
        Tool("weather", "get_forecast", hints=CLOSED, hash="a"),
        Tool("any", "geocode_address", hints=CLOSED, hash="a"),
        Tool("hub", "search_code", description="Searches code on GitHub.", hints=CLOSED, hash="a"),
        Tool("any", "lookup", description="Looks a word up in an online dictionary.", hints=CLOSED, hash="a"),
        Tool("any", "read_source", input_schema=link, hints=CLOSED, hash="a"),
    ):
        assert asks(tool), tool.name
        assert not asks(tool, open_world=False), "the user said so"
        assert facts_of(effective_tool(tool, Trust())).private, "its answers may be private all the same"
    for name in ("search_notes", "get_page", "list_orders"):
        assert not asks(Tool("notes", name, description="Returns notes of the user.", hints=CLOSED, hash="a")), name


def test_a_program_that_nobody_saw_must_not_bring_what_one_server_holds_to_another():
    theirs = replace(came("body", "private"), server="crm")
    assert [one.rule for one in object_to(ADD, [theirs], BOTH, covered=False, spared=True)] == ["private"]
    own = replace(theirs, server=ADD.server)
    assert object_to(ADD, [own], BOTH, covered=False, spared=True) == ()
    assert rules(ADD, theirs) == [], "where it was not spared a person's settings let it pass, or a person did"


def test_what_a_program_adds_that_nobody_saw_is_asked_about_after_strangers_were_read_and_when_it_is_much():
    assert beyond_mild(ADD, 1, frozenset({"private"})) is None
    assert beyond_mild(LOOK, 1000, BOTH) is None
    assert "outsiders" in beyond_mild(ADD, 1, BOTH).text
    assert "more than 10" in beyond_mild(ADD, 11, frozenset()).text
