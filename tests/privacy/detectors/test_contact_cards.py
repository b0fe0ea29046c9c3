"""Contact cards."""

from __future__ import annotations

from workbench.privacy.detectors.contact_cards import find_contact_cards

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
