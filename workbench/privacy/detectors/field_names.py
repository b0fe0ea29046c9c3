"""Determines the kind of data that a key or column name announces, alone and among the other keys of its record.

`name` is a person's name next to `email` or below `customer`, and a product's name next to `price`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors import announced_values, credentials, key_words, person_names
from workbench.privacy.detectors.key_words import LONGEST, words_of
from workbench.privacy.detectors.kinds import BY_NAME, KINDS, Kind, is_not_blank
from workbench.privacy.pii_tokens import LOOKALIKE
from workbench.records import JsonValue

_PARTS_WORDS = """
first last given family middle full value values formatted number display legal text display_value displayvalue
display_name displayname full_name fullname
"""
_PARTS = frozenset(_PARTS_WORDS.split())
_ADDRESS_PARTS = frozenset({"line", "lines"})
_KEY_HANDLE = replace(BY_NAME["USERNAME"], accepts=person_names.is_handle, assigned=None)
_LOGIN = replace(BY_NAME["USERNAME"], accepts=person_names.is_login, assigned=None)
_COUNTED = replace(
    BY_NAME["SECRET"], accepts=credentials.is_secret_and_no_count, assigned=credentials.is_assigned_secret_and_no_count
)
_ROLE = replace(BY_NAME["NAME"], accepts=person_names.is_role_name, assigned=person_names.is_role_name, personal=False)
_LOOSE_ROLE = replace(_ROLE, accepts=person_names.is_likely_name, assigned=person_names.is_likely_name)
_PERHAPS = replace(_ROLE, accepts=person_names.is_likely_known_name, assigned=person_names.is_likely_known_name)
_PERSON_OR_LOGIN = replace(_ROLE, also=(_KEY_HANDLE,))
_USERS_LISTED = """
user usuario utilisateur utente gebruiker benutzer nutzer uzytkownik utilizador пользователь χρηστης користувач
kullanici bruger bruker anvandare kayttaja felhasznalo utilizator korisnik uzivatel
"""
_USER_WORDS = frozenset(_USERS_LISTED.split())
_USER = replace(_ROLE, also=(_LOGIN,))
_POSTCODE = replace(
    BY_NAME["ADDRESS"], accepts=announced_values.is_postal_code, assigned=announced_values.is_postal_code
)
# The kind of each group of `key_words`.
_OF_GROUP: dict[str, Kind | None] = {
    "email": BY_NAME["EMAIL"],
    "phone": BY_NAME["PHONE"],
    "card": BY_NAME["CARD"],
    "iban": BY_NAME["IBAN"],
    "ssn": replace(BY_NAME["SSN"], also=(BY_NAME["NATIONAL_ID"],)),
    "national": replace(BY_NAME["NATIONAL_ID"], assigned=announced_values.is_assigned_national_id),
    "ip": BY_NAME["IP"],
    "mac": BY_NAME["MAC"],
    "secret": BY_NAME["SECRET"],
    "counted_secret": _COUNTED,
    "weak_secret": replace(
        BY_NAME["SECRET"], accepts=credentials.is_random_secret, assigned=credentials.is_random_secret
    ),
    "birth": BY_NAME["DOB"],
    "name": BY_NAME["NAME"],
    "initials": replace(
        BY_NAME["NAME"], accepts=person_names.is_initials, assigned=person_names.is_initials, personal=False
    ),
    "address": BY_NAME["ADDRESS"],
    "street": replace(
        BY_NAME["ADDRESS"], accepts=announced_values.is_street, assigned=announced_values.is_assigned_street
    ),
    "house_number": replace(
        BY_NAME["ADDRESS"],
        accepts=announced_values.is_house_number,
        assigned=announced_values.is_house_number,
        personal=False,
    ),
    "postcode": _POSTCODE,
    "company": BY_NAME["COMPANY"],
    "username": BY_NAME["USERNAME"],
    "bank": BY_NAME["BANK"],
    key_words.ROLE: _ROLE,
    key_words.LOOSE_ROLE: _LOOSE_ROLE,
    key_words.PERHAPS_NAME: _PERHAPS,
}
_NO_SECRET_WORDS = """
object s3 partition public publishable site foreign sort row cache routing primary idempotency start last evaluated
exclusive index lookup dedup deduplication message event record translation locale issue project unique natural group
registry file storage path bucket
"""
_NO_SECRET_KEYS = frozenset(_NO_SECRET_WORDS.split())  # of these, a key identifies something: `object_key`
_BRACKETS = re.compile(r"\([^()]{0,60}\)")
_PAN = replace(BY_NAME["CARD"], also=(BY_NAME["NATIONAL_ID"],))  # a card's or an Indian's number
_CALLER = replace(BY_NAME["PHONE"], also=(_ROLE,))


@lru_cache(maxsize=4096)
def kind_of(key: str, rules: DetectionRules = DEFAULT_RULES) -> Kind | None:
    """The kind that `work_email`, `homePhone` or `Telephone (office)` announces by itself."""
    if own := rules.of_key(spelling(key)) if rules.keys else None:
        return replace(BY_NAME[own], accepts=is_not_blank, assigned=None)
    kind = _built_in(key)
    if kind is None or kind.name in rules.off or rules.lets_pass(key):
        return None
    if rules.off and kind.also:
        return replace(kind, also=tuple(other for other in kind.also if other.name not in rules.off))
    return kind


@lru_cache(maxsize=4096)
def spelling(key: str) -> str:
    """The normalised key: `First Name` and `firstName` become `first_name`."""
    return "_".join(words_of(key)) if len(key) <= LONGEST else ""


@lru_cache(maxsize=4096)
def _built_in(key: str) -> Kind | None:
    if len(key) > LONGEST or LOOKALIKE.search(key):
        return None
    words = key_words.key_words()
    group = words.meaning(key)
    if group == "weak_secret" and not _NO_SECRET_KEYS.isdisjoint(words_of(key)):
        return None
    if "(" in key and (not group or group == key_words.PERHAPS_NAME):
        group = words.meaning(_BRACKETS.sub("", key)) or group
    if group in (key_words.ROLE, key_words.LOOSE_ROLE, key_words.PERHAPS_NAME) and words.is_login(key):
        return _USER if spelling(key) in _USER_WORDS else _PERSON_OR_LOGIN
    if group in ("", "phone", key_words.ROLE) and words.has("caller", key):
        return _CALLER
    if group == "card" and spelling(key) == "pan":
        return _PAN
    return _OF_GROUP.get(group)


@lru_cache(maxsize=4096)
def _is_in(group: str, key: str) -> bool:
    return len(key) <= LONGEST and key_words.key_words().has(group, key)


@lru_cache(maxsize=4096)
def is_bare(key: str) -> bool:
    """Whether a key is a mere "name" in some language, whose record decides what it means."""
    return _is_in("name_word", key) or spelling(key) in key_words.key_words().groups["bare_name"]


@lru_cache(maxsize=4096)
def needs_record(key: str) -> bool:
    """Whether only the other keys of its record tell what a key means: `name`, `via`, `cap`."""
    return is_bare(key) or any(_is_in(group, key) for group in ("weak_postcode", "weak_street", "weak_login"))


def is_name_of_thing(key: str) -> bool:
    """Whether a key is the name of a thing, such as "Event name"."""
    words = key_words.key_words()
    return not words.groups["thing"].isdisjoint(words.tokens(key))


def inherited(kind: Kind | None, key: str) -> Kind | None:
    """The kind that the key around a record gives to one of its keys: `{"phone": {"home": …}}`, `{"name": {"first":
    …}}`."""
    if kind is None or kind.spreads:
        return kind
    part = key.strip().lower()
    return kind if part in _PARTS or (kind.name == "ADDRESS" and part in _ADDRESS_PARTS) else None


MOST_KEYS = 60  # keys of a record whose kinds are cached

_NAME = replace(BY_NAME["NAME"], personal=False)
_RECORD_HANDLE = replace(BY_NAME["USERNAME"], accepts=person_names.is_handle, assigned=None)
_RECORD_LOGIN = replace(BY_NAME["USERNAME"], accepts=person_names.is_login, assigned=None)
_SINGLE = re.compile(r"[\u3400-\u9fff\uac00-\ud7af]")  # a given name of one sign


def _is_name_of_record(value: str) -> bool:
    """Whether the `name` of a record about a person is a person's."""
    if value in ("Id", "ID", "Name"):
        return False
    return person_names.is_plausible_name(value) or _SINGLE.fullmatch(value.strip()) is not None


