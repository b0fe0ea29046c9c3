"""Check digits and dates in identity, tax and health numbers. Each function reads the bare characters of its form.

A form must match first: the functions do not test the length or the kind of the characters.
"""

from __future__ import annotations

import re

_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def is_anything(_: str) -> bool:
    """For numbers without check digits."""
    return True


def _digits(bare: str) -> list[int]:
    return [int(letter) for letter in bare if letter.isdigit()]


def _sum(bare: str, weights: tuple[int, ...]) -> int:
    return sum(digit * weight for digit, weight in zip(_digits(bare), weights, strict=False))


def has_luhn_digit(bare: str) -> bool:
    doubled = [digit * (1 + place % 2) for place, digit in enumerate(reversed(_digits(bare)))]
    return len(set(bare)) > 1 and sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _is_day(year_month_day: str) -> bool:
    """Whether six digits are year, month and day."""
    return 1 <= int(year_month_day[2:4]) <= 12 and 1 <= int(year_month_day[4:6]) <= 31


def is_german_tax_id(bare: str) -> bool:
    product = 10
    for digit in _digits(bare[:10]):
        product = ((digit + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(bare[10])


def is_french_nir(bare: str) -> bool:
    number = bare[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and int(bare[13:]) == 97 - int(number) % 97


def is_spanish_dni(bare: str) -> bool:
    number = bare[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == bare[-1]


def is_portuguese_nif(bare: str) -> bool:
    rest = _sum(bare[:8], (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return int(bare[8]) == (0 if rest < 2 else 11 - rest)


def is_dutch_bsn(bare: str) -> bool:
    return len(set(bare)) > 1 and _sum(bare, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def is_polish_pesel(bare: str) -> bool:
    return -_sum(bare[:10], (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10 == int(bare[10])


def is_swedish_number(bare: str) -> bool:
    return _is_day(bare[-10:]) and has_luhn_digit(bare[-10:])


def is_nhs_number(bare: str) -> bool:
    return (11 - _sum(bare[:9], (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11) % 11 == int(bare[9])


def is_brazilian_cpf(bare: str) -> bool:
    first = _sum(bare[:9], tuple(range(10, 1, -1))) * 10 % 11 % 10
    second = _sum(bare[:10], tuple(range(11, 1, -1))) * 10 % 11 % 10
    return len(set(bare)) > 1 and bare[9:] == f"{first}{second}"


def is_brazilian_cnpj(bare: str) -> bool:
    first = _sum(bare[:12], (5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) % 11
    second = _sum(bare[:13], (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) % 11
    ends = "".join("0" if rest < 2 else str(11 - rest) for rest in (first, second))
    return len(set(bare)) > 1 and bare[12:] == ends


_DIHEDRAL = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_PERMUTED = (
    "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


def has_verhoeff_digit(bare: str) -> bool:
    check = 0
    for place, digit in enumerate(reversed(_digits(bare))):
        check = int(_DIHEDRAL[check][int(_PERMUTED[place % 8][digit])])
    return check == 0


def is_chinese_id(bare: str) -> bool:
    """Whether region, birth date and check digit of a resident identity number are right."""
    total = _sum(bare[:17], (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))
    return bare[0] in "1234568" and _is_day(bare[8:14]) and "10X98765432"[total % 11] == bare[17]


def is_korean_number(bare: str) -> bool:
    """South Korea. Numbers given out since October 2020 have no check digit."""
    return _is_day(bare)


def is_japanese_number(bare: str) -> bool:
    rest = _sum(bare[:11], (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return len(set(bare)) > 1 and int(bare[11]) == (0 if rest < 2 else 11 - rest)


def is_south_african_id(bare: str) -> bool:
    return _is_day(bare) and has_luhn_digit(bare)


def is_turkish_id(bare: str) -> bool:
    odd, even = sum(_digits(bare[0:9:2])), sum(_digits(bare[1:8:2]))
    tenth = (odd * 7 - even) % 10
    return bare[9:] == f"{tenth}{(odd + even + tenth) % 10}"


def is_russian_snils(bare: str) -> bool:
    """Whether the checksum of a Russian insurance number is right."""
    return len(set(bare)) > 1 and _sum(bare[:9], (9, 8, 7, 6, 5, 4, 3, 2, 1)) % 101 % 100 == int(bare[9:])


def is_russian_inn(bare: str) -> bool:
    weights = (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)
    places = (9,) if len(bare) == 10 else (10, 11)
    return all(_sum(bare[:at], weights[11 - at :]) % 11 % 10 == int(bare[at]) for at in places)


def is_australian_tfn(bare: str) -> bool:
    return len(set(bare)) > 1 and _sum(bare, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def is_medicare_number(bare: str) -> bool:
    return _sum(bare[:8], (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == int(bare[8])


def is_thai_id(bare: str) -> bool:
    return (11 - _sum(bare[:12], tuple(range(13, 1, -1))) % 11) % 10 == int(bare[12])


def is_bulgarian_egn(bare: str) -> bool:
    return _sum(bare[:9], (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10 == int(bare[9])


def is_ukrainian_number(bare: str) -> bool:
    return _sum(bare[:9], (-1, 5, 7, 9, 4, 6, 10, 5, 7)) % 11 % 10 == int(bare[9])


def is_greek_afm(bare: str) -> bool:
    return len(set(bare)) > 1 and _sum(bare[:8], (256, 128, 64, 32, 16, 8, 4, 2)) % 11 % 10 == int(bare[8])


def is_greek_amka(bare: str) -> bool:
    return 1 <= int(bare[:2]) <= 31 and 1 <= int(bare[2:4]) <= 12 and has_luhn_digit(bare)


def is_belgian_number(bare: str) -> bool:
    return any(97 - int(century + bare[:9]) % 97 == int(bare[9:]) for century in ("", "2"))


def is_norwegian_number(bare: str) -> bool:
    first = _sum(bare, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    return first == 0 and _sum(bare, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def is_czech_number(bare: str) -> bool:
    return 1 <= int(bare[2:4]) % 50 % 20 <= 12 and (len(bare) == 9 or int(bare) % 11 in (0, 10))


def is_finnish_hetu(bare: str) -> bool:
    number = re.sub(r"\D", "", bare[:-1])
    return len(number) == 9 and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(number) % 31] == bare[-1]


def is_austrian_number(bare: str) -> bool:
    return _sum(bare, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)) % 11 == int(bare[3])


def is_swiss_ahv(bare: str) -> bool:
    """Whether the check digit (EAN-13) of a Swiss insurance number is right."""
    return _sum(bare, (1, 3) * 6 + (1,)) % 10 == 0


def is_chilean_rut(bare: str) -> bool:
    """Whether the check character of a Chilean number is right."""
    rest = sum(int(digit) * (2 + place % 6) for place, digit in enumerate(reversed(bare[:-1]))) % 11
    return "0K987654321"[rest] == bare[-1]


def is_argentine_cuit(bare: str) -> bool:
    return _sum(bare[:10], (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) * -1 % 11 % 10 == int(bare[10])


def is_codice_fiscale(bare: str) -> bool:
    total = sum(
        _ODD[int(letter, 36) - (10 if letter.isalpha() else 0)] if place % 2 == 0 else int(letter, 36) % 10
        if letter.isdigit() else int(letter, 36) - 10
        for place, letter in enumerate(bare[:15])
    )  # fmt: skip
    return chr(65 + total % 26) == bare[15]
