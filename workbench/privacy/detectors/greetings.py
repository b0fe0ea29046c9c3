"""Detects names after greetings, below farewells, and in lower case in chats, in nine languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from workbench.privacy.detectors import person_names
from workbench.privacy.detectors.keyword_search import KeywordFinder
from workbench.privacy.detectors.name_model import folded, name_model
from workbench.privacy.detectors.script_name_lists import names_of
from workbench.privacy.detectors.text_search import DetectedSpan
from workbench.privacy.detectors.word_lists import COMMON_WORDS, THING_WORDS
from workbench.privacy.value_index import fold
from workbench.thread_cancellation import check_cancelled

# Words with capitals, except particles between them.
CAPITAL = r"(?!(?:the|and|or)\b)[^\W\d_a-zß-öø-ÿ](?:[^\W\d_]|['’-](?=[^\W\d_])){0,30}+\.?"
_PARTICLE = r"(?:de|van|der|den|von|da|di|del|la|le|bin|al|dos|do|du|ten|ter|zu|y|el)\b"
CAPITALS = rf"{CAPITAL}(?: (?:{_PARTICLE}|{CAPITAL})){{0,4}}"
_TITLES = (
    "mr|mrs|ms|miss|mx|dr|dra|prof|professor|herrn?|frau|hr|fr|dipl.-ing|mag|m|mme|mlle|monsieur|madame"
    "|mademoiselle|ma[iî]tre"
    "|señora?|señorita|sra?|srta|don|doña|signora?|signorina|sig|sig.ra|dott|dott.ssa|dottor|dottore|dottoressa"
    "|ing|avv|gent.mo|gent.ma"
    "|senhora?|sr.ª|exmo|exma|pani?|panu|pana|panie|pane|paní|heer|de heer|mevrouw|mevr|meneer|mw|dhr"
).replace(".", r"\.")
TITLE = rf"(?:(?i:{_TITLES})\b\.? ){{0,2}}"

_GREETINGS = (
    "hi |hello |hey |dear |good morning |good afternoon |good evening |hallo |liebe |lieber |liebes |guten tag "
    "|guten morgen |guten abend |moin "
    "|servus |geehrte |geehrter |bonjour |bonsoir |salut |coucou |cher |chère |chers |hola |estimado |estimada "
    "|querido |querida |buenos días "
    "|buenas tardes |ciao |buongiorno |buonasera |salve |gentile |gentilissimo |gentilissima |egregio |caro "
    "|cara |olá |oi |prezado |prezada "
    "|bom dia |boa tarde |szanowna |szanowny |cześć |witaj |hej |dzień dobry |drogi |droga |beste |geachte |hoi "
    "|dag |lieve |goedemorgen "
    "|goedemiddag |vážený |vážená |milý |milá |ahoj |dobrý den |bäste |kära |kære |kjære |hei "
)
_GREETING_WORDS = tuple(_GREETINGS.split("|"))
_ENGLISH = frozenset({"hi ", "hello ", "hey ", "dear ", "hallo ", "hola ", "bonjour ", "ciao "})
_BEGINS = re.compile(r"(?:\A|[\r\n>\"“'’*_(:|]|[.!?,–—-] )[ \t]{0,4}(?:sehr |muy )?\Z", re.IGNORECASE)
_GREETED = re.compile(rf"{TITLE}(?P<name>{CAPITALS})(?=[,!:;.\n]|$)")
_GREETED_STRICT = re.compile(rf"{TITLE}(?P<name>{CAPITALS})(?=[ \t]?(?:[,:]|!? ?\r?\n)|!?$)")
_GREETED_SMALL = re.compile(r"(?P<name>[a-zß-öø-ÿ][a-zß-öø-ÿ'-]{2,20}(?: [a-zß-öø-ÿ'-]{3,20})?)(?=[,!:;.\n]|$)")

_FAREWELLS = (
    "regards|sincerely|thanks|thank you|thx|cheers|best|best wishes|warmly|respectfully|cordially|yours|take care"
    "|many thanks|see you|love|grüße|grüßen"
    "|grüsse|grüssen|gruß|gruss|mfg|lg|vg|hochachtungsvoll|herzlichst|ihr|ihre|dein|deine|danke|cordialement"
    "|à vous|à toi|amicalement|à bientôt|bises"
    "|salutations|merci|sincères|saludos|saludo|saludos cordiales|atentamente|abrazo|besos|gracias|pozdrawiam"
    "|z poważaniem|pozdrowienia|pozdrowieniami"
    "|z wyrazami szacunku|dzięki|groet|groeten|groetjes|mvg|hoogachtend|bedankt|saluti|saluto|a presto|grazie"
    "|cordialmente|un abbraccio|atenciosamente|cumprimentos"
    "|abraço|abraços|obrigado|obrigada|att|hälsning|hälsningar|hilsen|mvh|vänligen|tack|takk|tak|s pozdravem|děkuji"
)
_ENGLISH_FAREWELLS = frozenset(
    {"regards", "sincerely", "thanks", "thank you", "thx", "cheers", "best", "best wishes", "yours"}
)
_FARTHEST = 60  # characters between the beginning of a line and a farewell
_FAREWELL_WORDS = tuple(_FAREWELLS.split("|"))
_MORE = (
    r"(?: (?:cordiales|cordiali|distinti|again|all|so much|a lot|vielmals|beaucoup|mille|atentos|cordiais"
    r"|serdecznie|wishes|truly|faithfully|sincerely))?"
)
_SIGNED = re.compile(
    rf"{_MORE}[,.!]?(?:[ \t]{{0,9}}\r?\n\s{{0,4}}"
    rf"|(?<=,) ?)[-–—~]{{0,2}} ?(?P<name>(?:i\. ?[AV]\. |ppa\. )?{TITLE}{CAPITALS})(?=[ \t]{{0,9}}(?:[\r\n,|.(]|$))"
)
_SIGNED_SMALL = re.compile(
    rf"{_MORE}[,!]?(?:[ \t]{{0,9}}\r?\n\s{{0,4}}"
    rf"|(?<=,) )[-–—~]{{0,2}} ?(?P<name>[a-zß-öø-ÿ][a-zß-öø-ÿ'-]{{2,20}}(?: [a-zß-öø-ÿ'-]{{3,20}})?)"
    r"(?=[ \t]{0,9}(?:[\r\n.!]|$))"
)
_CUES = ("cc ", "called ", "named ", "ping ", "asked ", "from ", "by ", "with ", "name is ", "i'm ", "i am ")
_CUED = re.compile(r"(?P<name>[a-zß-öø-ÿ][a-zß-öø-ÿ'-]{2,20}(?: [a-zß-öø-ÿ'-]{3,20})?)(?![\w@/(=.'-]*[\w(=])")
_NOBODY_WORDS = """
all team everyone everybody there sir madam customer customers colleague colleagues friend friends folks guys user users
sirs support hiring both again world valued subscriber member members ladies gentlemen damen herren you tous tutti todos
todas alle zusammen allerseits collega collegas collega's colleghi collègue collègues équipe equipo equipe kollege
kollegen kollegin kolleginnen kund kunde kunden kundin client clients cliente clientes clienti klient kliencie państwo
panie pani señor señora señores signore signora signori herr frau monsieur madame messieurs mesdames heer mevrouw dames
heren allemaal wszyscy wszystkich vänner kolleger monde mundo mondo welt wereld świecie amis amigos amici freunde
vrienden przyjaciele grüße grüßen grüsse wünsche wishes regards groeten groet saluti saludos abraços wensen noreply
leser leserin nutzer benutzer lecteur lecteurs usuario usuarios utente utenti interessenten bewerber partner mitglied
mitglieder deutschland zeit tage all' santa god lord diary reader readers applicant candidate student students parents
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())
_SIGNS = ",!:;.\n"


