"""Decides which findings count in code, definitions, logs and documents, and when capitalised words are a name.

In prose and data every finding counts. Elsewhere `user`, `name` and `10.0.0.1` are mostly examples: what counts is a
person's name with evidence, such as `Author:` before it, and values that cannot be examples.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from itertools import pairwise
from typing import Final

from workbench.privacy.detectors.announced_numbers import TITLED
from workbench.privacy.detectors.credentials import is_jumble
from workbench.privacy.detectors.name_model import evidence, folded, is_title, listed, names_street
from workbench.privacy.detectors.text_search import DetectedSpan
from workbench.privacy.detectors.text_types import TextType
from workbench.privacy.detectors.word_filter import FIRST, LAST, ORDINARY, PLACE

PROSE: Final = "reads like a name or address"  # reason of the findings by the model
_CODE: Final = frozenset({TextType.COMMENT, TextType.CODE})
_DOCUMENT: Final = frozenset({TextType.DOCUMENT, TextType.HEADING})
_KEYED: Final = frozenset({"DOB", "ADDRESS", "COMPANY", "BANK", "NATIONAL_ID", "MAC"})
# Beginnings of the reasons of values that a key, a column or a word announces.
_ANNOUNCED: Final = ("key ", "tag ", "header ", "like ", "word ")
_SURE_NAMES: Final = frozenset({"date after it", "CN before it", "mention"})  # reasons of names that count everywhere
# `get_address: …` is a function and its description.
_FUNCTION_KEY = re.compile(
    r"key (?:\w{1,40}--"
    r"|(?:get|list|create|update|delete|fetch|add|remove|find|search|send|set|read|write)(?:_|[A-Z]))"
)
_DATE = re.compile(
    r"(?:[^\W\d_]{1,20} ){1,2}\d{1,2}(?:st|nd|rd|th|[^\W\d_]{2}|\.)?,? (?:1\d|20)\d\d(?!\d| [^\W\d_]*[A-Z])"
)
_POSTAL_CODE: Final = 10  # characters
_ORDINAL = re.compile(r"[IVX]{1,6}")
_CAMEL_CASE = re.compile(r"(?!Ma?c[A-Z]|De[A-Z]|La[A-Z]|Van[A-Z])[A-Z][a-z]{1,30}(?:[A-Z][a-z]{0,30}){1,5}")
_PHONE_BEFORE = re.compile(r"phone|tel|mobile|call|fax|sms|msisdn|cell|dial", re.IGNORECASE)
_EXAMPLE_PHONE = re.compile(r"555|(\d)\1{4}|12345|01234")
_EXAMPLE_SIGNS: Final = ("e.g.", "xample", "for instance", "such as", "formatted as")
_EXAMPLE_SECRET = re.compile(
    r"example|sample|s[e3]cr[e3]t|your|test|dummy|changeme|placeholder|password|passphrase|token|foo|bar|xxx|\.\.\."
    r"|[<>{}$()\[\],:;'\" ]|\b(?:key|abc|123)",
    re.IGNORECASE,
)
_PERMISSIONS: Final = frozenset({"read", "write", "none"})
_FEWEST_RANDOM: Final = 10  # characters of a secret under a key in code
_EXAMPLE_ADDRESS = re.compile(
    r"(?:user|username|test|tester|name|me|my|you|your|foo|bar|john\.?doe|jane\.?doe|alice|bob|someone|email|root)\d{0,3}@"
    r"|[a-z]@[a-z]\.",
    re.IGNORECASE,
)
_EXAMPLE_DOMAIN = re.compile(
    r"[@.](?:example|test|invalid|localhost|local|(?:example|company|domain|yourdomain|foo|bar|acme)\.\w{2,8})\Z",
    re.IGNORECASE,
)
_ROLE_ADDRESS = re.compile(
    r"(?:security|support|info|contact|hello|help|sales|admin|webmaster|postmaster|abuse|conduct|legal|privacy|team|dev)@"
    r"|.{0,64}@(?:googlegroups|lists\.[\w-]{1,60}|openssh|libssh)\."
    r"|.{0,60}-(?:users?|dev|devel|discuss|announce)@",
    re.IGNORECASE,
)
_FIRST_OF_ADDRESS: Final = 10  # four smaller numbers than these are more often a version
_MOST_OF_VERSION: Final = 100
_HOME = re.compile(r"(?:home|Users)[/\\]{1,2}\Z")
_BEFORE_HANDLE = re.compile(r"\b(?:by|cc|thanks|thanks to|ask|ping)[ \t]@\Z", re.IGNORECASE)
_HANDLE_AFTER = re.compile(r"[\"'*_]{0,3}[ \t]{0,2}[(\[<]@")
_LOCAL_HOST = re.compile(r"@(?:localhost|127\.|example\b|[\w.-]{0,60}example\.|[$<{%])")
_EXAMPLE_LOGIN = re.compile(
    r"(?:user|usr|username|u|me|foo|name|login|scott|admin|root|test)[\w%]{0,8}:(?:pass|pw|p\b|tiger|secret|bar|test|x+\b)"
    r"|[a-z]?:(?:[a-z]\b|pass|test|secret)|foo:",
    re.IGNORECASE,
)
_QUOTES: Final = frozenset("\"'`")
_IDENTIFIER = re.compile(r"[A-Za-z]?[a-z]{1,20}(?:[A-Z][a-z]{1,20}){1,6}\d?")
_BEFORE_NAME = re.compile(
    r"(?:authors?|copyright|©|maintainers?|maintained|written|created|developed|designed|contributed|contributors?"
    r"|contributions?|reported|suggested|implemented|fixed|added|reviewed-by|signed-off-by|co-authored-by|acked-by"
    r"|tested-by|thanks|thank you|credits?|courtesy|contact|\bby|\bcc:?)\b[^.\n]{0,60}\Z"
    r"|(?:\(c\)|©) ?[\d, –-]{0,20}\Z",
    re.IGNORECASE,
)
_RIGHT_BEFORE_NAME = re.compile(r"(?:\bby|thanks to|thanks,?|authors?:|cc:?|contact) \Z", re.IGNORECASE)
_LOOK_BACK: Final = 90  # characters before a name that may contain evidence
_TITLES = "".join(f"(?<!{title})" for title in ("Mr", "Mrs", "Ms", "Mx", "Dr", "Prof", "St"))  # before a dot
_FEWEST_BEFORE: Final = 3  # letters of a compound before its last word
_FEWEST_OF_END: Final = 5  # letters of its last word
_BEGINS = re.compile(rf"(?:\A|{_TITLES}[.!?:;]|\n|[-*•>])\s*\Z")  # before the first word of a sentence
_BEFORE_WORD: Final = 10  # characters before a word that show whether a sentence begins
_ENGLISH_WORDS = "the and of to that with for from this are has is on at by be it our you we as not have"
_GERMAN_WORDS = """
der die das und ist nicht mit für auf wird bitte wir ein eine einen den dem des im zu von sie es wurde am bei nach zum
zur
"""
_OTHER_WORDS = """
le la les et est pour que des du une un nous vous au aux dans avec el los las y una para con del se il che di per è
sono alla della nel o os as uma não em do da com de het een en niet van voor w na nie się jest z do przez oraz
sit amet sed nec quis vel eget ut ac
"""
_ENGLISH: Final = frozenset(_ENGLISH_WORDS.split())
_GERMAN: Final = frozenset(_GERMAN_WORDS.split())
_OTHERS: Final = frozenset(_OTHER_WORDS.split())
_NEARBY: Final = 3_000  # characters around a word in which it may occur in lower case
_AROUND: Final = 200  # characters around a name that show the language
_LOWER = re.compile(r"(?<!\w)[^\W\d_]{1,5}(?!\w)")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MOST_WORDS: Final = 5  # of a name
_NEXT_WORD = re.compile(r"(?:['’]s)? ([A-Z][a-z]{2,20})\b")
_INSTITUTIONS_WORDS = """
academy airport arena arms award bridge brothers center centre church clinic college conference county cup district
foundation gallery hall hospital hotel house institute institution island library memorial method mountains museum
park prize school society stadium station theatre theorem trust university valley
"""
# Words before a name that is part of a place's or an institution's; the second ones count with a capital only.
_HEADS_WORDS = """
rue calle piazza plaza lycée hôpital musée université universidad università universidade estadio estádio stade teatro
théâtre instituto fundación fondation fondazione fundação avenida boulevard gare pont ulica ulice
"""
_CAPITAL_HEADS_WORDS = """
ciudad monte mont mount lake lago lac port porto puerto fort cape cabo rio río isla île via place platz saint sainte
sankt universität university universiteit institut institute hospital ospedale palazzo villa château schloss castillo
castelo colegio liceo collège museo museum stadio stadion parque parc aeropuerto aeroporto aéroport flughafen stiftung
banco banque banca grupo groupe gruppo editorial éditions editora
"""
_HEADS: Final = frozenset(_HEADS_WORDS.split())
_CAPITAL_HEADS: Final = _HEADS | frozenset(_CAPITAL_HEADS_WORDS.split())
_WORD_BEFORE = re.compile(r"(?<!\w)([^\W\d_]{3,12}) \Z")
_LONGEST_HEAD: Final = 14  # characters before a name
_BUILDINGS_WORDS = "airport arena clinic college hospital hotel institute museum school stadium theatre university"
_BUILDINGS: Final = frozenset(_BUILDINGS_WORDS.split())  # that are no last names
_INSTITUTIONS: Final = frozenset(_INSTITUTIONS_WORDS.split())


def counts(text: str, found: DetectedSpan, place: TextType) -> bool:
    """Whether a finding counts in a stretch of this type."""
    if found.why.startswith("key ") and found.kind != "SECRET" and _FUNCTION_KEY.match(found.why):
        return False
    if found.kind == "SECRET" and _is_word(text[found.start : found.end], found.why):
        return False
    if found.kind in ("PHONE", "EMAIL") and _is_given_as_example(text, found):
        return False
    if place <= TextType.DATA and found.why != PROSE:
        return True
    value = text[found.start : found.end]
    if found.why == PROSE and found.kind == "ADDRESS" and place is not TextType.PROSE and not _is_street(value):
        return False
    if found.why == PROSE and found.kind == "ADDRESS" and _DATE.match(value):
        return False
    if place is TextType.LOG:
        return _counts_in_log(text, found)
    if place is TextType.DEFINITION:
        return found.kind == "SECRET" and _has_form(found)
    if place in _DOCUMENT or place in _CODE:
        return _counts_in_examples(text, found, place)
    if found.kind == "NAME" and place is TextType.DATA:  # a cell without sentences
        return _has_evidence(text, found)
    return found.kind != "NAME" or not _is_no_person(text, found)


def _counts_in_log(text: str, found: DetectedSpan) -> bool:
    value = text[found.start : found.end]
    if found.kind == "NAME" and found.why == PROSE:
        return _has_evidence(text, found)
    if found.kind == "NAME" and _CAMEL_CASE.fullmatch(value):
        return False
    if found.kind == "NAME" and found.why == "time before it":
        lists = [listed(word) for word in _WORD.findall(value)]
        return any("F" in one for one in lists) or not all(map(_is_term, _WORD.findall(value)))
    if found.kind == "ADDRESS":
        return _is_street(value) or (len(value) <= _POSTAL_CODE and value.upper() == value)
    if found.kind == "PHONE" and value[0] not in "+(":
        return _PHONE_BEFORE.search(text, max(0, found.start - 20), found.start) is not None
    return True


def _counts_in_examples(text: str, found: DetectedSpan, place: TextType) -> bool:
    """Whether a finding counts in code or in a document about software, where most values are examples."""
    value = text[found.start : found.end]
    match found.kind:
        case "NAME":
            return _counts_as_name(text, found, place)
        case "USERNAME":
            before = text[max(0, found.start - 12) : found.start]
            return _HOME.search(before) is not None or (
                place in _DOCUMENT and _BEFORE_HANDLE.search(before) is not None
            )
        case "URL_CREDENTIAL":
            return not (_LOCAL_HOST.match(text, found.end) or _EXAMPLE_LOGIN.match(value) or set("{}<>$") & set(value))
        case "SECRET":
            named = text[found.start - 1 : found.start] not in _QUOTES and _IDENTIFIER.fullmatch(value) is not None
            if _has_form(found):
                return found.why != "basic login" or not _is_example_login(value)
            return _is_random(value) and not named
        case "EMAIL":
            if place in _CODE and _EXAMPLE_DOMAIN.search(value):
                return False
            return _EXAMPLE_ADDRESS.match(value) is None and _ROLE_ADDRESS.match(value) is None
        case "IP":
            return is_public_address(value)
        case "PHONE":
            return not is_example_number(value) and (value[0] == "+" or place not in _CODE)
    return found.kind not in _KEYED or place not in _CODE or found.why == TITLED


def _counts_as_name(text: str, found: DetectedSpan, place: TextType) -> bool:
    handle = found.why == "address after it" and _HANDLE_AFTER.match(text, found.end) is not None
    if found.why in _SURE_NAMES or (found.why == "address after it" and place is not TextType.CODE and not handle):
        return True
    if place in _CODE:
        return is_evident_name(text, found.start, found.end)
    addressed = not handle and found.why != PROSE and not found.why.startswith("key ")
    return _has_evidence(text, found) or (addressed and listed(text[found.start : found.end]) in ("F", "FL"))


def _has_evidence(text: str, found: DetectedSpan) -> bool:
    return is_full_name(text[found.start : found.end]) or is_evident_name(text, found.start, found.end)


def _has_form(found: DetectedSpan) -> bool:
    """Whether a secret has the form of a vendor's; a key or word before it announces the others."""
    return not found.why.startswith(_ANNOUNCED)


