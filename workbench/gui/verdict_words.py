"""What a verdict says beside its sentence: why it asks, what a rule allows, and the bounds of the run."""

from __future__ import annotations

from workbench.records import Verdict

_USUAL = "write_restricted"
_SHOWN = 4  # required tools that are named


def bounds_words(verdict: Verdict) -> str:
    """Some sentences, or nothing where all is as usual."""
    parts = [*verdict.asks, *verdict.allowed]
    if verdict.required:
        names = ", ".join(verdict.required[:_SHOWN]) + (" …" if len(verdict.required) > _SHOWN else "")
        parts.append(f"May call nothing but {names}.")
    if verdict.profile is not None and verdict.profile.name != _USUAL:
        words = "Runs within {0}: {1}"
        parts.append(words.format(verdict.profile.name, verdict.profile.sentence))
    return "\n".join(parts)
