"""Made-up people: always the same for the same chance, and nobody real."""

from __future__ import annotations

import random
import re
from datetime import date

from workbench.demo.people import COUNT, make_customers


def test_the_same_chance_makes_the_same_people() -> None:
    assert make_customers(random.Random(7)) == make_customers(random.Random(7))
    assert make_customers(random.Random(7)) != make_customers(random.Random(8))


def test_their_data_looks_real_and_belongs_to_nobody() -> None:
    people = make_customers(random.Random(7))
    assert len({one.email for one in people}) == COUNT
    for one in people:
        assert re.fullmatch(r"[a-z]+\.[a-z]+\d+@(example\.(com|org|net)|mail\.example)", one.email)
        assert re.fullmatch(r"\+\d{1,2} [\d ]{7,}", one.phone)
        assert date.fromisoformat(one.date_of_birth) < date(2006, 1, 1)
        assert one.city in one.address