def _is_word(value: str, why: str) -> bool:
    """Whether what is taken for a secret is a word: `Basic Authentication`, `id-token: write`."""
    if not why.startswith(_ANNOUNCED):
        return value.isalpha() and value[1:].islower() and "C" in listed(value)
    return value in _PERMISSIONS and "token" in why


def _is_given_as_example(text: str, found: DetectedSpan) -> bool:
    """Whether a number or address that nobody has follows "for example"."""
    before = text[max(0, found.start - _LOOK_BACK) : found.start].rpartition("\n")[2]
    if not any(sign in before for sign in _EXAMPLE_SIGNS):
        return False
    value = text[found.start : found.end]
    return is_example_number(value) if found.kind == "PHONE" else _EXAMPLE_ADDRESS.match(value) is not None


def is_example_number(value: str) -> bool:
    """Whether a phone number is one of films and manuals: with 555, or with digits in a row."""
    return _EXAMPLE_PHONE.search(re.sub(r"\D", "", value)) is not None


def _is_example_login(value: str) -> bool:
    """Whether a login in base64 is one of manuals: `username:password`."""
    try:
        return _EXAMPLE_LOGIN.match(base64.b64decode(value + "==").decode("utf-8", "replace")) is not None
    except ValueError:
        return False


def _is_random(value: str) -> bool:
    """Whether a value under a key can be a secret: an example or an expression is none."""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if is_jumble(value):
        return True
    return mixed and len(value) >= _FEWEST_RANDOM and _EXAMPLE_SECRET.search(value) is None


