"""Hidden values, marks and kinds as rows, and the words for where a value came from and went to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import ago
from workbench.gui.results.token_chips import place_words
from workbench.records import HiddenValue, PrivacyMark, PrivacySession, TriedSpan

_FRESH = 60  # seconds
_WHATS = {"value": "value", "pattern": "pattern", "key": "name of a key"}


def hidden_rows(values: Sequence[HiddenValue]) -> list[Row]:
    """Tokens in the order in which they were made; no value stands in them."""
    return [_hidden_row(value) for value in values]


def mark_rows(marks: Iterable[PrivacyMark]) -> list[Row]:
    """What is hidden for good, and what is let pass."""
    found = list(marks)
    groups = (
        ("hide", "Hidden wherever it stands", [one for one in found if one.hide]),
        ("pass", "Let pass: models see it", [one for one in found if not one.hide]),
    )
    rows: list[Row] = []
    for key, title, some in groups:
        if some:
            rows += [Row(f"section:{key}", title, aside=str(len(some)), section=True), *map(_mark_row, some)]
    return rows


def span_rows(text: str, spans: Sequence[TriedSpan]) -> list[Row]:
    """What the detector found in a text, in order, each with why."""
    return [
        Row(
            key=str(at),
            title=one_line(text[span.start : span.end], 120),
            detail=f"Why: {one_line(span.why, 120)}",
            icon="eye-off",
            tone="info",
            badges=((span.kind, "info"),),
            mono=True,
        )
        for at, span in enumerate(spans)
    ]


def session_words(session: PrivacySession) -> str:
    """A conversation as it stands in a list."""
    who = one_line(session.author, 40) if session.agent else "you, in this window"
    gone = "" if session.here else ", gone"
    return f"{who}{gone} · {session.tokens} tokens"


def _hidden_row(value: HiddenValue) -> Row:
    went = value.went or ()
    times = f"{value.times} × in what the model read" if value.times else ""
    never = "no model has read its token yet"
    places = place_words(value.sources, went) or "from a text of the model or of you"
    return Row(
        key=value.token,
        title=value.token,
        detail=" · ".join((places, times or never)),
        icon="lock",
        tone="warning" if went and any(one.server not in value.sources for one in went) else "info",
        badges=((value.kind, "info"),),
        mono=True,
    )


def _mark_row(mark: PrivacyMark) -> Row:
    whose = "the project's" if mark.source == "project" else _made(mark)
    what = _WHATS.get(mark.what, mark.what)
    return Row(
        key=mark.id,
        title=one_line(mark.text, 120),
        detail=f"{what} · {whose}",
        icon="eye-off" if mark.hide else "eye",
        tone="info" if mark.hide else "warning",
        badges=((mark.kind, "info"),) if mark.hide else (),
        mono=True,
        faded=mark.source == "project",
    )


def _made(mark: PrivacyMark) -> str:
    if not mark.made:
        return "yours"
    if time.time() - mark.made < _FRESH:
        return "yours, just made"
    return f"yours, {ago(mark.made)} ago"
