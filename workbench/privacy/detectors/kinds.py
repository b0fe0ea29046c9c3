"""Table of the kinds of personal data: how each is found in text, and which values under its keys it accepts.

A new kind is a new entry; detector and vault refer to no kind by name except LITERAL, CUSTOM and SEALED.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from workbench.privacy.detectors import (
    announced_values,
    bank_data,
    credentials,
    email_addresses,
    national_ids,
    network_addresses,
    person_names,
    personal_details,
    phone_numbers,
    user_names,
)
from workbench.privacy.detectors.announced_values import also_scientific

LITERAL = "LITERAL"  # text that looks like a token but is not one
CUSTOM = "CUSTOM"  # marked by the user
SEALED = "SEALED"  # a value of a sealed field without another kind

Find = Callable[[str], Iterator[tuple[int, int]]]


def _find_nothing(text: str) -> Iterator[tuple[int, int]]:
    return iter(())


def is_not_blank(value: str) -> bool:
    """Whether a value is not blank, for kinds that the user assigns."""
    return value.strip() != ""


class Kind(Struct, frozen=True):
    """One kind of personal data."""

    name: str  # as written in tokens
    plural: str  # as written in sentences
    accepts: Callable[[str], bool]  # whether a value under one of the keys is of this kind
    find: Find = _find_nothing  # spans in free text, for kinds with a form
    assigned: Callable[[str], bool] | None = None  # stricter than `accepts`, for text after `key:`
    spreads: bool = False  # its key applies to everything below it: {"phone": {"home": …}}
    numeric: bool = False  # also found by its digits, with any separators
    worded: bool = False  # also found by each word: a person's names
    why: str = "form"  # the reason of findings by `find`, for the user
    prose: bool = False  # also found in prose, with a score
    also: tuple[Kind, ...] = ()  # other kinds that its key may announce: `user` is a name or a user name
    personal: bool = False  # a record with such a value is about a person, and so is its `name`


KINDS = (
    Kind(
        "EMAIL", "e-mail addresses", email_addresses.is_email_address,
        email_addresses.find_email_addresses, spreads=True, personal=True,
    ),
    Kind(
        "PHONE", "phone numbers", also_scientific(announced_values.is_phone_number),
        phone_numbers.find_phone_numbers, spreads=True, numeric=True, personal=True,
    ),
    Kind(
        "CARD", "card numbers", also_scientific(bank_data.is_card), bank_data.find_cards,
        why="check digit", numeric=True, personal=True,
    ),
    Kind("IBAN", "IBANs", bank_data.is_iban, bank_data.find_ibans, why="checksum"),
    Kind(
        "SSN", "social security numbers", also_scientific(national_ids.is_ssn), national_ids.find_ssns,
        numeric=True, personal=True,
    ),
    Kind(
        "NATIONAL_ID", "national IDs", also_scientific(national_ids.is_national_id),
        national_ids.find_national_ids, why="word before it", numeric=True, personal=True,
    ),
    Kind(
        "IP", "IP addresses", network_addresses.is_ip_address,
        network_addresses.find_ip_addresses,
    ),
    Kind(
        "MAC", "MAC addresses", network_addresses.is_mac_address,
        network_addresses.find_mac_addresses,
    ),
    Kind("URL_CREDENTIAL", "logins", credentials.is_url_credential, find=credentials.find_url_credentials),
    Kind(
        credentials.SECRET, "secrets", credentials.is_secret, assigned=credentials.is_assigned_secret,
    ),
    Kind(
        "DOB", "birth dates", announced_values.is_birth_date,
        personal_details.find_birth_dates, why="word before it", personal=True,
    ),
    Kind(
        "NAME", "names", person_names.is_announced_name,
        assigned=person_names.is_assigned_name, worded=True, prose=True, personal=True,
    ),
    Kind(
        "ADDRESS", "postal addresses", announced_values.is_address,
        assigned=announced_values.is_assigned_address, prose=True, personal=True,
    ),
    Kind(
        "COMPANY", "companies", person_names.can_be_company,
        assigned=person_names.is_assigned_company,
    ),
    Kind(
        "USERNAME", "user names", user_names.is_user_name, user_names.find_user_names,
        assigned=user_names.is_assigned_user_name,
    ),
    Kind(
        "BANK", "bank details", also_scientific(bank_data.is_account), bank_data.find_accounts,
        why="word before it", numeric=True,
    ),
    Kind(CUSTOM, "custom values", is_not_blank),
    Kind(SEALED, "sealed values", is_not_blank),
)  # fmt: skip


def settled(kind: Kind, value: str) -> Kind:
    """The kind of a value among those that its key announces; the first if it is none of them."""
    if not kind.also or kind.accepts(value):
        return kind
    return next((other for other in kind.also if other.accepts(value)), kind)


BY_NAME = {kind.name: kind for kind in KINDS}
_ENDS = {"companies": "company", "addresses": "address"}  # irregular plurals


def plural(name: str, count: int) -> str:
    """A count with the name of a kind: `2 e-mail addresses`, `1 phone number`."""
    words = {LITERAL: "literal texts"} | {kind.name: kind.plural for kind in KINDS}
    many = words.get(name, name.lower() + "s")
    if count == 1:
        *before, last = many.split(" ")
        many = " ".join([*before, _ENDS.get(last, last.removesuffix("s"))])
    return f"{count} {many}"
