"""Reads key and column names word by word, in some thirty languages, and determines what they announce.

The words are in `resources/privacy/keys.txt`. A key is divided at separators, capitals and digits, and runs without
separators (`phonenumber`, `Kundenname`, `お客様名`) are segmented into known words. The head decides: `customer_phone`
is a phone number and `phone_verified` is not; `caller_name` is a person's name, `tool_name` a thing's.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from workbench.paths import resources

# For character classes: letters that begin a word, faster than `[^\W\d_]`.
LETTER: Final = r"A-Za-z\u00aa-\u1fff\u3005\u3041-\ud7af"
# For character classes: letters, digits and the vowel signs and points that `\w` does not match.
WORD_SIGNS: Final = r"\w\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0900-\u0963"
LONGEST: Final = 80  # a longer key is text, not a name
_MOST_PARTS: Final = 4  # words of one phrase, such as `secret_access_key`
_SHORTEST_PART: Final = 3  # letters of a word inside of a Latin compound
_SHORTEST_RUN: Final = 6  # letters of a Latin compound
_SHORTEST_HEAD: Final = 6  # letters of a word that decides at the end of a compound whose beginning is unknown
_LONGEST_PART: Final = 24
_UNKNOWN: Final = 10  # cost of a letter that belongs to no known word
_MOST_DIGITS: Final = 2  # digits after a word, as in `phone2`
_MOST_DIVISIONS: Final = 8_192  # words whose parts are cached
_LINKS: Final = ("s", "n", "en", "es")  # letters between the words of German and Dutch compounds

_NUMBER_WORDS = "no num nr nbr numero nummer numer"
_NUMBER: Final = dict.fromkeys(_NUMBER_WORDS.split(), "number")
_HUMP = re.compile(r"(?<=[a-zß-öø-ÿ0-9])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])")
_ABBREVIATION = re.compile(r"([^\W\d_]{2,8})\.")
_NO_ABBREVIATIONS_WORDS = "pos max min avg std ref amt qty art sec dr mr mrs ms st vs etc approx fig vol jr sr"
_NO_ABBREVIATIONS = frozenset(_NO_ABBREVIATIONS_WORDS.split())
_ABBREVIATED_WORDS = "email phone birth name address street house_number postcode national company"
_ABBREVIATED_GROUPS = frozenset(_ABBREVIATED_WORDS.split())
_MOST_AGREE: Final = 0.75
_MOST_LONGER: Final = 80  # known words with the same beginning
_NUMBER_ENDS: Final = ("nummer", "number", "numero", "nr")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s(?![^\W_])")
_GENDERS = re.compile(
    r"(?<=[^\W\d_]{2})(?:\((?:ne|in|e|a|o|r|s)\)|[/*:](?:innen|in|ne|e|a|o|r|n)(?![^\W\d_]))"
)  # `Né(e) le`
_E_POST = re.compile(r"(?<![^\W_])[Ee][-_ ](?=(?:post|mail)[^\W_]{0,3}(?![^\W_]))")
_ODD = re.compile(r"[\W_]+")
_SECTION = re.compile(r"\[(\w+)\]")
# Groups of phrases whose key contains the value itself.
_VALUES_LISTED = """
email phone card iban ssn national ip mac secret weak_secret counted_secret birth name initials address street
house_number postcode company username bank
"""
VALUE_GROUPS: Final = frozenset(_VALUES_LISTED.split())
# What `meaning` returns for names, surest first. The values must look more and more like a name.
NAME: Final = "name"
ROLE: Final = "role"  # `customer`: a person
LOOSE_ROLE: Final = "loose_role"  # `agent`: a person or a thing
PERHAPS_NAME: Final = "perhaps_name"  # `horse_name`: nothing known about the other words
_GIVEN: Final = frozenset({"first", "last", "given", "family", "middle", "maiden", "kana"})


@cache
def key_words() -> KeyWords:
    """The words, loaded at the first use."""
    return KeyWords((resources() / "privacy" / "keys.txt").read_text("utf-8"))


def fold(text: str) -> str:
    """The text in small letters without accents and vowel signs, in the usual form of its characters."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.replace("ー", "")).casefold()
    marks = {ord(letter): None for letter in set(apart) if unicodedata.category(letter)[0] == "M"}
    return unicodedata.normalize("NFC", apart.translate(marks))


def words_of(key: str) -> list[str]:
    """The words of a key, folded, however it is written."""
    plain = key if key.isalnum() else _E_POST.sub("e", _GENDERS.sub("", _POSSESSIVE.sub("", key)))
    return [word for word in _ODD.split(fold(_HUMP.sub("_", plain))) if word]


