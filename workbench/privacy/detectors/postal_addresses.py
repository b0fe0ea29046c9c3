"""Detects postal addresses in prose and in blocks of lines: streets with numbers, boxes, postal codes and places.

A street word beside a number begins an address in the order of its country; what follows up to the place belongs to
it. Words that things have too ("Google Drive 2", "Arbeitsplatz 3") need a postal code, a place or a preposition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

_BEFORE, _AFTER = 90, 190  # characters around a street word that are read

_UPPER = "A-ZÀ-ÖØ-Þ\u0100\u0106\u010c\u010e\u0118\u011a\u0141\u0143\u0147\u0150\u0158\u015a\u0160\u0164\u016e\u0179\u017b\u017d\u0130\u015e"
_CAP = rf"[{_UPPER}](?:[^\W_]|['’.-](?=[^\W_])){{0,24}}"
_SMALL = r"(?:de|del|della|delle|dei|di|da|do|dos|das|du|des|la|le|les|las|los|el|y|e|et|en|al|aux?|sur|van|von|der|den|dem|het|ten|ter|nad|pod|na|w|we|am|im|zu|of|the|i)"
_JOINED = r"(?:[dl]|dell|all|sant)['’]"
_CITY = rf"{_CAP}(?:[ -](?:{_SMALL} |{_JOINED})?{_CAP}){{0,3}}"
_DIRECTION = r"(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West|Upper|Lower|Ouest|Est|Nord|Sud|O)\b\.?"
_NUMBER = r"\d{1,5}(?: ?[a-zA-Z](?![\w]))?(?: ?[-/–] ?\d{1,5}[a-zA-Z]?){0,3}(?![\w%€$]|[.,]\d|:\d)"
_GB_CODE = r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"
_CA_CODE = r"[A-Z]\d[A-Z] ?\d[A-Z]\d"
_CODE_CITY = (
    rf"(?:(?:[A-Z]{{1,2}}-)?\d{{4,5}}|\d{{3}} \d{{2}}|\d\d-\d{{3}}|\d{{4}} ?[A-Z]{{2}}|\d{{4}}-\d{{3}}) {_CITY}"
    r"(?: \d{1,2}(?!\d))?(?: [A-Z]{1,2}(?!\w))?(?: ?\([A-Z]{2}\))?"
)
_CITY_CODE = (
    rf"(?:{_CITY}(?: \d{{1,2}})?(?:, | - | )?){{1,3}}?(?:,? ?(?:{_GB_CODE}|[A-Z]{{2}} {_CA_CODE}|[A-Z]\d[\dW] ?[A-Z\d]{{4}}"
    rf"|[A-Z]{{2,3}},? \d{{4,5}}(?:-\d{{4}})?)|,? ?[-–]? ?\d{{3}} ?\d{{3}}|,? \d{{5}}(?:-\d{{3,4}})?)(?![\w-])"
)
_BRAZIL = rf"(?:{_CITY}(?:, | - )){{0,3}}{_CITY} ?[-/] ?[A-Z]{{2}}(?:,? ?(?:CEP:? ?)?\d{{5}}-\d{{3}})?|(?:CEP:? ?)\d{{5}}-\d{{3}}"
_UNIT = (
    r"(?i:apt|apartment|suite|ste|unit|flat|floor|room|rm|apto|ap|bl|bus|bte|boîte|lgh|whg|top|tür|stiege|etage|int|interno|piso|puerta"
    r"|esc|planta|sala|loja|andar|lok|m|kv|bât|bâtiment|appt|appartement|étage|scala)\.? ?[A-Za-z]?\d{0,5}[A-Za-z]?(?!\w)"
    r"|#\d{1,5}|\d{1,2}(?:\.|º|ª|°|er|e)[ºª]? ?(?:[A-Z]{1,2}(?!\w)|izq|dcha|esq|dto|tv|th|mf|sal|piso|étage|andar|Esq|Dto|floor)?\.?"
)
_SEPARATOR = r"(?:,? |,? ?\r?\n[ \t]{0,8}(?:[>|] ?)?|,)"
_PLACE = rf"(?:{_CODE_CITY}|{_CITY_CODE}|{_BRAZIL})"
_TAIL = rf"(?:{_SEPARATOR}(?:{_UNIT})){{0,2}}(?P<place>(?: -|,)?{_SEPARATOR}(?:[-–] )?{_PLACE})?(?P<country>(?: \([A-Z]{{2}}\)| [A-Z]{{2}}(?!\w))?)"


class _Street(Struct, frozen=True):
    """How streets of some languages are written: the words, and the pattern of a street with its number."""

    words: str  # in lower case, separated by "|"; a word with a dot or a space at its end ends there
    pattern: str  # WORDS stands for the words
    sure: bool  # an address also without a place


_WORDS_BETWEEN = (
    rf"(?: (?:{_SMALL}|\d{{1,2}}[º°]?)(?= )){{0,3}} (?:{_JOINED})?{_CAP}"
    rf"(?: (?:{_SMALL}(?= )|(?:{_JOINED})?{_CAP}|\d{{1,2}}(?= [{_UPPER}]))){{0,5}}"
)
_NO = r"(?:,? ?(?:n\.?[ºo°]\.?|nº|núm\.?|nr\.?|no\.?|č\.? ?p\.?|#) ?|,? )"
_ENGLISH = (
    r"(?:(?:Flat|Unit|Apt|Apartment|Suite|House|H\. ?No\.|House No\.|Door No\.|Plot|Plot No\.|Shop|Floor)\.? ?[A-Z]?\d{1,5}[A-Z]?"
    rf"(?:,? |/)(?:{_CAP}(?: {_CAP}){{0,3}}, )?)?"
    rf"\d{{1,5}}[A-Za-z]?(?:[-/]\d{{1,5}})?,? (?:{_DIRECTION} )?(?:(?:{_CAP}|\d{{1,3}}(?:st|nd|rd|th)) ){{1,4}}(?:WORDS)\b\.?"
    rf"(?: {_DIRECTION})?"
)
_GERMANIC = rf"(?:{_CAP}[ -]){{0,2}}[{_UPPER}][^\W\d_]{{1,24}}(?:WORDS) {_NUMBER}"
_APART = rf"(?:{_CAP}[ -]){{1,3}}(?:WORDS) {_NUMBER}"
_LATIN = rf"(?:WORDS){_WORDS_BETWEEN}{_NO}{_NUMBER}"

_STREETS = (
    _Street("street|avenue|road|lane|boulevard|blvd|terrace|crescent|highway|hwy|parkway|pkwy|turnpike|mews|grove|gardens", _ENGLISH, True),
    _Street("st|ave|rd|ln|dr|close|drive|court|ct|square|sq|place|pl|way|park|hill|row|walk|circle|cir|trail|loop|quay|parade|esplanade|salai"
            "|marg|nagar|colony|vihar|chowk|layout|view|rise|green|plaza|run|alley|crossing|pike", _ENGLISH, False),
    _Street("straße|strasse|str.|gasse|allee|chaussee|straat|laan|gracht|kade|gatan|vägen|vejen|veien|stræde|gade", _GERMANIC, True),
    _Street("weg|platz|ring|ufer|damm|steig|hof|markt|graben|promenade|plein|singel|dijk|dreef|steeg|hof|pad|gata|gränd|torget|stigen|vej"
            "|allé|torv|vænge|gate|vei|vegen|plass", _GERMANIC, False),
    _Street("straße|strasse|str.|allee|gasse|weg|platz|ring|damm|ufer|chaussee|markt|tor|graben|hof|linden|garten|park|straat|laan|plein|gade|vej"
            "|väg|gata", _APART, False),
    _Street("rue|avenue|av.|boulevard|bd|chemin|impasse|allée|allées|quai|ruelle|faubourg|résidence|lotissement|sentier|venelle",
            rf"\d{{1,4}}(?: ?(?:bis|ter|quater|[A-D](?!\w)))?,? (?i:WORDS){_WORDS_BETWEEN}", True),
    _Street("place|route|cours|square|passage|villa|esplanade|cité|hameau|promenade",
            rf"\d{{1,4}}(?: ?(?:bis|ter|quater|[A-D](?!\w)))?,? (?i:WORDS){_WORDS_BETWEEN}", False),
    _Street("rue|avenue|av.|boulevard|chemin|quai|place|route|chaussée|allée|clos", rf"(?i:WORDS){_WORDS_BETWEEN},? {_NUMBER}", False),
    _Street("calle|c/|avda.|avda|avenida|paseo|plaza|pza.|plza.|ronda|carretera|ctra.|travesía|glorieta|rambla|carrer|passeig|urbanización"
            "|camino", rf"(?:{_LATIN}|[Cc]/ ?{_CAP}(?: (?:{_SMALL} )?{_CAP}){{0,4}}{_NO}{_NUMBER})", True),
    _Street("via|viale|v.le|piazza|p.zza|piazzale|corso|c.so|largo|vicolo|contrada|lungomare|lungarno|borgo|strada", _LATIN, True),
    _Street("rua|r.|av.|avenida|travessa|praça|alameda|rodovia|estrada|ladeira|calçada|largo", _LATIN, True),
    _Street("ul.|ulica|ulicy|al.|aleja|alei|aleje|plac|placu|pl.|os.|osiedle|osiedlu|rondo|skwer",
            rf"(?i:WORDS){_WORDS_BETWEEN} {_NUMBER}(?: ?m\. ?\d{{1,4}})?", True),
    _Street("ulice|ulici|ulice|náměstí|nám.|třída|třídě|nábřeží",
            rf"(?:(?i:WORDS){_WORDS_BETWEEN}|(?:{_CAP} ){{1,2}}(?i:WORDS)) {_NUMBER}", True),
    _Street("ул.|улица|улице|улицы|пр-т|проспект|просп.|пер.|переулок|площадь|бульвар|шоссе|наб.|набережная|вул.|вулиця|бул.",
            r"(?:\d{6}, ?)?(?:г\.|м\.|гр\.)? ?(?:[А-ЯІЇЄ][\w-]{1,20},? ){0,2}(?i:WORDS) ?[А-ЯІЇЄ0-9][\w-]{1,24}(?: [А-ЯІЇЄ][\w-]{1,24}){0,3},?"
            r" ?(?:д\. ?|дом |буд\. ?|№ ?)?\d{1,4}[а-яА-Я]?(?:[/-]\d{1,4})?(?:,? ?(?:к|корп|корпус|стр|кв|оф|офис|квартира)\.? ?\d{1,4}){0,3}", True),
    _Street("οδός|οδού|λεωφόρος|λεωφόρου|λεωφ.|πλατεία",
            r"(?i:WORDS) [Α-ΩΆ-Ώ][\w.]{1,24}(?: [Α-ΩΆ-Ώ][\w.]{1,24}){0,3},? \d{1,4}(?:, ?(?:Τ\.?Κ\.? ?)?\d{3} ?\d\d [Α-ΩΆ-Ώ]\w+)?", True),
    _Street("postfach|po box|p.o. box|p. o. box|p o box|apartado|bp |b.p.|boîte postale|case postale|casella postale|caixa postal|postbus"
            "|skrytka|postboks|postbox|poštovní přihrádka|p.o.box|locked bag|gpo box",
            r"(?i:WORDS)(?: ?(?i:de correos|postal|pocztowa|cp))? ?(?:n\.?º ?|nr\.? ?|no\.? ?)?\d{1,4}(?: \d\d){0,3}(?![\w.%])", True),
)  # fmt: skip
# Before an address with a word that things have too.
_PREPOSITION = re.compile(
    r"(?:\b(?:at|to|near|lives? in|located (?:in|on)|address(?: is)?|moved to|from|in der|in dem|im|am|an der|adresse|wohnt|wohne|anschrift|aan"
    r"|habite|au|domicilié|indirizzo|na|em|på|til|bor)[: ]{1,2}|\n)\Z",
    re.IGNORECASE,
)
_CITY_AFTER = re.compile(rf",? ?\n?(?:in )?{_CAP}(?:,|\.|\n|\Z)")


class _Reader(Struct, frozen=True):
    pattern: re.Pattern[str]
    sure: bool


@lru_cache(maxsize=1)
def readers_by_word() -> dict[str, list[_Reader]]:
    """The patterns of each street word, compiled for the first text."""
    found: dict[str, list[_Reader]] = {}
    for street in _STREETS:
        words = sorted(street.words.split("|"), key=len, reverse=True)
        spelled = "|".join(f"{word}|{word.capitalize()}" for word in map(re.escape, words))
        reader = _Reader(
            re.compile(rf"(?<![\w@/.#$€-])(?:{street.pattern.replace('WORDS', spelled)}){_TAIL}"), street.sure
        )
        for word in words:
            found.setdefault(word if len(word) > 1 else word, []).append(reader)
    return found


def find_address_near(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """Addresses around a street word; `small` is the folded text."""
    end = at + len(word)
    if small[end : end + 1].isalpha() and word[-1].isalpha():
        return
    low, high = max(0, at - _BEFORE), min(len(text), end + _AFTER)
    for reader in readers_by_word()[word]:
        for match in reader.pattern.finditer(text, low, high):
            if match.start() > at:
                break
            if match.end() >= end and (reader.sure or _is_address(text, match)):
                yield match.span()
                break


def _is_address(text: str, match: re.Match[str]) -> bool:
    """Whether a place follows, or a preposition is before a street with an ambiguous word."""
    return bool(match["place"]) or _PREPOSITION.search(text, max(0, match.start() - 24), match.start()) is not None


POSTCODE_WORDS = tuple(
    "postcode|post code|postal code|zip|plz|postleitzahl|code postal|código postal|codigo postal|cep|kod pocztowy|kodu pocztowego|codice postale"
    "|postnummer|postnr|psč|pin code|pincode|eircode|cap |郵便番号|邮编|邮政编码|郵遞區號|우편번호|индекс|індекс|τ.κ.|τκ|postinumero|الرمز البريدي|מיקוד"
    .split("|")
)  # fmt: skip
_POSTCODE = re.compile(
    r"[^\W\d_]{0,8}(?: (?:code|number|nummer|is|was|ist|est|es|è|é|lautet|er|to|jest|n[oº]\.?))*[\s:#=\"'()はは은는]{0,4}(?:ist |is |は)?"
    r"(?P<code>\d{5}-\d{3,4}|\d\d-\d{3}|\d{3}-\d{4}|\d{4} ?[A-Z]{2}(?![A-Za-z])|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d"
    r"|[A-Z]\d[\dW] ?[A-Z\d]{4}|\d{3} \d{2,3}|\d{4,6})(?![\dA-Za-z_]|[.,:-]\d)"
)


def find_postcode_after(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """The postal code after a word for it; "ZIP" and "CAP" alone only in capitals."""
    before = small[at - 1 : at]
    if before.isalnum() and before.isascii():
        return
    if word in ("zip", "cap ") and not (text[at : at + 3].isupper() or small.startswith("zip code", at)):
        return
    if match := _POSTCODE.match(text, at + len(word)):
        yield match.span("code")
