"""Saved calls as rows: a heading for each collection, and at each call how its last check went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.gui.rows import Row
from workbench.gui.text import one_line, visible
from workbench.records import BrokenCall, CheckResult, Expect, Expectation, Mark, SavedCall, SavedCalls


def saved_rows(saved: SavedCalls, results: Mapping[str, CheckResult], text: str, running: Iterable[str]) -> list[Row]:
    """The whole list; `text` filters by name, tool, note and tags."""
    needle, busy = text.strip().casefold(), set(running)
    rows: list[Row] = []
    broken = [one for one in saved.broken if needle in one.file.casefold()]
    if broken:
        title = "Files that cannot be read"
        rows.append(Row("section:broken", title, aside=str(len(broken)), section=True))
        rows.extend(broken_row(one) for one in broken)
    calls = [call for call in saved.calls if not needle or needle in _words(call)]
    for collection in dict.fromkeys(call.collection for call in calls):
        part = [call for call in calls if call.collection == collection]
        title = visible(collection) or "Without a collection"
        rows.append(Row(f"section:{collection}", title, aside=_passed(part, results), section=True))
        rows.extend(saved_row(call, results.get(call.file), call.file in busy) for call in part)
    return rows


def saved_row(call: SavedCall, result: CheckResult | None, running: bool) -> Row:
    icon, tone, word = _state(result, running)
    expected = len(call.expectations)
    count = f"{expected} expected" if expected else ""
    return Row(
        key=call.file,
        title=visible(call.name),
        detail=one_line(f"{call.server} › {call.tool}", 120),
        aside=word or count,
        aside_tone=tone if word else "muted",
        icon=icon,
        tone=tone,
        badges=tuple((one_line(tag, 20), "info") for tag in call.tags[:2]),
        tip=visible("\n".join(part for part in (call.file, call.note) if part)),
    )


def broken_row(one: BrokenCall) -> Row:
    return Row(
        key=f"broken:{one.file}",
        title=visible(one.file.removeprefix("calls/")),
        detail=one_line(one.fault.message.removeprefix(f"{one.file}"), 200).lstrip(", "),
        icon="alert",
        tone="warning",
        tip=visible(f"{one.fault.message} {one.fault.hint}"),
    )


def mark_rows(result: CheckResult) -> list[Row]:
    """What was expected and whether it held; or why the call could not be made."""
    if result.fault is not None:
        words = visible(result.fault.message)
        return [Row("fault", words, visible(result.fault.hint), icon="alert", tone="danger", tip=words)]
    return [_mark_row(number, mark) for number, mark in enumerate(result.marks)]


def _mark_row(number: int, mark: Mark) -> Row:
    return Row(
        key=str(number),
        title=_expected(mark.expectation),
        detail="" if mark.holds else one_line(mark.words, 300),
        icon="check" if mark.holds else "cross",
        tone="success" if mark.holds else "danger",
        tip=visible(mark.words),
    )


def _expected(one: Expectation) -> str:
    """An expectation in a few words."""
    words = {
        Expect.OK: "answers",
        Expect.ERROR: "error: {}",
        Expect.EQUALS: "= {}",
        Expect.EXISTS: "is there" if one.value else "is not there",
        Expect.MATCHES: "matches {}",
        Expect.TYPE: "is {}",
        Expect.COUNT: "at least {}",
        Expect.TEXT: "text: {}",
        Expect.SCHEMA: "matches schema",
        Expect.KEPT: "is the answer that is kept",
        Expect.UNDER_MS: "under {} ms",
    }[one.kind]
    return one_line(f"{one.path} {words.format(one.value)}".strip(), 120)


def _state(result: CheckResult | None, running: bool) -> tuple[str, str, str]:
    if running:
        return "loader", "info", "running"
    if result is None:
        return "bookmark", "muted", ""
    if result.passed:
        return "check", "success", "as expected"
    if result.fault is not None:
        return "alert", "warning", "not made"
    return "cross", "danger", f"{sum(not mark.holds for mark in result.marks)} differ"


def _passed(calls: list[SavedCall], results: Mapping[str, CheckResult]) -> str:
    known = [results[call.file] for call in calls if call.file in results]
    return f"{sum(one.passed for one in known)}/{len(calls)}" if known else str(len(calls))


def _words(call: SavedCall) -> str:
    return " ".join((call.file, call.server, call.tool, call.note, *call.tags)).casefold()
