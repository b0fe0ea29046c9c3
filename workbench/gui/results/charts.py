"""The numbers of a result that can be drawn as bars or lines."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from workbench.gui.kit.json_text import is_number
from workbench.gui.kit.text import one_line
from workbench.gui.results.table_page import columns_of, records_of
from workbench.records import JsonObject, JsonValue

MOST_SERIES = 6
MOST_POINTS = 100_000
LEAST = 3  # values; fewer are easier to read than to draw
_BARS = 60  # values with names that are drawn as bars
_EXAMINED = 200  # values that decide what is drawn
_SHARE = 0.8  # share of the records that must have a number for a column to be drawn
_SCALE = 20  # columns whose values differ by a larger factor are not drawn together at first
_LABEL = 40
_DATE_OR_NUMBER = re.compile(r"\d{4}-\d\d|\d{1,2}[.:/]\d{1,2}|-?\d{1,15}(?:\.\d{1,15})?$|(?:19|20)\d\d\b")


class Series(Struct, frozen=True):
    """The values of one column; a missing value is NaN."""

    name: str
    values: tuple[float, ...]


class Chart(Struct, frozen=True):
    """Columns that can be drawn together."""

    series: tuple[Series, ...]
    labels: tuple[str, ...] = ()  # names of the values; empty: they are numbered
    places: tuple[float, ...] = ()  # x values, for pairs of numbers
    bars: bool = False
    left_out: int = 0  # values that are not drawn

    def sentence(self, series: Sequence[Series] | None = None) -> str:
        """The number of values and the range of each of these columns; all columns by default."""
        count = len(self.series[0].values)
        parts = []
        for one in self.series if series is None else series:
            known = [value for value in one.values if not math.isnan(value)]
            parts.append(f"{one.name}: {min(known):,g} to {max(known):,g}" if known else f"{one.name}: no values")
        more = f" {self.left_out:,} more are not drawn." if self.left_out else ""
        return f"{count:,} values. {'; '.join(parts) or 'No column is drawn'}.{more}"


def drawable(value: JsonValue) -> bool:
    """Whether the beginning of the value can be drawn."""
    return chart_of(_beginning(value)) is not None


def chart_of(value: JsonValue) -> Chart | None:
    """The numbers of a result; None if there are none or too few."""
    if isinstance(value, Mapping) and (chart := _of_mapping(value)) is not None:
        return chart
    if isinstance(value, list) and len(value) >= LEAST:
        if all(_is_number(one) for one in value[:_EXAMINED]):
            return Chart((Series("value", _numbers(value)),), left_out=max(0, len(value) - MOST_POINTS))
        if all(_is_pair(one) for one in value[:_EXAMINED]):
            pairs = [one for one in value[:MOST_POINTS] if _is_pair(one)]
            places = tuple(float(pair[0]) for pair in pairs)
            return Chart((Series("value", tuple(float(pair[1]) for pair in pairs)),), places=places)
    records = records_of(value)
    return _of_records(records) if records and len(records) >= LEAST else None


def _of_mapping(value: Mapping[str, JsonValue]) -> Chart | None:
    items = [*value.items()][:MOST_POINTS]
    if len(items) >= LEAST and all(_is_number(one) for _, one in items):
        labels = tuple(one_line(name, _LABEL) for name, _ in items)
        return Chart((Series("value", _numbers([one for _, one in items])),), labels, bars=len(items) <= _BARS)
    lists = [(name, one) for name, one in items[:MOST_SERIES] if isinstance(one, list) and len(one) >= LEAST]
    fit = [(name, one) for name, one in lists if all(_is_number(part) for part in one[:_EXAMINED])]
    if len(fit) == len(items[:MOST_SERIES]) and fit:
        return Chart(tuple(Series(one_line(name, _LABEL), _numbers(one)) for name, one in fit))
    return None


def _of_records(records: Sequence[JsonObject]) -> Chart | None:
    shown = records[:MOST_POINTS]
    sample = shown[:_EXAMINED]
    columns = columns_of(records)
    numeric = [
        name for name in columns
        if not _is_key(name) and sum(_is_number(one.get(name)) for one in sample) >= max(2, _SHARE * len(sample))
    ]  # fmt: skip
    if not numeric:
        return None
    texts = [name for name in columns if all(isinstance(one.get(name), str) for one in sample)]
    best = max(texts, key=lambda name: len({one[name] for one in sample}), default="")
    labels = tuple(one_line(str(one.get(best, "")), _LABEL) for one in shown) if best else ()
    columns = numeric[:MOST_SERIES]
    series = tuple(Series(one_line(name, _LABEL), _numbers([one.get(name) for one in shown])) for name in columns)
    bars = len(shown) <= _BARS and not _in_order(labels)
    return Chart(series, labels, bars=bars, left_out=len(records) - len(shown))


def _beginning(value: JsonValue) -> JsonValue:
    """The beginning of a value, so that a long list is not read completely."""
    if isinstance(value, list):
        return value[:_EXAMINED]
    if isinstance(value, Mapping):
        return {name: one[:_EXAMINED] if isinstance(one, list) else one for name, one in [*value.items()][:_EXAMINED]}
    return value


def _numbers(values: Sequence[JsonValue]) -> tuple[float, ...]:
    return tuple(_number(one) for one in values[:MOST_POINTS])


def _number(value: JsonValue) -> float:
    try:
        found = float(value) if is_number(value) else math.nan
    except OverflowError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def _is_number(value: JsonValue) -> bool:
    return not math.isnan(_number(value))


def _is_pair(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) == 2 and _is_number(value[0]) and _is_number(value[1])


def _in_order(labels: Sequence[str]) -> bool:
    """Whether the names are dates, times or numbers: a line between them has a meaning."""
    return bool(labels) and all(_DATE_OR_NUMBER.match(name) for name in labels)


def first_choice(chart: Chart) -> tuple[str, ...]:
    """The columns to draw at first: the first one and those of a similar magnitude."""
    heights = {one.name: max((abs(value) for value in one.values if not math.isnan(value)), default=0.0)
               for one in chart.series}  # fmt: skip
    largest = heights[chart.series[0].name] or 1.0
    low, high = largest / _SCALE, largest * _SCALE
    return tuple(name for name, height in heights.items() if low <= (height or largest) <= high)


def _is_key(name: str) -> bool:
    """Whether the numbers of this column identify something; they are not drawn."""
    held = name.casefold()
    return held in ("id", "key", "index", "year") or held.endswith(("_id", " id")) or name.endswith("Id")
