"""Detects US social security numbers and identity, tax and health numbers of other countries, with check digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workbench.privacy.detectors import id_checksums
from workbench.privacy.detectors.text_search import find_matches, find_matches_at_words
from workbench.privacy.value_index import fold

_SEPARATORS = re.compile(r"[ ./-]")
# Recognised by form and check digits alone: a letter pattern, or unique dots and dashes.
_GROUPED = re.compile(
    r"\d(?<![\w.-].)(?:(?P<cpf>\d\d\.\d{3}\.\d{3}-\d\d)|(?P<cnpj>\d\.\d{3}\.\d{3}/\d{4}-\d\d)"
    r"|(?P<snils>\d\d-\d{3}-\d{3} \d\d)|(?P<ahv>(?<=7)56\.\d{4}\.\d{4}\.\d\d)"
    r"|(?P<rut>\d?\.\d{3}\.\d{3}-[\dKk])|(?P<chinese>\d{5}(?:19|20)\d{9}[\dXx]))(?![\w-]|\.\d)"
)
_GROUPED_CHECKS = {
    "cpf": id_checksums.is_brazilian_cpf,
    "cnpj": id_checksums.is_brazilian_cnpj,
    "snils": id_checksums.is_russian_snils,
    "ahv": id_checksums.is_swiss_ahv,
    "rut": id_checksums.is_chilean_rut,
    "chinese": id_checksums.is_chinese_id,
}
_CODICE = re.compile(r"[A-Z](?<!\w.)[A-Z]{5}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z](?!\w)")
_CURP = re.compile(r"[A-Z](?<!\w.)[A-Z]{3}\d{6}[HM][A-Z]{5}[A-Z0-9]\d(?!\w)")
_NINO_SPACED = re.compile(r"[A-CEGHJ-PR-TW-Z](?<!\w.)[A-CEGHJ-NPR-TW-Z] \d\d \d\d \d\d [A-D](?!\w)")
_LETTERED = re.compile(r"[A-Z](?<!\w.)[A-Z](?:[A-Z]{2,4}\d\d| \d\d )")  # beginning of the last three: one search


def find_unmistakable(text: str) -> Iterator[tuple[int, int]]:
    """Spans of numbers that need no announcing word."""
    for grouped in find_matches(_GROUPED, text):
        if _GROUPED_CHECKS[grouped.lastgroup or ""](_digits_and_letters(grouped.group())):
            yield grouped.span()
    for begins in find_matches(_LETTERED, text):
        for form, right in (
            (_CODICE, id_checksums.is_codice_fiscale),
            (_CURP, id_checksums.is_anything),
            (_NINO_SPACED, id_checksums.is_anything),
        ):
            if (match := form.match(text, begins.start())) and right(match.group()):
                yield match.span()


def has_valid_check_digits(number: str) -> bool:
    """Whether the check digits of a country are right."""
    bare = _digits_and_letters(number)
    return any(form.fullmatch(bare) and right(bare) for form, right in _CHECKS)


def _digits_and_letters(number: str) -> str:
    return _SEPARATORS.sub("", number).upper()


_CHECKS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"(?:\d{8}|[XYZ]\d{7})[A-Z]"), id_checksums.is_spanish_dni),
    (re.compile(r"\d{11}"), id_checksums.is_polish_pesel),
    (re.compile(r"[12]\d{14}"), id_checksums.is_french_nir),
    (re.compile(r"\d{9}"), id_checksums.is_dutch_bsn),
    (re.compile(r"\d{11}"), id_checksums.is_brazilian_cpf),
    (re.compile(r"[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]"), id_checksums.is_codice_fiscale),
    (re.compile(r"\d{10}"), id_checksums.is_nhs_number),
    (re.compile(r"[1-9]\d{10}"), id_checksums.is_german_tax_id),
    (re.compile(r"(?:19|20)?\d{10}"), id_checksums.is_swedish_number),
    (re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]"), id_checksums.is_anything),
)


SSN_NEAR = 30  # characters after the announcing word in which a number may be

_DASHED = re.compile(r"[0-8](?<![\w.+-].)(?<!\d.)\d\d(?<!000|666)-(?!00)\d\d-(?!0000)\d{4}(?![\w-])")
_WORD = re.compile(r"\bssn\b|social[ _-]?security|\bitin\b|taxpayer id|\bss#", re.IGNORECASE)
_GATES = ("ssn", "social", "itin", "taxpayer id", "ss#")
_ANY = re.compile(r"(?<![\w.-])\d{3}([ -]?)\d{2}\1\d{4}(?![\w-])")
_OTHER_WORD = re.compile(
    r"(?:order|invoice|sku|part|isbn|tracking|serial|build|item|batch)\W{0,3}(?:no|number)?\W{0,4}$", re.I
)
_SSN_WHOLE = re.compile(r"\d{3}[ -]?\d{2}[ -]?\d{4}")


def find_ssns(text: str) -> Iterator[tuple[int, int]]:
    """Spans of US social security numbers."""
    for match in find_matches(_DASHED, text) if "-" in text else ():
        if not _OTHER_WORD.search(text[max(0, match.start() - SSN_NEAR) : match.start()]):
            yield match.span()
    for word in find_matches_at_words(_WORD, fold(text), _GATES):
        if number := _ANY.search(text, word.end(), word.end() + SSN_NEAR + 11):
            yield number.span()


def is_ssn(value: str) -> bool:
    """Whether a value under an SSN key is a social security number."""
    return _SSN_WHOLE.fullmatch(value.strip()) is not None


NATIONAL_NEAR = 24  # characters between a word and its number

_FORM = r"(?<![\w.])(?:[A-Z]{1,6}[ -]?)?\d(?:[ ./-]?[0-9A-Z](?![a-z])){4,19}(?![\w-]|\.\d)"
_CLEAR = re.compile(
    r"\b(?:national (?:id|identity|insurance|identification)|identity (?:card|number|no|document)"
    r"|id ?(?:card|no\b|number)|personal (?:id\b|identity|number)|passport|(?:driver'?s?|driving"
    r"|drivers) licen[cs]e|residence permit"
    r"|voter id|dni\b|nie\b|nif\b|nino\b|nhs\b|pesel\b|bsn\b|cpf\b|curp\b|aadhaa?r\b|insee\b|personnummer"
    r"|codice fiscale|cod\. fisc|steuer-?id|steuernummer|personalausweis|reisepass|ausweisnummer|sozialversicherung"
    r"|tax (?:id|file|number|code)|medicare|health (?:card|insurance) n|medical record|mrn\b|ppsn?\b|cuit\b"
    r"|cuil\b|rut\b"
    r"|c[eé]dula|avs\b|ahv\b|hetu\b)",
    re.IGNORECASE,
)
_VAGUE = re.compile(r"\b(?:document|citizen|taxpayer|holder|patient|insured|resident|identification)\b", re.IGNORECASE)
# First words of the matches, in lower case.
_CLEAR_WORDS = """
national |identity |id card|idcard|id no|idno|id number|idnumber|personal |personala|personnum|passport|driver|driving
|residence permit|voter id|dni|nie|nif|nino|nhs|pesel|bsn|cpf|curp|aadha|insee|codice fisc|cod. fisc|steuer|reisepass
|ausweisn|sozialversi|tax |medicare|health |medical record|mrn|pps|cuit|cuil|rut|cedula|cédula|avs|ahv|hetu
"""
_VAGUE_WORDS = "document|citizen|taxpayer|holder|patient|insured|resident|identification"
_BEGINNINGS = tuple(tuple(word.strip("\n") for word in words.split("|")) for words in (_CLEAR_WORDS, _VAGUE_WORDS))
_NUMBER = re.compile(_FORM)
_NATIONAL_WHOLE = re.compile(r"[A-Za-z]{0,6}[ ./-]?\d?(?:[ ./-]?[0-9A-Za-z]){3,24}")
_FEWEST_DIGITS = 4
_DATE = re.compile(r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d")


def find_national_ids(text: str) -> Iterator[tuple[int, int]]:
    """Spans of identity, tax and health numbers."""
    yield from find_unmistakable(text)
    small = fold(text)
    for pattern, beginnings, sure in ((_CLEAR, _BEGINNINGS[0], True), (_VAGUE, _BEGINNINGS[1], False)):
        for word in find_matches_at_words(pattern, small, beginnings):
            number = _behind(text, word.end())
            if number and (sure or has_valid_check_digits(number.group())):
                yield number.span()


def is_national_id(value: str) -> bool:
    """Whether a value under an id key can be a national id."""
    bare = value.strip()
    digits = sum(map(str.isdigit, bare))
    return (
        len(bare) <= 30
        and digits >= _FEWEST_DIGITS
        and bool(_NATIONAL_WHOLE.fullmatch(bare))
        and not _DATE.fullmatch(bare)
    )


def _behind(text: str, at: int) -> re.Match[str] | None:
    """The number after a word on the same line."""
    end = text.find("\n", at, at + NATIONAL_NEAR)
    number = _NUMBER.search(text, at, min(len(text), (end if end >= 0 else at + NATIONAL_NEAR) + 26))
    if number is None or number.start() > (end if end >= 0 else at + NATIONAL_NEAR):
        return None
    digits = sum(map(str.isdigit, number.group()))
    return number if digits >= _FEWEST_DIGITS and not _DATE.fullmatch(number.group()) else None
