"""Phone numbers in unusual groups after words of many languages, and extensions."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.announced_numbers import find_announced_numbers
from workbench.privacy.detectors.detector import detect


def found(text: str) -> list[str]:
    return [text[one.start : one.end] for one in find_announced_numbers(text) if one.kind == "PHONE"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("phone: 44 12 90 7", "44 12 90 7"),
        ("Rufen Sie 0171 / 55 66 778 an", "0171 / 55 66 778"),
        ("llámame al 655 44 33 22", "655 44 33 22"),
        ("appelez le 06.98.76.54.32 ce soir", "06.98.76.54.32"),
        ("zadzwoń pod numer 601-234-567", "601-234-567"),
        ("bel me op 06-24681357", "06-24681357"),
        ("meu celular é 21 98765-4321", "21 98765-4321"),
        ("il mio cellulare è 347 123 45 67", "347 123 45 67"),
        ("звоните по номеру 812 555 33 22", "812 555 33 22"),
        ("τηλέφωνο 210 765 4321", "210 765 4321"),
        ("手机号是13800138222请记下", "13800138222"),
        ("전화번호 02-555-1234", "02-555-1234"),
        ("携帯090-8765-4321に連絡", "090-8765-4321"),
    ],
)
def test_a_word_for_a_phone_announces_any_grouping(text: str, number: str) -> None:
    assert number in found(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("020 7946 0857 ext. 12 please", "020 7946 0857 ext. 12"),
        ("0711 987654 Durchwahl 31", "0711 987654 Durchwahl 31"),
        ("01.44.55.66.77 poste 8", "01.44.55.66.77 poste 8"),
        ("(11) 3322-4455 ramal 210", "(11) 3322-4455 ramal 210"),
        ("8 (495) 123-45-67 доб. 5", "8 (495) 123-45-67 доб. 5"),
        ("06-6345-7788 内線 21", "06-6345-7788 内線 21"),
    ],
)
def test_an_extension_belongs_to_its_number(text: str, number: str) -> None:
    assert number in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "mobile 2024-01-05 10:22:33 ok",
        "phone model 16.42",
        "Android Mobile Safari/537.36 Chrome/120.0.6099.144",
        "telephone directory, 12 pages",
        "iPhone OS 14_0 like Mac OS X",
        "ext4 40 50 100 ext3 1000 10000 1000000000 ext3",
        "phone = 7; numbers = [123456]",
        "call 10.0.12.44 on port 8080; mobil 10.0.12.44",
    ],
)
def test_dates_versions_hosts_and_file_systems_stay(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("電話は03-1234-5678です", "03-1234-5678"),
        ("请发到wang.li@example.cn谢谢", "wang.li@example.cn"),
        ("口座はDE89370400440532013000です", "DE89370400440532013000"),
        ("カード4539 5787 6362 1486で支払い", "4539 5787 6362 1486"),
        ("이메일은 minsu.kim@example.kr입니다", "minsu.kim@example.kr"),
        ("โทร0812345678ครับ", "0812345678"),
    ],
)
def test_letters_of_other_scripts_are_borders(text: str, value: str) -> None:
    assert value in [text[one.start : one.end] for one in detect(text)]
