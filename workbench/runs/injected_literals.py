"""Reports the literals of a program that stood in text which outsiders can write.

An agent that was taken over by injected text writes the attacker's address into its next program as if it were its own.
The user who reads that program sees where the address came from; nothing is asked more often because of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from workbench.analysis.reading import Reading
from workbench.broker.provenance_index import UNTRUSTED, ProvenanceIndex
from workbench.records import Finding, Risk
from workbench.records.risk_levels import rank

_MOST = 300  # texts of a program that are looked up
_TOLD = 10
_SHOWN = 80  # characters of a text in the sentence
_SHORTEST = 5  # characters of a text that says where it is from
_LOOKED_FOR = frozenset({UNTRUSTED})


def mark_injected_literals(reading: Reading, provenance: ProvenanceIndex) -> Reading:
    """The reading with a finding for each text of the program that a stranger could have written."""
    verdict = reading.verdict
    if UNTRUSTED not in provenance.kinds or not verdict.tools:
        return reading
    provenance.file()
    found = list(islice(_found(reading, provenance), _TOLD))
    if not found:
        return reading
    every = sorted((*found, *verdict.findings), key=lambda one: -rank(one.risk))
    return reading.judged(replace(verdict, findings=tuple(every)))


def _found(reading: Reading, provenance: ProvenanceIndex) -> Iterator[Finding]:
    texts = ((text, span) for text, span in reading.texts() if len(text) >= _SHORTEST)
    for text, span in islice(texts, _MOST):
        for came in provenance.origin(text, _LOOKED_FOR)[:1]:
            where = f"{came.read.server}.{came.read.tool}" if came.read is not None else "an earlier answer"
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            words = f"“{shown}” stood in what {where} answered, where outsiders can write"
            yield Finding("flow.copied", Risk.HIGH, words, span, subject=shown)
