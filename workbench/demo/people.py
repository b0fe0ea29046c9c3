"""Fictional customers with realistic data, so that masking of personal data can be tried.

Mail domains and telephone numbers come from ranges reserved for examples and drama; nobody owns them.
"""

from __future__ import annotations

import random
import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta

COUNT = 240  # customers


def _split_names(line: str) -> tuple[str, ...]:
    return tuple(line.split())


_FIRST = _split_names(
    "Amara Anders Beatriz Camille Chidi Dilan Elif Emeka Fatima Freya Giulia Hanna Ingrid Jasper Jürgen "
    "Katarzyna Kenji Lars Leila Lucía Mateo Mei Mohammed Nadia Nikolai Noor Oliver Olivia Priya Rafael "
    "Ravi Renée Rosa Samuel Sofia Søren Tomasz Wanjiru Yusuf Zoë"
)
_LAST = _split_names(
    "Abara Andersson Bakker Bauer Björk Castillo Chen Costa Dubois Eriksen Fernández Fischer García "
    "Haddad Hansen Ivanova Jansen Kaya Kowalski Laurent Lindqvist Mbeki Moreau Murphy Müller Nakamura "
    "Ndiaye Novák Okafor O'Brien Patel Petrov Ricci Rossi Sato Schneider Silva Tanaka Virtanen Walsh"
)
_DOMAINS = ("example.com", "example.org", "example.net", "mail.example")
_STREETS = ("Birch Lane", "Canal Street", "Harbour Road", "Linden Avenue", "Mill Close", "Orchard Way", "Station Road")
_PLACES = (
    # city, country, postcode pattern, telephone pattern
    ("Berlin", "Germany", "10###", "+49 30 23125 ###"),
    ("Hamburg", "Germany", "20###", "+49 40 66969 ###"),
    ("London", "United Kingdom", "E1 #QX", "+44 20 7946 0###"),
    ("Leeds", "United Kingdom", "LS2 #PB", "+44 113 496 0###"),
    ("Lyon", "France", "69 00#", "+33 1 99 00 ## ##"),
    ("Stockholm", "Sweden", "111 ##", "+46 8 465 004 ##"),
    ("Portland", "United States", "97###", "+1 503 555 01##"),
    ("Austin", "United States", "78###", "+1 512 555 01##"),
)
_SEGMENTS = ("consumer", "consumer", "consumer", "business", "business", "enterprise")


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer with the personal data that a real system would hold."""

    id: str
    name: str
    email: str
    phone: str
    address: str
    city: str
    country: str
    date_of_birth: str
    segment: str
    since: str
    lifetime_value: float


def make_customers(chance: random.Random) -> list[Customer]:
    """Generate the customers; the same seed of `chance` gives the same customers."""
    return [_customer(chance, number) for number in range(1, COUNT + 1)]


def _customer(chance: random.Random, number: int) -> Customer:
    first, last = chance.choice(_FIRST), chance.choice(_LAST)
    city, country, postcode, phone = chance.choice(_PLACES)
    street = f"{chance.randint(1, 180)} {chance.choice(_STREETS)}"
    return Customer(
        id=f"CUS-{number:04d}",
        name=f"{first} {last}",
        email=f"{_plain(first)}.{_plain(last)}{number}@{chance.choice(_DOMAINS)}",
        phone=_digits(chance, phone),
        address=f"{street}, {_digits(chance, postcode)} {city}",
        city=city,
        country=country,
        date_of_birth=str(date(1945, 1, 1) + timedelta(days=chance.randrange(22_000))),
        segment=chance.choice(_SEGMENTS),
        since=str(date(2019, 1, 1) + timedelta(days=chance.randrange(2_400))),
        lifetime_value=round(chance.lognormvariate(6.5, 1.1), 2),
    )


def _digits(chance: random.Random, pattern: str) -> str:
    return "".join(str(chance.randrange(10)) if mark == "#" else mark for mark in pattern)


def _plain(name: str) -> str:
    """Convert a name to the form used in a mail address."""
    bare = unicodedata.normalize("NFKD", name.replace("ø", "o").replace("'", ""))
    return bare.encode("ascii", "ignore").decode().lower()