def is_public_address(value: str) -> bool:
    """Whether an IP address can be reached from everywhere and is no obvious example or version: 1.2.3.4, 3.0.9.1."""
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return True
    if not address.is_global:
        return False
    parts = list(address.packed)
    if address.version != 4:
        return parts[0] >> 5 == 1  # the addresses that are assigned: 2000::/3
    if parts[0] < _FIRST_OF_ADDRESS and max(parts) < _MOST_OF_VERSION:
        return False
    return len(set(parts)) > 2 and len({after - before for before, after in pairwise(parts)}) > 1


def is_evident_name(text: str, start: int, end: int) -> bool:
    """Whether a stretch is a person's name with strong evidence: `Author:` or "thanks to" before it, or first and last
    name are both in the lists and no ordinary words."""
    words = _WORD.findall(text[start:end])
    known = [listed(word) for word in words if len(word) > 1 and word[0].isupper()]
    if len(known) > 1 and "F" in known[0] and "L" in known[-1] and not any("C" in one for one in known):
        return True
    line = text.rfind("\n", max(0, start - _LOOK_BACK), start) + 1
    before = text[max(line, start - _LOOK_BACK) : start]
    if _BEFORE_NAME.search(before) is None:
        return False
    if len(known) > 1:
        return "C" not in "".join(known)
    return known in (["F"], ["FL"]) and _RIGHT_BEFORE_NAME.search(before) is not None


