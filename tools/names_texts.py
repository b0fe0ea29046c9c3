"""Generates training sentences for `train_names.py`: templates of `tools/names/`, filled from a seed, with labelled
spans.

Half of all names are taken from lists; the others are made of syllables or of two lists combined, in the usual written
forms. Addresses follow the formats of a dozen countries. Firms, products and towns occur at the same positions without
a label, so that the position in a sentence alone does not make a name.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

from names_words import (
    ADJECTIVES,
    BRANDS,
    CLOUDS,
    CODA,
    COUNTRIES,
    DAYS,
    FORMS,
    INSTITUTIONS,
    MONTHS,
    NOUNS,
    ONSET,
    PRODUCTS,
    ROADS,
    ROLES,
    STATES,
    TITLE_WORDS,
    TOWNS,
    VERBS,
    VOWEL,
    WAYS,
    WEEKDAYS,
    words,
)

_FOLDER = Path(__file__).resolve().parent / "names"
_SLOT = re.compile(r"\{(\w+)\}")
_FOREIGN = 0.35  # share of the sentences in other languages than English
_LONG = 3  # letters of a word that can be a noun
_MARK = re.compile("\ue000(N|A|E)\ue001([^\ue002]*)\ue002")


class Words:
    """The word lists for filling templates."""

    def __init__(
        self,
        first: list[str],
        last: list[str],
        cities: list[str],
        ordinary: list[str],
        any_words: list[str],
        products: list[str],
        foreign: dict[str, list[str]],
    ) -> None:
        self.first, self.last = first, last
        self.cities, self.ordinary = cities, ordinary
        self.any_words = any_words  # English words, frequent or not
        self.products = products
        self.foreign = foreign  # ordinary words of other languages, by language
        self.verbs = [word for word in ordinary if word.endswith("ed") and len(word) > 4]


class Sentences:
    """Generates sentences with labelled spans."""

    def __init__(self, words: Words, rng: random.Random) -> None:
        self._words, self._rng = words, rng
        self._files = {
            path.stem: path.read_text(encoding="utf-8").splitlines() for path in sorted(_FOLDER.glob("*.txt"))
        }
        self._language = ""  # of the sentence that is generated; empty for English

    def make(self) -> tuple[str, list[tuple[int, int, str]]]:
        """A text, and the labelled spans of its names and addresses."""
        self._language = self._rng.choice(sorted(self._words.foreign)) if self._rng.random() < _FOREIGN else ""
        people, things = (f"{kind}_{self._language}" if self._language else kind for kind in ("people", "things"))
        pools = [people, things] if self._language else [people, things, "places", "documents"]
        marked = self._filled(self._one(self._rng.choices(pools, (60, 38, 34, 12)[: len(pools)])[0]))
        if self._rng.random() < 0.6:
            marked = marked[0].upper() + marked[1:]
        if self._rng.random() < 0.35:
            before = self._filled(self._one(self._rng.choice([things, people]))).rstrip(".")
            marked = before[0].upper() + before[1:] + self._rng.choice([". ", ". ", ".\n", "; ", "\n"]) + marked
        if self._rng.random() < 0.2:
            marked += self._rng.choice([" ", " ", "\n", "\n\n"]) + self._filled(self._one(things))
        return unmarked(marked)

    def _one(self, pool: str) -> str:
        return self._rng.choice(self._files[pool]).replace("\\n", "\n")

    def _filled(self, template: str, depth: int = 0) -> str:
        def fill(slot: re.Match[str]) -> str:
            special = slot[1] in ("First", "Last", "NAME", "CAPS", "Title", "Camel", "Letter", "Any", "W")
            made = getattr(self, f"_{'x_' if special else ''}{slot[1].lower()}")
            text: str = made()
            return self._filled(text, depth + 1) if "{" in text and depth < 4 else text

        if "{Last}, {First}" in template:  # one person; the comma belongs to the name
            template = template.replace("{Last}, {First}", "{reverse}")
        return _SLOT.sub(fill, template).replace(" ,", ",").replace(" '", "'").replace(" .", ".")

    def _pick(self, options: list[str]) -> str:
        return self._rng.choice(options)

    def _digits(self, count: int) -> str:
        return "".join(self._rng.choices("0123456789", k=count))

    def address(self) -> str:
        """A marked address."""
        return self._address()

    # Names

    def _given(self) -> str:
        chance = self._rng.random()
        if chance < 0.62:
            return self._pick(self._words.first)
        if chance < 0.66:
            return f"{self._pick(self._words.first)}-{self._pick(self._words.first)}"
        return self._pick(self._words.last) if chance < 0.7 else self._made(1, 2)

    def _family(self) -> str:
        chance = self._rng.random()
        if chance < 0.55:
            return self._pick(self._words.last)
        if chance < 0.6:
            return f"{self._pick(self._words.last)}-{self._pick(self._words.last)}"
        if chance < 0.65:
            return self._pick(["de ", "van ", "van der ", "von ", "da ", "Mc", "O'", "Mac", "D'", "del ", "al-"]) + (
                self._pick(self._words.last)
            )
        return self._pick(self._words.first) if chance < 0.7 else self._made(1, 3)

    def _made(self, least: int, most: int) -> str:
        count = self._rng.randint(least, most)
        sounds = "".join(self._pick(ONSET) + self._pick(VOWEL) for _ in range(count))
        return (sounds + (self._pick(CODA) if self._rng.random() < 0.8 or count == 1 else "")).capitalize()

    def _initial(self) -> str:
        return self._pick(list("ABCDEFGHJKLMNPRSTVW"))

    def _name(self) -> str:
        given, family, initial = self._given(), self._family(), self._initial()
        chance = self._rng.random()
        if chance < 0.36:
            return mark("N", given if chance < 0.28 else family)
        forms = [f"{given} {family}"] * 14 + [
            f"{given} {initial}. {family}",
            f"{initial}. {family}",
            f"{given} {self._given()} {family}",
            f"{given} {family} {self._family()}",
            f"{given} {family} {self._pick(['Jr.', 'Jr', 'III', 'PhD'])}",
            f"{family}, {given}",
            f"{self._pick(['Dr.', 'Dr', 'Prof.', 'Mr', 'Ms', 'Mrs.'])} {given} {family}",
        ]
        return mark("N", self._pick(forms))

    def _reverse(self) -> str:
        return mark("N", f"{self._family()}, {self._given()}")

    def _first(self) -> str:
        return mark("N", self._given())

    def _last(self) -> str:
        return mark("N", self._family())

    _x_first, _x_last = _first, _last

    def _titled(self) -> str:
        title = self._pick(
            ["Mr", "Mrs", "Ms", "Mr.", "Mrs.", "Ms.", "Dr", "Dr.", "Miss", "Prof.", "Herr", "Frau", "Sir"]
        )
        return mark(
            "N", f"{title} {self._pick([self._family(), self._family(), self._given() + ' ' + self._family()])}"
        )

    def _x_name(self) -> str:
        return mark("N", f"{self._given()} {self._family()}".upper())

    # Addresses

    def _street(self) -> str:
        return mark("A", self._plain_street())

    def _plain_street(self) -> str:
        number = str(
            self._rng.randint(1, 9 if self._rng.random() < 0.2 else 999 if self._rng.random() < 0.8 else 19_999)
        )
        number += self._pick(["", "", "", "", "", "a", "B", "-12"])
        name = self._pick(ROADS) if self._rng.random() < 0.5 else self._pick([self._family(), self._made(1, 2)])
        way, given = self._pick(WAYS), self._pick(self._words.first)
        end = self._pick(
            words("straße strasse str. weg gasse allee platz ufer laan straat gracht plein kade gatan vej")
        )
        return self._pick(
            [f"{number} {name} {way}"] * 5
            + [f"{name} {way} {number}", f"{self._x_any()} {way} {number}", f"{number} {self._x_any()} {way}"]
            + [f"{number} {self._pick(['N', 'S.', 'West', 'E', 'North', 'Old', 'New'])} {name} {way}"]
            + [f"{name}{end} {number}"] * 4
            + [f"{name}-{given}-Straße {number}", f"{name} {number}", f"{self._made(2, 2)} {number}"]
            + [f"{number} {self._pick(['rue', 'avenue', 'rue de', 'boulevard', 'place', 'rue du', 'quai'])} {name}"]
            + [f"{self._pick(['Via', 'Calle', 'Rua', 'Avenida', 'Piazza', 'ul.', 'Viale', 'C/'])} {name} {number}"]
            + [f"{number} {name} {way}, {self._unit()}", f"{self._unit()}, {number} {name} {way}"]
            + [f"{self._pick(['P.O. Box', 'PO Box', 'Postfach'])} {number}"]
        )

    def _unit(self) -> str:
        unit = self._pick(
            ["Apt", "Apt.", "Flat", "Unit", "Suite", "Ste", "Floor", "Apartment", "#", "Room", "Building"]
        )
        return f"{unit}{'' if unit == '#' else ' '}{self._pick([self._digits(1), self._digits(3), '4B', 'C', '12a'])}"

    def _code(self) -> tuple[str, bool]:
        """A postal code, and whether it follows the town."""
        letters = self._rng.choices("ABCDEFGHJKLNPRSTUWXYZ", k=3)
        area = f"{letters[0]}{self._pick(['', 'W', 'E'])}{self._rng.randint(1, 20)}"
        british = f"{area} {self._digits(1)}{letters[1]}{letters[2]}"
        behind = [f"{self._pick(STATES)} {self._digits(5)}"] * 3 + [british] * 2
        behind += [
            f"{self._pick(STATES)} {self._digits(5)}-{self._digits(4)}",
            f"{letters[0]}1{letters[1]} 2{letters[2]}3",
        ]
        before = [self._digits(5)] * 4 + [f"{self._digits(4)} {letters[0]}{letters[1]}"] * 2
        before += [self._digits(4), f"{self._digits(2)}-{self._digits(3)}", f"{self._digits(3)} {self._digits(2)}"]
        last = self._rng.random() < 0.5
        return self._pick(behind if last else before), last

    def _town(self) -> str:
        chance = self._rng.random()
        return self._pick(TOWNS if chance < 0.5 else self._words.cities) if chance < 0.85 else self._made(1, 2)

    def _place(self, between: str) -> str:
        code, behind = self._code()
        town = self._town()
        forms = [f"{town}{self._pick([', ', ' '])}{code}" if behind else f"{code} {town}"] * 4 + [town]
        return f"{self._plain_street()}{between}{self._pick(forms)}"

    def _address(self) -> str:
        return mark("A", self._place(self._pick([", ", ", ", ", ", " ", " - "])))

    def _streetlines(self) -> str:
        return mark("A", self._place("\n"))

    # Unlabelled words

    def _lead(self) -> str:
        return self._one("leads")

    def _tail(self) -> str:
        return self._one("tails")

    def _deed(self) -> str:
        return self._one("deeds")

    def _lead2(self) -> str:
        return self._one("lead2")

    def _tail2(self) -> str:
        return self._one("tail2")

    def _lead3(self) -> str:
        return self._pick(["in", "at", "on", "near", "opposite", "by"])

    def _company(self) -> str:
        first = self._pick([self._family(), self._made(1, 2), self._pick(TITLE_WORDS), self._pick(TOWNS)])
        return mark(
            "E",
            self._pick(
                [f"{first} {self._pick(FORMS)}"] * 4
                + [f"{first} & {self._family()} {self._pick(FORMS)}", f"{first} {self._pick(TITLE_WORDS)}", *CLOUDS[:3]]
            ),
        )

    def _product(self) -> str:
        made = f"{self._made(1, 2)} {self._pick(TITLE_WORDS)}"
        known = [self._pick(PRODUCTS)] * 4 + [self._pick(self._words.products).capitalize()] * 3
        return mark("E", self._pick([*known, made, f"{self._made(1, 2)}{self._digits(2)}", self._made(1, 3)]))

    def _city(self) -> str:
        return mark("E", self._pick(TOWNS) if self._rng.random() < 0.6 else self._pick(self._words.cities))

    def _cloud(self) -> str:
        return mark("E", self._pick(CLOUDS))

    def _country(self) -> str:
        return mark("E", self._pick(COUNTRIES))

    def _role(self) -> str:
        return self._pick(ROLES)

    def _noun(self) -> str:
        return self._pick(NOUNS)

    def _sentence(self) -> str:
        noun, other = self._noun(), self._noun()
        return self._pick(
            [
                f"the {noun} {self._pick(VERBS)} {self._pick(ADJECTIVES)}",
                f"the {noun} of the {other} {self._pick(VERBS)} {self._pick(ADJECTIVES)}.",
                f"please send the {noun} to the {other}",
                f"we need a {noun} for {{small}} {other}s",
                f"{noun} and {other} are {self._pick(ADJECTIVES)}",
                f"The {noun} {self._pick(VERBS)} {{num}} {other}s.",
                f"did the {noun} finish?",
                f"see the {noun} on page {{small}}",
                f"This {noun} {self._pick(VERBS)} {self._pick(ADJECTIVES)}; ask {{company}}.",
                "it costs {money} in {city}",
            ]
        )

    def _w(self) -> str:
        return self._pick(self._words.foreign[self._language] if self._language else self._words.ordinary)

    def _x_w(self) -> str:
        word = self._w()
        return word[0].upper() + word[1:]

    def _n(self) -> str:
        """A longer word of the sentence's language: in German a noun with its capital."""
        while True:
            word = self._w()
            if len(word) > _LONG and (self._language != "de" or word[0].isupper()):
                return word

    def _phrase(self) -> str:
        """Some words of the sentence's language."""
        phrase = " ".join(self._w() for _ in range(self._rng.randint(3, 8)))
        if self._rng.random() < 0.6:
            phrase = phrase[0].upper() + phrase[1:]
        return phrase + self._pick([".", ".", "!", "?", ""])

    def _weekday(self) -> str:
        return self._pick(WEEKDAYS[self._language])

    def _x_any(self) -> str:
        return self._pick(self._words.any_words).capitalize()

    def _adjective(self) -> str:
        return self._pick(ADJECTIVES)

    def _verbed(self) -> str:
        return self._pick(self._words.verbs)

    def _brand(self) -> str:
        return mark("E", self._pick(BRANDS))

    def _house(self) -> str:
        """A building or institution named after a person."""
        first = self._pick(
            [self._family(), self._family(), f"{self._given()} {self._family()}", f"St. {self._given()}'s"]
        )
        return mark("E", f"{first} {self._pick(INSTITUTIONS)}")

    def _odd(self) -> str:
        """A word that is in no list and is not a name."""
        return self._made(1, 3)

    def _x_title(self) -> str:
        return self._pick(TITLE_WORDS) if self._rng.random() < 0.9 else self._made(1, 2)

    def _x_camel(self) -> str:
        return "".join(self._pick(TITLE_WORDS) for _ in range(self._rng.randint(1, 3)))

    def _x_caps(self) -> str:
        return self._pick([*TITLE_WORDS, *NOUNS]).upper()

    def _x_letter(self) -> str:
        return self._initial()

    def _snake(self) -> str:
        return "_".join(self._noun() for _ in range(self._rng.randint(1, 2)))

    def _num(self) -> str:
        return self._pick([self._digits(1), self._digits(2), self._digits(3), self._digits(4), self._digits(6), "3.14"])

    def _small(self) -> str:
        return str(self._rng.randint(1, 40))

    def _id(self) -> str:
        return self._pick(["ORD-", "SUP-", "INV-", "#", "A", "PR "]) + self._digits(self._rng.randint(2, 7))

    def _money(self) -> str:
        return self._pick(["$", "€", "EUR ", "£"]) + self._digits(2) + self._pick(["", ".50", ",00"])

    def _age(self) -> str:
        return str(self._rng.randint(18, 90))

    def _date(self) -> str:
        day, month, year = self._rng.randint(1, 28), self._month(), self._year()
        return self._pick(
            [f"{day} {month} {year}", f"{month} {day}", f"{year}-03-{day:02}", f"{day}.4.{year}", self._day()]
        )

    def _time(self) -> str:
        return self._pick([f"{self._rng.randint(0, 23)}:{self._digits(1)}5", f"{self._rng.randint(1, 12)} pm"])

    def _day(self) -> str:
        return self._pick(DAYS)

    def _month(self) -> str:
        return self._pick(MONTHS)

    def _year(self) -> str:
        return str(self._rng.randint(1960, 2028))

    def _mail(self) -> str:
        return self._pick(["\0" * 17, f"{self._noun()}{self._digits(2)}@example.org"])

    def _phone(self) -> str:
        return self._pick(["\0" * 17, f"+44 20 {self._digits(4)} {self._digits(4)}"])


def mark(kind: str, text: str) -> str:
    return f"\ue000{kind}\ue001{text}\ue002"


def unmarked(marked: str) -> tuple[str, list[tuple[int, int, str]]]:
    parts: list[str] = []
    spans: list[tuple[int, int, str]] = []
    at = length = 0
    for match in _MARK.finditer(marked):
        parts += [marked[at : match.start()], match[2]]
        start = length + match.start() - at
        length = start + len(match[2])
        spans.append((start, length, match[1]))
        at = match.end()
    return "".join([*parts, marked[at:]]), spans