@lru_cache(maxsize=1)
def _finder() -> tuple[KeywordFinder, frozenset[str], frozenset[str]]:
    greetings, farewells = frozenset(_GREETING_WORDS), frozenset(_FAREWELL_WORDS)
    return KeywordFinder([*_GREETING_WORDS, *_FAREWELL_WORDS, *_CUES], "\n,!"), greetings, farewells


def find_greeted_names(text: str) -> Iterator[DetectedSpan]:
    """Names in greetings and farewells, and names in lower case after "called" and similar words."""
    small = fold(text)
    finder, greetings, farewells = _finder()
    for at, word in finder.find(small):
        if small[at - 1 : at].isalnum():
            continue
        end = at + len(word)
        if word in greetings:
            yield from _greeted(text, at, end, word)
        elif word in farewells:
            yield from _signed(text, at, end, word)
        elif (match := _CUED.match(text, end)) and (size := _small_name(match["name"], alone=word == "cc ")):
            yield DetectedSpan(match.start("name"), match.start("name") + size, "NAME", "word before it")


def _greeted(text: str, at: int, end: int, word: str) -> Iterator[DetectedSpan]:
    begins = _BEGINS.search(text, max(0, at - 16), at) is not None
    if word in _ENGLISH or begins:
        pattern = _GREETED if word in _ENGLISH else _GREETED_STRICT
        if match := pattern.match(text, end):
            name = match["name"].strip()
            if is_addressed(name) and (word in _ENGLISH or not _is_heading(name)):
                yield _span(text, match, "greeting before it")
        elif begins and (match := _GREETED_SMALL.match(text, end)) and (size := _small_name(match["name"])):
            yield DetectedSpan(match.start("name"), match.start("name") + size, "NAME", "greeting before it")