def is_full_name(name: str) -> bool:
    """Whether a text is a first and a last name, of which one is in the lists and none is an ordinary word."""
    words = _WORD.findall(name)
    first, *others = [listed(word) for word in words if word[0].isupper()] or [""]
    if _is_with_term(name, words) or not others or len(words) > _MOST_WORDS or "C" in "".join(others) or first == "C":
        return False
    return "F" in first or ("L" in others[-1] and "C" not in first)


def _is_no_person(text: str, found: DetectedSpan) -> bool:
    """Whether what the model takes for a name in prose is one of a thing: by its words, the next one, or its line."""
    value = text[found.start : found.end]
    if _is_ordinary(value) or _names_thing(text, found.start, found.end):
        return True
    words = _WORD.findall(value)
    if _is_place_or_ordinary(words) and (len(words) > 1 or _is_place(words[0]) or begins_sentence(text, found.start)):
        return True
    if not any(is_title(word) or can_be_name(word) for word in words) and _is_noun(text, found.start):
        return True
    if len(words) > 1:
        return _is_with_term(value, words)
    if "C" in listed(value) and begins_sentence(text, found.start):
        return True
    if "F" not in listed(value) and _is_written_small(text, found.start, value):
        return True
    alone = text[found.start - 1 : found.start] in ("", "\n") and text[found.end : found.end + 1] in ("", "\n")
    return "F" not in listed(value) and (value.isupper() or (alone and len(value) < len(text)))


