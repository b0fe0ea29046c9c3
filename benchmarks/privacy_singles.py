"""Puts single values for `privacy.py` into a neutral sentence, into a sentence that names their kind, and under a
key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from privacy_marked import Sample, mark, sample
from privacy_values import Values

from workbench.records import JsonValue

_BARE = [
    "We noted {} this morning.",
    "{}",
    "Please use {} for now, as agreed.",
    "see {} (page 4)",
    "Done: {}; 3 of 7 left.",
]
_ADDRESSES = [
    "https://{}@git.example.net/team/shop.git",
    "postgres://{}@db.internal:5432/shop",
    "amqp://{}@mq.internal/v1",
]
_IN_PROSE = [
    "Yesterday {} asked for a refund of order 4711.",
    "The keys were handed to {} at the front desk.",
    "I spoke with {} about the delay, and it was fine.",
    "According to {}, the export took 14 minutes.",
]


@dataclass(frozen=True, slots=True)
class Group:
    """Values of one kind in one context, and the share of them that PRIVACY.md requires to be masked completely."""

    kind: str
    way: str
    target: float | None
    sentences: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    maker: str = ""

    def samples(self, count: int, seed: int) -> Iterator[Sample]:
        """This many samples; the same ones for the same seed."""
        values = Values(seed)
        for number in range(count):
            marked = mark(self.kind, values.make(self.maker or self.kind))
            yield sample(f"{self.kind} {self.way}", self._around(marked, values, number))

    def _around(self, marked: str, values: Values, number: int) -> JsonValue:
        if not self.keys:
            return values.pick(list(self.sentences)).replace("{}", marked)
        return {
            "id": f"R-{number + 1000}",
            values.pick(list(self.keys)): marked,
            "state": "open",
            "count": number % 90 + 1,
        }


def _group(kind: str, way: str, target: float | None, words: str | list[str], maker: str = "") -> Group:
    """A group of values. Keys are given as one string separated by blanks, sentences as a list."""
    if isinstance(words, str):
        return Group(kind, way, target, keys=tuple(words.split()), maker=maker)
    return Group(kind, way, target, sentences=tuple(words), maker=maker)


GROUPS = (
    _group("EMAIL", "bare", 99.9, _BARE),
    _group("EMAIL", "key", 99.9, "email contact_email userEmail mail reply_to owner"),
    _group("PHONE", "with +", 99.0, _BARE),
    _group(
        "PHONE",
        "context",
        99.0,
        ["Phone: {}", "call me at {} after six", "Tel. {}", "His mobile is {}.", "Fax: {}, mornings only"],
        "national_phone",
    ),
    _group("PHONE", "key", 99.0, "phone mobile phoneNumber contact_phone tel fax cell", "national_phone"),
    _group("PHONE", "bare", None, _BARE, "national_phone"),
    _group("CARD", "bare", 99.5, _BARE),
    _group("CARD", "key", 99.5, "card card_number creditCard ccNumber pan"),
    _group("IBAN", "bare", 99.5, _BARE),
    _group("IBAN", "key", 99.5, "iban bankAccount account_iban creditor_iban"),
    _group("SSN", "bare", 99.5, _BARE),
    _group("SSN", "key", 99.5, "ssn social_security_number socialSecurity"),
    _group(
        "NATIONAL_ID",
        "context",
        97.0,
        ["National ID: {}", "Her national insurance number or DNI is {}.", "ID card no. {}", "identity number {}"],
    ),
    _group("NATIONAL_ID", "key", 97.0, "national_id nationalId identity_number personal_id id_card_number"),
    _group("IP", "bare", 99.5, _BARE),
    _group("IP", "key", 99.5, "ip client_ip remoteAddr ipAddress"),
    _group("MAC", "bare", 99.5, _BARE),
    _group("MAC", "key", 99.5, "mac mac_address hwaddr"),
    _group("URL_CREDENTIAL", "address", 99.0, _ADDRESSES),
    _group("SECRET", "prefix", 99.0, _BARE),
    _group("SECRET", "prefix, key", 99.0, "token api_key authorization secret"),
    _group(
        "SECRET",
        "assignment",
        93.0,
        ["DB_PASSWORD={}", "password: {}", "export API_TOKEN={}", 'client_secret = "{}"', "secret_key: '{}'"],
        "password",
    ),
    _group("SECRET", "key", 93.0, "password apiKey client_secret access_token dbPassword", "password"),
    _group(
        "DOB",
        "context",
        97.0,
        ["Date of birth: {}", "born on {}", "DOB {}", "Birthday: {}", "She was born {} in Leeds."],
    ),
    _group("DOB", "key", 97.0, "dob birth_date dateOfBirth birthday born"),
    _group("BANK", "context", 97.0, ["Account number: {}", "account no. {}", "Bank account {} (savings)", "acct #{}"]),
    _group("BANK", "key", 97.0, "account_number bank_account accountNo bankAccountNumber"),
    _group("NAME", "key", 99.0, "name full_name customerName displayName contact_name author assignee patient"),
    _group("NAME", "prose", 75.0, _IN_PROSE),
    _group("ADDRESS", "key", 98.0, "address street_address billingAddress home_address shipping_address addressLine1"),
    _group(
        "ADDRESS",
        "prose",
        45.0,
        [
            "They live at {} now.",
            "Ship it to {} please.",
            "We met in front of {} at noon.",
            "The office moved to {} in May.",
        ],
    ),
    _group("COMPANY", "key", None, "company company_name employer organization companyName"),
    _group("USERNAME", "key", None, "username login user_name userName screen_name"),
)
