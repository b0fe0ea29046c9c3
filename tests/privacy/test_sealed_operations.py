"""What programs may learn of sealed values."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.privacy.sealed_operations import operate


@pytest.mark.parametrize(
    ("operation", "values", "expected"),
    [
        ("equal", [("EMAIL", "Ada@Example.org"), ("EMAIL", "ada@example.org")], True),
        ("equal", [("PHONE", "+44 20 7946 0958"), ("PHONE", "0044-20-7946-0958")], True),
        ("equal", [("PHONE", "+44 20 7946 0958"), ("", "44 2079460958")], True),
        ("equal", [("NAME", "Ada  Lovelace"), ("", "ada lovelace")], True),
        ("equal", [("NAME", "Ada"), ("NAME", "Bo")], False),
        ("domain_of", [("EMAIL", "Ada@Example.org")], "example.org"),
        ("year_of", [("DOB", "12.05.1985")], 1985),
        ("year_of", [("", "1985-05-12T10:00:00")], 1985),
        ("last4", [("CARD", "4111 1111 1111 1234")], "1234"),
        ("last4", [("IBAN", "DE89 3704 0044 0532 0130 00")], "3000"),
        ("initials", [("NAME", "ada king-lovelace")], "A.K.L."),
        ("masked", [("EMAIL", "ada@example.org")], "a…@example.org"),
        ("masked", [("PHONE", "+44 20 7946 0958")], "…0958"),
        ("masked", [("NAME", "Ada Lovelace")], "A.L."),
    ],
)
def test_an_operation_answers(operation: str, values: list[tuple[str, str]], expected: object) -> None:
    assert operate(operation, values) == expected


@pytest.mark.parametrize(
    ("operation", "values", "words"),
    [
        ("last4", [("SSN", "078-05-1120")], "social security"),
        ("last4", [("SECRET", "hunter2hunter2")], "secrets"),
        ("last4", [("PHONE", "12345")], "nearly all"),
        ("domain_of", [("NAME", "Ada")], "e-mails"),
        ("masked", [("SECRET", "abcdefgh")], "secrets"),
        ("masked", [("", "abcdefgh")], "no token"),
        ("year_of", [("DOB", "12.05.85")], "no date"),
        ("year_of", [("DOB", "1985 or 1986")], "no date"),
        ("equal", [("EMAIL", "a@b.c")], "no such operation"),
        ("reveal", [("EMAIL", "a@b.c")], "no such operation"),
    ],
)
def test_what_a_kind_does_not_show_is_refused(operation: str, values: list[tuple[str, str]], words: str) -> None:
    with pytest.raises(WorkbenchError) as fault:
        operate(operation, values)
    assert words in str(fault.value)
