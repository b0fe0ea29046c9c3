"""Masks one text or JSON value and lists what was masked: kind, reason and place of each value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator

from msgspec import Struct

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.detector import DetectionCache
from workbench.privacy.detectors.kinds import LITERAL
from workbench.privacy.detectors.text_search import DetectedSpan
from workbench.privacy.pii_tokens import unmask_with_spans
from workbench.privacy.value_index import fold
from workbench.privacy.vault import Vault
from workbench.records import Hidden, JsonValue

BY_KEY = "its key"
MARKED = "marked by you"
REPEATED = "same value as elsewhere in the text"


class MaskedSpan(Struct, frozen=True):
    """A masked value in the original document, without the value."""

    start: int
    end: int
    kind: str
    pointer: str = ""  # JSON pointer (RFC 6901) of the string or number
    reason: str = ""


def mask_document(vault: Vault, value: JsonValue) -> JsonValue:
    """The masked text or JSON value. Its values are registered first, so that all occurrences are masked."""
    vault.register(value, "")
    return vault.sanitize(value) if isinstance(value, str) else vault.sanitize_json(value)


def masked_spans(
    vault: Vault,
    value: JsonValue,
    masked: JsonValue,
    rules: DetectionRules = DEFAULT_RULES,
    marked: Container[str] = (),
) -> Iterator[MaskedSpan]:
    """What is masked in a document. Keys of JSON are masked too, but have no pointer and are not listed. `marked` has
    the user's marked values as `fold` writes them."""
    detections = DetectionCache()
    for pointer, leaf in _leaves(masked, value, ""):
        text, hidden = unmask_with_spans(leaf, vault.restore)
        hidden = tuple(one for one in hidden if one.kind != LITERAL)
        if hidden:
            found = detections.detect(text, rules)
            unknown = REPEATED if isinstance(value, str) else BY_KEY
            for one in hidden:
                other = MARKED if fold(text[one.start : one.end]) in marked else unknown
                yield MaskedSpan(one.start, one.end, one.kind, pointer, reason_of(found, one, other))


def reason_of(found: tuple[DetectedSpan, ...], span: Hidden, other: str) -> str:
    """The detector's reason for a masked span, else `other`."""
    at = bisect_right(found, span.start, key=lambda one: one.start) - 1
    return (found[at].why or BY_KEY) if at >= 0 and found[at].end >= span.end else other


def _leaves(masked: JsonValue, value: JsonValue, pointer: str) -> Iterator[tuple[str, str]]:
    """The masked strings, each with its JSON pointer."""
    if isinstance(masked, dict) and isinstance(value, dict):
        for key, child, was in zip(value, masked.values(), value.values(), strict=True):
            yield from _leaves(child, was, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(masked, list) and isinstance(value, list):
        for at, (child, was) in enumerate(zip(masked, value, strict=True)):
            yield from _leaves(child, was, f"{pointer}/{at}")
    elif isinstance(masked, str):
        yield pointer, masked
