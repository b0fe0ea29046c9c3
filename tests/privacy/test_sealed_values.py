"""Sealed fields are replaced in every answer to a sandbox."""

from __future__ import annotations

import base64

import pytest

from workbench.errors import WorkbenchError
from workbench.privacy.pii_tokens import LOOKALIKE
from workbench.privacy.sealed_values import WHOLE, SealedValues, TokenSubstitution, operate
from workbench.privacy.vault import Vault

EMAIL, PHONE = "Rosa.Lund@northwind.example.org", "+44 20 7946 0958"
ANSWER = {
    "customers": [
        {"id": "C-1", "email": EMAIL, "phone": PHONE, "vip": True, "note": "likes cats", "owed": 1234567.5},
        {"id": "C-2", "email": "", "phone": None, "note": f"see {EMAIL}"},
    ]
}


@pytest.fixture
def vault() -> Vault:
    made = Vault("session", key=b"k" * 32)
    made.register(ANSWER, "crm")
    return made


def test_single_fields_are_tokens_of_their_kind_and_nothing_else_changes(vault: Vault) -> None:
    sealed = SealedValues(vault)
    assert not sealed
    clean = sealed.seal(ANSWER, ("email", "customers[].vip"), "crm")["customers"]
    assert clean[0]["email"].startswith("[EMAIL_1.")
    assert clean[0]["vip"].startswith("[SEALED_1.")
    assert {key: clean[0][key] for key in ("id", "phone", "note", "owed")} == {
        key: ANSWER["customers"][0][key] for key in ("id", "phone", "note", "owed")
    }
    assert clean[1]["note"] == f"see {clean[0]['email']}", "a sealed value is looked for beside its field, too"
    assert clean[1]["email"] == ""
    assert vault.restore_json(clean[0]["vip"], "crm") is True
    assert vault.sanitize("True love") == "True love", "a word that stands everywhere is not swept"
    assert sealed.holds(clean[0]["email"].lower())
    assert not sealed.holds(vault.sanitize(PHONE))


def test_whatever_a_sealed_field_holds_is_sealed_and_comes_back_as_it_was(vault: Vault) -> None:
    sealed = SealedValues(vault)
    value = {"diagnosis": {"code": 17, "words": ["a cold", "tired since May"], "sure": False, "none": None}}
    clean = sealed.seal(value, ("diagnosis",), "clinic")
    inner = clean["diagnosis"]
    assert all(LOOKALIKE.fullmatch(one) for one in (inner["code"], *inner["words"], inner["sure"]))
    assert inner["none"] is None
    assert vault.restore_json(clean, "clinic") == value
    assert "tired since May" not in str(sealed.veil({"later": "she is tired since May, they say"}))
    (given,) = {one.source for one in vault.restorations(clean, "mail")}
    assert given == "clinic"


def test_a_tool_sealed_as_a_whole_shows_nothing_that_is_found(vault: Vault) -> None:
    sealed = SealedValues(vault)
    clean = sealed.seal(ANSWER, WHOLE, "crm")
    assert EMAIL not in str(clean)
    assert PHONE not in str(clean)
    assert clean["customers"][0]["id"] == "C-1"
    assert sealed.seal_text(f"call {PHONE}") == f"call {clean['customers'][0]['phone']}"


@pytest.mark.parametrize(
    "echo",
    [EMAIL, EMAIL.upper(), base64.b64encode(EMAIL.encode()).decode(), EMAIL.encode().hex(), EMAIL.replace("@", "%40")],
)
def test_later_answers_of_any_tool_hold_no_sealed_value_in_any_writing(vault: Vault, echo: str) -> None:
    sealed = SealedValues(vault)
    sealed.seal(ANSWER, ("email", "phone"), "crm")
    veiled = sealed.veil({"found": [f"it was {echo}."], f"of {echo}": 442079460958})
    assert echo not in str(veiled)
    assert "442079460958" not in str(veiled)
    assert vault.restore_json(veiled["found"][0], "crm") == f"it was {echo}."


def test_what_a_call_gave_away_comes_back_as_its_token_and_other_values_do_not(vault: Vault) -> None:
    token = vault.sanitize(EMAIL)
    veil = TokenSubstitution(vault, [token])
    rest = {"count": 3, "from": PHONE}
    assert veil.json({"sent": f"to {EMAIL}", **rest}) == {"sent": f"to {token}", **rest}


@pytest.mark.parametrize(
    ("operation", "values", "expected"),
    [
        ("equal", [("EMAIL", "Ada@Example.org"), ("EMAIL", "ada@example.org")], True),
        ("equal", [("PHONE", "+44 20 7946 0958"), ("PHONE", "0044-20-7946-0958")], True),
        ("equal", [("PHONE", "+44 20 7946 0958"), ("", "44 2079460958")], True),
        ("equal", [("NAME", "Ada  Lovelace"), ("", "ada lovelace")], True),
        ("equal", [("NAME", "Ada"), ("NAME", "Bo")], False),
        ("domain_of", [("EMAIL", "Ada@Example.org")], "example.org"),
        ("year_of", [("DOB", "12.05.1985")], 1985),
        ("year_of", [("", "1985-05-12T10:00:00")], 1985),
        ("last4", [("CARD", "4111 1111 1111 1234")], "1234"),
        ("last4", [("IBAN", "DE89 3704 0044 0532 0130 00")], "3000"),
        ("initials", [("NAME", "ada king-lovelace")], "A.K.L."),
        ("masked", [("EMAIL", "ada@example.org")], "a…@example.org"),
        ("masked", [("PHONE", "+44 20 7946 0958")], "…0958"),
        ("masked", [("NAME", "Ada Lovelace")], "A.L."),
        ("masked", [("", "ada@example.org")], "a…@example.org"),
        ("masked", [("", "+44 20 7946 0958")], "…0958"),
        ("masked", [("", "DE89 3704 0044 0532 0130 00")], "…3000"),
        ("masked", [("", "Ada Lovelace")], "A.L."),
        ("masked", [("", "山田太郎")], "山."),
    ],
)
def test_an_operation_answers(operation: str, values: list[tuple[str, str]], expected: object) -> None:
    assert operate(operation, values) == expected


@pytest.mark.parametrize(
    ("operation", "values", "words"),
    [
        ("last4", [("SSN", "078-05-1120")], "social security"),
        ("last4", [("SECRET", "hunter2hunter2")], "secrets"),
        ("last4", [("PHONE", "12345")], "nearly all"),
        ("domain_of", [("NAME", "Ada")], "e-mail addresses"),
        ("masked", [("SECRET", "abcdefgh")], "secrets"),
        ("masked", [("", "abcdefgh")], "not tokens"),
        ("masked", [("", "1985-05-12")], "not tokens"),
        ("masked", [("", "write to ada@example.org")], "not tokens"),
        ("masked", [("", "")], "not tokens"),
        ("year_of", [("DOB", "12.05.85")], "not a date"),
        ("year_of", [("DOB", "1985 or 1986")], "not a date"),
        ("equal", [("EMAIL", "a@b.c")], "no such operation"),
        ("reveal", [("EMAIL", "a@b.c")], "no such operation"),
    ],
)
def test_what_a_kind_does_not_show_is_refused(operation: str, values: list[tuple[str, str]], words: str) -> None:
    with pytest.raises(WorkbenchError) as fault:
        operate(operation, values)
    assert words in str(fault.value)
