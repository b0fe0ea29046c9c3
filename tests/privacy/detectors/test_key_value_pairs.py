"""Values after keys in free text, and the keys of the record around them."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.detector import detect
from workbench.privacy.detectors.key_value_pairs import find_contact_cards, find_pairs, keys_around


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in find_pairs(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Full name: Rosa Lund", [("NAME", "Rosa Lund")]),
        ("Full name: Rosa Lund, DOB: 1990-05-06", [("NAME", "Rosa Lund"), ("DOB", "1990-05-06")]),
        ("Date of birth: 6 May 1990", [("DOB", "6 May 1990")]),
        ('{"first_name": "Rosa", "n": 1}', [("NAME", "Rosa")]),
        ("{'firstName': 'Rosa'}", [("NAME", "Rosa")]),
        ('{\\"first_name\\": \\"Rosa\\"}', [("NAME", "Rosa")]),
        ('{"card_number": 4111111111111112}', [("CARD", "4111111111111112")]),
        ("password=hunter2; x", [("SECRET", "hunter2")]),
        ("export API_KEY=abc123def", [("SECRET", "abc123def")]),
        ("https://x/?token=a1b2c3&page=2", [("SECRET", "a1b2c3")]),
        ("Address: 12 Elm Street, 10115 Berlin\nx", [("ADDRESS", "12 Elm Street, 10115 Berlin")]),
        ("**Account number**: 12345678", [("BANK", "12345678")]),
        ("assignee: Rosa Lund", [("NAME", "Rosa Lund")]),
        ("username=rosa_l", [("USERNAME", "rosa_l")]),
        ("<firstName>Rosa</firstName>", [("NAME", "Rosa")]),
        ('<field name="date_of_birth">1990-05-06</field>', [("DOB", "1990-05-06")]),
        ("tenant:\n  name: Rosa Lund\n  unit: 4", [("NAME", "Rosa Lund")]),
        ('{"name": "Rosa", "email": ""}', [("NAME", "Rosa")]),
        ('<person name="Rosa Lund" age="30"/>', [("NAME", "Rosa Lund")]),
    ],
)
def test_a_key_tells_what_stands_behind_it(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "name: build and deploy",
        "name: Build Pipeline\nruns_on: x",
        '{"name": "Rosa Lund", "price": 3}',
        "token = get_token()",
        "password: str | None = None",
        "password=self.password",
        "max_tokens=4096, token_count: 17",
        "customer: CUS-0042",
        "owner: platform-team",
        "address: localhost",
        "at 12:30:45 status=done",
        "company_size: 500",
        "password: ****",
        "def find(company: Company, given: Json) -> str:",
        "def read(address: Value) -> None:",
        "assert login(token: str)",
        "company: everything its tools can see",
        "client_name: Session(PERSON, Origin.PERSON)",
    ],
)
def test_other_keys_and_placeholders_tell_nothing(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "keys", "above"),
    [
        ('{"a": 1, "customer": {"name": "x", "email": "y"}, "b": 2}', {"name", "email"}, "customer"),
        ("tenant:\n  name: x\n  email: y\nrent: 5", {"email"}, "tenant"),
        ("- name: x\n  email: y\n- name: z\n  phone: w", {"email"}, ""),
        ("one: 1\n\nname: x\nphone: y\n\ntwo: 2", {"phone"}, ""),
        ('<user name="x" email="y"/> <b c="1"/>', {"name", "email"}, "user"),
        ("id=7; name=x; email=y", {"id", "name", "email"}, ""),
    ],
)
def test_a_record_ends_with_its_bracket_its_tag_or_its_indentation(text: str, keys: set[str], above: str) -> None:
    found, outside = keys_around(text, text.index("name"))
    assert set(found) == keys
    assert outside == above


CARD = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Rosa Lund\r\nN:Lund;Rosa;;;\r\nORG:Acme;Sales\r\nTEL;TYPE=CELL:555 01 34\r\n"
    "BDAY:1981-04-09\r\nADR;TYPE=HOME:;;12 Elm Street;Berlin;;10115;DE\r\nREV:2024\r\nEND:VCARD\r\n"
)


def test_everything_about_the_person_of_a_card_is_found() -> None:
    assert [(one.kind, CARD[one.start : one.end]) for one in find_contact_cards(CARD)] == [
        ("NAME", "Rosa Lund"),
        ("NAME", "Lund"),
        ("NAME", "Rosa"),
        ("COMPANY", "Acme"),
        ("COMPANY", "Sales"),
        ("PHONE", "555 01 34"),
        ("DOB", "1981-04-09"),
        ("ADDRESS", "12 Elm Street"),
        ("ADDRESS", "10115"),
    ]


def test_outside_a_card_these_keys_mean_nothing() -> None:
    assert list(find_contact_cards("N:1\nFN:f\nTEL:x\n")) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Customer's name: Rosa Lund", [("NAME", "Rosa Lund")]),
        ("Nom complet : Rosa Lund", [("NAME", "Rosa Lund")]),
        ("Téléphone\u00a0: 01 02 03 04 05", [("PHONE", "01 02 03 04 05")]),
        ("氏名：山田太郎、電話：03-1234-5678", [("NAME", "山田太郎"), ("PHONE", "03-1234-5678")]),
        ("Фамилия: Лунд", [("NAME", "Лунд")]),
        ("Дата рождения: 6 мая 1990", [("DOB", "6 мая 1990")]),
        ("पूरा नाम: प्रिया शर्मा", [("NAME", "प्रिया शर्मा")]),
        ("mothers_maiden=Hill", [("NAME", "Hill")]),
        ("caller_name: elena garcia", [("NAME", "elena garcia")]),
        ("kod-pocztowy: 00-950", [("ADDRESS", "00-950")]),
        ("Ansprechpartnerin: Eva Maier\nx", [("NAME", "Eva Maier")]),
        ("<prénom>Rosa</prénom>", [("NAME", "Rosa")]),
        ("first_name: The first name of the customer", []),
        ("first_name: firstName", []),
        ("last_name: varchar", []),
        ("secretName: tls-for-checkout", []),
        ("password: Secret = read()", []),
        ('{"name": "find_customer", "inputSchema": {"email": "x", "phone": "y"}}', []),
    ],
)
def test_keys_are_read_in_many_languages_and_code_is_not(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


NOTES = """
Name: siehe unten
Adresse: folgt
Kunde: bitte anrufen
Contact : voir ci-dessous
Nombre completo: campo obligatorio
Teléfono: pendiente
担当者：未定
氏名：必須項目
住所：後日連絡
ФИО: обязательное поле
Owner: Platform Team
Author: The Core Team
First name: must not be empty
Nachname: Pflichtfeld
Straße: Pflichtfeld
Event name: Order Placed
Patient: stable
Manager: tbd
Address: see above, 3 lines
Passport: required for entry 2024
Created by: Data Import
Prepared for: Board Meeting
Phone: see website
E-mail: on request
"""


def test_notes_instead_of_values_stay() -> None:
    assert found(NOTES) == []


def test_short_keys_are_read_with_their_record() -> None:
    text = "Cognome: Lund\nVia: Via Roma 5\nCAP: 00184\n"
    assert found(text) == [("NAME", "Lund"), ("ADDRESS", "Via Roma 5"), ("ADDRESS", "00184")]
    assert found("Via: HTTP/1.1 proxy\nCAP: 50000\n") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("- name: DB_PASSWORD\n  value: TT3dRLuI4x0eZAV9\n", "TT3dRLuI4x0eZAV9"),
        ("acme.api.key=40c71abd-1638-adb6-1ceb-a7a6aa16dacc", "40c71abd-1638-adb6-1ceb-a7a6aa16dacc"),
        ('level=info auth.user.name=rlund msg="ok"', "rlund"),
        ("GivenName            : Rosa\nSurname              : Klunsen\n", "Klunsen"),
        ("Né(e) le : 12/03/1981 à Brest", "12/03/1981"),
        ("Patient: Klunsen, Rosa  geb. 12.03.1981", "Klunsen, Rosa"),
    ],
)
def test_keys_with_dots_gaps_genders_and_named_values(text: str, value: str) -> None:
    assert value in {text[one.start : one.end] for one in detect(text)}
