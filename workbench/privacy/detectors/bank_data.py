"""Detects payment card numbers, IBANs, account numbers and bank codes.

One number in ten passes Luhn's check by chance, so a check digit alone is not enough: the form or a word before the
number must indicate a card too. Account numbers have no special form, so a key or a word must announce them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from workbench.privacy.detectors.text_search import find_matches, find_matches_at_words
from workbench.privacy.value_index import fold

LOOK_BACK = 40  # characters before a number in which a word may announce it

_CARD_RUN = re.compile(r"\d(?<![\w./+-].)(?:[ -]?\d){11,}+")
_CARD_FORMS = (
    re.compile(r"\d{4}(?P<s>[ -])\d{4}(?P=s)\d{4}(?P=s)\d{4}(?P=s)\d{3}(?!\d)"),
    re.compile(r"\d{4}(?P<s>[ -])\d{4}(?P=s)\d{4}(?P=s)\d{1,4}(?!\d)"),
    re.compile(r"\d{4}(?P<s>[ -])\d{6}(?P=s)\d{4,5}(?!\d)"),  # American Express, Diners
)
_CARD_ISSUER = re.compile(
    r"4|5[0-8]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|3(?:0[0-5]|[689])|6(?:011|[2-9])|35(?:2[89]|[3-8])"
)
# Cards whose issuers share their digits with other numbers: a brand or a word for a card must be near.
_RARE_ISSUER = re.compile(r"1(?:800|\d{3}(?=\d{11}\Z))|2(?:131|20[0-5])|3(?:09|[689]|[3-5])|6|50|5[6-8]|8600|9860|9792")
_BRANDS_WORDS = """
visa|mastercard|master card|amex|american express|americanexpress|maestro|discover|diners|unionpay|union pay|hipercard
|hiper card|мир|dankort|rupay|carte bancaire|cartes bancaires|naranja|uzcard|interac|postepay|bc card|card number
|cardnumber|card_number|test card|testcard|credit card|creditcard|credit_card|credit-card|debit card|debit_card
|debitcard|payment card|payment_card|kreditkarte|tarjeta|cartão|carta di credito|kart numara
|jcb|elo|mir|troy|verve|uatp|laser|cabal|humo|solo|switch card|pan
"""
_BRANDS = tuple(word.strip("\n") for word in _BRANDS_WORDS.split("|"))
_LONG_BRAND = 6  # letters of a brand that may be part of a longer word
_BRAND_SCOPE = 1_500  # characters before a number in which a brand may be: a heading above a list
_BRAND_AFTER = 80  # characters after a number on its line
_CARD_WORD = re.compile(r"card|visa|master ?card|amex|american express|maestro|discover|\bpan\b|\bcc\b", re.IGNORECASE)
_OTHER_WORD = re.compile(
    r"(?:\b|_)(?:id|ids|order|invoice|ref|reference|ticket|case|tracking|version|build|sku|isbn|ean|upc|serial"
    r"|timestamp|"
    r"commit|seq|size|bytes|offset|imei|parcel|shipment|barcode|gtin|batch|job|run)\W{0,6}(?:no|number|is)?\W{0,4}$",
    re.IGNORECASE,
)
_CARD_WORDS_TEXT = """
card|karte|carte |tarjeta|cartão|cartao|carta|karta|karty|kartą|kaart|maestro|jcb|kort|карт|κάρτα|بطاقة|כרטיס|कार्ड|บัตร
|カード|卡|카드
"""
CARD_WORDS = tuple(word.strip("\n") for word in _CARD_WORDS_TEXT.split("|"))
_ANNOUNCED = re.compile(
    r"[^\W\d_]{0,12}[^\d\n;!?_=<>{}\[\]|\\]{0,24}(?P<number>\d{12,19}|\d{4}([ -])\d{4}(?:\2\d{2,4}){1,3})"
    r"(?![0-9a-z_*]|[.,-]\d|[ -][\d*])"
)
_OTHER_ISSUER = re.compile(r"5[0678]|6|220[0-4]|9792")  # Maestro, UnionPay, RuPay, Mir, Troy
_WHOLE_CARD = re.compile(r"\d(?:[ -]?\d){11,18}")


def find_cards(text: str) -> Iterator[tuple[int, int]]:
    """Spans of payment card numbers."""
    brands = _Brands(text)
    for match in find_matches(_CARD_RUN, text):
        after = text[match.end() : match.end() + 1]
        if not after.isalnum() and after not in ("_", "-"):
            yield from _cards(text, match, brands)


def find_card_after(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """The card number after a word for a card; `small` is the folded text. Numbers of Maestro have 12 to 19 digits."""
    if match := _ANNOUNCED.match(small, at):
        digits = re.sub(r"\D", "", match["number"])
        issued = _OTHER_ISSUER.match(digits) or _CARD_ISSUER.match(digits)
        if issued and 12 <= len(digits) <= 19 and len(set(digits)) > 1 and luhn(digits):
            yield match.span("number")


def is_card(value: str) -> bool:
    """Whether a value under a card key is a card number, mistyped ones included."""
    bare = value.strip()
    return _WHOLE_CARD.fullmatch(bare) is not None and len(set(bare)) > 1


def has_valid_check_digit(digits: str) -> bool:
    """Whether issuer and check digit are those of a card number."""
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and _CARD_ISSUER.match(digits) is not None and luhn(digits)


def luhn(digits: str) -> bool:
    """Whether the check digit (Luhn) is right."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _cards(text: str, run: re.Match[str], brands: _Brands) -> Iterator[tuple[int, int]]:
    before = text[max(0, run.start() - LOOK_BACK) : run.start()]
    if run.group().isdigit():
        digits = run.group()
        sure = has_valid_check_digit(digits) and (_CARD_WORD.search(before) or _is_bare_card(digits, before))
        listed = _may_be_card(digits) and not _OTHER_WORD.search(before)
        if sure or (listed and brands.are_near(*run.span())):
            yield run.span()
        return
    at = run.start()
    while at < run.end():
        end = _end_of_groups(text, at, run.end(), brands)
        if end:
            yield at, end
        at = _next_group(text, end or at, run.end())


