"""Says which kind of data a key or column name announces; keys find what patterns cannot."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.privacy.kinds import KINDS, Kind

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ODD = re.compile(r"[\W_]+")
LONGEST = 80  # a longer key is text, not a name


@lru_cache(maxsize=4096)
def kind_of(key: str) -> Kind | None:
    """The kind that `work_email`, `homePhone` or `Telephone (office)` announces."""
    if len(key) > LONGEST:
        return None
    words = [word.lower() for word in _ODD.split(_HUMP.sub("_", key)) if word]
    joined = ["_".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
    if any(word in _OTHER for word in words):
        return None
    return next((kind for kind in KINDS for name in joined if name in kind.keys), None)


# Words beside which a key tells about data instead of holding it: `phone_verified`, `email_count`, `email_id`.
_OTHER_WORDS = """
verified valid count status enabled type format id ids template subject body opt optin provider model
"""
_OTHER = frozenset(_OTHER_WORDS.split())
