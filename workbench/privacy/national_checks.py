"""The check digits of national numbers: of the ten that are met most often."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workbench.privacy.spots import each

_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_SEPARATORS = re.compile(r"[ ./-]")
# Told by form and check digits alone: a letter pattern, or points and a dash nobody else writes.
_CPF = re.compile(r"\d(?<![\w.-].)\d{2}\.\d{3}\.\d{3}-\d\d(?![\w-])")
_CODICE = re.compile(r"[A-Z](?<!\w.)[A-Z]{5}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z](?!\w)")
_CURP = re.compile(r"[A-Z](?<!\w.)[A-Z]{3}\d{6}[HM][A-Z]{5}[A-Z0-9]\d(?!\w)")
_NINO_SPACED = re.compile(r"[A-CEGHJ-PR-TW-Z](?<!\w.)[A-CEGHJ-NPR-TW-Z] \d\d \d\d \d\d [A-D](?!\w)")
_LETTERED = re.compile(r"[A-Z](?<!\w.)[A-Z](?:[A-Z]{2,4}\d\d| \d\d )")  # how the last three begin: one search for all


def unmistakable(text: str) -> Iterator[tuple[int, int]]:
    """Spans of numbers that need no word before them."""
    if "-" in text:
        yield from (match.span() for match in each(_CPF, text) if _cpf(_bare(match.group())))
    for begins in each(_LETTERED, text):
        for form, right in ((_CODICE, _codice), (_CURP, _any), (_NINO_SPACED, _any)):
            if (match := form.match(text, begins.start())) and right(match.group()):
                yield match.span()


def checked(number: str) -> bool:
    """Whether some country's check digits are right."""
    bare = _bare(number)
    return any(form.fullmatch(bare) and right(bare) for form, right in _CHECKS)


def _bare(number: str) -> str:
    return _SEPARATORS.sub("", number).upper()


def _any(_: str) -> bool:
    return True


def _weighed(bare: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(bare, weights, strict=False))


def _dni(bare: str) -> bool:
    number = bare[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == bare[-1]


def _pesel(bare: str) -> bool:
    return -_weighed(bare, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10 == int(bare[10])


def _insee(bare: str) -> bool:
    return int(bare[13:]) == 97 - int(bare[:13]) % 97


def _bsn(bare: str) -> bool:
    return bare != "000000000" and _weighed(bare, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _cpf(bare: str) -> bool:
    first = 11 - _weighed(bare, tuple(range(10, 1, -1))) % 11
    second = 11 - _weighed(bare, tuple(range(11, 1, -1))) % 11
    return len(set(bare)) > 1 and (first % 11 % 10, second % 11 % 10) == (int(bare[9]), int(bare[10]))


def _codice(bare: str) -> bool:
    total = sum(
        _ODD[int(letter, 36) - (10 if letter.isalpha() else 0)] if place % 2 == 0 else int(letter, 36) % 10
        if letter.isdigit() else int(letter, 36) - 10
        for place, letter in enumerate(bare[:15])
    )  # fmt: skip
    return chr(65 + total % 26) == bare[15]


def _nhs(bare: str) -> bool:
    return (11 - _weighed(bare, (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11) % 11 == int(bare[9])


def _steuer(bare: str) -> bool:
    product = 10
    for digit in bare[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(bare[10])


def _personnummer(bare: str) -> bool:
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(bare[-10:])]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


_CHECKS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"(?:\d{8}|[XYZ]\d{7})[A-Z]"), _dni),
    (re.compile(r"\d{11}"), _pesel),
    (re.compile(r"[12]\d{14}"), _insee),
    (re.compile(r"\d{9}"), _bsn),
    (re.compile(r"\d{11}"), _cpf),
    (re.compile(r"[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]"), _codice),
    (re.compile(r"\d{10}"), _nhs),
    (re.compile(r"[1-9]\d{10}"), _steuer),
    (re.compile(r"(?:19|20)?\d{10}"), _personnummer),
    (re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]"), _any),
)
