"""Generates sentences as in newspapers, encyclopedias and minutes, in the languages of `tools/names/languages`.

Persons, addresses and other entities (organisations, places, works) are labelled. Each file has roles, names of
organisations, words that begin sentences, predicates, things and whole sentences, written for this purpose. Other words
are ordinary words of the language at random, so that their endings tell the model what no name looks like.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from names_words import BRANDS, CLOUDS, ONSET, PRODUCTS, VOWEL

_Option = TypeVar("_Option")

_FOLDER = Path(__file__).resolve().parent / "names" / "languages"
_EPONYMS = (_FOLDER.parent / "lists" / "eponyms.txt").read_text(encoding="utf-8").strip().split("|")
_SLOT = re.compile(r"\{(\w+)\}")
_PARTICLES = {
    "de": ["von ", "von der ", "zu "], "fr": ["de ", "de la ", "du ", "d'"], "es": ["de ", "de la ", "del "],
    "it": ["Di ", "De ", "Lo ", "D'", "della "], "pt": ["da ", "de ", "dos ", "do "],
    "nl": ["van ", "van der ", "de ", "van den ", "ten ", "Van "],
    "en": ["O'", "Mc", "Mac", "van ", "de ", "al-", "bin "],
    "sv": ["af ", "von "], "da": ["von "], "no": ["von "],
}  # fmt: skip
# Endings of names in other cases.
_CASES = {
    "pl": ["a", "em", "owi", "iem", "ą", "ę", "y", "ego", "iego", "u"],
    "cs": ["a", "em", "ovi", "u", "ou", "e", "y", "ové"], "sk": ["a", "om", "ovi", "u", "ou", "e", "y", "ho"],
    "hr": ["a", "om", "em", "u", "e", "i"], "fi": ["n", "in", "lla", "a"], "tr": ["'nin", "'ya", "'den"],
    "hu": ["t", "nak", "val"], "ro": ["ului", "ei"], "sv": ["s"], "da": ["s"], "no": ["s"], "de": ["s"],
    "en": ["'s", "’s"],
}  # fmt: skip
_RELATED = {
    "pt": "es it",
    "da": "no sv",
    "no": "da sv",
    "ro": "it",
    "cs": "sk",
    "sk": "cs",
    "hu": "hr",
}  # for more names
_VOWELS = "aeiouyąęěé"
_WEEKDAY, _MONTH = "weekday", "month"


class Language:
    """What sentences of a language are made of."""

    def __init__(
        self,
        name: str,
        first: Sequence[str],
        last: Sequence[str],
        words: Sequence[str],
        places: Sequence[str],
        dates: Mapping[str, Sequence[str]],
    ) -> None:
        self.name, self.first, self.words, self.places, self.dates = name, first, words, places, dates
        self.last = last
        self.parts: dict[str, list[str]] = {}
        section = ""
        for line in (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                section = line.strip("[]")
                self.parts[section] = []
            elif section == "sentences":
                self.parts[section].append(line)
            elif line:
                self.parts[section] += line.split("|")
        written = re.findall(r"(?<![\w{])[^\W\d_]{2,}(?![\w}])", " ".join(chain(*self.parts.values())))
        self.small: list[str] = sorted({word for word in [*written, *words[:1_500]] if word.islower()})
        self.nouns: list[str] = sorted({word for word in words if word[0].isupper()}) or self.small


class News:
    """Generates sentences with labelled spans; `mark` labels a stretch."""

    def __init__(
        self,
        languages: Sequence[Language],
        everywhere: Sequence[str],
        rng: random.Random,
        mark: Callable[[str, str], str],
        address: Callable[[], str],
    ) -> None:
        self._languages, self._everywhere, self._rng, self._mark = languages, everywhere, rng, mark
        self._address = address
        self._own = languages[0]
        by_name = {one.name: one for one in languages}
        for name, others in _RELATED.items():
            for other in others.split():
                added = self._rng.sample(by_name[other].last, min(200, len(by_name[other].last)))
                by_name[name].last = [*by_name[name].last, *added]

    def make(self) -> str:
        """One to three sentences with marks."""
        self._own = self._pick(self._languages)
        count = self._rng.choices([1, 2, 3], [55, 30, 15])[0]
        return self._pick([" ", " ", " ", "\n"]).join(self._sentence() for _ in range(count))

    def _sentence(self) -> str:
        chance = self._rng.random()
        made = self._filled(self._pick(self._own.parts["sentences"]) if chance < 0.5 else self._free())
        return made[0].upper() + made[1:]

    def _free(self) -> str:
        return self._pick(
            [
                "{Opener} {w} {w} {role} {N} {verb}.",
                "{Opener} {N} {verb} {w} {w} {org}.",
                "{Opener} {w} {w} {w} {org} {w} {w}.",
                "{Opener} {place} {w} {w} {w}.",
                "{Opener} {L} {verb} {w} {w}.",
                "{Opener} {W} {w} {w} {w} {place} {w}.",
                "{W} {w} {w} {org} {w} {w} {place}.",
                "{W} {w} {w} {w} {w}.",
                "{W} {verb} {w} {w} {w}.",
                "{W} {w} {role} {N} {w} {w}.",
                "{Role} {L} {verb}.",
                "{w} {w} {L} {verb}.",
                "{Opener} {w} {w} {L} {w} {w} {w}.",
                "{Opener} {w} {L} {w} {L} {verb}.",
                "{L} {w} {w}, {verb} {L}.",
                "{Opener} {L}, {age}, {w} {w} {role}.",
                "{Opener} {ruler} {verb} {w} {w}.",
                "{w} {role} {ruler} {w} {place}.",
                "{Role} {N} {verb} {w} {w}.",
                "{Opener} {w} {role} {N} {w} {w} {nouns} {w} {w}.",
                "{Opener} {role} {L} {w} {w} {nouns}.",
                "{Opener} {w} {N} ({age}) {w} {w}.",
                "{N}, {age}, {w} {w}.",
                "{w} {w} {w} {N}.",
                "{w} {w} {L}, {w} {w}.",
                "{w} {w}: {nouns}, {nouns}, {nouns} {w} {nouns}.",
                "{Opener} {nouns} {w} {brand} {w} {w}.",
                "{brand} {verb}.",
                "{brand} {w} {w} {w}.",
                "{W} {brand} {w} {w}.",
                "{Role} {w} {w} {w} {org}.",
                "{Opener} {role} {w} {w} {w} {place}.",
                "{org} {w} {w} {w} {place}.",
                "{org} {verb}. {L} {verb}.",
                "{place} {w} {w} {w} {w} {org}.",
                "{N} {verb} {w}.",
                "{N} {w} {w} {w} {place}.",
                "{L} {w} {w} {w} {w}.",
                "{L} {verb} {w} {org}.",
                "{F} {w} {w} {w}.",
                "{N}, {role} {org}, {verb}.",
                "{w} {N}, {N} {w} {N} {w} {w}.",
                "{Opener} {org}, {org} {w} {org} {w} {w}.",
                "{Opener} {place}, {place} {w} {place} {w} {w}.",
                "{Opener} {work} {w} {N} {w} {w} {year}.",
                "{w} {w} {nouns} {w} {w} {nouns}.",
                "{Opener} {nouns} {w} {nouns} {w}, {w} {nouns} {w}.",
                "{N} ({year}–{year}), {role}",
                "{N} ({place}, {date}) {w} {w} {role}.",
                "{w} {w} {Ni} {w} {w}.",
                "{Opener} {w} {role} {Ni} {w} {w}.",
                "{Opener} {w} {address} {w} {w}.",
                "{Opener} {brand} {w} {w} {brand} {w} {w}.",
                "{Opener} {weekday} {w} {w} {month} {year} {w}.",
                "{caps} {w} {w} {w}.",
                "{N} – {role}, {org}",
                "{W} {w}: {N}, {N}, {N}",
                "„{W} {w} {w}“, {w} {L}.",
                '"{W} {w} {w}," {w} {N}.',
                "«{W} {w} {w}», {w} {N}.",
            ]
        )

    def _filled(self, template: str) -> str:
        return _SLOT.sub(lambda slot: getattr(self, f"_slot_{slot[1]}", self._other(slot[1]))(), template)

    def _other(self, name: str) -> Callable[[], str]:
        return lambda: self._pick(self._own.parts[name])

    def _pick(self, options: Sequence[_Option]) -> _Option:
        return self._rng.choice(options)

    # Persons

    def _given(self) -> str:
        chance = self._rng.random()
        if chance < 0.6:
            return self._pick(self._own.first)
        return self._pick(self._pick(self._languages).first) if chance < 0.85 else self._made(1, 2)

    def _family(self) -> str:
        chance = self._rng.random()
        if chance < 0.4:
            return self._pick(self._own.last)
        if chance < 0.62:
            return self._pick(self._pick(self._languages).last)
        if chance < 0.72 and self._own.name in _PARTICLES:
            return self._pick(_PARTICLES[self._own.name]) + self._pick(self._own.last)
        if chance < 0.76:
            return f"{self._pick(self._own.last)}-{self._pick(self._own.last)}"
        if chance < 0.8:
            return self._pick(self._own.words).capitalize()
        return self._made(1, 2) + self._pick(self._own.last)[-3:].lower() if chance < 0.92 else self._made(2, 3)

    def _made(self, least: int, most: int) -> str:
        count = self._rng.randint(least, most)
        return "".join(self._pick(ONSET) + self._pick(VOWEL) for _ in range(count)).capitalize()

    def _person(self) -> str:
        given, family = self._given(), self._family()
        chance = self._rng.random()
        if chance < 0.04:
            return f"{given[0]}. {family}"
        if chance < 0.06:
            return f"{given[0]}. {self._pick('ABCDEFGHJKLMRST')}. {family}"
        if chance < 0.09:
            return f"{given} {self._pick('ABCDEFGHJKLMRST')}. {family}"
        if chance < 0.17 or (chance < 0.3 and self._own.name in ("es", "pt", "en", "ro", "da")):
            return f"{given} {self._given()} {family}"
        if chance < 0.4 and self._own.name in ("es", "pt"):
            return f"{given} {family} {self._family()}"
        if 0.4 < chance < 0.42:
            return f"{given} {family[0]}."
        return f"{given} {family}"

    def _slot_N(self) -> str:
        return self._mark("N", self._person())

    def _slot_ruler(self) -> str:
        return self._mark(
            "N", f"{self._given()} {self._pick(['I', 'II', 'III', 'IV', 'V', 'VI', 'VIII', 'XII', 'XIV', 'XVI'])}"
        )

    def _slot_Nr(self) -> str:
        return self._mark("N", f"{self._family()} {self._given()}")

    def _slot_L(self) -> str:
        return self._mark("N", self._family())

    def _slot_F(self) -> str:
        return self._mark("N", self._given())

    def _slot_Ni(self) -> str:
        return self._mark("N", " ".join(map(self._in_case, self._person().split(" "))))

    def _in_case(self, word: str) -> str:
        endings = _CASES.get(self._own.name)
        if endings is None or not word[0].isupper() or len(word) < 3 or self._rng.random() < 0.15:
            return word
        ending = self._pick(endings)
        return (word[:-1] if word[-1] in _VOWELS and ending[0] in _VOWELS else word) + ending

    def _slot_titled(self) -> str:
        return self._mark("N", f"{self._pick(['Mr', 'Mrs', 'Ms', 'Dr', 'Mr.', 'Prof.'])} {self._family()}")

    # Other entities

    def _slot_org(self) -> str:
        chance = self._rng.random()
        if chance < 0.12:
            return self._mark("E", self._pick(BRANDS if chance < 0.05 else _EPONYMS))
        if chance < 0.2:
            return self._mark("E", f"{self._word().capitalize()} {self._word()} {self._word()}")
        if chance < 0.25:
            return self._mark("E", f"{self._word().capitalize()} {self._word().capitalize()}")
        if chance < 0.28:
            return self._mark("E", self._made(1, 3))
        head = self._pick(self._own.parts["heads"])
        inner: dict[str, Callable[[], str]] = {
            "person": lambda: self._pick([" ", "-"]).join([self._given(), self._pick(self._own.last)]),
            "last": lambda: self._pick(self._own.last),
            "first": lambda: self._pick(self._own.first),
            "place": self._place,
            "thing": lambda: self._pick(self._own.parts["things"]),
        }
        return self._mark("E", _SLOT.sub(lambda slot: inner[slot[1]](), head))

    def _place(self) -> str:
        own = self._rng.random() < 0.65
        return self._pick(self._own.places if own else self._everywhere)

    def _slot_place(self) -> str:
        if self._rng.random() < 0.02:
            return self._mark("E", self._made(1, 3))
        return self._mark("E", self._in_case(self._place()) if self._rng.random() < 0.25 else self._place())

    def _slot_work(self) -> str:
        chance = self._rng.random()
        if chance < 0.3:
            return self._mark("E", self._pick(PRODUCTS if chance < 0.12 else _EPONYMS))
        words = [self._word() for _ in range(self._rng.randint(1, 4))]
        if chance < 0.4:
            words.append(self._given())
        titled = [word.capitalize() if at == 0 or self._own.name == "en" else word for at, word in enumerate(words)]
        return self._pick(["{}", "{}", "„{}“", "«{}»", '"{}"']).format(self._mark("E", " ".join(titled)))

    def _slot_brand(self) -> str:
        return self._mark("E", self._pick(BRANDS if self._rng.random() < 0.5 else _EPONYMS))

    def _slot_product(self) -> str:
        return self._mark("E", self._pick([*PRODUCTS, *CLOUDS]))

    def _slot_caps(self) -> str:
        return self._mark("E", self._pick(["NATO", "UNESCO", "FIFA", "UEFA", "OECD", "IMF", "OPEC", "NASA", "CNN"]))

    def _slot_address(self) -> str:
        return self._address()

    # Words

    def _word(self) -> str:
        return self._pick(self._own.small if self._rng.random() < 0.5 else self._own.words)

    def _slot_w(self) -> str:
        while not (word := self._word()).islower():
            pass
        return word

    _slot_adj = _slot_thingw = _slot_w

    def _slot_W(self) -> str:
        return self._word().capitalize()

    _slot_Adj = _slot_W

    def _slot_nouns(self) -> str:
        return self._pick(self._own.nouns)

    def _slot_ein(self) -> str:
        return self._pick(["ein", "eine"])

    def _slot_Opener(self) -> str:
        return self._pick(self._own.parts["openers"])

    def _slot_role(self) -> str:
        return self._pick(self._own.parts["roles"])

    def _slot_Role(self) -> str:
        role = self._slot_role()
        return role[0].upper() + role[1:]

    def _slot_verb(self) -> str:
        return self._filled(self._pick(self._own.parts["verbs"]))

    def _slot_phrase(self) -> str:
        return " ".join(self._slot_w() for _ in range(self._rng.randint(3, 6))) + "."

    def _slot_year(self) -> str:
        return str(self._rng.randint(1850, 2024))

    def _slot_age(self) -> str:
        return str(self._rng.randint(18, 90))

    def _slot_num(self) -> str:
        return str(self._rng.randint(2, 400))

    def _slot_weekday(self) -> str:
        return self._pick(self._own.dates[_WEEKDAY])

    def _slot_month(self) -> str:
        return self._pick(self._own.dates[_MONTH])

    def _slot_date(self) -> str:
        day, year = self._rng.randint(1, 28), self._slot_year()
        joint = {
            "es": " de ",
            "pt": " de ",
            "de": ". ",
            "cs": ". ",
            "sk": ". ",
            "da": ". ",
            "no": ". ",
            "hr": ". ",
            "fi": ". ",
        }
        return f"{day}{joint.get(self._own.name, ' ')}{self._slot_month()} {year}"
