"""Detects postal addresses in prose and in blocks of lines: streets with numbers, boxes, postal codes and places.

A street word beside a number begins an address in the order of its country; what follows up to the place belongs to
it. Words that things have too ("Google Drive 2", "Arbeitsplatz 3") need a postal code, a place or a preposition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from workbench.privacy.detectors.text_search import find_matches

_BEFORE, _AFTER = 80, 150  # characters around a street word that are read
_MOST_STARTS = 4  # numbers or capitals before a street word that may begin an address

_UPPER = (
    "A-ZÀ-ÖØ-Þ\u0100\u0106\u010c\u010e\u0118\u011a\u0130\u0141\u0143\u0147\u0150\u0158\u015a\u015e\u0160\u0164\u016e"
    "\u0179\u017b\u017d"
)
_CAP = rf"[{_UPPER}](?:[^\W_]|['’.-](?=[^\W_])){{0,24}}+"  # a capitalized word
_SMALL = (
    "(?:de|del|della|delle|dei|di|da|do|dos|das|du|des|la|le|les|las|los|el|y|e|et|en|al|aux?|sur|van|von|der|den|dem"
    "|het|ten|ter|nad|pod|na|w|we|am|im|zu|of|the|i)"
)
_JOINED = r"(?:[dl]|dell|all|sant)['’]"
_CITY = rf"{_CAP}(?:[ -](?:{_SMALL} |{_JOINED})?{_CAP}){{0,3}}"
_DIRECTION = r"(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West|Upper|Lower|Ouest|Est|Nord|Sud|O)\b\.?"
_NUMBER = (
    r"\d{1,5}(?: (?:bis|ter|quater)\b| (?![iouwyz] \w)[a-zA-Z](?!\w|\. ?\d)|[a-zA-Z](?!\w))?"
    r"(?: ?[-/–] ?(?:\d{1,5}[a-zA-Z]?|[A-Za-z](?!\w))){0,3}(?![\w%€$]|[.,]\d|:\d)"
)
_NUMBER_SIGN = r"(?:,? ?(?:[Nn]\.?[ºo°]\.?|nº|núm\.?|nr\.?|č\.? ?p\.?|#) ?|,? )"
_BRITISH_CODE = r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"
_CANADIAN_CODE = r"[A-Z]\d[A-Z] ?\d[A-Z]\d"
_IRISH_CODE = r"[A-Z]\d[\dW] ?[A-Z\d]{4}"
_CODE_CITY = (
    rf"(?:(?:C\.?P\.? )?(?:[A-Z]{{1,2}}-)?\d{{4,6}}|\d{{3}} \d{{2}}|\d\d-\d{{3}}|\d{{4}} ?[A-Z]{{2}}|\d{{4}}-\d{{3}})"
    rf" {_CITY}"
    r"(?: \d{1,2}(?!\d))?(?: [A-Z]{1,2}(?!\w))?(?: ?\([A-Z]{2}\))?"
)
_CITY_CODE = (
    rf"(?:{_CITY}(?: \d{{1,2}})?(?:, | - | )?){{1,3}}?"
    rf"(?:,? ?(?:{_BRITISH_CODE}|[A-Z]{{2}} {_CANADIAN_CODE}|{_IRISH_CODE}|[A-Z]{{2,3}},? \d{{4,5}}(?:-\d{{4}})?)"
    r"|,? ?[-–]? ?\d{3} ?\d{3}|,? (?:\d{5}(?:-\d{3,4})?|[A-Z]{2}-\d{4,5}|\d\d-\d{3})"
    r"|,? \d{4}(?= ?(?:[,.;)\n]|\Z)))(?![\w-])"
)
_OWN_LINE_CODE = (
    rf"(?=[^\r\n]{{2,60}}\r?\n)(?:{_CITY}(?:, | - |,?\r?\n[ \t]{{0,8}}| ?[-/] ?(?=[A-Z]{{2}}\W))){{0,2}}"
    rf"{_CITY},?\r?\n[ \t]{{0,8}}(?:(?:{_BRITISH_CODE}|{_CANADIAN_CODE})(?!\w)"
    rf"|(?:\d{{5}}-\d{{3,4}}|(?:{_CAP} )?\d{{4,6}})"
    r"(?=[.,;)\"']?[ \t]?(?:\r?\n|\Z)))"
)
_BRAZILIAN = (
    rf"(?:{_CITY}(?:, | - )){{0,3}}{_CITY} ?[-/] ?[A-Z]{{2}}(?:,? ?(?:CEP:? ?)?\d{{5}}-\d{{3}})?"
    rf"|(?:{_CITY}(?:, | - )){{0,3}}(?:CEP:? ?)\d{{5}}-\d{{3}}"
    rf"|(?:{_CITY}(?:, | - )){{1,3}}\d{{5}}-\d{{3}}"
)
_UNIT = (
    r"(?i:apt|apartment|suite|ste|unit|flat|floor|room|rm|apto|ap|bl|bus|bte|boîte|lgh|whg|top|tür|stiege|etage|int"
    r"|interno|piso|puerta|esc|planta|sala|loja|andar|lok|m|kv|bât|bâtiment|appt|appartement|étage|scala|bloco|quadra|lote"
    r"|bureau|local|depto|dpto|oficina|of|casa|bl|sc|et|stg|top|blok|daire|kat|d|k|level|stock|em|byt)"
    r"\b[.:]? ?(?:[A-Za-z]?\d{1,5}[A-Za-z]?|[A-Za-z])(?!\w)"
    r"|(?:st|kl)\.? ?(?:tv|th|mf)\b\.?|(?:bajo|ático|hs|entresuelo)\b|[IV]{1,3}(?!\w)"
    r"|#\d{1,5}(?:-\d{1,4})?|\d{1,3}(?:st|nd|rd|th) (?i:floor|fl)\b\.?|\d{1,2}(?:\.|º|ª|°|er|e)[ºª]? ?"
    r"(?:[A-Z]{1,2}(?!\w)|(?i:izq|dcha|esq|dto|tv|th|mf|sal|piso|étage|andar|floor))?\.?"
)
_SEPARATOR = r"(?:,? |,? ?\r?\n[ \t]{0,8}(?:[>|] ?)?|,)"
_TAIL = (
    rf"(?:(?:{_SEPARATOR}|[-/])(?:{_UNIT})){{0,3}}"
    rf"(?:, (?:Col\.|Colonia|Fracc\.|Barrio|Brgy\.|Barangay|Bairro|RD|C\.?P\.?)"
    rf" ?(?:{_CAP}|\d{{1,5}})(?: {_CAP}){{0,2}}){{0,2}}"
    rf"(?:(?P<place>(?: -|,)?(?:{_SEPARATOR}|,? (?:in|à|te|i|u|v|w|en|a|em|na) (?=[A-Z]{{0,2}}-?\d))"
    rf"(?:[-–] )?(?:{_CODE_CITY}|{_OWN_LINE_CODE}|{_CITY_CODE}|{_BRAZILIAN}))"
    rf"|, {_CITY}(?=[;:.\n)\]]|, |\Z| [a-z]))?"
    r"(?: \([A-Z]{2}\)| [A-Z]{2}(?!\w))?"
)
_NAME = (
    rf"(?: (?:{_SMALL}|\d{{1,2}}[º°]?)(?= )){{0,3}} (?:{_JOINED})?{_CAP}"
    rf"(?: (?:{_SMALL}(?= )|(?:{_JOINED})?{_CAP}|\d{{1,2}}(?= [{_UPPER}]))){{0,5}}"
    r"(?<! (?:en|em|na|am|im|zu))(?<! [wiy])"
)


class _Street(Struct, frozen=True, eq=False):
    """How streets are written in some languages."""

    words: str  # in lower case
    pattern: str  # of a street with its number; WORDS stands for the words
    start: re.Pattern[str] | None = None  # where the pattern can begin before the word; None if the word begins it
    sure: bool = True  # an address also without a place


_AT_NUMBER = re.compile(
    r"(?<![\w@/.#$€-])(?:\d|[A-Z]-\d"
    r"|(?:Flat|Unit|Lot|Apt|Apartment|Suite|House|H\. ?No|Door|Plot|Shop|Floor|Office|Level|Blk|Block|No|Bât)\b)"
)
_AT_CAPITAL = re.compile(rf"(?<![\w@/.#$€-])[{_UPPER}]")
_FLAT = (
    r"(?:Flat|Unit|Lot|Apt|Apartment|Suite|House|H\. ?No\.|House No\.|Door No\.|Plot|Plot No\.|Shop|Floor|Office|Level"
    rf"|Blk|Block|No\.)\.? ?[A-Z]?\d{{1,5}}[A-Z]?(?:[-/]\d{{1,5}}){{0,2}}(?:,? |/)"
    rf"(?:{_CAP}(?: (?:{_CAP}|\d{{1,2}})){{0,3}}, )?"
    r"(?:\d{1,3}(?:st|nd|rd|th) (?:Cross|Main|Floor|Block|Stage|Phase)(?: Road)?, ){0,2}"
)
_HOUSE_FIRST = r"(?:[A-Z]-)?\d{1,5}[A-Za-z]?(?:[-/]\d{1,5}){0,2},? "
_ENGLISH = (
    rf"(?:{_FLAT}(?:{_HOUSE_FIRST})?|{_HOUSE_FIRST})(?:{_DIRECTION} )?"
    rf"(?:(?:{_CAP}|\d{{1,3}}(?:st|nd|rd|th)) ){{1,4}}(?:WORDS)\b\.?(?: {_DIRECTION})?(?: \d{{1,3}}(?= #|,))?"
)
_GERMANIC = rf"(?:{_CAP}[ -]){{0,2}}[{_UPPER}][^\W\d_]{{1,24}}(?:WORDS) {_NUMBER}"
_HYPHENED = rf"[{_UPPER}][^\W\d_]{{1,20}}(?:-[{_UPPER}][^\W\d_.]{{0,20}}){{0,3}}-(?i:WORDS) {_NUMBER}"
_APART = rf"(?:{_CAP}\.?[ -]){{1,3}}(?:WORDS) {_NUMBER}"
_NUMBER_WORD = r"(?i:n[°º.]{1,2}[º°o]?|número|numero|numéro|civico|núm\.|nr\.?) ?"
_AT_NUMBER_WORD = re.compile(rf"(?<![^\W_]){_NUMBER_WORD}(?=\d)")
_NUMBER_OF = (
    rf"{_NUMBER_WORD}\d{{1,5}}(?: ?[A-Z](?!\w)| (?:bis|ter)\b)?,? "
    r"(?:d[aeo]s? (?:l[ao]s? )?|de l['’]|du |di |del(?:la|lo)? |dell['’])"
    rf"(?i:WORDS){_NAME}"
)
_FRENCH = rf"(?:Bât(?:iment|\.)? [A-Z\d]{{1,2}}, )?\d{{1,4}}(?: ?(?:bis|ter|quater|[A-D](?!\w)))?,? (?i:WORDS){_NAME}"
_LATIN = rf"(?:WORDS){_NAME}{_NUMBER_SIGN}{_NUMBER}"
_SLAVIC = rf"(?:(?i:WORDS){_NAME}|(?:{_CAP} ){{1,2}}(?i:WORDS)) {_NUMBER}(?:,? ?(?:m|lok)\. ?\d{{1,4}})?"
_COLOMBIAN = (
    r"(?:WORDS) \d{1,3}[A-Z]?(?: ?(?i:bis|sur|norte))? ?(?:#|[Nn]o\.?|[Nn]°|Nº) ?\d{1,3}[A-Z]?(?: ?[-–] ?\d{1,3})?"
)
_SOUTH_SLAVIC = (
    rf"(?:(?i:WORDS) (?:(?:bana|kralja|kneza|svetog|sv\.|hrvatskih|maršala) )?{_CAP}(?: (?:{_SMALL} )?{_CAP}){{0,3}}"
    rf"|(?:{_CAP} ){{1,3}}(?i:WORDS)) {_NUMBER}"
)
_HUNGARIAN = (
    rf"(?:{_CAP}[ -]){{1,4}}(?:WORDS) \d{{1,4}}(?:[-/][\dA-Za-z]{{1,4}})?\.?"
    r"(?:,? ?(?:\d{1,2}|[IVX]{1,4}|fszt|földszint)\.? ?(?:em\.?|emelet|lph\.?|ép\.?|ajtó|a\.)?(?!\w)){0,3}"
)
_TURKISH = (
    rf"(?:{_CAP} ){{1,3}}(?:WORDS)(?: (?:{_CAP} ){{1,3}}(?:Cad\.|Caddesi|Sok\.|Sokak|Sokağı|Sk\.|Bulvarı)){{0,2}},? "
    r"(?:No ?[:.]? ?)?\d{1,4}[A-Z]?(?:/\d{1,3})?(?:,? (?:D|Daire|Kat|K|Blok|Apt)[.:]? ?[A-Z\d]{1,4}(?!\w)){0,3}"
)
_MALAYAN = (
    rf"(?:No\.|Lot|Unit) ?\d{{1,5}}[A-Z]?(?:-\d{{1,4}})?, (?:WORDS)(?: {_CAP}){{1,3}}(?: \d{{1,3}}(?:/\d{{1,3}})?)?"
)
_PAKISTANI = (
    r"(?:House|Plot)\.? (?:No\.? )?\d{1,5}[A-Z]?, (?:WORDS) (?:No\.? )?[A-Z]?-?\d{1,4}(?:, [A-Z]-\d{1,2}(?:/\d{1,2})?)?"
)
_RURAL = r"(?i:WORDS) \d{1,4}(?:,? [Bb]ox \d{1,5}(?:-[A-Z\d]{1,3})?)"
_ROUTE = r"\d{1,5}[A-Z]? (?:(?:N|S|E|W)\.? )?(?:WORDS) \d{1,4}[A-Z]?"
_GREEK = (
    r"(?i:WORDS) [Α-ΩΆ-Ώ][\w.]{1,24}(?: [Α-ΩΆ-Ώ][\w.]{1,24}){0,3},? \d{1,4}"
    r"(?:, ?(?:Τ\.?Κ\.? ?)?\d{3} ?\d\d [Α-ΩΆ-Ώ]\w+)?"
)
_BOX = r"(?i:WORDS)(?: ?(?i:pocztowa|cp))? ?(?:n\.?º ?|nr\.? ?|no\.? ?)?\d{1,4}(?: \d\d){0,3}(?![\w.%])"
_STREETS = (
    _Street(
        "street avenue road lane boulevard blvd terrace crescent highway hwy parkway pkwy turnpike mews grove gardens",
        _ENGLISH,
        _AT_NUMBER,
    ),
    _Street(
        "st ave rd ln dr close drive court ct square sq place pl way park hill row walk circle cir trail loop quay"
        " parade esplanade salai marg nagar colony vihar chowk layout view"
        " rise green plaza run alley crossing pike cross",
        _ENGLISH,
        _AT_NUMBER,
        sure=False,
    ),
    _Street(
        "street avenue road lane boulevard terrace crescent grove gardens drive close court square rise mews",
        rf"(?:{_CAP} ){{1,2}}(?:WORDS) {_NUMBER}",
        _AT_CAPITAL,
        sure=False,
    ),
    _Street(
        "straße strasse str. gasse allee chaussee straat laan gracht kade gatan vägen vejen veien stræde gade",
        _GERMANIC,
        _AT_CAPITAL,
    ),
    _Street(
        "weg platz ring ufer damm steig hof markt graben promenade plein singel dijk dreef steeg pad gata gränd torget"
        " stigen vej allé torv vænge gate vei vegen plass",
        _GERMANIC,
        _AT_CAPITAL,
        sure=False,
    ),
    _Street(
        "straße strasse str. allee gasse weg platz ring damm ufer chaussee markt tor graben hof linden garten park"
        " straat laan plein gade vej väg gata gate gaten vei veien veg plass torg brygge allé bakken plads strand torv"
        " boulevard",
        _APART,
        _AT_CAPITAL,
        sure=False,
    ),
    _Street(
        "rue avenue av. boulevard boul. bd chemin impasse allée allées quai ruelle faubourg résidence lotissement"
        " sentier venelle",
        _FRENCH,
        _AT_NUMBER,
    ),
    _Street(
        "rua r. avenida av. travessa praça largo alameda estrada via viale piazza piazzale corso vicolo calle paseo"
        " plaza rue avenue boulevard place quai chemin impasse allée route cours",
        _NUMBER_OF,
        _AT_NUMBER_WORD,
    ),
    _Street("place route cours square passage villa esplanade cité hameau promenade", _FRENCH, _AT_NUMBER, sure=False),
    _Street(
        "rue avenue av. boulevard chemin quai place route chaussée allée clos",
        rf"(?i:WORDS){_NAME},? {_NUMBER}",
        sure=False,
    ),
    _Street(
        "calle avda. avda av. avenida paseo plaza pza. plza. ronda carretera ctra. travesía glorieta rambla carrer"
        " passeig urbanización camino blvd. blvd bulevar calzada privada cerrada prolongación jr. jirón pasaje psje."
        " autopista jalan jl. lorong strada str. bulevardul b-dul calea șoseaua aleea piața intrarea",
        _LATIN,
    ),
    _Street("calle cl. carrera cra. cra transversal diagonal avenida", _COLOMBIAN),
    _Street("utca út útja tér tere körút krt. sétány köz sor fasor rakpart", _HUNGARIAN, _AT_CAPITAL),
    _Street("cad. caddesi sok. sokak sokağı bulvarı mah. mahallesi", _TURKISH, _AT_CAPITAL),
    _Street(
        "ulica ulici ulicu trg trgu cesta cesti avenija aveniji šetalište obala naselje", _SOUTH_SLAVIC, _AT_CAPITAL
    ),
    _Street("rr hc rural_route", _RURAL),
    _Street("jalan jln. lorong persiaran", _MALAYAN, _AT_NUMBER),
    _Street("street sector", _PAKISTANI, _AT_NUMBER),
    _Street("straße strasse str. allee platz weg ring damm ufer gasse promenade chaussee laan", _HYPHENED, _AT_CAPITAL),
    _Street(
        "county_road state_highway state_route highway farm_road fm county_highway", _ROUTE, _AT_NUMBER, sure=False
    ),
    _Street(
        "prospekts iela ielā gatvė gatvėje g. pr. mnt tänav", rf"(?:{_CAP} ){{1,3}}(?:WORDS) {_NUMBER}", _AT_CAPITAL
    ),
    _Street("c/", rf"[Cc]/ ?{_CAP}(?: (?:{_SMALL} )?{_CAP}){{0,4}}{_NUMBER_SIGN}{_NUMBER}"),
    _Street(
        "via viale v.le piazza p.zza piazzale corso c.so largo vicolo contrada lungomare lungarno borgo strada",
        _LATIN,
    ),
    _Street("rua r. av. avenida travessa praça alameda rodovia estrada ladeira calçada largo", _LATIN),
    _Street(
        "ul. ulica ulicy al. aleja alei aleje plac placu pl. alejach os. osiedle osiedlu rondo rondzie ronda skwer"
        " skwerze bulwar bulwarze bulwaru",
        _SLAVIC,
    ),
    _Street("ulice ulici ulica ulicy náměstí nám. třída třídě nábřeží námestie", _SLAVIC, _AT_CAPITAL),
    _Street("οδός οδού λεωφόρος λεωφόρου λεωφ. πλατεία", _GREEK),
    _Street(
        "postfach po_box p.o._box p._o._box p_o_box p.o.box apartado_de_correos apartado_postal bp_ b.p. boîte_postale"
        " case_postale casella_postale caixa_postal postbus skrytka postboks postbox poštovní_přihrádka locked_bag"
        " gpo_box",
        _BOX,
    ),
)
_LABEL = re.compile(
    r"(?:\w{0,20}(?i:adress[ea]?n?|adres|anschrift|address)|Entregar?|Entrega|Enviar|Sede|Morada|Mora|Domicilio|Sídlo"
    r"|Livrer|Bezorgen|Bezorg|Leverans|Bydlí|Mieszka|Wohnhaft|Abita|Vive) (?:na |em |en |in |à |au |op |aan |v |przy )?"
)
# Before an address with a word that things have too.
_PREPOSITION = re.compile(
    r"(?:\b(?:at|to|of|near|front of|lives? in|located (?:in|on)|address(?: is)?|from|in der|in dem|im|am|an der"
    r"|adresse|wohnt|wohne|anschrift|aan|habite|au|domicilié|indirizzo|na|em|på|til|bor|i|aan de|az|adresă|adresu"
    r"|osoitteessa)[: ]{1,2}|\n)\Z",
    re.IGNORECASE,
)
_IN_PLACE = re.compile(rf" (?:in|à|te|i|en|a|em|v|u) {_CAP}")


@lru_cache(maxsize=1)
def streets_by_word() -> dict[str, list[_Street]]:
    """How streets with a word are written."""
    found: dict[str, list[_Street]] = {}
    for street in _STREETS:
        for word in street.words.split():
            found.setdefault(word.replace("_", " "), []).append(street)
    return found


@lru_cache(maxsize=64)
def _compiled(street: _Street) -> re.Pattern[str]:
    """The pattern of an address, compiled for the first text with its word: all together take 80 ms."""
    words = sorted((word.replace("_", " ") for word in street.words.split()), key=len, reverse=True)
    spelled = "|".join(f"{word}|{word.capitalize()}" for word in map(re.escape, words))
    return re.compile(rf"(?<![\w@/.#$€-])(?:{street.pattern.replace('WORDS', spelled)}){_TAIL}")


def find_address_near(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """Addresses around a street word; `small` is the folded text."""
    end = at + len(word)
    if small[end : end + 1].isalpha() and word[-1].isalpha():
        return
    apart = small[at - 1 : at] in ("", " ", "\u00a0")
    for street in streets_by_word()[word]:
        if street.start is _AT_NUMBER and not apart:
            continue
        for start in _starts(street, text, at):
            match = _compiled(street).match(text, start, end + _AFTER)
            if not match or match.end() < end:
                continue
            first = _with_words_before(text, match.start())
            if street.sure or first < match.start() or _is_address(text, match):
                yield _without_label(text, first), match.end()
                break


def _starts(street: _Street, text: str, at: int) -> list[int]:
    """Where an address with the street word at this place can begin."""
    if street.start is None:
        return [at]
    found = [match.start() for match in street.start.finditer(text, max(0, at - _BEFORE), at + 1)]
    return [*found[-_MOST_STARTS:], at]


def _without_label(text: str, start: int) -> int:
    """The start of an address after a capitalized word that only announces it, such as "Lieferadresse"."""
    label = _LABEL.match(text, start)
    return label.end() if label else start


_NUMBER_WORD_BEFORE = re.compile(rf"(?<![^\W_]){_NUMBER_WORD}\Z")
_DUTCH = re.compile(
    rf"(?:{_CAP} )?[{_UPPER}][^\W\d_]{{1,24}}?(?:straat|laan|plein|kade|gracht|singel|dijk|weg|dreef|steeg|hof|park)\b"
)
_DUTCH_BEFORE = re.compile(
    r"(?:\A|[\n:,(] ?|\b(?:aan|op|in|naar|bij|langs|tegenover) )(?P<words>van (?:der |den |de |'t )?|ter |ten )\Z"
)
_DE_BEFORE = re.compile(r"(?<!\w)(?P<words>de )\Z")
_AFTER_DE = re.compile("Ruyter|Lairesse|Clercq|Wit|Boelelaan|Genestet|Savornin|Kempenaer|Gaulle|Genderen")


def _with_words_before(text: str, start: int) -> int:
    """The start of an address with small words before it that belong to it: "n° 23, rue …", "van Baerlestraat 5"."""
    first = max(0, start - 20)
    if text[start].isdigit():
        before = _NUMBER_WORD_BEFORE.search(text, first, start)
        return before.start() if before else start
    if _DUTCH.match(text, start):
        dutch = _DE_BEFORE if _AFTER_DE.match(text, start) else _DUTCH_BEFORE
        words = dutch.search(text, first, start)
        return words.start("words") if words else start
    return start


def _is_address(text: str, match: re.Match[str]) -> bool:
    """Whether a place follows, or a preposition is before a street with an ambiguous word."""
    return (
        bool(match["place"])
        or _IN_PLACE.match(text, match.end()) is not None
        or _PREPOSITION.search(text, max(0, match.start() - 24), match.start()) is not None
    )


# A house number, a postal code and a place tell an address without a street word: "Dlouhá 12, 110 00 Praha 1".
_MONTHS = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d"
_COMMA_PLACE = re.compile(
    r"(?:, ?\n?|\n[ \t]{0,8}| (?:in|à|te|u|v|w) )(?:(?:[A-Z]{1,2}-)?\d{4,5}|\d{3} \d{2}|\d\d-\d{3}|\d{4} ?[A-Z]{2}"
    rf"|\d{{4}}-\d{{3}}) {_CITY}(?: \d{{1,2}}(?![\d:]|\.\d))?"
)
_HOUSE = re.compile(
    rf"(?<![\w-])(?!{_MONTHS})(?:Am |An der |Im |In der |Auf der |Zum |Zur )?{_CAP}(?: (?:{_SMALL} )?{_CAP}){{0,3}}"
    rf" \d{{1,4}}(?: ?[a-zA-Z])?(?:/\d{{1,4}}[a-z]?)?(?:,? (?:{_UNIT}))?\Z"
)
_HOUSE_LENGTH = 60
# Postal codes whose form is enough in a sentence: British and Canadian ones with a space, and one before "zip code".
_PLAIN_CODE = re.compile(
    r"(?<![\w-])(?P<code>(?:[A-PR-UWYZ][A-HK-Y]?\d[A-HJ-NP-Z\d]? \d[ABD-HJLNP-UW-Z]{2}"
    r"|[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] \d[ABCEGHJ-NPRSTV-Z]\d)(?=[\s.,;:!?)]|\Z)"
    r"|(?<=Singapore )\d{6}(?=[.,;:)\n]|\Z)|\d{5}(?= (?:zip|postal) ?code))"
)


def find_addresses_by_place(text: str) -> Iterator[tuple[int, int]]:
    """Spans of addresses without a street word."""
    for place in find_matches(_COMMA_PLACE, text):
        if house := _HOUSE.search(text, max(0, place.start() - _HOUSE_LENGTH), place.start()):
            yield _without_label(text, house.start()), place.end()
    for code in find_matches(_PLAIN_CODE, text):
        yield code.span("code")


_POSTCODE_WORDS = """
postcode post_code postal_code zip plz postleitzahl code_postal código_postal codigo_postal cep kod_pocztowy
kodu_pocztowego codice_postale postnummer postnr psč pin_code pincode eircode cap_ 郵便番号 邮编
邮政编码
郵遞區號 우편번호 индекс індекс τ.κ. τκ postinumero
الرمز_البريدي מיקוד
"""
POSTCODE_WORDS = tuple(word.replace("_", " ") for word in _POSTCODE_WORDS.split())
_POSTCODE = re.compile(
    r"[^\W\d_]{0,8}(?: (?:code|number|nummer|is|was|ist|est|es|è|é|lautet|er|to|jest|n[oº]\.?)){0,3}"
    r"[\s:#=\"'()は은는]{0,4}"
    rf"(?:ist |is )?(?P<code>\d{{5}}-\d{{3,4}}|\d\d-\d{{3}}|\d{{3}}-\d{{4}}|\d{{4}} ?[A-Z]{{2}}(?![A-Za-z])"
    rf"|{_BRITISH_CODE}|{_CANADIAN_CODE}|{_IRISH_CODE}|\d{{3}} \d{{2,3}}|\d{{4,6}})(?![\dA-Za-z_]|[.,:-]\d)"
)
_ONLY_CAPITALS = ("zip", "cap ")  # words of other meanings in small letters


def find_postcode_after(text: str, small: str, at: int, word: str) -> Iterator[tuple[int, int]]:
    """The postal code after a word for it; `small` is the folded text."""
    before = small[at - 1 : at]
    if before.isalnum() and before.isascii():
        return
    if word in _ONLY_CAPITALS and not (text[at : at + 3].isupper() or small.startswith("zip code", at)):
        return
    if match := _POSTCODE.match(text, at + len(word)):
        yield match.span("code")
