"""The steps of a sign-in as rows, and the whole of one as text."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.gui.rows import Row
from workbench.gui.text import one_line, visible
from workbench.gui.words import duration
from workbench.records import SignInStep


def step_rows(steps: Iterable[SignInStep]) -> list[Row]:
    return [_row(str(place), step) for place, step in enumerate(steps)]


def step_text(step: SignInStep) -> str:
    """What was asked and what came back."""
    asked = " ".join(part for part in (step.method, step.url) if part)
    answered = f"HTTP {step.status}" if step.status else ""
    parts = (step.sentence, asked, step.sent, answered, step.received)
    return visible("\n\n".join(part for part in parts if part))


def _row(key: str, step: SignInStep) -> Row:
    aside = " · ".join(part for part in (str(step.status or ""), duration(step.ms) if step.ms else "") if part)
    return Row(
        key=key,
        title=step.title,
        detail=one_line(step.sentence, 200),
        aside=aside,
        icon="check" if step.ok else "alert",
        tone="success" if step.ok else "warning",
        tip=one_line(step.url, 300),
    )
