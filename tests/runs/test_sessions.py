"""Sessions are apart: one's tokens mean nothing in another."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.records import Ledger, Origin
from workbench.runs.sessions import Sessions
from workbench.secrets.masks import Masks


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
    masks = Masks()
    sessions = Sessions(lambda: False, masks)
    masks.hide("value-one")
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
