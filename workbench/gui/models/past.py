"""Calls that were made as rows, newest first, a heading for each day."""

from __future__ import annotations

import time
from collections.abc import Iterable

from workbench.gui.rows import Row
from workbench.gui.text import one_line, visible
from workbench.records import PastCall

_DAY = 86_400


def past_rows(calls: Iterable[PastCall], now: float) -> list[Row]:
    """The whole list with its days."""
    rows: list[Row] = []
    day: tuple[int, ...] = ()
    for call in calls:
        if (date := time.localtime(call.at)[:3]) != day:
            day = date
            rows.append(Row(f"day:{day}", day_name(call.at, now), section=True))
        rows.append(past_row(call))
    return rows


def past_row(call: PastCall) -> Row:
    arguments = "" if call.arguments == "{}" else one_line(call.arguments, 200)
    nested = (("program", "info"),) if call.run_id else ()
    at = time.strftime("%H:%M", time.localtime(call.at))
    return Row(
        key=str(call.id),
        title=one_line(call.tool, 100),
        detail=arguments or one_line(call.note, 200) or "no arguments",
        aside=f"{one_line(call.server, 30)} · {at}",
        icon="check" if call.ok else "alert",
        tone="success" if call.ok else "danger",
        badges=nested,
        mono=True,
        tip=_tip(call),
    )


def day_name(at: float, now: float) -> str:
    """Today, yesterday, or the date."""
    for days, words in ((0, "Today"), (1, "Yesterday")):
        if time.localtime(at)[:3] == time.localtime(now - days * _DAY)[:3]:
            return words
    return time.strftime("%A, %d %B %Y", time.localtime(at))


def _tip(call: PastCall) -> str:
    went = "answered" if call.ok else "failed"
    took = f"{call.server}.{call.tool} {went} in {call.ms:.0f} ms"
    return visible("\n".join(part for part in (took, call.arguments[:400], call.note) if part))
