"""Shows the user what masking does to a text: findings with reasons, and the masked text."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterable

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.detector import DetectionCache
from workbench.privacy.detectors.json_fields import as_text, leaves_with_keys, parsed
from workbench.privacy.detectors.kinds import LITERAL
from workbench.privacy.detectors.text_search import DetectedSpan
from workbench.privacy.masking_explanation import reason_sentence
from workbench.privacy.pii_tokens import unmask_with_spans
from workbench.privacy.value_index import fold
from workbench.privacy.vault import Vault
from workbench.records import Hidden, Trial, TriedSpan

_BY_KEY = "its key"
_MARKED = "marked by you"
_AGAIN = "same value as elsewhere in the text"


def preview_masking(text: str, rules: DetectionRules = DEFAULT_RULES, known: Iterable[tuple[str, str]] = ()) -> Trial:
    """Mask a text like a server's answer: register it with its keys, then mask it. The vault is discarded."""
    since = time.perf_counter()
    value = parsed(text)
    vault = Vault("trial", rules=rules)
    said = tuple(known)
    for kind, one in said:
        vault.learn(kind, one)
    vault.register(text if value is None else value, "")
    masked = vault.sanitize(text)
    whole, hidden = unmask_with_spans(masked, vault.restore)
    found, other = DetectionCache().detect(text, rules), {fold(one): _MARKED for _, one in said}
    for leaf, announced, key in leaves_with_keys(value, rules) if value is not None else ():
        if announced is not None:
            other[fold(as_text(leaf).strip())] = f"key {key}" if key else _BY_KEY
    spans = tuple(
        TriedSpan(one.start, one.end, one.kind, reason_sentence(vault, one.kind, why))
        for one in hidden
        if one.kind != LITERAL
        for why in (_why(found, one, other.get(fold(text[one.start : one.end]), _AGAIN)),)
    )
    ms = 1000 * (time.perf_counter() - since)
    return Trial(spans if whole == text else (), masked, ms, value is not None)


def _why(found: tuple[DetectedSpan, ...], span: Hidden, other: str) -> str:
    """The detector's reason for this span, else `other`."""
    at = bisect_right(found, span.start, key=lambda one: one.start) - 1
    return (found[at].why or _BY_KEY) if at >= 0 and found[at].end >= span.end else other