def _may_be_card(digits: str) -> bool:
    """Whether a number is one of a card whose brand is near."""
    issued = _CARD_ISSUER.match(digits) or _RARE_ISSUER.match(digits)
    return 12 <= len(digits) <= 19 and issued is not None and len(set(digits)) > 1 and luhn(digits)


class _Brands:
    """The places of brands and words for cards in a text, looked up when a number needs them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places: list[int] | None = None

    def are_near(self, start: int, end: int) -> bool:
        """Whether one is on the line of a number, or above it as in a list of cards."""
        line_end = self._text.find("\n", end, end + _BRAND_AFTER)
        after = line_end if line_end >= 0 else end + _BRAND_AFTER
        if self._places is None:
            self._places = self._find()
        at = bisect_left(self._places, start - _BRAND_SCOPE)
        return at < len(self._places) and self._places[at] < after

    def _find(self) -> list[int]:
        small = fold(self._text)
        found: list[int] = []
        for word in _BRANDS:
            at = small.find(word)
            while at >= 0:
                before, behind = small[at - 1 : at], small[at + len(word) : at + len(word) + 1]
                if len(word) >= _LONG_BRAND or not (before.isalpha() or behind.isalpha()) or word == "visa":
                    found.append(at)
                at = small.find(word, at + 1)
        return sorted(found)


def _end_of_groups(text: str, at: int, end: int, brands: _Brands) -> int:
    """The end of a valid card number in groups that starts here; None if there is none."""
    find_matches_at_words = (form.match(text, at, end) for form in _CARD_FORMS)
    return next(
        (
            match.end()
            for match in find_matches_at_words
            if match
            and (
                has_valid_check_digit(digits := re.sub(r"\D", "", match.group()))
                or (_may_be_card(digits) and brands.are_near(*match.span()))
            )
        ),
        0,
    )


def _is_bare_card(digits: str, before: str) -> bool:
    return len(digits) in (15, 16) and not _OTHER_WORD.search(before)


def _next_group(text: str, at: int, end: int) -> int:
    places = [place for place in (text.find(" ", at, end), text.find("-", at, end)) if place >= 0]
    return min(places) + 1 if places else end


_IBAN_LENGTHS = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18
FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27
ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
"""
IBAN_LENGTHS = {entry[:2]: int(entry[2:]) for entry in _IBAN_LENGTHS.split()}
_IBAN_START = re.compile(r"[A-Za-z](?<![A-Za-z0-9].)[A-Za-z]\d\d(?=[ -]?[A-Za-z0-9]{4})")
_IBAN_LETTER = re.compile(r"[ -]?([A-Za-z0-9])")
_WHOLE_IBAN = re.compile(r"[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){10,32}")


