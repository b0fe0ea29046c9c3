"""Detects national identity, tax and health numbers by a word before them together with form and check digits.

A word such as "SIN" or "PAN" is too short to be evidence alone, and random digits pass one checksum in ten or
eleven. Both together are enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from msgspec import Struct

from workbench.privacy.detectors import id_checksums as ids

NEAR = 28  # characters between a word and its number
_LONGEST = 30  # characters of a number with its separators
_SURE = 6  # letters; a longer word may have an ending
_SEPARATORS = re.compile(r"[ \u00a0./\-]")


class CountryId(Struct, frozen=True):
    """A number of a country: the folded words that announce it, its form, and the check of its bare characters."""

    words: str  # separated by "|"
    form: str
    check: Callable[[str], bool]


_S = r"[ \u00a0.-]?"
_THREES = rf"\d{{3}}{_S}\d{{3}}{_S}\d{{3}}"
_FOURS = rf"\d{{4}}{_S}\d{{4}}{_S}\d{{4}}"
_CODICE = r"[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]"
_DOCUMENT = r"(?=(?:[^\d]{0,4}\d){4})[A-Z]{0,3}[ -]?\d[\dA-Z]{4,10}"

COUNTRY_IDS = (
    CountryId("steuer-id|steuerid|steuer-identifikationsnummer|steueridentifikationsnummer|idnr|identifikationsnummer",
              r"\d\d ?\d{3} ?\d{3} ?\d{3}", ids.is_german_tax_id),
    CountryId("nir|insee|securite sociale|sécurité sociale|numéro de sécu|numero de secu|sécu|n° ss",
              r"[12] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d", ids.is_french_nir),
    CountryId("dni|nie|nif|documento nacional", r"(?:\d{8}|\d\d\.\d{3}\.\d{3})[ -]?[A-Z]|[XYZ][ -]?\d{7}[ -]?[A-Z]",
              ids.is_spanish_dni),
    CountryId("codice fiscale|cod. fisc|cod.fisc|c.f.", _CODICE, ids.is_anything),
    CountryId("nif|contribuinte|nipc|número fiscal|numero fiscal", _THREES, ids.is_portuguese_nif),
    CountryId("bsn|burgerservicenummer|sofinummer", rf"{_THREES}|\d{{4}}\.?\d{{2}}\.?\d{{3}}", ids.is_dutch_bsn),
    CountryId("pesel", r"\d{11}", ids.is_polish_pesel),
    CountryId("dowodu osobistego|dowód osobisty|nr dowodu|numer dowodu", r"[A-Z]{3} ?\d{6}", ids.is_anything),
    CountryId("personnummer|personnr|samordningsnummer", r"(?:19|20)?\d{6}[ +-]?\d{4}", ids.is_swedish_number),
    CountryId("nhs", rf"\d{{3}}{_S}\d{{3}}{_S}\d{{4}}", ids.is_nhs_number),
    CountryId("ni number|ni no|nino|national insurance", r"[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]", ids.is_anything),
    CountryId("cpf", r"\d{3}\.?\d{3}\.?\d{3}[ -]?\d\d", ids.is_brazilian_cpf),
    CountryId("cnpj", r"\d\d\.?\d{3}\.?\d{3}/?\d{4}-?\d\d", ids.is_brazilian_cnpj),
    CountryId("aadhaar|aadhar|uidai|आधार", rf"[2-9]\d{{3}}{_S}\d{{4}}{_S}\d{{4}}", ids.has_verhoeff_digit),
    CountryId("pan|permanent account number", r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", ids.is_anything),
    CountryId("身份证|身份證|公民身份号码|居民证|resident identity card|chinese id",
              r"[1-9]\d{16}[\dX]", ids.is_chinese_id),
    CountryId("주민등록번호|주민번호|외국인등록번호|resident registration|rrn", r"\d{6} ?-? ?[1-8]\d{6}",
              ids.is_korean_number),
    CountryId("マイナンバー|個人番号|my number", _FOURS, ids.is_japanese_number),
    CountryId("sa id|south african id|rsa id|id number|identity number",
              r"\d{6} ?\d{4} ?\d{3}", ids.is_south_african_id),
    CountryId("kimlik|tckn|tc no", r"[1-9]\d{10}", ids.is_turkish_id),
    CountryId("снилс", rf"{_THREES}[ -]?\d\d", ids.is_russian_snils),
    CountryId("инн", r"\d{10}(?:\d\d)?", ids.is_russian_inn),
    CountryId("паспорт|загранпаспорт", r"\d\d ?\d\d ?(?:№ ?)?\d{6}|\d\d ?(?:№ ?)?\d{7}", ids.is_anything),
    CountryId("tfn|tax file number", rf"{_THREES}", ids.is_australian_tfn),
    CountryId("medicare", rf"[2-6]\d{{3}}{_S}\d{{5}}{_S}\d(?:[ /-]?\d)?", ids.is_medicare_number),
    CountryId("sin|social insurance|assurance sociale|nas", _THREES, ids.has_luhn_digit),
    CountryId("curp", r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d", ids.is_anything),
    CountryId("rfc", r"[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}", ids.is_anything),
    CountryId("บัตรประชาชน|ประจำตัวประชาชน|thai id", r"[1-8]-?\d{4}-?\d{5}-?\d\d-?\d", ids.is_thai_id),
    CountryId('תעודת זהות|ת"ז|ת.ז|teudat zehut|israeli id', r"\d{8}-?\d", ids.has_luhn_digit),
    CountryId("егн", r"\d{10}", ids.is_bulgarian_egn),
    CountryId("рнокпп|іпн|ідентифікаційний номер", r"\d{10}", ids.is_ukrainian_number),
    CountryId("αφμ|α.φ.μ|afm", r"\d{9}", ids.is_greek_afm),
    CountryId("αμκα|α.μ.κ.α|amka", r"\d{11}", ids.is_greek_amka),
    CountryId("rijksregister|registre national|numéro national|numero national|nrn|insz|niss",
              r"\d\d\.?\d\d\.?\d\d[ .-]?\d{3}[ .-]?\d\d", ids.is_belgian_number),
    CountryId("fødselsnummer|fodselsnummer|fødselsnr|personnummer", r"\d{6} ?\d{5}", ids.is_norwegian_number),
    CountryId("cpr", r"[0-3]\d[01]\d{3}[ -]?\d{4}", ids.is_anything),
    CountryId("hetu|henkilötunnus|henkilotunnus", r"[0-3]\d[01]\d{3}[-+A]\d{3}[\dA-Y]", ids.is_finnish_hetu),
    CountryId("rodné číslo|rodne cislo|rodného čísla|rodným číslem", r"\d{6} ?/? ?\d{3,4}", ids.is_czech_number),
    CountryId("sozialversicherungsnummer|svnr|sv-nummer", r"[1-9]\d{3} ?\d{6}", ids.is_austrian_number),
    CountryId("ahv|avs|avs-nummer", r"756\.?\d{4}\.?\d{4}\.?\d\d", ids.is_swiss_ahv),
    CountryId("pps|ppsn", r"\d{7}[A-W][A-IW]?", ids.is_anything),
    CountryId("cuit|cuil", r"(?:20|2[347]|30|3[34])[ -]?\d{8}[ -]?\d", ids.is_argentine_cuit),
    CountryId("rut|run", r"\d{1,2}\.?\d{3}\.?\d{3}-[\dK]", ids.is_chilean_rut),
    CountryId("nric|fin number", r"[STFGM]\d{7}[A-Z]", ids.is_anything),
    CountryId(
        "passeport|pasaporte|passaporto|passaporte|paszport|paspoort|reisepass|passnummer|pasfoto|cestovní pas"
        "|διαβατηρίου|διαβατήριο|паспорта|护照|護照|パスポート|旅券番号|여권|جواز السفر|جواز سفر|דרכון|पासपोर्ट"
        "|หนังสือเดินทาง|führerschein|fuhrerschein|permis de conduire|carnet de conducir|permiso de conducir"
        "|carta de condução|patente di guida|prawo jazdy|prawa jazdy|rijbewijs|körkort|運転免許|驾驶证|운전면허"
        "|carte d'identité|carte d'identite|carta d'identità|carta d'identita|cédula|cedula|bilhete de identidade"
        "|personalausweis|identiteitskaart|rg n",
        _DOCUMENT, ids.is_anything,
    ),
)  # fmt: skip


@lru_cache(maxsize=1)
def ids_by_word() -> dict[str, list[CountryId]]:
    """What each word announces."""
    found: dict[str, list[CountryId]] = {}
    for kind in COUNTRY_IDS:
        for word in kind.words.split("|"):
            found.setdefault(word, []).append(kind)
    return found


@lru_cache(maxsize=128)
def _compiled(form: str) -> re.Pattern[str]:
    """The pattern of a form, compiled for the first text with its word: all together take 12 ms."""
    return re.compile(rf"(?<![A-Z\d])(?<!\d[.,])(?:{form})(?![A-Z\d]|[.,-]\d)", re.IGNORECASE)


def find_country_id(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """The number of each form after a word on the same line; `small` is the folded text."""
    end = at + len(word)
    if not _stands_alone(small, at, end):
        return
    line = text.find("\n", end, end + NEAR)
    last = line if line >= 0 else end + NEAR
    for kind in ids_by_word()[word]:
        for match in _compiled(kind.form).finditer(text, end, last + _LONGEST):
            if match.start() <= last and kind.check(_SEPARATORS.sub("", match.group()).upper()):
                yield match.span()
                break


def _stands_alone(small: str, start: int, end: int) -> bool:
    """Whether a Latin word is not part of a longer one; other scripts glue words together."""
    before, after = small[start - 1 : start], small[end : end + 1]
    if not small[start].isascii() or not small[end - 1].isascii():
        return True
    return not (before.isalnum() and before.isascii()) and (
        end - start > _SURE or not (after.isalpha() and after.isascii())
    )
