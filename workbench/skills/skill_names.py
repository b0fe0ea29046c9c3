"""Skill names as the Agent Skills specification wants them."""

from __future__ import annotations

import re
import unicodedata

from workbench.errors import WorkbenchError

LONGEST = 64  # characters of a name

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def is_name(text: str) -> bool:
    """Whether the text already is a skill name: lower-case words with single hyphens between."""
    return len(text) <= LONGEST and _NAME.fullmatch(text) is not None


def skill_name(wish: str) -> str:
    """The skill name nearest to what somebody typed."""
    plain = unicodedata.normalize("NFKD", wish).encode("ascii", "ignore").decode().lower()
    name = "-".join(re.findall(r"[a-z0-9]+", plain))[:LONGEST].strip("-")
    if not name:
        raise WorkbenchError("A skill needs a name.", "Use letters and digits, such as filter-pending-orders.")
    return name