def _is_place_or_ordinary(words: list[str]) -> bool:
    """Whether the filter knows all words as places or ordinary words, and no list knows one as a name."""
    known = [evidence(folded(word)) for word in words]
    named = any(FIRST in one or LAST in one for one in known)
    named = named or any(is_title(word) or listed(word).strip("C") for word in words)
    return words != [] and all(known) and not named


def _is_place(word: str) -> bool:
    return PLACE in evidence(folded(word))


def can_be_name(word: str) -> bool:
    """Whether a word is in a list of names, or is neither an ordinary word nor a compound that ends with one."""
    if listed(word).strip("C"):
        return True
    small = folded(word)
    known = evidence(small)
    if FIRST in known or LAST in known:
        return True
    if ORDINARY in known or "C" in listed(word) or not word[0].isupper():
        return False
    ends = (small[at:] for at in range(_FEWEST_BEFORE, len(small) - _FEWEST_OF_END + 1))
    return not any(ORDINARY in evidence(end) for end in ends)


def _is_written_small(text: str, start: int, word: str) -> bool:
    """Whether a word also occurs nearby in lower case, which names do not."""
    return f" {word.lower()} " in text[max(0, start - _NEARBY) : start + _NEARBY]


def begins_sentence(text: str, start: int) -> bool:
    """Whether a word is the first of a sentence, line or item."""
    return _BEGINS.search(text, max(0, start - _BEFORE_WORD), start) is not None


def _is_noun(text: str, start: int) -> bool:
    """Whether a capital alone says nothing: in German, and at the beginning of a sentence in a language other than
    English, whose ordinary words are not in the lists."""
    words = set(_LOWER.findall(text, max(0, start - _AROUND), start + _AROUND))
    english, german = len(words & _ENGLISH), len(words & _GERMAN)
    if german > max(english, len(words & _OTHERS)):
        return True
    return len(words & _OTHERS) > english and begins_sentence(text, start)


def _is_with_term(name: str, words: list[str]) -> bool:
    """Whether one of the words is an abbreviation: "Cyrus SASL"; not an ordinal number: "Ludwig XIV"."""
    terms = (word for word in words if word.isupper() and len(word) > 2 and not listed(word))
    return not name.isupper() and not all(map(_ORDINAL.fullmatch, terms))


def _is_term(word: str) -> bool:
    return word.isupper() or listed(word) == "C"


def _is_ordinary(name: str) -> bool:
    """Whether a text consists of ordinary words, of which the last is no name: "Royal Mail", not "Grace Hall"."""
    words = _WORD.findall(name)
    return all("C" in listed(word) for word in words) and not (words and listed(words[-1]) != "C")


def _names_thing(text: str, start: int, end: int) -> bool:
    """Whether a name is that of an institution, or its beginning: "Marie Curie Institute"."""
    if text[start:end].rpartition(" ")[2].lower() in _BUILDINGS:
        return True
    front, _, tail = text[start:end].rpartition("-")  # "Friedrich-Ebert-Stiftung"
    if (
        front[:1].isupper()
        and " " not in front
        and len(tail) >= _FEWEST_OF_END
        and _is_place_or_ordinary(_WORD.findall(tail))
    ):
        return True
    before = _WORD_BEFORE.search(text, max(0, start - _LONGEST_HEAD), start)
    if before and (before[1] in _HEADS or (before[1].istitle() and before[1].lower() in _CAPITAL_HEADS)):
        return True
    word = _NEXT_WORD.match(text, end)
    return word is not None and word[1].lower() in _INSTITUTIONS


def _is_street(address: str) -> bool:
    return any(word[0].isupper() and names_street(word) for word in _WORD.findall(address))
