"""What a verdict says beside its sentence: why it asks, what a rule allows, and the bounds of the run."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from workbench.records import Verdict

translate = QCoreApplication.translate
_USUAL = "write_restricted"
_SHOWN = 4  # required tools that are named


def bounds_words(verdict: Verdict) -> str:
    """Some sentences, or nothing where all is as usual."""
    parts = [*verdict.asks, *verdict.allowed]
    if verdict.required:
        names = ", ".join(verdict.required[:_SHOWN]) + (" …" if len(verdict.required) > _SHOWN else "")
        parts.append(translate("verdicts", "May call nothing but {0}.").format(names))
    if verdict.profile is not None and verdict.profile.name != _USUAL:
        words = translate("verdicts", "Runs within {0}: {1}")
        parts.append(words.format(verdict.profile.name, verdict.profile.sentence))
    return "\n".join(parts)
