"""Cards, IBANs and accounts are found by form, check digits and words, and nothing else is."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.announced_numbers import find_announced_numbers
from workbench.privacy.detectors.bank_data import find_accounts, find_cards, find_ibans, is_account, is_card, is_iban


def card_found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_cards(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Card 4111 1111 1111 1111 ok", "4111 1111 1111 1111"),
        ("visa: 4111-1111-1111-1111", "4111-1111-1111-1111"),
        ("paid with 5555555555554444.", "5555555555554444"),
        ("amex 3782 822463 10005", "3782 822463 10005"),
        ("card 4222222222222", "4222222222222"),
        ("a,4111 1111 1111 1111 123,b", "4111 1111 1111 1111"),
        ("12 4111 1111 1111 1111", "4111 1111 1111 1111"),
    ],
)
def test_card_it_is_found(text: str, expected: str) -> None:
    assert card_found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "4111 1111 1111 1112",
        "order 4111111111111111",
        "tracking no: 5555555555554444",
        "0000 0000 0000 0000",
        "4111111111111111-a",
        "1111111111111111111111111111111111111111",
        "9999999999999995",
        "0.4111111111111111",
    ],
)
def test_card_innocent_text_stays(text: str) -> None:
    assert card_found(text) == []


@pytest.mark.parametrize("value", ["4111111111111111", "4111 1111 1111 1112"])
def test_card_a_value_under_its_key_is_one(value: str) -> None:
    assert is_card(value)


@pytest.mark.parametrize("value", ["", "n/a", "1234", "0000000000000000", "ending 4242"])
def test_card_another_value_under_its_key_is_none(value: str) -> None:
    assert not is_card(value)


def iban_found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_ibans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to DE89 3704 0044 0532 0130 00 now", "DE89 3704 0044 0532 0130 00"),
        ("DE89370400440532013000", "DE89370400440532013000"),
        ("iban=gb82west12345698765432;", "gb82west12345698765432"),
        ("GB82-WEST-1234-5698-7654-32", "GB82-WEST-1234-5698-7654-32"),
        ("NO93 8601 1117 947 BIC DNBA", "NO93 8601 1117 947"),
    ],
)
def test_iban_it_is_found(text: str, expected: str) -> None:
    assert iban_found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "DE89 3704 0044 0532 0130 01",
        "DE89370400440532013000X",
        "XX89370400440532013000",
        "de89",
    ],
)
def test_iban_innocent_text_stays(text: str) -> None:
    assert iban_found(text) == []


@pytest.mark.parametrize("value", ["DE89 3704 0044 0532 0130 00", "GB00WEST12345698765432"])
def test_iban_a_value_under_its_key_is_one(value: str) -> None:
    assert is_iban(value)


@pytest.mark.parametrize("value", ["", "n/a", "12345678", "see the contract"])
def test_iban_another_value_under_its_key_is_none(value: str) -> None:
    assert not is_iban(value)


def bank_found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_accounts(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Rosa Lund lives at 12 Elm Street",
        "account 12345678 at Acme Ltd.",
    ],
)
def test_bank_innocent_text_stays(text: str) -> None:
    assert bank_found(text) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Account number: 12345678", "12345678"),
        ("account no. 0123 4567", "0123 4567"),
        ("Bank account 123456789 (savings)", "123456789"),
        ("acct #1234567890", "1234567890"),
        ("Sort code 12-34-56", "12-34-56"),
        ("routing number is 021000021", "021000021"),
        ("SWIFT: DEUTDEFF500", "DEUTDEFF500"),
    ],
)
def test_a_word_tells_what_a_number_is(text: str, number: str) -> None:
    assert bank_found(text) == [number]


@pytest.mark.parametrize("value", ["12345678", "12-34-56", "DEUTDEFF500", "DEUTDEFF", "0123 4567 89"])
def test_bank_a_value_under_its_key_is_one(value: str) -> None:
    assert is_account(value)


@pytest.mark.parametrize("value", ["", "n/a", "Deutsche Bank", "123", "swift", "main account"])
def test_bank_another_value_under_its_key_is_none(value: str) -> None:
    assert not is_account(value)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("The Maestro card 501898189623 expired.", "501898189623"),
        ("card number: 6759 4378 2528 5590", "6759 4378 2528 5590"),
        ("Karte 6304727985901486393 gesperrt", "6304727985901486393"),
        ("JCB 3575881835773187 was declined", "3575881835773187"),
        ("カード番号は3548104654404451です", "3548104654404451"),
        ("银行卡6228480402564890018挂失", "6228480402564890018"),
    ],
)
def test_a_word_in_some_languages_announces_a_card(text: str, number: str) -> None:
    assert {text[one.start : one.end] for one in find_announced_numbers(text) if one.kind == "CARD"} == {number}


@pytest.mark.parametrize(
    "text",
    [
        "card 4539 **** **** 1486",
        "card ending 4111 1111",
        "karta 501898189624",
        "card 4539-xxxx-xxxx-1486",
        "discard 501898189623456",
    ],
)
def test_masked_and_mistyped_numbers_are_no_cards(text: str) -> None:
    assert [one for one in find_announced_numbers(text) if one.kind == "CARD"] == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("numéro de compte : 00012345678", "00012345678"),
        ("rekeningnummer 12.34.56.789", "12.34.56.789"),
        ("p/ conta corrente 123456-7 hoje", "123456-7"),
        ("расчётный счёт 40817810099910004312", "40817810099910004312"),
        ("口座番号は1234567です", "1234567"),
        ("계좌번호 110-234-567890", "110-234-567890"),
        ("číslo účtu 123456789/0800", "123456789/0800"),
    ],
)
def test_words_of_many_languages_announce_an_account(text: str, number: str) -> None:
    assert {text[one.start : one.end] for one in find_announced_numbers(text) if one.kind == "BANK"} == {number}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("| 6759649826438453 | Maestro |", "6759649826438453"),
        ("### Diners Club\n\n* 30569309025904 - declined\n", "30569309025904"),
        ("Mir (debit)\t2200 0000 0000 0053\tany date", "2200 0000 0000 0053"),
        ("Visa, 13 digits: 4222222222222", "4222222222222"),
        ("UATP 135410014004955 approved", "135410014004955"),
    ],
)
def test_cards_of_all_lengths_are_found_near_their_brand(text: str, number: str) -> None:
    assert [text[start:end] for start, end in find_cards(text)] == [number]
    mistyped = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert list(find_cards(text.replace(number, mistyped))) == []
