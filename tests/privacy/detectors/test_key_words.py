"""What keys announce, word by word, in many spellings and languages."""

from __future__ import annotations

import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.paths import resources
from workbench.privacy.detectors.field_names import kind_of
from workbench.privacy.detectors.key_words import LONGEST, VALUE_GROUPS, fold, key_words, words_of


@pytest.mark.parametrize(
    ("meaning", "keys"),
    [
        (
            "name",
            "caller_name CALLER-NAME callerName caller.name Caller's_name callername CallerName1 name_of_the_caller",
        ),
        ("name", "MothersMaiden mother's_maiden_name firstname lastNames customer_first nom_du_client 氏名 Фамилия"),
        ("phone", "phonenumber téléphone Telefonnummer_privat 電話 nr_telefonu customerPhone2 Κινητό رقم_الهاتف"),
        ("email", "emailaddress e-mail Adresse_e-mail 이메일_주소 Адрес_электронной_почты customersEmail"),
        ("birth", "Geburtsdatum date_de_naissance FechaNacimiento 生年月日 dob DateOfBirth"),
        ("postcode", "PSČ CEP plz code_postal kod-pocztowy 郵便番号 zipCode postcode"),
        ("street", "straße Rue calle ulica billing_street"),
        ("role", "Ansprechpartner customer primaryContact 担当者 created_by"),
        ("perhaps_name", "horse_name painted_by"),
        ("company", "company_name nom_de_l'entreprise employer business_name"),
        ("username", "user_name benutzername login"),
        (
            "",
            "name tool_name serviceFullName fileName nom_du_fichier 商品名 secretName phone_verified token6 x",
        ),
    ],
)
def test_the_head_of_a_key_decides_in_every_spelling(meaning: str, keys: str) -> None:
    assert {key: key_words().meaning(key) for key in keys.split()} == dict.fromkeys(keys.split(), meaning)


def held_out_keys() -> list[tuple[str, str]]:
    """Key and expected kind."""
    found: list[tuple[str, str]] = []
    expected = ""
    for line in (Path(__file__).parent / "held_out_keys.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            expected = line.strip("[]").partition(" ")[2]
        elif not line.startswith("#"):
            found += [(key, expected) for key in line.split()]
    return found


def is_right(key: str, expected: str) -> bool:
    kind = kind_of(key)
    if kind is None or expected == "NONE":
        return kind is None and expected == "NONE"
    return expected == "ROLE" or kind.name in expected.split("/")


def test_keys_that_were_kept_apart_are_understood() -> None:
    told = [(key, kind) for key, kind in held_out_keys() if kind != "NONE"]
    missed = [(key, kind) for key, kind in told if not is_right(key, kind)]
    assert len(told) > 250
    assert len(missed) <= 0.01 * len(told), missed


def test_keys_of_other_data_that_were_kept_apart_announce_nothing() -> None:
    told = [key for key, kind in held_out_keys() if kind == "NONE"]
    wrong = [key for key in told if not is_right(key, "NONE")]
    assert len(told) > 350
    assert len(wrong) <= 0.04 * len(told), wrong


def test_words_are_folded_and_divided() -> None:
    assert words_of("Customer's Prénom-Straße") == ["customer", "prenom", "strasse"]
    assert key_words().tokens("phonenumbers_of_the_customers") == ["phonenumber", "customer"]
    assert key_words().tokens("お客様名") == ["お客様", "名"]
    assert key_words().tokens("home_phone_2") == key_words().tokens("homePhone2") == ["home", "phone"]
    assert key_words().tokens("Klantnummer") == key_words().tokens("klant_nr") == ["klant", "number"]
    assert fold("ガ") == fold("か\u3099".replace("か", "カ"))


def test_only_names_of_keys_are_labels() -> None:
    assert all(map(key_words().is_label, ["First name", "Phone number", "Nombre completo", "E-Mail", "Nachname"]))
    assert not any(map(key_words().is_label, ["Rosa Lund", "Page", "Guest", "Tessera Group", "", "x" * 500]))


def test_the_table_of_words_is_in_order() -> None:
    path = resources() / "privacy" / "keys.txt"
    assert path.stat().st_size < 200_000
    assert key_words().groups.keys() >= VALUE_GROUPS
    assert all(phrases for phrases in key_words().groups.values())
    lines = path.read_text("utf-8").splitlines()
    assert all(not line or line[0] in "#[" or ": " in line for line in lines)


@given(st.text(max_size=200))
def test_any_text_can_be_a_key(key: str) -> None:
    assert key_words().meaning(key) in {"", "role", "loose_role", "perhaps_name", *VALUE_GROUPS}
    key_words().is_label(key)
    key_words().is_person(key)
    key_words().is_thing(key)


@pytest.mark.parametrize("letter", [*"nse名あ가", "name", "telefon", "電話", "A1"])
def test_long_keys_are_read_fast(letter: str) -> None:
    key = (letter * LONGEST)[:LONGEST]
    key_words().meaning(string.ascii_letters)
    began = time.process_time()
    for _ in range(20):
        key_words().meaning(key)
    assert time.process_time() - began < 0.5
