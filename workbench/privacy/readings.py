"""Remembers what the detector saw in the last long texts: a program often prints just what a tool answered.

What is seen depends on the text and the rules alone. Kept are digests and places, no texts.
"""

from __future__ import annotations

from threading import Lock
from typing import Final

from workbench.privacy.detect import detect
from workbench.privacy.found import Found
from workbench.privacy.letters import has_invisible, plain
from workbench.privacy.remembered import SHORT, digest
from workbench.privacy.rules import Rules
from workbench.privacy.views import without_invisible

_MOST: Final = 32


class Readings:
    """One session's."""

    def __init__(self) -> None:
        self._lately: dict[tuple[str | bytes, Rules], tuple[Found, ...]] = {}
        self._adding = Lock()

    def detect(self, text: str, rules: Rules) -> tuple[Found, ...]:
        """What the detector sees in this text, by these rules, whatever its letters wear."""
        text = plain(text)
        if not has_invisible(text):
            return self._detect(text, rules)
        view = without_invisible(text)
        found = self._detect(view.text, rules)
        return tuple(Found(*view.origin(one.start, one.end), one.kind, one.why) for one in found)

    def _detect(self, text: str, rules: Rules) -> tuple[Found, ...]:
        if len(text) <= SHORT:  # the detector remembers those itself
            return detect(text, rules)
        key = (digest(text), rules)
        found = self._lately.get(key)
        if found is None:
            found = detect(text, rules)
            with self._adding:
                if len(self._lately) >= _MOST:
                    self._lately.pop(next(iter(self._lately)))
                self._lately[key] = found
        return found
