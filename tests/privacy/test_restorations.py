"""Real values go back to the server that supplied them; others only when a person agrees."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from workbench.errors import WorkbenchError
from workbench.privacy.restorations import Restoration, refusal
from workbench.privacy.vault import Vault

EMAIL = "Rosa.Lund@example.com"
PHONE = "+44 20 7946 0958"


@pytest.fixture
def vault() -> Vault:
    made = Vault("session", key=b"k" * 32)
    made.register({"customers": [{"name": "Rosa", "email": EMAIL, "phone": PHONE}]}, "crm")
    return made


def token(vault: Vault, value: str) -> str:
    return vault.sanitize(value)


def test_restoring_for_the_server_that_supplied_a_value_works(vault: Vault) -> None:
    arguments = {"to": token(vault, EMAIL), "text": f"call {token(vault, PHONE)}"}
    assert vault.restore_json(arguments, "crm") == {"to": EMAIL, "text": f"call {PHONE}"}


def test_restoring_for_another_server_is_refused_in_words(vault: Vault) -> None:
    second = "bo@example.org"
    vault.register({"email": second}, "crm")
    with pytest.raises(WorkbenchError) as fault:
        vault.restore_json([token(vault, EMAIL), token(vault, second)], "mail")
    assert fault.value.message == "2 e-mails of crm go to mail."


def test_a_person_may_allow_another_server(vault: Vault) -> None:
    arguments = {"to": token(vault, EMAIL)}
    assert vault.restore_json(arguments, "mail", allow_foreign=True) == {"to": EMAIL}


def test_restorations_say_what_would_go_where(vault: Vault) -> None:
    said = vault.restorations({"to": token(vault, EMAIL), "cc": token(vault, EMAIL)}, "mail")
    assert [(r.kind, r.count, r.source, r.server, r.foreign) for r in said] == [("EMAIL", 1, "crm", "mail", True)]


def test_another_writing_of_a_value_keeps_its_origin(vault: Vault) -> None:
    encoded = vault.sanitize(quote(EMAIL, safe=""))
    with pytest.raises(WorkbenchError, match="e-mail of crm goes to mail"):
        vault.restore_json(encoded, "mail")
    assert vault.restore_json(encoded, "crm") == quote(EMAIL, safe="")


def test_a_value_that_no_server_supplied_goes_nowhere_unasked(vault: Vault) -> None:
    with pytest.raises(WorkbenchError, match="of this session goes to crm"):
        vault.restore_json(token(vault, "new@example.net"), "crm")


def test_a_value_two_servers_supplied_is_restored_for_both(vault: Vault) -> None:
    found = token(vault, EMAIL)
    vault.register({"email": EMAIL}, "mail")
    assert vault.restore_json(token(vault, EMAIL), "mail") == EMAIL
    assert vault.restore_json(found, "crm") == EMAIL


def test_a_refusal_names_all_that_would_go() -> None:
    two = [Restoration("EMAIL", 2, "crm", "mail", True), Restoration("PHONE", 1, "crm", "mail", True)]
    assert refusal(two).message == "2 e-mails of crm go to mail; 1 phone number of crm goes to mail."
    assert refusal(two).hint
