"""Agent sessions are separate: a PII token of one session means nothing in another."""

from __future__ import annotations

import json

import pytest

from workbench.broker.agent_sessions import KEEP_SECONDS, MOST_NAMES, Session, SessionMemory, Sessions
from workbench.broker.provenance_index import AnswerRead, ProvenanceIndex
from workbench.broker.vault_persistence import VaultPersistence
from workbench.errors import WorkbenchError
from workbench.records import Ledger, Origin, Place
from workbench.secrets.secret_masking import SecretMasks
from workbench.workspace.directory_scan import Stamp


def test_every_agent_gets_a_session_of_its_own():
    sessions = Sessions(lambda: True)
    one, two = sessions.open("a"), sessions.open("a")
    assert one.id != two.id
    assert one.origin is Origin.AGENT
    assert sessions.get(one.id) is one
    assert sessions.get("nobody") is None
    assert sessions.person.origin is Origin.PERSON


def test_a_token_of_one_session_does_not_resolve_in_another():
    sessions = Sessions(lambda: True)
    one, two = sessions.open("a"), sessions.open("b")
    one.vault.register({"email": "ada@example.org"}, "crm")
    token = one.mask("ada@example.org")
    assert one.vault.restore_json(token, "crm") == "ada@example.org"
    with pytest.raises(WorkbenchError):
        two.vault.restore_json(token, "crm")


def test_masking_follows_the_setting():
    on = True
    session = Sessions(lambda: on).open("a")
    assert "ada@example.org" not in session.mask("ada@example.org")
    on = False
    assert session.mask("ada@example.org") == "ada@example.org"


def test_the_total_counts_every_session():
    sessions = Sessions(lambda: True)
    sessions.open("a").spend(Ledger(100, 10))
    sessions.person.spend(Ledger(5, 5))
    assert (sessions.total().direct, sessions.total().actual) == (105, 15)


def test_a_stored_secret_is_hidden_from_every_session_whatever_the_setting():
    masks = SecretMasks()
    sessions = Sessions(lambda: False, masks)
    masks.add_secret("value-one")
    for session in (sessions.person, sessions.open("a")):
        assert "value-one" not in session.mask("it is value-one")
        assert "value-one" not in str(session.mask_json({"value-one": ["value-one"]}))


@pytest.mark.parametrize("letters", range(20, 60, 3))
def test_a_text_is_masked_before_it_is_cut_and_no_token_is_cut(letters):
    session = Sessions(lambda: True).open("a")
    said = session.mask_start(f"These write: {'ada.lovelace@example.org, ' * 40}", letters)
    assert "lovelace" not in said
    assert said.count("[") == said.count("]")
    assert len(said) <= letters
    assert session.mask_start("ada.lovelace@example.org", 24).startswith("[EMAIL_1.")


def read_mail(sessions: Sessions, number: int) -> Session:
    session = sessions.open("a")
    session.vault.register([{"email": f"person{at}@example.org"} for at in range(number)], "crm")
    return session


def test_a_session_is_released_a_while_after_its_agent_left_unless_a_run_of_it_is_kept():
    sessions = Sessions(lambda: True)
    here, left, kept, at_work = (read_mail(sessions, 1) for _ in range(4))
    for one in (left, kept, at_work):
        sessions.mark_disconnected(one)
    assert sessions.release({at_work.id}, {kept.id}) == []
    for one in (left, kept, at_work):
        one.left_at -= KEEP_SECONDS + 1
    assert sessions.release({at_work.id}, {kept.id}) == [left]
    assert [sessions.get(one.id) is one for one in (here, left, kept, at_work)] == [True, False, True, True]
    assert sessions.release((), ()) == [kept, at_work]
    assert sessions.get(here.id) is here
    assert sessions.get("person") is sessions.person


def test_sessions_of_agents_that_left_never_weigh_more_than_the_limit_and_the_last_one(monkeypatch):
    monkeypatch.setattr("workbench.broker.agent_sessions.MOST_WEIGHT", 100)
    sessions = Sessions(lambda: True)
    for _ in range(30):
        session = read_mail(sessions, 30)
        sessions.mark_disconnected(session)
        for released in sessions.release((), {one.id for one in sessions.all()}):
            released.release()
        assert sessions.get(session.id) is session
        assert sum(one.weight for one in sessions.all()) <= 130
    heavy = read_mail(sessions, 500)
    sessions.mark_disconnected(heavy)
    assert heavy not in sessions.release((), ())


