"""Generates values of every kind of personal data for `privacy.py` from a seed. All values are fictitious.

Written from standards, vendors' documents and forms, without access to the detector's rules. Half of all names are made
of syllables, so that no list of names can contain them.
"""

from __future__ import annotations

import base64
import datetime
import ipaddress
import json
import random
import string


def _words(text: str) -> list[str]:
    return text.split()


GIVEN = _words(
    "Anna Luca Mehmet Ngozi Priya Yuki Olga Tomasz Fatima Diego Ingrid Siobhán Jean-Luc Chiara Kwame Aisha Bjørn "
    "Zoë Matthias Svetlana Rahul Mei Hassan Leila João Katarzyna Dmitri Amara Niamh Pablo Greta Oluwaseun "
    "Thandiwe Ravi Soraya Emil Hannah Walter Judith Marcus Denise Roland Beatriz Kenji Minh Nadia Oskar Petra "
    "Quentin Rosalind"
)
FAMILY = _words(
    "Okafor Lindqvist Hernández Nakamura Kowalski O'Brien Schröder Dubois Rossi Papadopoulos Ivanova Singh Nguyen "
    "Haddad Van-der-Berg Fernandes Johansson Müller Mbeki Castellanos Whitfield Ashworth Delacroix Yamada Petrov "
    "Osei Chaudhry Vasquez Thornbury Eriksen Zielinski Baptiste Moreau Kaplan Abernathy Holloway Szabó Novák Iyer"
)
_START = _words("B C D F G H J K L M N P R S T V W Br Ch Dr Gr Kl Sh St Tr Th Vl Zh")
_MIDDLE = _words("a e i o u ai ea ie ou ar el in or un")
_END = _words("n r l s th nd ck sen ley ton va ro ski ri do mir eau")
_STREETS = _words("Maple Oak Station Mill Church Harbour Victoria Kings Elm Chestnut Ridge Juniper Quarry Bell Weaver")
_WAYS = _words("Street St Avenue Ave Road Rd Lane Drive Blvd Court Close Way")
_TOWNS = _words("Portland Leeds Austin Dublin Halifax Bristol Denver Cork Tucson Exeter Albany Perth Boise Dundee")
_STATES = _words("OR TX CO ME NY AZ ID CA WA MA")
_HOSTS = [
    "example.com",
    "mail.example.org",
    "acme-corp.io",
    "post.example.net",
    "kontor.de",
    "uni-lab.ac.uk",
    "web.fr",
    "shop.co.jp",
]
_FIRMS = _words("Northwind Halden Brightwater Castor Solvane Tessera Oakline Marwick Ferrum Lumen Quillon Arden")
_FORMS = ["Ltd", "GmbH", "Inc.", "LLC", "S.A.", "BV", "& Sons", "Holdings", "AG", "Group"]
_IBANS = {"DE": 18, "GB": 18, "FR": 23, "ES": 20, "NL": 14, "IT": 23, "CH": 17, "AT": 16, "BE": 12, "PL": 24, "SE": 20}
_ALNUM = string.ascii_letters + string.digits


