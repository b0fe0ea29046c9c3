"""The vault hides, restores, and keeps sessions and servers apart."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from workbench.errors import WorkbenchError
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


def test_a_value_becomes_a_token_with_type_number_and_bits(vault: Vault) -> None:
    assert vault.sanitize(f"<{EMAIL}>")[:10] == "<[EMAIL_1."


def test_the_same_value_keeps_its_token(vault: Vault) -> None:
    clean = vault.sanitize(f"{EMAIL} and {EMAIL}")
    first, second = clean.split(" and ")
    assert first == second


def test_sanitizing_twice_changes_nothing(vault: Vault) -> None:
    clean = vault.sanitize(f"write {EMAIL} or call {PHONE}")
    assert vault.sanitize(clean) == clean


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(EMAIL, id="verbatim"),
        pytest.param(EMAIL.upper(), id="upper case"),
        pytest.param(EMAIL.lower(), id="lower case"),
        pytest.param(f"('{EMAIL}', '{PHONE}')", id="tuple"),
        pytest.param(f"1,{EMAIL},{PHONE}\n", id="csv"),
        pytest.param(f"xx{EMAIL}yy", id="glued"),
        pytest.param(quote(EMAIL, safe=""), id="url"),
        pytest.param("".join(f"%{byte:02X}" for byte in EMAIL.encode()), id="url, every letter"),
        pytest.param(quote(PHONE).replace("%20", "+"), id="url with plus for space"),
        pytest.param(json.dumps(EMAIL).replace("@", "\\u0040"), id="json escape"),
        pytest.param("".join(f"\\u{ord(c):04x}" for c in EMAIL), id="json escapes, every letter"),
        pytest.param("".join(f"\\x{ord(c):02x}" for c in EMAIL), id="python escapes"),
        pytest.param(EMAIL.replace("@", "&#64;"), id="html"),
        pytest.param(base64.b64encode(EMAIL.encode()).decode(), id="base64"),
        pytest.param(base64.b64encode(f"to: {EMAIL}; ok".encode()).decode(), id="base64 of more"),
        pytest.param("abc" + base64.b64encode(EMAIL.encode()).decode(), id="base64, glued"),
        pytest.param(base64.urlsafe_b64encode(f"??>{PHONE}".encode()).decode(), id="base64 of a phone"),
        pytest.param(EMAIL.encode().hex(), id="hex"),
        pytest.param(EMAIL.encode().hex(" "), id="hex with spaces"),
        pytest.param(EMAIL.encode().hex().upper(), id="hex, upper"),
        pytest.param(EMAIL[::-1], id="reversed"),
        pytest.param(PHONE.replace(" ", ""), id="no separators"),
        pytest.param("442079460958", id="digits only"),
        pytest.param("44-2079-460-958", id="other separators"),
        pytest.param("id 0442079460958", id="digits after a prefix"),
    ],
)
def test_a_registered_value_does_not_leave_in_any_writing(vault: Vault, written: str) -> None:
    clean = vault.sanitize(written)
    for part in ("rosa", "lund", "aXV", "Um9z", "dnul", "526f7361", "7946", "0958", "\\u0052", "%52"):
        assert part.lower() not in clean.lower()
    assert vault.restore(clean) == written


def test_a_short_number_in_ordinary_text_stays(vault: Vault) -> None:
    vault.register({"phone": "12345"}, "crm")
    text = "12345 items of 2024-05-06 cost 99.50, order 0958, 7946 left"
    assert vault.sanitize(text) == text


def test_restoring_for_the_server_that_supplied_a_value_works(vault: Vault) -> None:
    arguments = {"to": token(vault, EMAIL), "text": f"call {token(vault, PHONE)}"}
    assert vault.restore_json(arguments, "crm") == {"to": EMAIL, "text": f"call {PHONE}"}


def test_restoring_for_another_server_is_refused_in_words(vault: Vault) -> None:
    second = "bo@example.org"
    vault.register({"email": second}, "crm")
    with pytest.raises(WorkbenchError) as fault:
        vault.restore_json([token(vault, EMAIL), token(vault, second)], "mail")
    assert fault.value.message == "2 e-mails of crm would go to mail."


def test_a_person_may_allow_another_server(vault: Vault) -> None:
    arguments = {"to": token(vault, EMAIL)}
    assert vault.restore_json(arguments, "mail", allow_foreign=True) == {"to": EMAIL}


def test_restorations_say_what_would_go_where(vault: Vault) -> None:
    said = vault.restorations({"to": token(vault, EMAIL), "cc": token(vault, EMAIL)}, "mail")
    assert [(r.kind, r.count, r.source, r.server, r.foreign) for r in said] == [("EMAIL", 1, "crm", "mail", True)]


def test_another_writing_of_a_value_keeps_its_origin(vault: Vault) -> None:
    encoded = vault.sanitize(quote(EMAIL, safe=""))
    with pytest.raises(WorkbenchError, match="e-mail of crm would go to mail"):
        vault.restore_json(encoded, "mail")
    assert vault.restore_json(encoded, "crm") == quote(EMAIL, safe="")


def test_a_value_that_no_server_supplied_goes_nowhere_unasked(vault: Vault) -> None:
    with pytest.raises(WorkbenchError, match="of this session would go to crm"):
        vault.restore_json(token(vault, "new@example.net"), "crm")


def test_a_value_two_servers_supplied_is_restored_for_both(vault: Vault) -> None:
    found = token(vault, EMAIL)
    vault.register({"email": EMAIL}, "mail")
    assert vault.restore_json(token(vault, EMAIL), "mail") == EMAIL
    assert vault.restore_json(found, "crm") == EMAIL


def test_a_token_in_other_case_or_percent_encoded_is_restored(vault: Vault) -> None:
    found = token(vault, EMAIL)
    assert vault.restore_json(found.lower(), "crm") == EMAIL
    assert vault.restore_json(found.upper(), "crm") == EMAIL
    assert vault.restore_json(f"https://x/?q={quote(found, safe='')}", "crm") == f"https://x/?q={quote(EMAIL, safe='')}"


@pytest.mark.parametrize(
    "damage", ["[EMAIL_1]", "[EMAIL_1.0000]", "[EMAIL_99.abcd]", "EMAIL_1.abcd", "[EMAIL_1.abcd", "%5BEMAIL_1.0000%5D"]
)
def test_a_damaged_or_unknown_token_restores_nothing(vault: Vault, damage: str) -> None:
    token(vault, EMAIL)
    with pytest.raises(WorkbenchError, match="unknown in this session"):
        vault.restore_json({"to": damage}, "crm")


def test_a_token_with_a_leading_zero_is_damaged(vault: Vault) -> None:
    with pytest.raises(WorkbenchError):
        vault.restore_json(token(vault, EMAIL).replace("_1.", "_01."), "crm")


def test_tokens_of_another_session_never_resolve(vault: Vault) -> None:
    other = Vault("other", key=b"k" * 32)
    other.register({"email": EMAIL}, "crm")
    other.sanitize(EMAIL)
    foreign = token(vault, EMAIL)
    assert other.restore(foreign) == foreign
    with pytest.raises(WorkbenchError):
        other.restore_json(foreign, "crm")


@pytest.mark.parametrize("literal", ["[EMAIL_1]", "[PHONE_1.abcd]", "[email_1]", "%5BEMAIL_1.aaaa%5D", "EMAIL_1.k7q2"])
def test_a_look_alike_in_data_restores_to_itself(vault: Vault, literal: str) -> None:
    clean = vault.sanitize(f"the docs say {literal}.")
    assert literal not in clean
    assert vault.restore_json(clean, "any server") == f"the docs say {literal}."


def test_a_literal_is_no_personal_data(vault: Vault) -> None:
    vault.sanitize("[EMAIL_1]")
    assert vault.found() == {}


def test_found_counts_values_by_kind(vault: Vault) -> None:
    vault.sanitize(f"{EMAIL} {PHONE} {EMAIL}")
    assert vault.found() == {"EMAIL": 1, "PHONE": 1}


def test_reveal_gives_one_value_and_refuses_unknown_ones(vault: Vault) -> None:
    assert vault.reveal(token(vault, EMAIL)) == EMAIL
    with pytest.raises(WorkbenchError):
        vault.reveal("[EMAIL_7.abcd]")
    with pytest.raises(WorkbenchError):
        vault.reveal("hello")


def test_json_keeps_its_structure_and_numbers_come_back_as_numbers(vault: Vault) -> None:
    value = {"phone": 14155550132, "n": 7, "ok": True, "none": None, "rows": [[EMAIL, 1.5]], "mobile": 4930901820.0}
    clean = vault.sanitize_json(value)
    assert isinstance(clean["phone"], str)
    assert isinstance(clean["mobile"], str)
    assert clean["n"] == 7
    assert clean["ok"] is True
    restored = vault.restore_json(clean, "crm", allow_foreign=True)
    assert restored == value
    assert isinstance(restored["phone"], int)
    assert isinstance(restored["mobile"], float)


def test_a_known_number_is_hidden_wherever_it_stands(vault: Vault) -> None:
    vault.register({"phone": 14155550132}, "crm")
    clean = vault.sanitize_json({"x": [14155550132, "14155550132", 5]})
    assert "14155550132" not in json.dumps(clean)
    assert vault.restore_json(clean, "crm") == {"x": [14155550132, "14155550132", 5]}


def test_keys_of_objects_are_hidden_too(vault: Vault) -> None:
    clean = vault.sanitize_json({EMAIL: 1, "b@example.org": 2})
    assert EMAIL not in clean
    assert vault.restore_json(clean, "crm", allow_foreign=True) == {EMAIL: 1, "b@example.org": 2}


def test_keys_tell_what_the_form_does_not() -> None:
    vault = Vault("s")
    vault.register({"contact": {"homePhone": "5550134", "mail": "root@localhost"}, "tel": ["901820"]}, "crm")
    clean = vault.sanitize("5550134, 901820 and root@localhost")
    assert "5550134" not in clean
    assert "root@localhost" not in clean


def test_json_inside_a_string_is_read_with_its_keys() -> None:
    vault = Vault("s")
    vault.register([{"text": json.dumps({"phone": "5550134"})}], "crm")
    assert "5550134" not in vault.sanitize("nothing but 5550134 here")


def test_a_value_nested_too_deeply_fails_closed() -> None:
    value: list[object] = ["a@example.com"]
    for _ in range(5000):
        value = [value]
    with pytest.raises(WorkbenchError, match="nested too deeply"):
        Vault("s").sanitize_json(value)


def test_ten_thousand_values_are_all_found() -> None:
    vault = Vault("s")
    rows = [
        {"email": f"customer{i}@example{i % 97}.com", "phone": f"+44 20 {7000 + i // 10} {i:04d}"}
        for i in range(10_000)
    ]
    vault.register(rows, "crm")
    text = "\n".join(f"{row['email'].upper()};{row['phone'].replace(' ', '-')}" for row in rows[::10])
    clean = vault.sanitize(text)
    assert "CUSTOMER" not in clean
    assert clean.count("[EMAIL_") == clean.count("[PHONE_") == 1000
    assert vault.restore(clean) == text