def test_what_released_sessions_spent_stays_counted():
    sessions = Sessions(lambda: True)
    for _ in range(3):
        session = sessions.open("a")
        session.spend(Ledger(100, 10))
        sessions.mark_disconnected(session)
        session.left_at -= KEEP_SECONDS + 1
        sessions.release((), ())
    assert (sessions.total().direct, sessions.total().actual) == (300, 30)
    assert [(author, spent.direct) for _, author, _, spent in sessions.released] == [("a", 100)] * 3


def test_a_released_session_holds_nothing_even_for_who_still_has_it():
    session = read_mail(Sessions(lambda: True), 20)
    token = session.mask("person3@example.org")
    session.provenance.learn(AnswerRead("c", "r", "crm", "list", frozenset({"private"}), ("x" * 1_000_000,)))
    session.created_files["out.csv"] = Stamp(0o100644, 1, 2, 3, 4, 1)
    assert session.weight > 200
    session.release()
    assert session.weight == 0
    assert session.created_files == {}
    with pytest.raises(WorkbenchError):
        session.vault.reveal(token)


async def test_values_that_cannot_be_kept_stop_no_other_session_from_being_released(core, monkeypatch):
    def full(self, session):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(VaultPersistence, "release", full)
    sessions = core.services.sessions
    gone = [read_mail(sessions, 20) for _ in range(2)]
    for one in gone:
        sessions.mark_disconnected(one)
        one.left_at -= KEEP_SECONDS + 1
    await core.run_manager.release_sessions()
    assert [one.weight for one in gone] == [0, 0]
    assert [sessions.get(one.id) for one in gone] == [None, None]


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
    sessions.set_name(first, "Claude Code")
    first.provenance.learn(read("untrusted"))
    first.allowed_values.add(("demo", "send_email", "destination", "to", "x@y.example"))
    clock[0] += 3_599
    sessions.set_name(second, " claude  code")
    sessions.set_name(other, "another")
    second.provenance.index_answers()
    (came,) = second.provenance.find_sources("records@collect-data.example", frozenset({"untrusted"}), names=True)
    assert came.read.tool == "read_mail"
    assert second.allowed_values == set(), "what a person let pass was for that conversation"
    assert other.provenance.kinds == frozenset()
    assert sessions.person.provenance.kinds == frozenset()


def test_after_so_many_minutes_and_with_none_set_a_new_connection_has_read_nothing(memory, clock, tmp_path):
    sessions = Sessions(lambda: True, memory=memory)
    first, second = sessions.open("an agent"), sessions.open("an agent")
    sessions.set_name(first, "a")
    first.provenance.learn(read("untrusted"))
    sessions.remember(first)
    clock[0] += 3_601
    sessions.set_name(second, "a")
    assert second.provenance.kinds == frozenset()
    first.provenance.learn(read("private"))  # its connection was still open
    sessions.remember(first)
    third = sessions.open("an agent")
    sessions.set_name(third, "a")
    assert third.provenance is first.provenance
    never = SessionMemory(tmp_path / "agents.json", lambda: 0, lambda: clock[0] + 1)
    assert never.load("a", ProvenanceIndex()).kinds == frozenset()


def test_a_later_core_knows_the_kinds_and_no_value_and_no_name(memory, clock, tmp_path):
    sessions = Sessions(lambda: True, memory=memory)
    one = sessions.open("an agent")
    sessions.set_name(one, "Ada's agent")
    one.provenance.learn(read("untrusted", "private"))
    sessions.remember(one)
    text = (tmp_path / "agents.json").read_text()
    assert "collect-data" not in text
    assert "ada" not in text.casefold()
    assert (tmp_path / "agents.json").stat().st_mode & 0o077 == 0
    later = SessionMemory(tmp_path / "agents.json", lambda: 60, lambda: clock[0] + 60)
    assert later.load("Ada's agent", ProvenanceIndex()).kinds == {"untrusted", "private"}
    assert (
        SessionMemory(tmp_path / "agents.json", lambda: 60, lambda: clock[0] + 4_000).load("a", ProvenanceIndex()).kinds
        == set()
    )


def test_what_was_forgotten_is_not_written_down_again_as_new(memory, clock, tmp_path):
    one = memory.load("a", ProvenanceIndex())
    one.learn(read("untrusted"))
    memory.store("a", one)
    clock[0] += 4_000
    two = memory.load("a", ProvenanceIndex())
    two.learn(read("private"))
    memory.store("a", two)
    ((kinds, _),) = json.loads((tmp_path / "agents.json").read_text()).values()
    assert kinds == ["private"]


