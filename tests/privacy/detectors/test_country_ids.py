"""National numbers are found by a word of their country, their form and their check digits."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.announced_numbers import find_announced_numbers
from workbench.privacy.detectors.detector import detect


def found(text: str) -> list[str]:
    numbers = [text[one.start : one.end] for one in find_announced_numbers(text) if one.kind == "NATIONAL_ID"]
    return list(dict.fromkeys(numbers))


VALID = [
    ("Steuer-ID", "86 095 742 719", "86 095 742 710"),
    ("NIR", "2 55 08 14 168 025 38", "2 55 08 14 168 025 39"),
    ("Mi DNI:", "12345678-Z", "12345678-A"),
    ("NIF", "123 456 789", "123 456 788"),
    ("BSN", "111222333", "111222334"),
    ("PESEL", "44051401359", "44051401358"),
    ("personnummer", "811228-9874", "811228-9873"),
    ("NHS", "943 476 5919", "943 476 5918"),
    ("CPF", "52998224725", "52998224726"),
    ("CNPJ", "11.222.333/0001-81", "11.222.333/0001-82"),
    ("Aadhaar", "2341 2341 2346", "2341 2341 2345"),
    ("身份证号", "11010519491231002X", "110105194912310021"),
    ("マイナンバーは", "123456789018", "123456789019"),
    ("TC kimlik no", "10000000146", "10000000147"),
    ("СНИЛС", "112-233-445 95", "112-233-445 96"),
    ("ИНН", "500100732259", "500100732258"),
    ("TFN", "123 456 782", "123 456 783"),
    ("Medicare", "2123 45670 1", "2123 45680 1"),
    ("SIN", "046 454 286", "046 454 287"),
    ("เลขบัตรประชาชน", "1-1007-00000-01-9", "1-1007-00000-01-0"),
    ("ЕГН", "7523169263", "7523169264"),
    ("AHV", "756.9217.0769.85", "756.9217.0769.84"),
    ("CUIT", "20-12345678-6", "20-12345678-5"),
    ("RUT", "12.345.678-5", "12.345.678-4"),
    ("HETU", "131052-308T", "131052-308U"),
    ("rijksregister", "85.07.30-033 28", "85.07.30-033 29"),
    ("rodné číslo", "780123/3000", "780123/3001"),
    ("SA ID", "8001015009087", "8001015009088"),
]


@pytest.mark.parametrize(("word", "right", "wrong"), VALID)
def test_the_word_and_right_digits_tell_a_number(word: str, right: str, wrong: str) -> None:
    assert right in found(f"{word} {right} confirmed")
    assert wrong not in found(f"{word} {wrong} confirmed")
    assert found(f"the value {right} alone") == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("her PAN is BQRPS4821K.", "BQRPS4821K"),
        ("주민등록번호 850528-2966621", "850528-2966621"),
        ("RFC GOMC850312AB3 del cliente", "GOMC850312AB3"),
        ("паспорт 4510 123456 выдан", "4510 123456"),
        ("护照E12345678已过期", "E12345678"),
        ("n° de passeport 19AB34567", "19AB34567"),
        ("NI no JG 10 37 59 A", "JG 10 37 59 A"),
    ],
)
def test_some_need_only_their_form(text: str, number: str) -> None:
    assert found(text) == [number]


@pytest.mark.parametrize(
    "text",
    [
        "see RFC 7231 and RFC 2616, section 4",
        "using 123456782 bytes, company 046454286",
        "sin(x) = 0.123456782; pan 120 45 30",
        "medicare reform of 2019-2020\n2123456701",
        "run 12345678 finished, nie wieder 12345678",
        "medizin 123456789012345",
        "passport was issued on 2020-01-05",
    ],
)
def test_other_numbers_after_such_words_stay(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        '"""NIF (Número de Identificación Fiscal).\n\nThe number of residents.\n\n>>> validate(\'12345678Z\')\n"""',
        "describe('DNI', () => {\n  const valid = ['12345678Z'];\n});",
        'class DniValidatorTest {\n  void valid() { assertTrue(check("12345678Z")); }\n}',
        "## Documento Nacional\n\n- 12345678Z\n",
        "test({ validator: 'isIdentityCard', locale: 'ES', valid: ['12345678Z'] })",
        "12345678Z is a valid NIE.",
    ],
)
def test_a_title_announces_the_numbers_below_it(text: str) -> None:
    assert found(text) == ["12345678Z"]
    assert [text[one.start : one.end] for one in detect(text)] == ["12345678Z"]
    assert found(text.replace("12345678Z", "12345678A")) == []
    assert found(text.replace("DNI", "SKU").rpartition("\n")[2].replace("NIE", "part").replace("Card", "")) == []


def test_a_number_with_any_separator_can_be_checked() -> None:
    assert found("personnummer 811228+9874 born before 1924") == ["811228+9874"]