class KeyWords:
    """The groups of words and phrases, and the vocabulary of all their words."""

    def __init__(self, text: str) -> None:
        self.groups: dict[str, frozenset[str]] = {}
        self._phrases: dict[str, str] = {}
        self._vocabulary: set[str] = set()
        self._divisions: dict[str, list[str]] = {}  # unknown words with their parts
        self._sorted: list[str] = []
        self._read(text)

    def _read(self, text: str) -> None:
        sections: dict[str, list[str]] = {}
        entries: list[str] = []
        for line in fold(text).splitlines():
            if section := _SECTION.fullmatch(line):
                entries = sections.setdefault(section[1], [])
            elif line and line[0] != "#":
                entries += line.partition(":")[2].split()
        self._particles = frozenset(sections.pop("particle"))
        for name, found in sections.items():
            self.groups[name] = frozenset(self._without_particles(phrase) for phrase in found)
        self._vocabulary.update(
            self._particles, _NUMBER, *(phrase.split("_") for phrases in self.groups.values() for phrase in phrases)
        )
        for name in VALUE_GROUPS:
            self._phrases |= dict.fromkeys(self.groups[name], name)
        self._about_people = frozenset().union(*(self.groups[name] for name in ("role", "neutral", "thing")))

    def _without_particles(self, phrase: str) -> str:
        words = [word for word in _ODD.split(phrase) if word]
        return "_".join(_NUMBER.get(word, word) for word in words if word not in self._particles) or phrase

    def has(self, group: str, key: str) -> bool:
        """Whether a whole key is an entry of a group."""
        return "_".join(self.tokens(key)) in self.groups[group]

    def tokens(self, key: str) -> list[str]:
        """The words of a key without particles and digits: compounds are divided, plurals are singular if only that is
        known, and there is one word for "number"."""
        found: list[str] = []
        for word in words_of(key):
            if not word.isdigit():
                found += [word] if word in self._vocabulary else self._parts(word)
        return [_NUMBER.get(word, word) for word in found if word not in self._particles]

    def is_label(self, text: str) -> bool:
        """Whether a text is itself the name of a key, such as "First name" in a form or translation."""
        if len(text) > LONGEST:
            return False
        for word in text.split():  # quick: a plain word that is unknown
            if fold(word) not in self._vocabulary and word.isalpha() and (word.islower() or word.istitle()):
                return False
        words = words_of(text)
        if not words or not self._vocabulary.issuperset(words):
            return False
        return not self.groups["name_word"].isdisjoint(words) or self._meaning(self.tokens(text)) in VALUE_GROUPS

    def meaning(self, key: str) -> str:
        """The group of what a key announces; empty if it announces nothing by itself."""
        if len(key) > LONGEST:
            return ""
        tokens = self.tokens(key)
        return self._meaning(tokens) or (self._abbreviated(key, tokens) if "." in key else "")

    def _abbreviated(self, key: str, tokens: Sequence[str]) -> str:
        """What a key with abbreviations means, such as `Cód. Postal` and `Geb.-Datum`: what most known words with that
        beginning say."""
        short = {fold(word) for word in _ABBREVIATION.findall(key)}
        for at, token in enumerate(tokens):
            if token not in short or token in _NO_ABBREVIATIONS:
                continue
            longer = self._beginning_with(token, numbered=_NUMBER["no"] in tokens[at + 1 : at + 2])
            told = Counter(self._meaning([*tokens[:at], word, *tokens[at + 1 :]]) for word in longer)
            known = {group: count for group, count in told.items() if group in _ABBREVIATED_GROUPS}
            group = max(known, key=lambda one: known[one], default="")
            if group and known[group] >= _MOST_AGREE * sum(known.values()):
                return group
        return ""

    def _beginning_with(self, start: str, *, numbered: bool) -> list[str]:
        """Known words that begin with an abbreviation; before "no.", those that end with a word for a number too."""
        if not self._sorted:
            self._sorted = sorted(self._vocabulary)
        first = bisect_left(self._sorted, start)
        words = self._sorted[first : first + _MOST_LONGER]
        found = [word for word in words if word.startswith(start) and len(word) > len(start) + 1]
        return found if numbered else [word for word in found if not word.endswith(_NUMBER_ENDS)] or found

    def _meaning(self, tokens: Sequence[str]) -> str:
        if "_".join(tokens) in self.groups["loose_role"]:
            return LOOSE_ROLE
        if tokens and tokens[0] in self.groups["boolean"]:
            return ""
        company = False
        for end in range(len(tokens), 0, -1):
            for start in range(max(0, end - _MOST_PARTS), end):
                group = self._phrase(tokens[start:end])
                if group == "company":
                    company = self._fits(tokens[:start], tokens[end:])
                    if tokens[end - 1] in self.groups["name_word"]:
                        return group if company else ""
                elif group and self._is_name_of_thing(tokens, start, end):
                    return ""
                elif group:
                    others = [*tokens[:start], *tokens[end:]]
                    return self._special_address(group, others) if self._fits(tokens[:start], tokens[end:]) else ""
            if tokens[end - 1] in self.groups["name_word"]:
                return self._name(tokens, end - 1)
        return "company" if company else self._role(tokens)

    def _is_name_of_thing(self, tokens: Sequence[str], start: int, end: int) -> bool:
        """Whether a phrase is the full name of a thing: `service_full_name`."""
        doubtful = start > 0 and "_".join(tokens[start:end]) in self.groups["doubtful_name"]
        return doubtful and tokens[start - 1] in self.groups["thing"]

    def _special_address(self, group: str, others: Iterable[str]) -> str:
        """The group of a key, which for an address depends on its other words: `адрес электронной почты`."""
        if group != "address":
            return group
        return next((found for word in others if (found := self._phrases.get(word)) in ("email", "ip", "mac")), group)

    def _phrase(self, tokens: Sequence[str]) -> str:
        joined, solid = "_".join(tokens), "".join(tokens)
        spellings = (joined, joined.removesuffix("s"), solid, solid.replace("number", "nummer"))
        return next((found for spelling in spellings if (found := self._phrases.get(spelling))), "")

    def _fits(self, before: Sequence[str], after: Sequence[str]) -> bool:
        """Whether the other words of a key leave its value what the phrase says."""
        describes = self.groups["describes"]
        return describes.isdisjoint(before) and describes.isdisjoint(after) and self._no_description(after)

    def _no_description(self, after: Sequence[str]) -> bool:
        return self.groups["describes_after"].isdisjoint(after) and self.groups["boolean"].isdisjoint(after)

    def _name(self, tokens: Sequence[str], at: int) -> str:
        """What `name` means by the nearest word that says whose it is: before it, or after it as in `nome_cliente`."""
        after = tokens[at + 1 :]
        if not self._fits((), after):
            return ""
        part = other = False
        for word in (*reversed(tokens[:at]), *after):
            if word in self.groups["name_part"]:
                part = True
            elif word in self.groups["neutral"]:
                other = True
            else:
                return self._name_of(word, part=part)
        if part:
            return NAME
        return PERHAPS_NAME if other else ""

    def _name_of(self, word: str, *, part: bool) -> str:
        if word in self.groups["role"] or self._phrases.get(word) == NAME:
            return NAME
        if self._phrases.get(word) == "company":
            return "company"
        if word in self._phrases or word in self.groups["thing"] or word in self.groups["describes"]:
            return ""
        if part:
            return NAME
        return LOOSE_ROLE if word in self.groups["loose_role"] else PERHAPS_NAME

    def _role(self, tokens: Sequence[str]) -> str:
        """What a key without a word for a value means, if it is about a person."""
        groups = self.groups
        if (whole := "_".join(tokens)) in groups["role"] or whole in groups["loose_role"]:
            return ROLE if whole in groups["role"] else LOOSE_ROLE
        if len(tokens) > 1 and tokens[-1] == "by":
            return PERHAPS_NAME
        content = [word for word in tokens if word not in groups["neutral"]]
        people = [word for word in content if word in groups["role"]]
        if not people or not self._fits(content, ()) or not self._no_description(tokens[1:]):
            return ""
        if len(people) == len(content):
            return ROLE
        if content[-1] in _GIVEN and all(word in _GIVEN or word in people for word in content):
            return NAME
        return PERHAPS_NAME if people[-1] == content[-1] else ""

    def is_login(self, key: str) -> bool:
        """Whether a key is about a person who may be given by user name, such as `author` or `admin_user`."""
        tokens = self.tokens(key)
        return bool(tokens) and (
            "_".join(tokens) in self.groups["login_role"]
            or (tokens[-1] in self.groups["login_role"] and self.groups["thing"].isdisjoint(tokens))
        )

    def is_person(self, key: str) -> bool:
        """Whether the records below this key are people."""
        tokens = self.tokens(key) if len(key) <= LONGEST else []
        if not tokens:
            return False
        if "_".join(tokens) in self.groups["people_below"] or "_".join(words_of(key)) in self.groups["people_below"]:
            return True
        if tokens[-1] in self.groups["tree"]:
            return False
        if "_".join(tokens) in self.groups["role"]:
            return True
        known = self._about_people.issuperset(tokens) and tokens[0] not in self.groups["verb"]
        return known and self._role(tokens) in (ROLE, PERHAPS_NAME)

    def is_thing(self, key: str) -> bool:
        """Whether the records below this key are things, whose `name` is no person's."""
        tokens = self.tokens(key) if len(key) <= LONGEST else []
        things = self.groups["thing"]
        return bool(tokens) and (tokens[-1] in things or tokens[0] in things or "_".join(tokens) in things)

    def _parts(self, word: str) -> list[str]:
        parts = self._divisions.get(word)
        if parts is None:
            if len(self._divisions) >= _MOST_DIVISIONS:
                self._divisions.clear()
            parts = self._divisions[word] = self._divided(word)
        return parts

    def _divided(self, word: str) -> list[str]:
        """The known words that a word consists of; the word itself if it cannot be divided."""
        for ending, instead in (("s", ""), ("ies", "y"), ("es", "")):
            if word.endswith(ending) and (single := word.removesuffix(ending) + instead) in self._vocabulary:
                return [single]
        if word.endswith("nr") and (long := f"{word[:-2]}nummer") in self._vocabulary:
            return [long]
        bare = word.rstrip("0123456789")
        if 0 < len(word) - len(bare) <= _MOST_DIGITS:
            if self._phrases.get(bare) == "counted_secret":
                return [word]  # `token6` numbers the words of a text
            return [bare] if bare in self._vocabulary else self._divided(bare)
        if word.isascii() or word[0] < "\u2e80":
            return self._divided_compound(word)
        return self._divided_script(word)

    def _divided_compound(self, word: str) -> list[str]:
        """The parts of a compound in an alphabet: all of them known, or its last one."""
        size = len(word)
        if size < _SHORTEST_RUN or size > LONGEST // 2:
            return [word]
        best: list[list[str] | None] = [None] * size + [[]]  # the fewest parts from each position
        for start in range(size - _SHORTEST_PART, -1, -1):
            for end in range(min(size, start + _LONGEST_PART), start + _SHORTEST_PART - 1, -1):
                if word[start:end] not in self._vocabulary:
                    continue
                rest = self._linked(word, end, best)
                if rest is not None and ((known := best[start]) is None or len(rest) + 1 < len(known)):
                    best[start] = [word[start:end], *rest]
        parts = best[0]
        return parts if parts and max(map(len, parts)) > _SHORTEST_PART else self._known_end(word)

    def _linked(self, word: str, end: int, best: Sequence[list[str] | None]) -> list[str] | None:
        """The parts from a position, if necessary after linking letters."""
        if best[end] is not None:
            return best[end]
        return next(
            (
                best[end + len(link)]
                for link in _LINKS
                if word.startswith(link, end) and best[end + len(link)] is not None
            ),
            None,
        )

    def _known_end(self, word: str) -> list[str]:
        for size in range(len(word) - 1, _SHORTEST_HEAD - 1, -1):
            if (end := word[-size:]) in self._phrases or end in self.groups["role"]:
                return [word[:-size], end]
        return [word]

    def _divided_script(self, word: str) -> list[str]:
        """The parts of a run in a script without spaces, with the fewest letters that are no known word."""
        size = min(len(word), LONGEST)
        best: list[tuple[int, list[str]]] = [(0, [])] * (size + 1)
        for start in range(size - 1, -1, -1):
            cost, parts = best[start + 1]
            choice = (cost + _UNKNOWN, [word[start], *parts])
            for end in range(start + 1, min(size, start + 12) + 1):
                if word[start:end] in self._vocabulary and best[end][0] + 1 < choice[0]:
                    choice = (best[end][0] + 1, [word[start:end], *best[end][1]])
            best[start] = choice
        return best[0][1] if best[0][0] < _UNKNOWN else _only_long(best[0][1])


def _only_long(parts: Sequence[str]) -> list[str]:
    """The parts of a run with unknown letters, where a known single letter is part of an unknown word too."""
    found: list[str] = []
    unknown = False
    for part in parts:
        if len(part) == 1 and unknown:
            found[-1] += part
        else:
            found.append(part)
        unknown = len(part) == 1
    return found