class Values:
    """A generator of values; the same seed gives the same values."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def make(self, kind: str) -> str:
        """A value of this kind."""
        made = getattr(self, kind.lower())()
        assert isinstance(made, str)
        return made

    def pick(self, options: list[str]) -> str:
        return self.rng.choice(options)

    def digits(self, count: int) -> str:
        return "".join(self.rng.choices(string.digits, k=count))

    def _of(self, letters: str, count: int) -> str:
        return "".join(self.rng.choices(letters, k=count))

    def given(self) -> str:
        return self.pick(GIVEN) if self.rng.random() < 0.5 else self._invented(1)

    def family(self) -> str:
        return self.pick(FAMILY) if self.rng.random() < 0.5 else self._invented(2)

    def _invented(self, syllables: int) -> str:
        parts = [self.pick(_START) + self.pick(_MIDDLE) for _ in range(syllables)]
        return ("".join(parts) + self.pick(_END)).capitalize()

    def name(self) -> str:
        given, family = self.given(), self.family()
        middle = self.pick(list(string.ascii_uppercase))
        forms = [f"{given} {family}"] * 7 + [
            f"{given} {middle}. {family}",
            f"{family}, {given}",
            f"Dr. {given} {family}",
        ]
        return self.pick(forms)

    def username(self) -> str:
        given, family = (_ascii(part) for part in (self.given(), self.family()))
        return self.pick(
            [f"{given[0]}{family}", f"{given}.{family}", f"{given}_{self.digits(2)}", f"{family}{given[0]}1"]
        )

    def email(self) -> str:
        name, host = self.username(), self.pick(_HOSTS)
        forms = [f"{name}@{host}"] * 5 + [f"{name}+news@{host}", f"{name.upper()}@{host.upper()}", f"{name}@mx.{host}"]
        return self.pick(forms)

    def phone(self) -> str:
        """A phone number with a country code; `national_phone` returns national forms."""
        area, end = f"{self.rng.randrange(201, 989)}", self.digits(4)
        forms = [
            f"+1 {area}-{self.rng.randrange(201, 989)}-{end}",
            f"+1 ({area}) {self.rng.randrange(201, 989)}-{end}",
            f"+44 20 7{self.digits(3)} {end}",
            f"+4479{self.digits(8)}",
            f"+49 30 {self.rng.randrange(2, 9)}{self.digits(6)}",
            f"+49 (0)151 {self.rng.randrange(2, 9)}{self.digits(7)}",
            f"+33 6 {' '.join(self.digits(2) for _ in range(4))}",
            f"+81-90-{self.rng.randrange(1000, 9999)}-{end}",
            f"+91 98{self.digits(3)} {self.digits(5)}",
        ]
        return self.pick(forms)

    def national_phone(self) -> str:
        area, middle, end = self.rng.randrange(201, 989), self.rng.randrange(201, 989), self.digits(4)
        forms = [f"({area}) {middle}-{end}", f"{area}-{middle}-{end}", f"{area}.{middle}.{end}", f"020 7{middle} {end}"]
        return self.pick([*forms, f"0151 {middle}{end}1", f"06 {self.digits(2)} {self.digits(2)} {self.digits(4)}"])

    def card(self) -> str:
        """A Visa, Mastercard, American Express or Discover number with a valid check digit."""
        start, size = self.rng.choice(
            [("4", 16), ("51", 16), ("55", 16), ("2221", 16), ("37", 15), ("34", 15), ("6011", 16)]
        )
        body = start + self.digits(size - len(start) - 1)
        total = sum(sum(divmod(int(d) * (2 if at % 2 == 0 else 1), 10)) for at, d in enumerate(reversed(body)))
        number = body + str(-total % 10)
        cut = [4, 10] if size == 15 else [4, 8, 12]
        parts = [number[a:b] for a, b in zip([0, *cut], [*cut, size], strict=True)]
        return self.pick([number, " ".join(parts), "-".join(parts)])

    def iban(self) -> str:
        country = self.pick(list(_IBANS))
        body = self.digits(_IBANS[country])
        if country in ("GB", "NL"):
            body = self._of(string.ascii_uppercase, 4) + body[4:]
        digits = "".join(str(int(c, 36)) for c in body + country + "00")
        whole = f"{country}{98 - int(digits) % 97:02}{body}"
        return self.pick([whole, " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))])

    def ssn(self) -> str:
        """A US social security number with dashes, in the assigned ranges."""
        area = self.rng.choice([n for n in (self.rng.randrange(1, 900) for _ in range(9)) if n != 666])
        return f"{area:03}-{self.rng.randrange(1, 100):02}-{self.rng.randrange(1, 10000):04}"

    def national_id(self) -> str:
        """A British insurance or health number, or a Spanish, Indian, French, Swedish or Polish number, with check
        digits.
        """
        dni = self.rng.randrange(10**7, 10**8)
        nino = f"{self.pick(['AB', 'CE', 'JM', 'PX', 'SR'])}{self.digits(6)}{self.pick(list('ABCD'))}"
        insee = (
            f"{self.rng.randrange(1, 3)}{self.rng.randrange(40, 99)}{self.rng.randrange(1, 13):02}75{self.digits(6)}"
        )
        return self.pick(
            [
                f"{dni}{'TRWAGMYFPDXBNJZSQVHLCKE'[dni % 23]}",
                nino,
                " ".join([nino[:2], nino[2:4], nino[4:6], nino[6:8], nino[8]]),
                f"{insee}{97 - int(insee) % 97:02}",
                self._pesel(),
            ]
        )

    def _pesel(self) -> str:
        body = f"{self._day():%y%m%d}{self.digits(4)}"
        total = sum(int(digit) * weight for digit, weight in zip(body, (1, 3, 7, 9) * 3, strict=False))
        return f"{body}{-total % 10}"

    def ip(self) -> str:
        four = ".".join(str(self.rng.randrange(1, 255)) for _ in range(4))
        six = ipaddress.IPv6Address((0x2001 << 112) | self.rng.getrandbits(108))
        return self.pick([four, four, four, str(six), six.exploded, f"2001:db8::{self.rng.getrandbits(16):x}"])

    def mac(self) -> str:
        pairs = [f"{self.rng.randrange(256):02x}" for _ in range(6)]
        return self.pick([":".join(pairs), "-".join(pairs).upper(), ":".join(pairs).upper()])

    def url_credential(self) -> str:
        """The user and password of a URL, in the form that `url_around` uses."""
        return f"{_ascii(self.given())}:{self._of(_ALNUM + '_-!', self.rng.randrange(8, 20))}"

    def secret(self) -> str:
        """A secret with a well-known prefix."""
        hexes = self._of("0123456789abcdef", 64)
        return self.pick(
            [
                "gh" + f"p_{self._of(_ALNUM, 36)}",
                "github" + f"_pat_{self._of(_ALNUM, 22)}_{self._of(_ALNUM, 59)}",
                "AK" + f"IA{self._of(string.ascii_uppercase + '234567', 16)}",
                "sk" + f"_live_{self._of(_ALNUM, 24)}",
                "xox" + f"b-{self.digits(12)}-{self.digits(12)}-{self._of(_ALNUM, 24)}",
                "gl" + f"pat-{self._of(_ALNUM, 20)}",
                "AI" + f"za{self._of(_ALNUM + '-_', 35)}",
                "npm" + f"_{self._of(_ALNUM, 36)}",
                "hf" + f"_{self._of(string.ascii_letters, 34)}",
                "S" + f"G.{self._of(_ALNUM, 22)}.{self._of(_ALNUM, 43)}",
                "shp" + f"at_{hexes[:32]}",
                "dop" + f"_v1_{hexes}",
                "sk" + f"-ant-api03-{self._of(_ALNUM + '-_', 93)}AA",
                "wh" + f"sec_{self._of(_ALNUM, 32)}",
                self._jwt(),
            ]
        )

    def _jwt(self) -> str:
        parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": self.digits(10), "iat": 1700000000 + int(self.digits(6))}]
        coded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
        return ".".join([*coded, self._of(_ALNUM + "-_", 43)])

    def password(self) -> str:
        """A secret without a prefix; only the name of its variable or key shows what it is."""
        words = f"{self.given()}{self.digits(3)}{self.pick(list('!#%*'))}"
        return self.pick([_ascii(words) + "Xq", self._of(_ALNUM, 24), self._of("0123456789abcdef", 40)])

    def _day(self) -> datetime.date:
        return datetime.date(1940, 1, 1) + datetime.timedelta(days=self.rng.randrange(24000))

    def dob(self) -> str:
        day = self._day()
        return self.pick(
            [
                f"{day:%Y-%m-%d}",
                f"{day:%d.%m.%Y}",
                f"{day:%m/%d/%Y}",
                f"{day:%d %B %Y}",
                f"{day:%B} {day.day}, {day:%Y}",
            ]
        )

    def address(self) -> str:
        number, street = self.rng.randrange(1, 9900), f"{self.pick(_STREETS)} {self.pick(_WAYS)}"
        german = f"{self._invented(1)}{self.pick(['straße', 'weg', 'allee', 'gasse'])} {number % 200 + 1}"
        return self.pick(
            [
                f"{number} {street}, {self.pick(_TOWNS)}, {self.pick(_STATES)} {self.digits(5)}",
                f"{number} {street}",
                f"{number} {street}, Apt {number % 40 + 1}, {self.pick(_TOWNS)}",
                f"{german}, {self.digits(5)} {self._invented(1)}burg",
                f"{number % 90 + 1} rue {self.family()}, 75{self.digits(3)} Paris",
                f"Flat {number % 9 + 1}, {number % 99 + 1} {street}, {self.pick(_TOWNS)}",
            ]
        )

    def company(self) -> str:
        first = self.pick(_FIRMS) if self.rng.random() < 0.5 else self.family()
        return f"{first} {self.pick(_FORMS)}"

    def bank(self) -> str:
        """An American or British bank account number."""
        return self.pick(
            [self.digits(8), self.digits(10), self.digits(12), f"{self.rng.randrange(1, 10)}{self.digits(8)}"]
        )


def _ascii(text: str) -> str:
    return "".join(c for c in text.lower() if c in string.ascii_lowercase + string.digits) or "sam"