def find_ibans(text: str) -> Iterator[tuple[int, int]]:
    """Spans of IBANs, grouped or not."""
    for match in find_matches(_IBAN_START, text):
        end, bare = _read_iban(text, match.start(), IBAN_LENGTHS.get(match.group()[:2].upper(), 0))
        if bare and not text[end : end + 1].isalnum() and has_valid_iban_checksum(bare):
            yield match.start(), end


def is_iban(value: str) -> bool:
    """Whether a value under an IBAN key has the form of one, mistyped ones included."""
    return _WHOLE_IBAN.fullmatch(value.strip()) is not None


def has_valid_iban_checksum(bare: str) -> bool:
    """Whether the checksum (ISO 7064, modulo 97) is right."""
    moved = bare[4:] + bare[:4]
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1


def _read_iban(text: str, start: int, length: int) -> tuple[int, str]:
    """The IBAN that begins here: as many letters and digits as its country requires, with single separators."""
    letters: list[str] = []
    at = start
    while len(letters) < length and (match := _IBAN_LETTER.match(text, at)):
        letters.append(match[1])
        at = match.end()
    return (at, "".join(letters)) if len(letters) == length else (start, "")


_WHOLE_ACCOUNT = re.compile(r"[A-Za-z]{0,4}[ -]?\d(?:[ .-]?\d){3,23}")
_BIC = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")
_ACCOUNT_GATES = ("bank account", "account ", "acct", "a/c", "konto", "sort", "routing ", "aba", "bsb", "blz", "bankl")
_CODE_GATES = ("SWIFT", "BIC", "IFSC")
_ACCOUNT_WORD = re.compile(
    r"(?<![\w-])(?:bank account|(?:bank )?account (?:number|no\b|num\b|nr\b|#)|acct\b|a/c\b|kontonummer|konto\b"
    r"|sort[ -]code|routing (?:number|no\b|code)|aba\b|bsb\b|blz\b|bankleitzahl)(?: ?(?:number|no|num|nr|is|was"
    r"|ending in))*"
    r"[ \t:#.=\"'*]{0,8}(?:is |was )?(?P<number>\d(?:[ -]?\d){4,19})(?![\w-]|\.\d)",
    re.IGNORECASE,
)
_CODE_WORD = re.compile(r"\b(?:SWIFT|BIC|IFSC)(?:/BIC| ?[Cc]ode)?[ \t:#.=]{1,4}(?P<number>[A-Z]{4}[A-Z0-9]{4,7})\b")


def find_accounts(text: str) -> Iterator[tuple[int, int]]:
    """Spans of account numbers and bank codes after a word that announces them."""
    yield from (match.span("number") for match in find_matches_at_words(_ACCOUNT_WORD, fold(text), _ACCOUNT_GATES))
    yield from (match.span("number") for match in find_matches_at_words(_CODE_WORD, text, _CODE_GATES))


_ACCOUNT_WORDS = """
numéro_de_compte|compte_bancaire|compte_n|número_de_cuenta|cuenta_bancaria|cuenta_n|cuenta_corriente|conto_corrente|c/c_n|numero_di_conto
|kontonr|kontonummer|rekeningnummer|numer_konta|numer_rachunku|nr_konta|nr_rachunku|konto_nr|conta_corrente|número_da_conta|conta_n|kontonumret
|číslo_účtu|номер_счета|номер_счёта|расчетный_счет|расчётный_счёт|р/с|рахунок|αριθμός_λογαριασμού|رقم_الحساب|חשבון_בנק|खाता_संख्या
|口座番号|账号|帳號|银行账户|계좌번호|เลขที่บัญชี
"""
ACCOUNT_WORDS = tuple(word.strip("\n").replace("_", " ") for word in _ACCOUNT_WORDS.split("|"))
_ACCOUNT_AFTER = re.compile(
    r"[^\d\n;!?<>{}\[\]|\\]{0,14}(?P<number>\d(?:[ .-]?\d){5,25}(?:[ /-]\d{1,4})?)(?![\w%]"
    r"|[.,:-]\d)",
    re.ASCII,
)


def find_account_after(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """The account number after a word in some languages; `small` is the folded text."""
    if match := _ACCOUNT_AFTER.match(small, at + len(word)):
        yield match.span("number")


def is_account(value: str) -> bool:
    """Whether a value under an account key is an account number or bank code."""
    bare = value.strip()
    return _WHOLE_ACCOUNT.fullmatch(bare) is not None or _BIC.fullmatch(bare) is not None
