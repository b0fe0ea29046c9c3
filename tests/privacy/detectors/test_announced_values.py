"""Values under keys that announce their kind, in the forms that only a key allows."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.field_names import kind_of
from workbench.privacy.detectors.kinds import settled


def kind(key: str, value: str) -> str:
    told = kind_of(key)
    found = settled(told, value) if told else None
    return found.name if found and found.accepts(value) else ""


ACCEPTED = {
    "NAME": {
        "first_name": "rosa Rosa J J. José 李 花子 Олена Ανδρέας محمد נועה प्रिया 민수 jean-luc O'Brien ʻAlīʻ",
        "surname": "Lund van_der_Berg de_la_Cruz_y_García Müller-Lüdenscheidt 佐藤"
        " O’Neill MacDonald ibn_Rushd Child Non",
        "customer_name": "Lund,_Rosa Dr._Rosa_M._Lund rosa_lund R._Lund"
        " Rosa 山田太郎 Мария_Ивановна_Петрова John_Smith_3rd"
        ' Dwayne_"The_Rock"_Johnson J.R._Ewing Martin_Luther_King,_Jr. María_del_Carmen_de_la_Cruz_y_López_de_Haro',
        "Ansprechpartner": "Rosa_Lund Dr._Eva_Maier 山田太郎",
        "middle_initial": "J K. A.B. é",
    },
    "PHONE": {
        "telephone": "55_12_34 551234 12.10.09 030/901820"
        " +49(0)30_901820 4.91511E+12 +1-541-754-3010_ext._12 555-0134_poste_12"
        " 020_7946_0958,_07700_900123 4915112345678.0",
    },
    "ADDRESS": {
        "postal_code": "110_00 00-950 1012_AB 01310-100 〒100-0001 SW1A_1AA"
        " D-10115 EC1A1BB 1010 101 H0H_0H0 D02_AF30 10115.0",
        "street": "Hauptstraße_5 Broadway rue_de_Rivoli 千代田区丸の内1-1 Elm",
        "address": "12_Elm_Street 東京都千代田区丸の内1-1-1"
        " 서울특별시_강남구_테헤란로_1 北京市朝阳区建国路8号 ул._Ленина,_д._5",
        "hausnummer": "5 12a 12-14 7_b",
    },
    "DOB": {
        "birth_date": "1990-05-06 6_May_1990 6._Mai_1990 6_de_mayo_de_1990"
        " 1990年5月6日 1990년_5월_6일 6_мая_1990_г. 06.05.90 5/6/1990"
        " 19900506 641952000 6_maggio_1990 1er_janvier_1990 昭和55年5月6日",
    },
    "NATIONAL_ID": {"national_id": "5.12345E+10 51234567890 AB123456C 12.345.678-9", "tax_id": "DE123456789 12345678Z"},
    "SSN": {"ssn": "123-45-6789 1.23456789E+8"},
    "CARD": {"card_number": "4.11111111111111E+15 4111111111111111"},
}
REJECTED = {
    "first_name": "null N/A none user_42 string"
    " First_name - Vorname First_name_of_the_customer Please_enter_a_name a@b.co",
    "customer_name": "Customer_name {name} https://x.example R2D2 unknown The_name_of_the_customer",
    "telephone": "2024-05-06 12 Phone_number n/a 2024-05-06T10:00:00 call_me 06.05.2024",
    "postal_code": "zip Postcode file.zip 1 ab 2024-05-06T10 -",
    "address": "localhost 0x7ffe1234 Street_address tcp://host:1 db-1.internal Postal_address",
    "street": "Main Street string n/a https://x.example true",
    "birth_date": "soon 12 1990 Geburtsdatum n/a 10:00",
    "national_id": "12 ID_card none 2024-05-06",
    "Ansprechpartner": "Vertrieb Platform_Team 営業部 カスタマーサポート CUS-0042 Ansprechpartner",
    "horse_name": "Blue_Thunder Walnut_Desk Rosa Busy_Time",
}


@pytest.mark.parametrize(
    ("expected", "key", "values"),
    [(kind, key, values) for kind, keys in ACCEPTED.items() for key, values in keys.items()],
)
def test_a_sure_key_accepts_unusual_values(expected: str, key: str, values: str) -> None:
    shown = [value.replace("_", " ") for value in values.split()]
    assert {value: kind(key, value) for value in shown} == dict.fromkeys(shown, expected)


@pytest.mark.parametrize(("key", "values"), REJECTED.items())
def test_placeholders_labels_and_code_are_no_values(key: str, values: str) -> None:
    shown = [value.replace("_", " ") if value != "user_42" else value for value in values.split()]
    assert {value: kind(key, value) for value in shown} == dict.fromkeys(shown, "")


def test_a_key_that_says_little_needs_a_known_first_name() -> None:
    assert kind("horse_name", "Rosa Lund") == "NAME"
    assert kind("parent_name", "Kofi Mensah") == "NAME"
    assert kind("parent_name", "Electronics") == ""


def test_a_caller_is_a_number_or_a_name() -> None:
    assert kind("caller", "020 7946 0958") == "PHONE"
    assert kind("caller", "Rosa Lund") == "NAME"
