"""Says which kind of data a key or column name announces; keys find what patterns cannot."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from workbench.privacy import custom, likely, person, secret
from workbench.privacy.kinds import BY_NAME, KINDS, Kind
from workbench.privacy.marks import LOOKALIKE
from workbench.privacy.rules import PLAIN, Rules

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ODD = re.compile(r"[\W_]+")
LONGEST = 80  # a longer key is text, not a name
MOST_WORDS = 4  # of one announcing name, such as `secret_access_key`

_ANNOUNCED = {key: kind for kind in reversed(KINDS) for key in kind.keys}
# Words beside which a key tells about data instead of holding it: `phone_verified`, `email_count`, `card_brand`.
_OTHER_WORDS = """
verified valid count status enabled type format id ids template subject body opt optin provider model domain city
state country brand last4 size length policy expires expiry at changed updated created reset required hint strength
url uri link label placeholder field column date code currency balance limit amount price total fee version class
description message industry website next page continuation cursor sync limit usage per ttl
"""
_OTHER = frozenset(_OTHER_WORDS.split())
_PARTS_WORDS = "first last given family middle full value values formatted number display legal text"
_PARTS = frozenset(_PARTS_WORDS.split())
_HANDLE = replace(BY_NAME["USERNAME"], accepts=likely.handle)
_LOGIN = replace(BY_NAME["USERNAME"], accepts=likely.login)
_LOGIN_KEYS_WORDS = "user author assignee reporter committer submitter creator created_by updated_by actor posted_by"
_LOGIN_KEYS = frozenset(_LOGIN_KEYS_WORDS.split())
_COUNTED = replace(BY_NAME["SECRET"], accepts=secret.no_count, assigned=secret.no_count_assigned)
_ROLE = replace(BY_NAME["NAME"], accepts=person.looks_like_one, assigned=person.looks_like_one, personal=False)
_LOOSE_ROLE = replace(_ROLE, accepts=likely.likely, assigned=likely.likely)
_PERSON_OR_LOGIN = replace(_ROLE, also=(_HANDLE,))
_USER = replace(_ROLE, also=(_LOGIN,))


@lru_cache(maxsize=4096)
def kind_of(key: str, rules: Rules = PLAIN) -> Kind | None:
    """The kind that `work_email`, `homePhone` or `Telephone (office)` announces by itself."""
    if own := rules.of_key(spelling(key)) if rules.keys else None:
        return replace(BY_NAME[own], accepts=custom.accepts, assigned=None)
    kind = _built_in(key)
    if kind is None or kind.name in rules.off or rules.lets_pass(key):
        return None
    return kind


def spelling(key: str) -> str:
    """One spelling for all ways to write a key: `First Name` and `firstName` are `first_name`."""
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
    if name in person.ROLES:
        return _PERSON_OR_LOGIN if name in _LOGIN_KEYS else _ROLE
    return _LOOSE_ROLE if name in person.LOOSE_ROLES else None


def inherited(kind: Kind | None, key: str) -> Kind | None:
    """What the key around a record says about one of its keys: `{"phone": {"home": …}}`, `{"name": {"first": …}}`."""
    return kind if kind is not None and (kind.spreads or key.strip().lower() in _PARTS) else None


def words_of(key: str) -> list[str]:
    """The words of a key, however it is written."""
    return [word.lower() for word in _ODD.split(_HUMP.sub("_", key)) if word]
