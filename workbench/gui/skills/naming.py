"""What a skill may be called and how it is described, checked while one types; the rules are those of Agent Skills."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from PySide6.QtCore import QCoreApplication

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_NAME: Final = 64
_LONGEST_DESCRIPTION: Final = 1024
_translate = QCoreApplication.translate


def name_fault(name: str, taken: Collection[str] = ()) -> str:
    """Why the name cannot be used; "" when it can."""
    if not name:
        return _translate("skills", "Give it a name.")
    if len(name) > _LONGEST_NAME:
        return _translate("skills", "At most {0} characters; it has {1}.").format(_LONGEST_NAME, len(name))
    if not _NAME.fullmatch(name):
        words = "Small letters, digits and single hyphens between them, such as weekly-report."
        return _translate("skills", words)
    if name in taken:
        return _translate("skills", "There is a skill of this name already.")
    return ""


def description_fault(description: str) -> str:
    """The same of what is said of it."""
    words = description.strip()
    if not words:
        return _translate("skills", "Say what it does and when to use it: agents choose by these words.")
    if len(words) > _LONGEST_DESCRIPTION:
        return _translate("skills", "At most {0} characters; it has {1}.").format(_LONGEST_DESCRIPTION, len(words))
    return ""
