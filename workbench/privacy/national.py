"""Finds the numbers by which states know people: of identity cards, passports, licences, taxes and health insurance.

They have a hundred forms, most of which are plain numbers; so a key or a word must say what comes. A few are told by
their form and check digits alone, and behind vague words ("document no.") the check digits decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.privacy.known import fold
from workbench.privacy.national_checks import checked, unmistakable
from workbench.privacy.spots import matches

_KEYS_WORDS = """
national_id nationalid national_id_number national_identity_number national_number national_identification_number nino
nin ni_number national_insurance national_insurance_number national_insurance_no nhs nhs_number passport
passport_number passport_no passportnumber passport_id driver_license drivers_license driver_licence drivers_licence
driving_licence driving_license driver_license_number drivers_license_number driving_licence_number licence_no
driver_s_license dl_number license_no id_number id_no id_card id_card_number id_card_no identity_number identity_card
identity_card_number identity_no identity_document identification_number personal_id personal_id_number
personal_number personal_identity_number personnummer person_number citizen_id citizenship_number resident_id
residence_permit residence_permit_number aadhaar aadhar aadhaar_number cpf cnpj dni nie nif curp rfc codice_fiscale
fiscal_code tax_code pesel bsn burgerservicenummer sin sin_number medicare_number medicare mrn medical_record_number
health_id health_insurance_number health_card_number insurance_number voter_id voter_id_number tax_number
tax_identification_number steuer_id steuernummer steueridentifikationsnummer tax_file_number tfn insee nir avs
ahv_number ahv social_insurance_no sozialversicherungsnummer matricule fodselsnummer cpr_number cpr hetu egn cnp rut
cedula cuit cuil ppsn pps_number ausweisnummer personalausweis reisepass visa_number green_card_number
alien_registration_number military_id student_id_number gov_id government_id
"""
KEYS = frozenset(_KEYS_WORDS.split())
NEAR = 24  # characters between a word and its number

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
# How what they match begins, in small letters.
_CLEAR_WORDS = """
national |identity |id card|idcard|id no|idno|id number|idnumber|personal |personala|personnum|passport|driver|driving
|residence permit|voter id|dni|nie|nif|nino|nhs|pesel|bsn|cpf|curp|aadha|insee|codice fisc|cod. fisc|steuer|reisepass
|ausweisn|sozialversi|tax |medicare|health |medical record|mrn|pps|cuit|cuil|rut|cedula|cédula|avs|ahv|hetu
"""
_VAGUE_WORDS = "document|citizen|taxpayer|holder|patient|insured|resident|identification"
_BEGINNINGS = tuple(tuple(word.strip("\n") for word in words.split("|")) for words in (_CLEAR_WORDS, _VAGUE_WORDS))
_NUMBER = re.compile(_FORM)
_WHOLE = re.compile(r"[A-Za-z]{0,6}[ ./-]?\d?(?:[ ./-]?[0-9A-Za-z]){3,24}")
_FEWEST_DIGITS = 4
_DATE = re.compile(r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Spans of numbers."""
    yield from unmistakable(text)
    small = fold(text)
    for pattern, beginnings, sure in ((_CLEAR, _BEGINNINGS[0], True), (_VAGUE, _BEGINNINGS[1], False)):
        for word in matches(pattern, small, beginnings):
            number = _behind(text, word.end())
            if number and (sure or checked(number.group())):
                yield number.span()


def accepts(value: str) -> bool:
    """Whether a value under its key can be one."""
    bare = value.strip()
    digits = sum(map(str.isdigit, bare))
    return len(bare) <= 30 and digits >= _FEWEST_DIGITS and bool(_WHOLE.fullmatch(bare)) and not _DATE.fullmatch(bare)


def _behind(text: str, at: int) -> re.Match[str] | None:
    """The number behind a word, on its line."""
    end = text.find("\n", at, at + NEAR)
    number = _NUMBER.search(text, at, min(len(text), (end if end >= 0 else at + NEAR) + 26))
    if number is None or number.start() > (end if end >= 0 else at + NEAR):
        return None
    digits = sum(map(str.isdigit, number.group()))
    return number if digits >= _FEWEST_DIGITS and not _DATE.fullmatch(number.group()) else None