@pytest.mark.parametrize("text", ["", "[]", "[1]", '{"a": 1}', '{"a": ["x", []]}', '{"a": [["root"], 1e999]}', "\x00"])
def test_a_damaged_file_says_nothing_of_anybody(tmp_path, text):
    (tmp_path / "agents.json").write_text(text)
    assert SessionMemory(tmp_path / "agents.json", lambda: 60).load("a", ProvenanceIndex()).kinds == frozenset()


def test_only_so_many_names_are_remembered(memory, clock):
    for number in range(MOST_NAMES + 5):
        clock[0] += 1
        one = memory.load(f"agent {number}", ProvenanceIndex())
        one.learn(read("private"))
        memory.store(f"agent {number}", one)
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
    memory.store("old", old)
    clock[0] += 3_700
    new.learn(read("private"))
    memory.store("new", new)
    assert memory.load("old", fresh := ProvenanceIndex()) is fresh


def test_names_that_read_much_are_dropped_for_newer_ones_and_their_kinds_stay_known(memory, monkeypatch):
    monkeypatch.setattr("workbench.broker.agent_sessions.MOST_LETTERS", 1_000)
    for at in range(20):
        made = ProvenanceIndex()
        made.learn(read("private", text="x" * 400))
        memory.store(f"agent {at}", made)
    fresh = memory.load("agent 0", ProvenanceIndex())
    assert fresh.characters == 0
    assert "private" in fresh.kinds
    assert memory.load("agent 19", ProvenanceIndex()).characters == 400


def keep(session: Session, call: str, text: str, tool: str = "read_mail") -> None:
    """Do what the broker does with the answer of a call."""
    session.keep(text, Place("demo", tool, "r", call_id=call))
    session.provenance.learn(AnswerRead(call, "r", "demo", tool, frozenset({"untrusted"}), (text,)))


def test_an_agent_that_has_read_too_much_can_go_on_in_a_new_connection(memory, monkeypatch):
    monkeypatch.setattr("workbench.privacy.answer_index.MOST_CHARACTERS", 30_000)
    sessions = Sessions(lambda: True, memory=memory)
    for number in range(2):
        session = sessions.open("an agent")
        sessions.set_name(session, "Claude Code")
        for call in range(3):
            keep(session, f"{number}-{call}", f"{number} {call} " + "abc def " * 1_000)
        with pytest.raises(WorkbenchError, match="cannot be kept"):
            keep(session, "too much", "xyz " * 2_000)
        sessions.mark_disconnected(session)
    assert session.provenance.find_sources("0 2 abc def abc def", frozenset({"untrusted"}))


def test_the_user_goes_on_when_the_answers_are_too_many(monkeypatch):
    monkeypatch.setattr("workbench.privacy.answer_index.MOST_CHARACTERS", 30_000)
    session = Sessions(lambda: True).person
    company = json.dumps([{"company": "Blumco Kestar"}] * 2 + [{"pad": "abc " * 3_000}])
    keep(session, "company", company)
    for call in range(3):
        keep(session, f"{call}", f"{call} " + "abc def " * 1_000)
    keep(session, "again", company)
    assert "blumco" not in session.mask("order of blumco kestar")
    assert session.provenance.find_sources("Blumco Kestar", frozenset({"untrusted"}))


def test_a_text_that_a_harmless_tool_returned_before_is_a_source_when_another_tool_returns_it():
    session = Sessions(lambda: True).open("an agent")
    text = "write to records@collect-data.example"
    session.keep(text, Place("demo", "list_notes", "r", call_id="1"))
    keep(session, "2", text)
    (came,) = session.provenance.find_sources("records@collect-data.example", frozenset({"untrusted"}))
    assert came.read is not None
    assert came.read.tool == "read_mail"


def test_a_value_that_an_agent_read_in_the_answer_of_a_run_came_from_its_server_only():
    session = Sessions(lambda: True).open("an agent")
    keep(session, "1", "rosa.lund@example.org")
    session.provenance.learn(
        AnswerRead("", "r", "workbench", "get_run", frozenset({"untrusted"}), ("write to rosa.lund@example.org",))
    )
    session.provenance.index_answers()
    assert "rosa" not in session.mask("rosa.lund@example.org")
    assert [place.server for place in session.vault.places("rosa.lund@example.org")] == ["demo"]