# The kind of a bare `name` in a record about a person, in one that may be, and in any other.
_SURE = replace(_NAME, accepts=_is_name_of_record, also=(_RECORD_HANDLE,))
_FAIR = replace(_NAME, accepts=person_names.is_full_name, assigned=person_names.is_full_name)
LIKELY = replace(_NAME, accepts=person_names.is_likely_name, assigned=person_names.is_likely_name)
_PARTY = replace(_FAIR, also=(BY_NAME["PHONE"],))

_PARTIES = frozenset({"from", "to", "cc", "bcc", "reply_to", "sender", "recipient", "recipients", "caller", "callee"})
_MESSAGE_WORDS = "subject snippet body text message messages sid thread_id message_id content duration html bcc cc"
_MESSAGE = frozenset(_MESSAGE_WORDS.split())
_SURE_KINDS = frozenset({"EMAIL", "SSN", "DOB", "NAME", "NATIONAL_ID", "CARD", "USERNAME"})
_FAIR_KINDS = frozenset({"PHONE", "ADDRESS", "IBAN", "BANK"})
_FIRM = BY_NAME["COMPANY"]
# Beside these kinds, short keys such as `cap` and `via` are parts of an address.
_LOGIN_KINDS = frozenset({"NAME", "EMAIL"})  # beside these kinds, `uid` is a user name, as in directories
_PLACE_KINDS = frozenset({"ADDRESS", "NAME", "EMAIL", "PHONE"})


