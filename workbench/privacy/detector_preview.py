"""Shows the user what masking does to a text: findings with reasons, and the masked text."""

from __future__ import annotations

import time
from collections.abc import Iterable

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.detector import DetectionCache
from workbench.privacy.detectors.json_fields import as_text, leaves_with_keys, parsed
from workbench.privacy.detectors.kinds import LITERAL
from workbench.privacy.masked_documents import BY_KEY, MARKED, REPEATED, reason_of
from workbench.privacy.masking_explanation import reason_sentence
from workbench.privacy.pii_tokens import unmask_with_spans
from workbench.privacy.value_index import fold
from workbench.privacy.vault import Vault
from workbench.records import Hidden, Trial, TriedSpan


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
    found, other = DetectionCache().detect(text, rules), {fold(one): MARKED for _, one in said}
    for leaf, announced, key in leaves_with_keys(value, rules) if value is not None else ():
        if announced is not None:
            other[fold(as_text(leaf).strip())] = f"key {key}" if key else BY_KEY

    def reason(span: Hidden) -> str:
        why = reason_of(found, span, other.get(fold(text[span.start : span.end]), REPEATED))
        return reason_sentence(vault, span.kind, why)

    spans = tuple(TriedSpan(one.start, one.end, one.kind, reason(one)) for one in hidden if one.kind != LITERAL)
    ms = 1000 * (time.perf_counter() - since)
    return Trial(spans if whole == text else (), masked, ms, value is not None)
