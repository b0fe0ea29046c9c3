"""List rows for masked values, marks and findings of the detector."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from workbench.gui.kit.rows import Row, grouped
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import ago, kind_label
from workbench.gui.results.token_chips import places_text
from workbench.records import HiddenValue, PrivacyMark, PrivacySession, TriedSpan
from workbench.records.common_types import count_of

_NEW_SECONDS = 60
_TARGETS = {"value": "value", "pattern": "pattern", "key": "key name"}


def mark_rows(marks: Iterable[PrivacyMark]) -> list[Row]:
    """Marks that mask something, then marks that never mask something."""
    marks = tuple(marks)
    return grouped(
        ("hide", "Always masked", [_mark_row(mark) for mark in marks if mark.hide]),
        ("pass", "Never masked: models see it", [_mark_row(mark) for mark in marks if not mark.hide]),
    )


def span_rows(text: str, spans: Sequence[TriedSpan]) -> list[Row]:
    """The findings of the detector in a text, each with its reason."""
    return [
        Row(
            key=str(number),
            title=one_line(text[span.start : span.end], 120),
            detail=f"Why: {one_line(span.why, 120)}",
            icon="eye-off",
            tone="info",
            badges=((kind_label(span.kind), "info"),),
            mono=True,
        )
        for number, span in enumerate(spans)
    ]


def session_text(session: PrivacySession) -> str:
    """A session in the list of sessions."""
    author = one_line(session.author, 40) if session.agent else "you, in this window"
    gone = "" if session.here else " (disconnected)"
    return f"{author}{gone} · {count_of(session.tokens, 'token')}"


def masked_row(value: HiddenValue) -> Row:
    """A token, without its value."""
    origin = places_text(value.sources, value.went) or "made by the program"
    read = f"{count_of(value.times, 'time')} in answers to the model" if value.times else "not read by a model yet"
    is_elsewhere = any(place.server not in value.sources for place in value.went)
    return Row(
        key=value.token,
        title=value.token,
        detail=f"{origin} · {read}",
        icon="lock",
        tone="warning" if is_elsewhere else "info",
        badges=((kind_label(value.kind), "info"),),
        mono=True,
    )


def _mark_row(mark: PrivacyMark) -> Row:
    is_project = mark.source == "project"
    return Row(
        key=mark.id,
        title=one_line(mark.text, 120),
        detail=f"{_TARGETS.get(mark.what, mark.what)} · {'set by the project' if is_project else _age(mark)}",
        icon="eye-off" if mark.hide else "eye",
        tone="info" if mark.hide else "warning",
        badges=((kind_label(mark.kind), "info"),) if mark.hide else (),
        mono=True,
        faded=is_project,
    )


def _age(mark: PrivacyMark) -> str:
    if not mark.made:
        return "added by you"
    is_new = time.time() - mark.made < _NEW_SECONDS
    return "added by you just now" if is_new else f"added by you {ago(mark.made)} ago"
