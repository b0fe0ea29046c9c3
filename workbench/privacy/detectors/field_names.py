"""Determines the kind of data that a key or column name announces, alone and among the other keys of its record.

`name` is a person's name next to `email` or below `customer`, and a product's name next to `price`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors import credentials, person_names, phone_numbers
from workbench.privacy.detectors.kinds import BY_NAME, KINDS, Kind, is_not_blank
from workbench.privacy.pii_tokens import LOOKALIKE
from workbench.records import JsonValue

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ODD = re.compile(r"[\W_]+")
LONGEST = 80  # a longer key is text, not a name
MOST_WORDS = 4  # words of one announcing name, such as `secret_access_key`

_ANNOUNCED = {key: kind for kind in reversed(KINDS) for key in kind.keys}
# With these words a key describes data instead of containing it: `phone_verified`, `email_count`, `card_brand`.
_OTHER_WORDS = """
verified valid count status enabled type format id ids template subject body opt optin provider model domain city
state country brand last4 size length policy expires expiry at changed updated created reset required hint strength
url uri link label placeholder field column date code currency balance limit amount price total fee version class
description message industry website next page continuation cursor sync limit usage per ttl
"""
_OTHER = frozenset(_OTHER_WORDS.split())
_PARTS_WORDS = "first last given family middle full value values formatted number display legal text"
_PARTS = frozenset(_PARTS_WORDS.split())
_KEY_HANDLE = replace(BY_NAME["USERNAME"], accepts=person_names.is_handle)
_LOGIN = replace(BY_NAME["USERNAME"], accepts=person_names.is_login)
_LOGIN_KEYS_WORDS = "user author assignee reporter committer submitter creator created_by updated_by actor posted_by"
_LOGIN_KEYS = frozenset(_LOGIN_KEYS_WORDS.split())
_COUNTED = replace(
    BY_NAME["SECRET"], accepts=credentials.is_secret_and_no_count, assigned=credentials.is_assigned_secret_and_no_count
)
_ROLE = replace(BY_NAME["NAME"], accepts=person_names.is_full_name, assigned=person_names.is_full_name, personal=False)
_LOOSE_ROLE = replace(_ROLE, accepts=person_names.is_likely_name, assigned=person_names.is_likely_name)
_PERSON_OR_LOGIN = replace(_ROLE, also=(_KEY_HANDLE,))
_USER = replace(_ROLE, also=(_LOGIN,))


@lru_cache(maxsize=4096)
def kind_of(key: str, rules: DetectionRules = DEFAULT_RULES) -> Kind | None:
    """The kind that `work_email`, `homePhone` or `Telephone (office)` announces by itself."""
    if own := rules.of_key(spelling(key)) if rules.keys else None:
        return replace(BY_NAME[own], accepts=is_not_blank, assigned=None)
    kind = _built_in(key)
    if kind is None or kind.name in rules.off or rules.lets_pass(key):
        return None
    return kind


@lru_cache(maxsize=4096)
def spelling(key: str) -> str:
    """The normalised key: `First Name` and `firstName` become `first_name`."""
    return "_".join(words_of(key)) if len(key) <= LONGEST else ""


def _built_in(key: str) -> Kind | None:
    if len(key) > LONGEST or LOOKALIKE.search(key):
        return None
    words = words_of(key)
    for end in range(len(words), 0, -1):
        for start in range(max(0, end - MOST_WORDS), end):
            kind = _ANNOUNCED.get("_".join(words[start:end]))
            if kind is not None:
                if not _OTHER.isdisjoint(words[:start] + words[end:]):
                    return None
                return _COUNTED if kind.name == "SECRET" and words[end - 1] in ("token", "cookie") else kind
    return _role("_".join(words))


def _role(name: str) -> Kind | None:
    if name == "user":
        return _USER
    if name in person_names.ROLES:
        return _PERSON_OR_LOGIN if name in _LOGIN_KEYS else _ROLE
    return _LOOSE_ROLE if name in person_names.LOOSE_ROLES else None


def inherited(kind: Kind | None, key: str) -> Kind | None:
    """The kind that the key around a record gives to one of its keys: `{"phone": {"home": …}}`, `{"name": {"first":
    …}}`."""
    return kind if kind is not None and (kind.spreads or key.strip().lower() in _PARTS) else None


def words_of(key: str) -> list[str]:
    """The words of a key, however it is written."""
    return [word.lower() for word in _ODD.split(_HUMP.sub("_", key)) if word]


MOST_KEYS = 60  # keys of a record whose kinds are cached

_NAME = BY_NAME["NAME"]
_RECORD_HANDLE = replace(BY_NAME["USERNAME"], accepts=person_names.is_handle)
# The kind of a bare `name` in a record about a person, in one that may be, and in any other.
_SURE = replace(_NAME, accepts=person_names.is_plausible_name, also=(_RECORD_HANDLE,))
_FAIR = replace(_NAME, accepts=person_names.is_full_name, assigned=person_names.is_full_name)
LIKELY = replace(_NAME, accepts=person_names.is_likely_name, assigned=person_names.is_likely_name)
_PARTY = replace(_FAIR, also=(replace(BY_NAME["PHONE"], accepts=phone_numbers.is_phone_number),))

_BARE_WORDS = "name names first last title_name display_name displayname global_name nick cn sn fn given family"
BARE = frozenset(_BARE_WORDS.split())
_PARTIES = frozenset({"from", "to", "cc", "bcc", "reply_to", "sender", "recipient", "recipients", "caller", "callee"})
_MESSAGE_WORDS = "subject snippet body text message messages sid thread_id message_id content duration html bcc cc"
_MESSAGE = frozenset(_MESSAGE_WORDS.split())
_SURE_KINDS = frozenset({"EMAIL", "SSN", "DOB", "NAME", "NATIONAL_ID", "CARD", "USERNAME"})
_FAIR_KINDS = frozenset({"PHONE", "ADDRESS", "IBAN", "BANK"})
_ABOUT_PEOPLE_WORDS = """
gender sex age salutation pronouns marital_status nationality job_title hire_date hired_at hired birthplace blood_type
avatar avatar_url real_name is_bot personal_email next_of_kin citizenship religion ethnicity height weight allergies
diagnosis seniority last_seen last_login
"""
_ABOUT_PEOPLE = frozenset(_ABOUT_PEOPLE_WORDS.split())
_PERHAPS_PEOPLE = frozenset({"role", "department", "position", "salary", "occupation", "profession", "timezone", "tz"})
_ABOUT_THINGS_WORDS = """
price sku mime_type color colour input_schema image version brand quantity namespace size_bytes currency ean upc isbn
mimetype stock file_size license stars topics language default_branch vendor domain website capital population lat lng
latitude longitude unit unit_price protocol port cpu memory required default
"""
_ABOUT_THINGS = frozenset(_ABOUT_THINGS_WORDS.split())
_THINGS_WORDS = """
product products item items label labels tag tags category categories status priority state states team teams project
projects channel channels repo repository repositories tool tools file files folder folders city cities country
countries department departments store stores brand plan plans service services component components event events
course issuetype issue_type type types workspace workspaces board boards list lists group groups role roles cycle
milestone milestones pipeline stage stages metadata containers container image images node nodes cluster clusters
database databases table tables column columns field fields parameter parameters option options select multi_select
line_items shipping_lines variants collection collections album track tracks book books movie movies venue venues room
rooms location locations region regions zone zones job jobs workflow workflows step steps check checks template
templates package packages dependency dependencies module modules app apps application applications feature features
environment environments model models dataset datasets metric metrics currency species
"""
_THINGS = frozenset(_THINGS_WORDS.split())
_PEOPLE_WORDS = """
people persons billing_details staff crew children kids parents shipping_details from to cc bcc profile shipping
individual
"""
_PEOPLE = frozenset(_PEOPLE_WORDS.split())


_FIRM = BY_NAME["COMPANY"]
_FIRMS = frozenset(
    {"account", "accounts", "company", "companies", "employer", "organization", "organisation", "merchant", "firm"}
)


def kinds_of(keys: Iterable[str], around: str = "", rules: DetectionRules = DEFAULT_RULES) -> dict[str, Kind | None]:
    """The kind that each key of a record announces, given its other keys and the key around it. Cached: do not change
    the result."""
    names = tuple(keys)
    if len(names) <= MOST_KEYS and all(len(name) <= LONGEST for name in names) and len(around) <= LONGEST:
        return _remembered(names, around, rules)
    return _kinds_of(names, around, rules)


def _kinds_of(keys: tuple[str, ...], around: str, rules: DetectionRules) -> dict[str, Kind | None]:
    kinds = {key: kind_of(key, rules) for key in keys}
    spelled = {key: spelling(key) for key in keys}
    bare = [key for key, name in spelled.items() if name in BARE and not rules.lets_pass(key)]
    if bare and "NAME" not in rules.off:
        kind = _bare_kind(kinds, set(spelled.values()), around)
        kinds |= {key: _better(kinds[key], kind, spelled[key]) for key in bare}
    if not _MESSAGE.isdisjoint(spelled.values()):
        kinds |= {key: _PARTY for key, name in spelled.items() if name in _PARTIES and not rules.lets_pass(key)}
    return kinds


_remembered = lru_cache(maxsize=2048)(_kinds_of)


def _better(kind: Kind | None, bare: Kind | None, name: str) -> Kind | None:
    """The kind that a bare key announces by itself or in its record, whichever is more specific."""
    if kind is not None and kind.personal:
        return kind
    if bare is LIKELY and name in ("sn", "cn", "fn", "first", "last", "given", "family"):
        return kind
    return bare if bare is _SURE or kind is None else kind


def _bare_kind(kinds: dict[str, Kind | None], names: set[str], around: str) -> Kind | None:
    """The kind of a bare `name` in a record with these keys, below this key."""
    found = {kind.name for key, kind in kinds.items() if kind is not None and not _is_role(kind)}
    if is_person(around) or not _SURE_KINDS.isdisjoint(found) or not _ABOUT_PEOPLE.isdisjoint(names):
        return _SURE
    if spelling(around) in _FIRMS:
        return _FIRM
    if spelling(around) in _THINGS or not _ABOUT_THINGS.isdisjoint(names):
        return None
    if not _FAIR_KINDS.isdisjoint(found) or not _PERHAPS_PEOPLE.isdisjoint(names):
        return _FAIR
    return LIKELY


def _is_role(kind: Kind) -> bool:
    return kind.name == "NAME" and not kind.personal


def is_person(key: str) -> bool:
    """Whether the records below this key are people."""
    name = spelling(key)
    if not name:
        return False
    return name in _PEOPLE or not person_names.ROLES.isdisjoint((name, name.removesuffix("s")))


FEWEST_ROWS = 4  # rows from which a majority counts
ROWS_READ = 40  # rows that are read
SHARE = 0.6
LONGEST_CELL = 60  # characters of a value

_NAME_OF_COLUMN = replace(BY_NAME["NAME"], accepts=person_names.is_plausible_name)
_FORMED = tuple(kind for kind in KINDS if kind.name in ("EMAIL", "PHONE", "CARD", "IBAN", "SSN", "IP", "MAC"))
_NAMES = frozenset({"name", "label", "title", "display_name", "displayName", "Name", "contact", "who", "by", "full"})


def agreed(rows: Sequence[JsonValue], rules: DetectionRules) -> tuple[tuple[str, Kind], ...]:
    """For the records in a list: the keys that announce no kind, with the kind of most of their values."""
    if len(rows) < FEWEST_ROWS or not isinstance(rows[0], dict):
        return ()
    records = [row for row in rows[:ROWS_READ] if isinstance(row, dict)]
    if len(records) < FEWEST_ROWS:
        return ()
    keys = [str(key) for key in rows[0] if kind_of(str(key), rules) is None and not rules.lets_pass(str(key))]
    told = ((key, majority_kind(_values(records, key), key in _NAMES, rules)) for key in keys)
    return tuple((key, kind) for key, kind in told if kind is not None)


def majority_kind(values: Sequence[str], named: bool, rules: DetectionRules) -> Kind | None:
    """The kind of most of these values: a value without a known form is then of the same kind."""
    if len(values) < FEWEST_ROWS:
        return None
    seen = Counter(kind.name for value in values for kind in _FORMED if _is_entirely(kind, value))
    if named and "NAME" not in rules.off:
        seen["NAME"] = sum(person_names.is_likely_name(value) and person_names.can_be_name(value) for value in values)
    name, count = seen.most_common(1)[0] if seen else ("", 0)
    if count < SHARE * len(values) or name in rules.off:
        return None
    return _NAME_OF_COLUMN if name == "NAME" else BY_NAME[name]


def _values(records: Sequence[Mapping[str, JsonValue]], key: str) -> list[str]:
    values = (row.get(key) for row in records)
    return [value for value in values if isinstance(value, str) and 0 < len(value) <= LONGEST_CELL]


def _is_entirely(kind: Kind, value: str) -> bool:
    bare = value.strip()
    return next(iter(kind.find(bare)), None) == (0, len(bare))
