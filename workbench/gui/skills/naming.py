"""What a skill may be called and how it is described, checked while one types; the rules are those of Agent Skills."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_NAME: Final = 64
_LONGEST_DESCRIPTION: Final = 1024


def name_fault(name: str, taken: Collection[str] = ()) -> str:
    """Why the name cannot be used; "" when it can."""
    if not name:
        return "Give it a name."
    if len(name) > _LONGEST_NAME:
        return f"At most {_LONGEST_NAME} characters; it has {len(name)}."
    if not _NAME.fullmatch(name):
        return "Small letters, digits and single hyphens between them, such as weekly-report."
    if name in taken:
        return "There is a skill of this name already."
    return ""


def description_fault(description: str) -> str:
    """The same of what is said of it."""
    words = description.strip()
    if not words:
        return "Say what it does and when to use it: agents choose by these words."
    if len(words) > _LONGEST_DESCRIPTION:
        return f"At most {_LONGEST_DESCRIPTION} characters; it has {len(words)}."
    return ""
