"""Checks whether a value under a key that announces its kind is of this kind.

A sure key allows forms that mean nothing elsewhere. No value is a placeholder ("n/a") or itself a label ("First name"),
as in translations and forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from workbench.privacy.detectors import national_ids, personal_details, phone_numbers
from workbench.privacy.detectors.key_words import key_words
from workbench.privacy.detectors.word_lists import COMMON_WORDS, THING_WORDS

_PLACEHOLDERS_LISTED = """
n/a na n.a. none null nil nan unknown undefined unspecified anonymous true false yes no y n tbd tba empty missing
string object boolean integer number redacted hidden not_set not_available not_provided no_data
not_applicable unbekannt keine keiner leer ja nein inconnu aucun aucune oui non néant desconocido ninguno ninguna sí
sconosciuto nessuno sì desconhecido nenhum não onbekend geen nee brak nieznany nieznane tak nie 不明 なし 無し 未定
未設定 未知 无 無 暂无 없음 미정 неизвестно нет да غير_معروف لا_يوجد לא_ידוע אין ללא अज्ञात नहीं άγνωστο όχι ναι
"""
_REQUIRED_LISTED = """
required mandatory optional pflicht pflichtfeld pflichtangabe erforderlich freiwillig obligatoire facultatif requis
obligatorio opcional requerido obbligatorio facoltativo richiesto obrigatório verplicht verplichte optioneel wymagane
opcjonalne obowiązkowe 必須 必須項目 任意 必填 选填 필수 선택 обязательно обязательное необязательно مطلوب חובה अनिवार्य
υποχρεωτικό pending pendiente ausstehend folgt
"""
REQUIRED: Final = frozenset(_REQUIRED_LISTED.split())  # words about a field in a form
_PLACEHOLDERS: Final = frozenset(word.replace("_", " ") for word in _PLACEHOLDERS_LISTED.split())
_SIGNS = re.compile(r"[\W_]*")
_SCIENTIFIC = re.compile(r"\d(?:[.,]\d{1,16})?[eE]\+?\d{1,2}|\d{4,16}\.0{1,2}")


def is_placeholder(value: str) -> bool:
    """Whether a value says that there is none: blank, signs only, "n/a", "unknown", a truth value."""
    bare = value.strip().lower()
    return _SIGNS.fullmatch(bare[:20]) is not None or bare in _PLACEHOLDERS or bare in REQUIRED


def is_odd_value(value: str) -> bool:
    """Whether a value in a column whose other values are of the announced kind is of it too, whatever its form."""
    return not is_placeholder(value) and "\0" not in value and not key_words().is_label(value)


def also_scientific(accepts: Callable[[str], bool]) -> Callable[[str], bool]:
    """As `accepts`, and long numbers as spreadsheets write them: `5.12345E+10`, `4915112345678.0`."""
    return lambda value: accepts(value) or _SCIENTIFIC.fullmatch(value.strip()) is not None


_SHORTEST_ID = 5  # letters and digits of a number in text: `urn:ietf:rfc:2648` is none
_PROSE = re.compile(r"[a-z]{3}")


def is_assigned_national_id(value: str) -> bool:
    """Whether the text after `passport:` is a number, not a sentence with one."""
    long = sum(map(str.isalnum, value)) >= _SHORTEST_ID
    return long and also_scientific(national_ids.is_national_id)(value) and _PROSE.search(value) is None


_PHONE = re.compile(r"[+(]{0,2}\d[\d\s()./+*#–-]{3,30}(?:[ ,;]{0,2}(?:[^\W\d_]{1,10}[.:]?|#) ?\d{1,6})?")
_LONG_DATE = re.compile(
    r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}(?:[T ].{0,30})?|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d\d"
)
_BETWEEN_PHONES = re.compile(r"\s*[,;/|]\s*(?=[+(\d])")
_FEWEST_DIGITS, _MOST_DIGITS = 5, 18


def is_phone_number(value: str) -> bool:
    """Whether a value under a phone key is a phone number, or several: in short groups, with an extension."""
    if phone_numbers.is_phone_number(value):
        return True
    bare = value.strip()
    return len(bare) <= 120 and all(map(_is_one_phone_number, _BETWEEN_PHONES.split(bare)))


def _is_one_phone_number(bare: str) -> bool:
    digits = sum(map(str.isdigit, bare))
    fits = _FEWEST_DIGITS <= digits <= _MOST_DIGITS and _PHONE.fullmatch(bare) is not None
    return fits and not _LONG_DATE.fullmatch(bare)


_MONTH = r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0963]){1,11}\.?"
_WORDED_DATE = re.compile(
    rf"(?:[^\W\d_]{{2,12}}\.?, ?)?\d{{1,2}}(?:\.|º|er|st|nd|rd|th|-?(?:го|ого))?[ -]?(?:de |of |d['’])?"
    rf"{_MONTH}[ ,-]{{0,2}}(?:de |del )?\d{{2,4}}(?: ?(?:г|р)\.?)?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{2,4}}"
)
_SIGNED_DATE = re.compile(r"(?:[^\W\d_]{2} ?)?\d{1,4} ?[年년][ -]?\d{1,2} ?[月월][ -]?\d{1,2} ?[日일]?")
_SHORT_DATE = re.compile(
    r"\d{1,2}[-./ ]{1,2}\d{1,2}[-./ ]{1,2}\d{2,4}\.?|\d{2,4}[-./ ]{1,2}\d{1,2}[-./ ]{1,2}\d{1,2}\.?|\d{8}"
)
_EPOCH = re.compile(r"-?\d{9,13}")


def is_birth_date(value: str) -> bool:
    """Whether a value under a birth date key is a date in one of many languages, or seconds since 1970."""
    bare = value.strip()
    return len(bare) <= 40 and (
        personal_details.is_birth_date(bare)
        or any(form.fullmatch(bare) is not None for form in (_WORDED_DATE, _SIGNED_DATE, _SHORT_DATE, _EPOCH))
    )


_POSTCODE = re.compile(
    r"(?!\d{4}-\d\d-)(?=(?:\D{0,9}\d){2})(?=.{3,14}\Z)〒?\s?[^\W_]{1,10}(?:[ -][^\W_]{1,8}){0,2}(?:\.0)?"
)
_HOUSE = re.compile(r"\d{1,5}(?: ?[A-Za-z])?(?:[-/ ]\d{1,5}[A-Za-z]?)?")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NO_STREET = re.compile(r"[\0@=<>{}\[\]|\\\"_]|://|\w\(")
_GERSHAYIM = re.compile(r"(?<=[\u05d0-\u05ea])[\"״](?=[\u05d0-\u05ea])")  # a mark of abbreviations in Hebrew
_IN_BRACKETS = re.compile(r" ?\([^\W\d_.()]{1,20}\.?\)")  # a province or region
_MOST_STREET_WORDS = 8
_SENTENCE = re.compile(r"\b(?:the|is|isn't|if|or|must|should|see|above|below|same|here)\b")
_SHORTEST_STREET, _LONGEST_STREET = 3, 120


def is_postal_code(value: str) -> bool:
    """Whether a value under a postal code key is a postal code of some country: `110 00`, `00-950`, `1012 AB`."""
    return _POSTCODE.fullmatch(value.strip()) is not None and _PROSE.search(value) is None


def is_house_number(value: str) -> bool:
    """Whether a value under a house number key is a number, with a letter or range."""
    return _HOUSE.fullmatch(value.strip()) is not None


def is_address(value: str) -> bool:
    """Whether a value under an address key is a postal address in any script."""
    plain = value if value.isascii() else _GERSHAYIM.sub("", value)
    return (_is_unspaced_address(plain) or personal_details.can_be_address(plain)) and not key_words().is_label(value)


def _is_unspaced_address(value: str) -> bool:
    """Whether a value is long enough for an address in Han, Kana or Hangul."""
    if value.isascii() or _HAN.search(value) is None:
        return False
    return 4 <= len(value.strip()) <= 200 and _NO_STREET.search(value) is None


def is_assigned_address(value: str) -> bool:
    """Whether the text after `address:` is a postal address: with a number, without brackets."""
    if _HAN.search(value) is not None:
        return is_address(value) and any(map(str.isdigit, value)) and len(value) <= _LONGEST_STREET
    plain = _GERSHAYIM.sub("", _IN_BRACKETS.sub("", value))
    return personal_details.is_assigned_address(plain) and _SENTENCE.search(plain) is None


def is_assigned_street(value: str) -> bool:
    """Whether the text after `street:` is a street, not code or a sentence."""
    words = value.split()
    return (
        is_street(value)
        and len(words) <= _MOST_STREET_WORDS
        and _SENTENCE.search(value) is None
        and not any(mark in value for mark in "(){};")
        and any(not word[0].islower() and word[0].isalpha() for word in words)
    )


def is_street(value: str) -> bool:
    """Whether a value under a street key is a street, with or without number."""
    if is_address(value):
        return True
    bare = _GERSHAYIM.sub("", value.strip())
    letters = sum(map(str.isalpha, bare))
    return (
        letters >= _SHORTEST_STREET
        and len(bare) <= _LONGEST_STREET
        and not _NO_STREET.search(bare)
        and bare.lower() not in THING_WORDS
        and bare.lower() not in COMMON_WORDS
        and is_odd_value(bare)
    )
