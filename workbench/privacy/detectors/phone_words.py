"""Detects phone numbers in any grouping after a word for a phone, and extensions, in the languages of this module."""

from __future__ import annotations

import re
from collections.abc import Iterator

FEWEST, MOST = 6, 15  # digits of a number
_BEFORE = 34  # characters before an extension that may be a number

_WORDS = """
phone|telef|tel.|tel:|tel |tél|mobile|móvil|celular|cellulare|portable|handy|rufnummer|durchwahl|rufen sie|ruf mich
|appelez|appelle|joindre au|llame|llámame|llama al|chiama|ligue para|ligue pra|zadzwo|dzwoń|pod numer|komórk|bel me
|bel ons|toestel|gsm|ring mig|mobil|puhelin|тел|моб.|мобильн|звоните|позвоните|звони|дзвон|зателефонуйте|телефон
|τηλ|κινητό|كلم|هاتف|جوال|تلفون|موبايل|اتصل|טלפון|נייד|תתקשר|फोन|फ़ोन|मोबाइल|โทร|มือถือ
|電話|携帯|直通|手机|手機|电话|联系方式|致电|拨打|전화|연락처|휴대폰|핸드폰
"""
PHONE_WORDS = tuple(word.strip("\n") for word in _WORDS.split("|"))
# Between the word and its number: no end of a sentence, and no sign of code.
_NUMBER = re.compile(
    r"[^\W\d_]{0,12}[^\d\n;!?_=<>{}\[\]|\\\"+(]{0,18}(?P<number>[+(]?\d(?:[ \t\u00a0./()-]{0,3}\d){5,14})"
    r"(?![\d%]|[.,:-]\d|[A-Za-z_])"
)
_EXTENSIONS_WORDS = "ext durchwahl dw app klappe poste int ramal wew toestel anexo доб внутр вн дод"
EXTENSION_WORDS = (*(f" {word}" for word in _EXTENSIONS_WORDS.split()), "내선", "内線", "转", "轉")
_EXTENSION = re.compile(
    r" ?(?:ext(?:ension|ensión)?(?=[. :])|durchwahl|dw|app|klappe|poste|interno|int|ramal|wew|toestel|anexo"
    r"|доб|внутр|вн|дод|내선|内線|转|轉)\.?[:. ]{0,2}\d{1,6}(?![\d.,-]\d|[\dA-Za-z_])"
)
_NUMBER_BEFORE = re.compile(r"[+(]?\d(?:[ \t\u00a0./()-]{0,3}\d){5,14}[ \t,;(-]{0,3}\Z")
_DATE = re.compile(r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d\d")
_FOUR_BYTES = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")


def find_phone_after(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """The number after a word for a phone; `small` is the folded text."""
    if (before := small[at - 1 : at]).isalpha() and before.isascii() and word.isascii():
        return
    if (match := _NUMBER.match(text, at)) and _is_phone(match["number"]):
        yield match.span("number")


def find_phone_with_extension(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """The number before a word for an extension, with the extension."""
    if extension := _EXTENSION.match(small, at):
        number = _NUMBER_BEFORE.search(text, max(0, at - _BEFORE), at)
        if number and _is_phone(number.group().rstrip(" \t,;(-")):
            yield number.start(), extension.end()


def _is_phone(number: str) -> bool:
    """Whether a number has a possible length and is no date, address of a host, or number with one dot."""
    digits = sum(map(str.isdigit, number))
    return (
        FEWEST <= digits <= MOST
        and not _DATE.match(number)
        and not _FOUR_BYTES.fullmatch(number)
        and not (number.count(".") == 1 and number.replace(".", "").isdigit())
    )
