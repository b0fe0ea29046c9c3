"""Known values are found in every writing, in linear time."""

from __future__ import annotations

import base64
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.value_index import GRAM_SIZE, GramTable, TextGrams, ValueIndex, ValueMatch, fold
from workbench.privacy.vault import Vault

EMAIL = "Rosa.Lund@example.com"
PHONE = "+44 20 7946 0958"


@pytest.fixture
def vault() -> Vault:
    made = Vault("session", key=b"k" * 32)
    made.register({"customers": [{"name": "Rosa", "email": EMAIL, "phone": PHONE}]}, "crm")
    return made


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
        pytest.param(json.dumps(json.dumps([EMAIL]).replace("@", "\\u0040")), id="json escape, escaped again"),
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


@pytest.mark.parametrize(
    "written",
    ["ReneeLindqvist", "renee_lindqvist", "RENEE-LINDQVIST", "17BirchLane,E14QXLondon", "17_Birch_Lane_E1_4QX_London",
     "19840302", "1984.03.02", "rosa.lund/example.com", "rosalundexamplecom"],
)  # fmt: skip
def test_a_value_does_not_leave_without_what_separates_its_words(written: str) -> None:
    vault = Vault("session")
    person = {"name": "Renee Lindqvist", "address": "17 Birch Lane, E1 4QX London", "date_of_birth": "1984-03-02"}
    vault.register({"customer": {**person, "email": EMAIL}}, "crm")
    clean = vault.sanitize(f"of {written}.")
    assert written not in clean
    assert vault.restore(clean) == f"of {written}."


@pytest.mark.parametrize(
    "innocent",
    ["Renee,Lindqvist", "Renee|Lindqvist", "re nee lind qvi", "Renee and then Lindqvist"],
)
def test_what_only_holds_the_letters_of_a_value_is_not_taken_for_all_of_it(innocent: str) -> None:
    known = ValueIndex()
    known.add("Renee Lindqvist", worded=True)
    known.add(EMAIL)
    assert all(innocent[seen.start : seen.end] in ("Renee", "Lindqvist") for seen in known.find(innocent))


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


def test_a_value_is_found_with_its_place() -> None:
    known = ValueIndex()
    known.add("Rosa@Example.com")
    assert list(known.find("to ROSA@example.COM!")) == [ValueMatch(3, 19, "rosa@example.com")]


def test_of_values_that_begin_alike_the_longest_is_found() -> None:
    known = ValueIndex()
    known.add("rosa@example.co")
    known.add("rosa@example.com")
    assert [seen.value for seen in known.find("rosa@example.com")] == ["rosa@example.com"]


def test_short_values_are_not_swept() -> None:
    known = ValueIndex()
    known.add("a@b.c")
    assert list(known.find("a@b.c")) == []


def test_digits_inside_a_longer_number_are_another_number() -> None:
    known = ValueIndex()
    known.add("+1 415 555 0132")
    assert list(known.find("9914155550132991")) == []
    assert [seen.value for seen in known.find("(415) 555-0132 of 1-415-555-0132")] == ["+1 415 555 0132"]


def test_folding_keeps_every_letter_in_its_place() -> None:
    assert fold("İSTANBUL ß") == "İstanbul ß"
    assert len(fold("İ" * 5)) == 5


SHAPES = [
    "custom",
    "a@",
    "+1",
    "0",
    "1 ",
    "01 ",
    "[EMAIL_",
    "%40",
    "a@b.co",
    "QUFB",
    "\\u0040",
    "(415) 555-0132",
    "customer1@",
    "(",
    "a.b@",
    "4111 1111 ",
    "1-",
    "DE89 ",
    "password=",
    "a: ",
    "Rosa ",
    "eyJ",
    "sk-",
    "1.",
    "a:",
    "born ",
    "-----BEGIN " + "PRIVATE KEY-----",
    "://a:",
    "Bearer ",
    '"token":"',
    "a,phone\n",
    "a,",
    '","',
]


