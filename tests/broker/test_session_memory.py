"""An agent that connects anew has read what it read before, for a while."""

from __future__ import annotations

import json

import pytest

from workbench.broker.agent_sessions import Sessions
from workbench.broker.provenance_index import AnswerRead, ProvenanceIndex
from workbench.broker.session_memory import MOST_NAMES, SessionMemory
from workbench.records import Origin


@pytest.fixture
def clock():
    return [1_000_000.0]


@pytest.fixture
def memory(tmp_path, clock, monkeypatch):
    monkeypatch.setattr("workbench.broker.provenance_index.time.time", lambda: clock[0])
    return SessionMemory(tmp_path / "agents.json", lambda: 60, lambda: clock[0])


def read(*kinds, text="records@collect-data.example"):
    return AnswerRead("c", "r", "demo", "read_mail", frozenset(kinds), (text,))


def test_a_new_connection_of_a_name_goes_on_with_what_the_last_one_read_values_and_all(memory, clock):
    sessions = Sessions(lambda: True, memory=memory)
    first, second, other = (sessions.open("an agent") for _ in range(3))
    sessions.named(first, "Claude Code")
    first.provenance.learn(read("untrusted"))
    first.permitted.add(("demo", "send_email", "destination", "to", "x@y.example"))
    clock[0] += 3_599
    sessions.named(second, " claude  code")
    sessions.named(other, "another")
    second.provenance.file()
    (came,) = second.provenance.origin("records@collect-data.example", frozenset({"untrusted"}), names=True)
    assert came.read.tool == "read_mail"
    assert second.permitted == set(), "what a person let pass was for that conversation"
    assert other.provenance.kinds == frozenset()
    assert sessions.person.provenance.kinds == frozenset()


def test_after_so_many_minutes_and_with_none_set_a_new_connection_has_read_nothing(memory, clock, tmp_path):
    sessions = Sessions(lambda: True, memory=memory)
    first, second = sessions.open("an agent"), sessions.open("an agent")
    sessions.named(first, "a")
    first.provenance.learn(read("untrusted"))
    sessions.remember(first)
    clock[0] += 3_601
    sessions.named(second, "a")
    assert second.provenance.kinds == frozenset()
    first.provenance.learn(read("private"))  # its connection was still there
    sessions.remember(first)
    third = sessions.open("an agent")
    sessions.named(third, "a")
    assert third.provenance is first.provenance
    never = SessionMemory(tmp_path / "agents.json", lambda: 0, lambda: clock[0] + 1)
    assert never.of("a", ProvenanceIndex()).kinds == frozenset()


def test_a_later_core_knows_the_kinds_and_no_value_and_no_name(memory, clock, tmp_path):
    sessions = Sessions(lambda: True, memory=memory)
    one = sessions.open("an agent")
    sessions.named(one, "Ada's agent")
    one.provenance.learn(read("untrusted", "private"))
    sessions.remember(one)
    text = (tmp_path / "agents.json").read_text()
    assert "collect-data" not in text
    assert "ada" not in text.casefold()
    assert (tmp_path / "agents.json").stat().st_mode & 0o077 == 0
    later = SessionMemory(tmp_path / "agents.json", lambda: 60, lambda: clock[0] + 60)
    assert later.of("Ada's agent", ProvenanceIndex()).kinds == {"untrusted", "private"}
    assert (
        SessionMemory(tmp_path / "agents.json", lambda: 60, lambda: clock[0] + 4_000).of("a", ProvenanceIndex()).kinds
        == set()
    )


def test_what_was_forgotten_is_not_written_down_again_as_new(memory, clock, tmp_path):
    one = memory.of("a", ProvenanceIndex())
    one.learn(read("untrusted"))
    memory.keep("a", one)
    clock[0] += 4_000
    two = memory.of("a", ProvenanceIndex())
    two.learn(read("private"))
    memory.keep("a", two)
    ((kinds, _),) = json.loads((tmp_path / "agents.json").read_text()).values()
    assert kinds == ["private"]


@pytest.mark.parametrize("text", ["", "[]", "[1]", '{"a": 1}', '{"a": ["x", []]}', '{"a": [["root"], 1e999]}', "\x00"])
def test_a_damaged_file_says_nothing_of_anybody(tmp_path, text):
    (tmp_path / "agents.json").write_text(text)
    assert SessionMemory(tmp_path / "agents.json", lambda: 60).of("a", ProvenanceIndex()).kinds == frozenset()


def test_only_so_many_names_are_remembered(memory, clock):
    for number in range(MOST_NAMES + 5):
        clock[0] += 1
        one = memory.of(f"agent {number}", ProvenanceIndex())
        one.learn(read("private"))
        memory.keep(f"agent {number}", one)
    assert (len(memory._known), len(memory._kept)) == (MOST_NAMES, MOST_NAMES)


def test_a_person_is_not_remembered_as_an_agent(memory, tmp_path):
    sessions = Sessions(lambda: True, memory=memory)
    assert sessions.person.origin is Origin.PERSON
    sessions.person.provenance.learn(read("untrusted"))
    sessions.remember(sessions.person)
    assert not (tmp_path / "agents.json").exists()


def test_what_nobody_goes_on_with_any_more_is_dropped(memory, clock):
    old, new = ProvenanceIndex(), ProvenanceIndex()
    old.learn(read("private"))
    memory.keep("old", old)
    clock[0] += 3_700
    new.learn(read("private"))
    memory.keep("new", new)
    assert memory.of("old", fresh := ProvenanceIndex()) is fresh


def test_names_that_read_much_are_dropped_for_newer_ones_and_their_kinds_stay_known(memory, monkeypatch):
    monkeypatch.setattr("workbench.broker.session_memory.MOST_LETTERS", 1_000)
    for at in range(20):
        made = ProvenanceIndex()
        made.learn(read("private", text="x" * 400))
        memory.keep(f"agent {at}", made)
    fresh = memory.of("agent 0", ProvenanceIndex())
    assert fresh.letters == 0
    assert "private" in fresh.kinds
    assert memory.of("agent 19", ProvenanceIndex()).letters == 400
