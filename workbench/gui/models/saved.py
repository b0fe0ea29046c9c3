"""Saved calls as rows: a heading for each collection, and at each call how its last check went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QCoreApplication

from workbench.gui.rows import Row
from workbench.gui.text import one_line, visible
from workbench.records import BrokenCall, CheckResult, Expect, Expectation, Mark, SavedCall, SavedCalls

translate = QCoreApplication.translate


def saved_rows(saved: SavedCalls, results: Mapping[str, CheckResult], text: str, running: Iterable[str]) -> list[Row]:
    """The whole list; `text` filters by name, tool, note and tags."""
    needle, busy = text.strip().casefold(), set(running)
    rows: list[Row] = []
    broken = [one for one in saved.broken if needle in one.file.casefold()]
    if broken:
        title = translate("saved", "Files that cannot be read")
        rows.append(Row("section:broken", title, aside=str(len(broken)), section=True))
        rows.extend(broken_row(one) for one in broken)
    calls = [call for call in saved.calls if not needle or needle in _words(call)]
    for collection in dict.fromkeys(call.collection for call in calls):
        part = [call for call in calls if call.collection == collection]
        title = visible(collection) or translate("saved", "Without a collection")
        rows.append(Row(f"section:{collection}", title, aside=_passed(part, results), section=True))
        rows.extend(saved_row(call, results.get(call.file), call.file in busy) for call in part)
    return rows


def saved_row(call: SavedCall, result: CheckResult | None, running: bool) -> Row:
    icon, tone, word = _state(result, running)
    expected = len(call.expectations)
    count = translate("saved", "{} expected").format(expected) if expected else ""
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
        Expect.OK: translate("saved", "answers"),
        Expect.ERROR: translate("saved", "error: {}"),
        Expect.EQUALS: "= {}",
        Expect.EXISTS: translate("saved", "is there") if one.value else translate("saved", "is not there"),
        Expect.MATCHES: translate("saved", "matches {}"),
        Expect.TYPE: translate("saved", "is {}"),
        Expect.COUNT: translate("saved", "at least {}"),
        Expect.TEXT: translate("saved", "text: {}"),
        Expect.SCHEMA: translate("saved", "matches schema"),
        Expect.KEPT: translate("saved", "is the answer that is kept"),
        Expect.UNDER_MS: translate("saved", "under {} ms"),
    }[one.kind]
    return one_line(f"{one.path} {words.format(one.value)}".strip(), 120)


def _state(result: CheckResult | None, running: bool) -> tuple[str, str, str]:
    if running:
        return "loader", "info", translate("saved", "running")
    if result is None:
        return "bookmark", "muted", ""
    if result.passed:
        return "check", "success", translate("saved", "as expected")
    if result.fault is not None:
        return "alert", "warning", translate("saved", "not made")
    return "cross", "danger", translate("saved", "{} differ").format(sum(not mark.holds for mark in result.marks))


def _passed(calls: list[SavedCall], results: Mapping[str, CheckResult]) -> str:
    known = [results[call.file] for call in calls if call.file in results]
    return f"{sum(one.passed for one in known)}/{len(calls)}" if known else str(len(calls))


def _words(call: SavedCall) -> str:
    return " ".join((call.file, call.server, call.tool, call.note, *call.tags)).casefold()