def _signed(text: str, at: int, end: int, word: str) -> Iterator[DetectedSpan]:
    if match := _SIGNED.match(text, end):
        name = match["name"].strip()
        same_line = "\n" not in text[end : match.start("name")]
        known = folded(name.split()[0]) in name_model().lists.first
        far = at > _FARTHEST and text.rfind("\n", at - _FARTHEST, at) < 0  # a sentence, not the line of a farewell
        placed = (known or word in _ENGLISH_FAREWELLS) if same_line else not far
        if placed and is_addressed(name) and not name.split()[-1][0].islower() and not _is_heading(name):
            yield _span(text, match, "farewell above it")
    elif (match := _SIGNED_SMALL.match(text, end)) and (size := _small_name(match["name"])):
        yield DetectedSpan(match.start("name"), match.start("name") + size, "NAME", "farewell above it")


def _span(text: str, match: re.Match[str], why: str) -> DetectedSpan:
    start = match.start("name")
    return DetectedSpan(start, start + len(match["name"].rstrip()), "NAME", why)


def is_addressed(name: str) -> bool:
    """Whether a capitalized word after a greeting is a person, not a team, a customer or the next sentence."""
    words = [word.strip(".,") for word in name.lower().split()]
    return (
        person_names.can_be_name(name)
        and len(words) <= 4
        and _NOBODY.isdisjoint(words)
        and person_names.NO_PERSON.isdisjoint(words)
    )


def _is_heading(name: str) -> bool:
    """Whether all words are ordinary words and no first names, as in the next heading or sentence."""
    lists = name_model().lists
    words = [folded(word.strip(".,")) for word in name.split()]
    return all(("C" in lists.of(word) or word in THING_WORDS) and word not in lists.first for word in words)


def _small_name(name: str, *, alone: bool = True) -> int:
    """The length of the name in lower case after a cue: first and last name, or a first name alone."""
    first, _, last = name.partition(" ")
    if last and folded(first) in name_model().lists.first and _is_last(last):
        return len(name)
    return len(first) if alone and not last and _is_english_first(first) else 0


def _is_english_first(word: str) -> bool:
    """Whether a word is a first name and no ordinary English word."""
    bare = folded(word)
    lists = name_model().lists
    return bare in lists.first and "C" not in lists.of(bare) and not _is_frequent(bare)


def _is_last(word: str) -> bool:
    bare = folded(word)
    lists = name_model().lists
    known = bare in lists.last or bare.replace("'", "") in lists.last
    return known and "C" not in lists.of(bare) and not _is_frequent(bare) and bare not in names_of("latin", "ordinary")


def _is_frequent(bare: str) -> bool:
    """Whether a word is among the most frequent ones of texts and code."""
    return bare in COMMON_WORDS or bare in THING_WORDS or bare in _NOBODY or bare in _FREQUENT


_FREQUENT_WORDS = """
else elif among said made side soon odd us lot lone age era harm kick sole tone dot min max del lambda async await yield
assert except finally import def char hash cid marker banner can't won't don't isn't peer tilde val sys meta len str int
"""
_FREQUENT = frozenset(_FREQUENT_WORDS.split())
_PIECE = 50_000
_OVERLAP = 60
_FEWEST = 3
_ENDS = ".,;:!?)\"'"
_GLUE = frozenset("_@/=(#")
_PAIR_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_])){2,24}")


@lru_cache(maxsize=1)
def _small_first_names() -> frozenset[str]:
    lists = name_model().lists
    ordinary = lists.common | names_of("latin", "ordinary") | COMMON_WORDS | THING_WORDS | _NOBODY | _FREQUENT
    return frozenset(name for name in lists.first - ordinary if len(name) >= _FEWEST)


def find_small_names(text: str) -> Iterator[DetectedSpan]:
    """First and last names in lower case beside each other, both in the lists and neither an ordinary word."""
    if " " not in text:
        return
    firsts = _small_first_names()
    for at in range(0, len(text), _PIECE):
        check_cancelled()
        piece = text[at : at + _PIECE + _OVERLAP]
        words = piece.split()
        if not firsts.isdisjoint(words):
            for pair in {
                f"{one} {two.rstrip(_ENDS)}" for one, two in pairwise(words) if one in firsts and two[0].islower()
            }:
                for start in _pair_places(piece, pair):
                    yield DetectedSpan(at + start, at + start + len(pair), "NAME", "first and last name")


def _pair_places(piece: str, pair: str) -> Iterator[int]:
    last = pair.partition(" ")[2]
    if len(last) < _FEWEST or not _PAIR_WORD.fullmatch(last) or not _is_last(last):
        return
    at = piece.find(pair)
    while at >= 0:
        before, after = piece[at - 1 : at], piece[at + len(pair) : at + len(pair) + 1]
        if before not in _GLUE and not before.isalnum() and after not in _GLUE and not after.isalnum():
            yield at
        at = piece.find(pair, at + len(pair))