def kinds_of(keys: Iterable[str], around: str = "", rules: DetectionRules = DEFAULT_RULES) -> dict[str, Kind | None]:
    """The kind that each key of a record announces, given its other keys and the key around it. Cached: do not change
    the result."""
    names = tuple(keys)
    if len(names) <= MOST_KEYS and max(map(len, names), default=0) <= LONGEST and len(around) <= LONGEST:
        return _remembered(names, around, rules)
    return _kinds_of(names, around, rules)


def _kinds_of(keys: tuple[str, ...], around: str, rules: DetectionRules) -> dict[str, Kind | None]:
    kinds = {key: kind_of(key, rules) for key in keys}
    spelled = {key: spelling(key) for key in keys}
    bare = [key for key in keys if is_bare(key) and not rules.lets_pass(key)]
    if bare and "NAME" not in rules.off:
        doubtful = [key for key in keys if _is_in("doubtful_name", key)]
        kind = _bare_kind({key: kind for key, kind in kinds.items() if key not in doubtful}, around)
        if kind is None:
            kinds |= dict.fromkeys(doubtful)
        elif doubtful:
            kind = _SURE
        kinds |= {key: _better(kinds[key], kind, spelled[key]) for key in bare}
    if not _MESSAGE.isdisjoint(spelled.values()):
        kinds |= {key: _PARTY for key, name in spelled.items() if name in _PARTIES and not rules.lets_pass(key)}
    if "ADDRESS" not in rules.off and any(kind is not None and kind.name in _PLACE_KINDS for kind in kinds.values()):
        for group, part in (("weak_postcode", _POSTCODE), ("weak_street", _OF_GROUP["street"])):
            kinds |= {key: part for key in keys if kinds[key] is None and _is_in(group, key)}
    if "USERNAME" not in rules.off and any(kind is not None and kind.name in _LOGIN_KINDS for kind in kinds.values()):
        kinds |= {key: _RECORD_LOGIN for key in keys if kinds[key] is None and _is_in("weak_login", key)}
    return kinds


_remembered = lru_cache(maxsize=2048)(_kinds_of)


def _better(kind: Kind | None, bare: Kind | None, name: str) -> Kind | None:
    """The kind that a bare key announces by itself or in its record, whichever is more specific."""
    if kind is not None and kind.personal:
        return kind
    if bare is LIKELY and name in ("sn", "cn", "fn", "first", "last", "given", "family"):
        return kind
    return bare if bare is _SURE or kind is None else kind


def _bare_kind(kinds: dict[str, Kind | None], around: str) -> Kind | None:
    """The kind of a bare `name` in a record with these keys, below this key."""
    found = {kind.name for kind in kinds.values() if kind is not None and not _is_role(kind)}
    if is_person(around) or not _SURE_KINDS.isdisjoint(found) or _any_in("about_person", kinds):
        return _SURE
    if _is_in("firm_below", around):
        return _FIRM
    if _is_thing(around) or _any_in("about_thing", kinds):
        return None
    if not _FAIR_KINDS.isdisjoint(found) or _any_in("perhaps_person", kinds):
        return _FAIR
    return LIKELY


def _any_in(group: str, keys: Iterable[str]) -> bool:
    return any(_is_in(group, key) for key in keys)


def _is_role(kind: Kind) -> bool:
    return kind.name == "NAME" and not kind.personal


@lru_cache(maxsize=4096)
def is_person(key: str) -> bool:
    """Whether the records below this key are people."""
    return key_words.key_words().is_person(key)


