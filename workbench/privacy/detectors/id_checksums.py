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


def has_mod_11_10_digit(bare: str) -> bool:
    """ISO 7064, modulo 11,10: Croatia, Serbia, German tax and VAT numbers."""
    product = 10
    for digit in _digits(bare)[:-1]:
        product = ((digit + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(bare[-1])


def is_polish_nip(bare: str) -> bool:
    return len(set(bare)) > 1 and _sum(bare[:9], (6, 5, 7, 2, 3, 4, 5, 6, 7)) % 11 == int(bare[9])


def is_polish_regon(bare: str) -> bool:
    weights = (8, 9, 2, 3, 4, 5, 6, 7) if len(bare) == 9 else (2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8)
    return len(set(bare)) > 1 and _sum(bare[:-1], weights) % 11 % 10 == int(bare[-1])


def is_spanish_cif(bare: str) -> bool:
    doubled = sum(digit * 2 // 10 + digit * 2 % 10 for digit in _digits(bare[1:8:2]))
    check = -(doubled + sum(_digits(bare[2:8:2]))) % 10
    return bare[8] in (str(check), "JABCDEFGHI"[check])


def is_irish_pps(bare: str) -> bool:
    extra = 9 * (ord(bare[8]) - 64) if len(bare) > 8 and bare[8] != "W" else 0
    return "WABCDEFGHIJKLMNOPQRSTUV"[(_sum(bare[:7], (8, 7, 6, 5, 4, 3, 2)) + extra) % 23] == bare[7]


def is_swiss_uid(bare: str) -> bool:
    return -_sum(bare, (5, 4, 3, 2, 7, 6, 5, 4)) % 11 == int(bare[-1])


def is_belgian_firm(bare: str) -> bool:
    return 97 - int(_last(bare, 9)[:7]) % 97 == int(bare[-2:])


def _last(bare: str, count: int) -> str:
    return "".join(map(str, _digits(bare)))[-count:]


def is_danish_firm(bare: str) -> bool:
    return _sum(bare, (2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0 and len(set(bare)) > 1


def is_norwegian_firm(bare: str) -> bool:
    return len(set(bare)) > 1 and _sum(bare, (3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def is_finnish_firm(bare: str) -> bool:
    return -_sum(bare[:7], (7, 9, 10, 5, 8, 4, 2)) % 11 == int(bare[7])


def is_icelandic_number(bare: str) -> bool:
    day = int(bare[:2])
    return (1 <= day <= 31 or 41 <= day <= 71) and _sum(bare[:9], (3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def is_baltic_number(bare: str) -> bool:
    """Estonia and Lithuania."""
    check = _sum(bare[:10], (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    if check == 10:
        check = _sum(bare[:10], (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11 % 10
    return _is_day(bare[1:7]) and check == int(bare[10])


def is_latvian_number(bare: str) -> bool:
    if bare.startswith("3"):
        return True
    check = (1101 - _sum(bare[:10], (1, 6, 3, 7, 9, 10, 5, 8, 4, 2))) % 11
    return _is_day_month(bare) and check == int(bare[10])


def _is_day_month(bare: str) -> bool:
    return 1 <= int(bare[:2]) <= 31 and 1 <= int(bare[2:4]) <= 12


def is_romanian_cnp(bare: str) -> bool:
    check = _sum(bare[:12], (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return _is_day(bare[1:7]) and int(bare[12]) == (1 if check == 10 else check)


def is_yugoslav_number(bare: str) -> bool:
    """JMBG and EMŠO: Serbia, Slovenia, Bosnia, Montenegro, North Macedonia."""
    check = -_sum(bare[:12], (7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return _is_day_month(bare) and check == int(bare[12])


def is_slovenian_tax_number(bare: str) -> bool:
    return len(set(bare)) > 1 and -_sum(bare[:7], (8, 7, 6, 5, 4, 3, 2)) % 11 % 10 == int(bare[7])


def is_hungarian_taj(bare: str) -> bool:
    return len(set(bare)) > 1 and _sum(bare[:8], (3, 7, 3, 7, 3, 7, 3, 7)) % 10 == int(bare[8])


def is_hungarian_tax_number(bare: str) -> bool:
    return _sum(bare[:8], (9, 7, 3, 1, 9, 7, 3, 1)) % 10 == 0 and len(set(bare)) > 1


def is_czech_firm(bare: str) -> bool:
    return len(set(bare)) > 1 and (11 - _sum(bare[:7], (8, 7, 6, 5, 4, 3, 2)) % 11) % 10 == int(bare[7])


def is_kazakh_number(bare: str) -> bool:
    check = _sum(bare[:11], tuple(range(1, 12))) % 11
    if check == 10:
        check = _sum(bare[:11], (3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2)) % 11
    return _is_day(bare) and check == int(bare[11])


def is_iranian_number(bare: str) -> bool:
    rest = _sum(bare[:9], tuple(range(10, 1, -1))) % 11
    return len(set(bare)) > 1 and int(bare[9]) == (rest if rest < 2 else 11 - rest)


def is_taiwanese_id(bare: str) -> bool:
    place = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(bare[0]) + 10
    return (place // 10 + place % 10 * 9 + _sum(bare[1:], (8, 7, 6, 5, 4, 3, 2, 1, 1))) % 10 == 0


def is_hong_kong_id(bare: str) -> bool:
    letters = re.sub(r"[()]", "", bare)
    head = letters[:-1].rjust(8)
    total = sum(
        (36 if one == " " else int(one, 36)) * weight for one, weight in zip(head, range(9, 1, -1), strict=True)
    )
    return (total + (10 if letters[-1] == "A" else int(letters[-1], 16))) % 11 == 0


def is_korean_firm(bare: str) -> bool:
    total = _sum(bare[:9], (1, 3, 7, 1, 3, 7, 1, 3, 5)) + int(bare[8]) * 5 // 10
    return -total % 10 == int(bare[9])


def is_singaporean_nric(bare: str) -> bool:
    total = _sum(bare[1:8], (2, 7, 6, 5, 4, 3, 2)) + {"S": 0, "F": 0, "T": 4, "G": 4, "M": 3}[bare[0]]
    letters = {"S": "JZIHGFEDCBA", "T": "JZIHGFEDCBA", "M": "KLJNPQRTUWX"}.get(bare[0], "XWUTRQPNMLK")
    return letters[total % 11 if bare[0] != "M" else 10 - total % 11] == bare[8]


def is_vietnamese_tax_number(bare: str) -> bool:
    return (10 - _sum(bare[:9], (31, 29, 23, 19, 17, 13, 7, 5, 3)) % 11) % 11 == int(bare[9])


def is_australian_abn(bare: str) -> bool:
    weights = (10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)
    return (_sum(bare, weights) - 10) % 89 == 0


def is_australian_acn(bare: str) -> bool:
    return len(set(bare)) > 1 and -_sum(bare[:8], (8, 7, 6, 5, 4, 3, 2, 1)) % 10 == int(bare[8])


def is_new_zealand_ird(bare: str) -> bool:
    number = bare.rjust(9, "0")
    check = -_sum(number[:8], (3, 2, 7, 6, 5, 4, 3, 2)) % 11
    if check == 10:
        check = -_sum(number[:8], (7, 4, 3, 2, 5, 2, 7, 6)) % 11
    return check == int(number[8])


def is_ecuadorian_id(bare: str) -> bool:
    return 1 <= int(bare[:2]) <= 24 and has_luhn_digit(bare[:10])


def is_peruvian_ruc(bare: str) -> bool:
    return (11 - _sum(bare[:10], (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11) % 10 == int(bare[10])


def is_uruguayan_id(bare: str) -> bool:
    return -_sum(bare.rjust(8, "0")[:7], (2, 9, 8, 7, 6, 3, 4)) % 10 == int(bare[-1])


def is_colombian_nit(bare: str) -> bool:
    primes = (3, 7, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 59, 67, 71)
    rest = sum(digit * prime for digit, prime in zip(reversed(_digits(bare[:-1])), primes, strict=False)) % 11
    return int(bare[-1]) == (rest if rest < 2 else 11 - rest)


def is_venezuelan_rif(bare: str) -> bool:
    total = {"V": 4, "E": 8, "J": 12, "P": 16, "G": 20, "C": 12}[bare[0]] + _sum(bare[1:9], (3, 2, 7, 6, 5, 4, 3, 2))
    return "00987654321"[total % 11] == bare[9]


def is_brazilian_pis(bare: str) -> bool:
    rest = _sum(bare[:10], (3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return len(set(bare)) > 1 and int(bare[10]) == (0 if rest < 2 else 11 - rest)


def is_dominican_rnc(bare: str) -> bool:
    return ((10 - _sum(bare[:8], (7, 9, 8, 6, 5, 4, 3, 2)) % 11) % 9) + 1 == int(bare[8])


def is_paraguayan_ruc(bare: str) -> bool:
    total = sum(digit * (2 + place) for place, digit in enumerate(reversed(_digits(bare[:-1]))))
    return -total % 11 % 10 == int(bare[-1])


def is_turkish_tax_number(bare: str) -> bool:
    total = 0
    for place, digit in enumerate(_digits(bare[:9])):
        moved = (digit + 9 - place) % 10
        total += (moved * 2 ** (9 - place) % 9 or 9) if moved else 0
    return -total % 10 == int(bare[9])


def is_belarusian_unp(bare: str) -> bool:
    return len(set(bare)) > 1 and _sum(bare[:8], (29, 23, 19, 17, 13, 7, 5, 3)) % 11 == int(bare[8])


def is_moldovan_idnp(bare: str) -> bool:
    return _sum(bare[:12], (7, 3, 1) * 4) % 10 == int(bare[12])


def is_russian_ogrn(bare: str) -> bool:
    return int(bare[:-1]) % (len(bare) - 2) % 10 == int(bare[-1])


def is_british_vat(bare: str) -> bool:
    rest = _sum(bare[-9:-2], (8, 7, 6, 5, 4, 3, 2)) + int(bare[-2:])
    return rest % 97 in (0, 42)


def begins_with_day(bare: str) -> bool:
    """Denmark. Numbers given out since 2007 have no check digit."""
    return _is_day_month(bare)


def has_birth_date(bare: str) -> bool:
    """Whether a number begins with a birth date: Malaysia, Cuba."""
    return _is_day(bare)


def is_egyptian_id(bare: str) -> bool:
    return _is_day(bare[1:7])


def is_indonesian_nik(bare: str) -> bool:
    day = int(bare[6:8])
    return (1 <= day <= 31 or 41 <= day <= 71) and 1 <= int(bare[8:10]) <= 12


def is_provider_number(bare: str) -> bool:
    """US National Provider Identifier."""
    return has_luhn_digit("80840" + bare)


def has_different_digits(bare: str) -> bool:
    """For numbers without check digits whose form is rare."""
    return len(set(bare)) > 2