def _steps(text: str) -> int:
    """How many lines of the room run: a measure of work that no busy machine can change."""
    vault, steps = Vault("s", key=b"k" * 32), 0
    vault.register({"email": "customer1@example.com", "phone": "+1 415 555 0132"}, "crm")

    def count(frame: object, event: str, argument: object) -> object:
        nonlocal steps
        steps += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)  # type: ignore[arg-type]
    try:
        vault.sanitize(text)
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_text(shape: str) -> None:
    small, large = _steps(shape * (2_000 // len(shape))), _steps(shape * (16_000 // len(shape)))
    assert large <= small * 8 * 1.5 + 2_000


@pytest.fixture
def people() -> Vault:
    made = Vault("session", key=b"k" * 32)
    made.register(
        {"customers": [{"name": "Rosa Lund-Okafor", "email": EMAIL}, {"name": "Will Park", "email": "w@x.org"}]}, "crm"
    )
    return made


@pytest.mark.parametrize(
    "text", ["Rosa Lund-Okafor", "ROSA LUND-OKAFOR", "Dear Rosa,", "Mrs Okafor's parcel", "lund-okafor? Lund!"]
)
def test_a_persons_names_are_found_alone_as_they_are_written(people: Vault, text: str) -> None:
    clean = people.sanitize(text)
    assert "[NAME_" in clean
    assert not {"Rosa", "Okafor", "ROSA", "OKAFOR", "Lund"} & set(clean.replace("'", " ").split())


def test_a_password_of_letters_is_found_as_it_is_written() -> None:
    vault = Vault("s")
    vault.register({"password": "swordfish"}, "crm")
    assert "swordfish" not in vault.sanitize("it is swordfish!")
    assert vault.sanitize("swordfishes") == "swordfishes"


@pytest.mark.parametrize("text", ["Will you park here?", "Central Park", "a rosa flower", "Rosalind", "Lunden"])
def test_words_that_are_names_too_stay(people: Vault, text: str) -> None:
    assert people.sanitize(text) == text


@given(st.text(max_size=60))
def test_each_place_of_each_anchor_passes(text: str) -> None:
    every = [text[at : at + GRAM_SIZE] for at in range(len(text) - GRAM_SIZE + 1)]
    sieve = GramTable()
    for anchor in every[::2]:
        sieve.add(anchor)
    places = sieve.places(TextGrams(text))
    assert {at for at, anchor in enumerate(every) if anchor in every[::2]} <= set(places)
    assert list(places) == sorted(set(places))


def test_few_others_pass_and_what_is_added_later_passes_too() -> None:
    sieve, text = GramTable(), " ".join(map(str, range(10_000)))
    sieve.add("abcdef")
    assert len(sieve.places(TextGrams(text))) < 20
    sieve.add(" 5000 ")
    assert text.index(" 5000 ") in sieve.places(TextGrams(text))


def test_letters_beyond_all_planes_and_halves_of_them_pass() -> None:
    sieve = GramTable()
    sieve.add("\U0001f600\ud800Öé\0a")
    assert sieve.places(TextGrams("b\U0001f600\ud800Öé\0ac")) == [1]
    assert sieve.places(TextGrams("short")) == []


def test_threads_that_add_and_search_at_once_lose_no_anchor(quick_switches: None) -> None:
    anchors = [f"abc{number:03d}" for number in range(40)]
    grams = TextGrams(" ".join(anchors))
    with ThreadPoolExecutor(4) as threads:
        for _ in range(60):
            table = GramTable()
            table.add(anchors[0])

            def add(table: GramTable = table) -> None:
                for anchor in anchors[1:]:
                    table.add(anchor)
                    table.places(grams)

            work = [threads.submit(add), *(threads.submit(table.places, grams) for _ in range(3))]
            for one in work:
                one.result()
            assert {7 * number for number in range(40)} <= set(table.places(grams))
