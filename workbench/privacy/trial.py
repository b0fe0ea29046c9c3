"""What the detector makes of a text that a person tries it on: every stretch, why it was found, and the masked form."""

from __future__ import annotations

import time
from bisect import bisect_right

from workbench.privacy.beside import beside
from workbench.privacy.detect import detect
from workbench.privacy.found import Found
from workbench.privacy.kinds import LITERAL
from workbench.privacy.rules import PLAIN, Rules
from workbench.privacy.vault import Vault
from workbench.privacy.walk import as_text, leaves, parsed
from workbench.records import Trial, TriedSpan

_BY_KEY = "its key says so"
_AGAIN = "the same value stands elsewhere in the text"


def try_on(text: str, rules: Rules = PLAIN) -> Trial:
    """As an answer of a server is read: learnt with its keys first, then masked. Its vault is gone afterwards."""
    since = time.perf_counter()
    value = parsed(text)
    vault = Vault("trial", rules=rules)
    vault.register(text if value is None else value, "")
    masked = vault.sanitize(text)
    whole, hidden = beside(masked, vault.restore)
    found = detect(text, rules)
    keyed = (
        set() if value is None else {as_text(leaf).strip() for leaf, kind in leaves(value, rules) if kind is not None}
    )
    spans = tuple(
        TriedSpan(one.start, one.end, one.kind, _why(found, one.start, one.end, text[one.start : one.end] in keyed))
        for one in hidden
        if one.kind != LITERAL
    )
    ms = 1000 * (time.perf_counter() - since)
    return Trial(spans if whole == text else (), masked, ms, value is not None)


def _why(found: tuple[Found, ...], start: int, end: int, keyed: bool) -> str:
    """In the detector's words where it found this stretch by itself."""
    at = bisect_right(found, start, key=lambda one: one.start) - 1
    if at >= 0 and found[at].end >= end:
        return found[at].why or _BY_KEY
    return _BY_KEY if keyed else _AGAIN