@lru_cache(maxsize=4096)
def _is_thing(key: str) -> bool:
    return key_words.key_words().is_thing(key)


FEWEST_ROWS = 4  # rows from which a majority counts
ROWS_READ = 40  # rows that are read
SHARE = 0.6
COLUMN = "like the others in its column"  # the reason for an odd value in a column
LONGEST_CELL = 60  # characters of a value

_NAME_OF_COLUMN = replace(BY_NAME["NAME"], accepts=person_names.is_plausible_name)
# Kinds whose key decides for odd values of its column.
_DECIDING = frozenset({"EMAIL", "PHONE", "CARD", "IBAN", "SSN", "NATIONAL_ID", "DOB", "NAME", "ADDRESS", "BANK"})
_IMPERSONAL = frozenset({"IBAN", "BANK"})
_FORMED = tuple(kind for kind in KINDS if kind.name in ("EMAIL", "PHONE", "CARD", "IBAN", "SSN", "IP", "MAC"))
_FORM = re.compile(r"[@:]|(?:\d\D{0,3}+){4}")  # what every value with a known form contains
_NAMES = frozenset({"name", "label", "title", "display_name", "displayName", "Name", "contact", "who", "by", "full"})


def agreed(rows: Sequence[JsonValue], rules: DetectionRules) -> Mapping[str, Kind]:
    """For the records in a list: the keys whose values agree, with their kind. It is the kind of most values if the key
    announces none, and the key's kind for every value if it announces the kind of most."""
    if len(rows) < FEWEST_ROWS or not isinstance(rows[0], dict):
        return {}
    records = [row for row in rows[:ROWS_READ] if isinstance(row, dict)]
    if len(records) < FEWEST_ROWS:
        return {}
    told = {str(key): _agreed_kind(str(key), records, rules) for key in rows[0]}
    return {key: kind for key, kind in told.items() if kind is not None}


def _agreed_kind(key: str, records: Sequence[Mapping[str, JsonValue]], rules: DetectionRules) -> Kind | None:
    kind = kind_of(key, rules)
    if kind is not None:
        whole = decided(kind, lambda: [row.get(key) for row in records])
        return whole if whole is not kind else None
    if rules.lets_pass(key):
        return None
    texts = [value for row in records if isinstance(value := row.get(key), str) and 0 < len(value) <= LONGEST_CELL]
    return majority_kind(texts, key in _NAMES or is_bare(key), rules)


def decided(kind: Kind, cells: Callable[[], Iterable[JsonValue]]) -> Kind:
    """The kind of a column: if it accepts most cells, it accepts the others too, whatever their form. The cells are
    read when it first does not accept one."""
    if kind.name not in _DECIDING or not (kind.personal or kind.name in _IMPERSONAL):
        return kind
    accepts = kind.accepts
    majority: list[bool] = []

    def accepts_any(value: str) -> bool:
        if accepts(value):
            return True
        if not majority:
            majority.append(_accepts_most(accepts, cells()))
        return majority[0] and announced_values.is_odd_value(value)

    return replace(kind, accepts=accepts_any, why=COLUMN)


def _accepts_most(accepts: Callable[[str], bool], cells: Iterable[JsonValue]) -> bool:
    texts = [str(cell) for cell in cells if isinstance(cell, str | int | float) and not isinstance(cell, bool)]
    told = [text for text in texts if not announced_values.is_placeholder(text)]
    return len(told) >= FEWEST_ROWS and sum(map(accepts, told)) >= SHARE * len(told)


def is_of_column(kind: Kind) -> bool:
    """Whether a kind is that of a column, by `decided`."""
    return kind.why == COLUMN


def majority_kind(values: Sequence[str], named: bool, rules: DetectionRules) -> Kind | None:
    """The kind of most of these values: a value without a known form is then of the same kind."""
    if len(values) < FEWEST_ROWS:
        return None
    formed = filter(_FORM.search, values)
    seen = Counter(kind.name for value in formed for kind in _FORMED if _is_entirely(kind, value))
    if named and "NAME" not in rules.off:
        seen["NAME"] = sum(person_names.is_likely_name(value) and person_names.can_be_name(value) for value in values)
    name, count = seen.most_common(1)[0] if seen else ("", 0)
    if count < SHARE * len(values) or name in rules.off:
        return None
    return _NAME_OF_COLUMN if name == "NAME" else BY_NAME[name]


def _is_entirely(kind: Kind, value: str) -> bool:
    bare = value.strip()
    return next(iter(kind.find(bare)), None) == (0, len(bare))
