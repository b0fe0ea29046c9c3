"""What of a result can be drawn: numbers beside each other, with their names; pure, so it is tested without a plot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from workbench.gui.models.records_table import columns_of, records_of
from workbench.gui.text import one_line
from workbench.records import JsonObject, JsonValue

MOST_SERIES = 6
MOST_POINTS = 100_000
LEAST = 3  # values; fewer are read sooner than drawn
_BARS = 40  # values up to which named ones are drawn as bars
_LOOKED_AT = 200  # values that decide
_SHARE = 0.8  # of the records must have a number for a column to be drawn
_LABEL = 40


class Series(Struct, frozen=True):
    """One line, or the bars of one colour; a value that is missing is NaN."""

    name: str
    values: tuple[float, ...]


class Chart(Struct, frozen=True):
    """What is drawn together."""

    series: tuple[Series, ...]
    labels: tuple[str, ...] = ()  # names of the places; empty: they are numbered
    places: tuple[float, ...] = ()  # where the values stand, for pairs of numbers
    bars: bool = False
    left_out: int = 0  # values beyond what is drawn

    def sentence(self) -> str:
        """For who does not see it."""
        count = len(self.series[0].values)
        parts = []
        for one in self.series:
            known = [value for value in one.values if not math.isnan(value)]
            parts.append(f"{one.name}: {min(known):,g} to {max(known):,g}" if known else f"{one.name}: nothing")
        more = f" {self.left_out:,} more are not drawn." if self.left_out else ""
        return f"{count:,} values. {'; '.join(parts)}.{more}"


def drawable(value: JsonValue) -> bool:
    """Whether there is something to draw; looks at the beginning only."""
    return chart_of(_beginning(value)) is not None


def chart_of(value: JsonValue) -> Chart | None:
    """The numbers of a result; None where they are none, or too few to be compared."""
    if isinstance(value, Mapping) and (chart := _of_mapping(value)) is not None:
        return chart
    if isinstance(value, list) and len(value) >= LEAST:
        if all(_is_number(one) for one in value[:_LOOKED_AT]):
            return _chart([Series("value", _numbers(value))], left_out=len(value) - MOST_POINTS)
        if all(_is_pair(one) for one in value[:_LOOKED_AT]):
            pairs = [one for one in value[:MOST_POINTS] if _is_pair(one)]
            places = tuple(float(pair[0]) for pair in pairs)
            return _chart([Series("value", tuple(float(pair[1]) for pair in pairs))], places=places)
    records = records_of(value)
    return _of_records(records) if records and len(records) >= LEAST else None


def _of_mapping(value: Mapping[str, JsonValue]) -> Chart | None:
    items = [*value.items()][:MOST_POINTS]
    if len(items) >= LEAST and all(_is_number(one) for _, one in items):
        labels = tuple(one_line(name, _LABEL) for name, _ in items)
        return _chart([Series("value", _numbers([one for _, one in items]))], labels, bars=len(items) <= _BARS)
    lists = [(name, one) for name, one in items[:MOST_SERIES] if isinstance(one, list) and len(one) >= LEAST]
    fit = [(name, one) for name, one in lists if all(_is_number(part) for part in one[:_LOOKED_AT])]
    if len(fit) == len(items[:MOST_SERIES]) and fit:
        return _chart([Series(one_line(name, _LABEL), _numbers(one)) for name, one in fit])
    return None


def _of_records(records: Sequence[JsonObject]) -> Chart | None:
    shown = records[:MOST_POINTS]
    sample = shown[:_LOOKED_AT]
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
    series = [Series(one_line(name, _LABEL), _numbers([one.get(name) for one in shown])) for name in numeric]
    bars = bool(best) and len(shown) <= _BARS
    return _chart(series[:MOST_SERIES], labels, bars=bars, left_out=len(records) - len(shown))


def _chart(
    series: Sequence[Series],
    labels: tuple[str, ...] = (),
    places: tuple[float, ...] = (),
    *,
    bars: bool = False,
    left_out: int = 0,
) -> Chart:
    return Chart(tuple(series), labels, places, bars, max(0, left_out))


def _beginning(value: JsonValue) -> JsonValue:
    """A long list is not walked to learn what it is."""
    if isinstance(value, list):
        return value[:_LOOKED_AT]
    if isinstance(value, Mapping):
        return {name: one[:_LOOKED_AT] if isinstance(one, list) else one for name, one in [*value.items()][:_LOOKED_AT]}
    return value


def _numbers(values: Sequence[JsonValue]) -> tuple[float, ...]:
    return tuple(_number(one) for one in values[:MOST_POINTS])


def _number(value: JsonValue) -> float:
    try:
        found = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def _is_number(value: JsonValue) -> bool:
    return not math.isnan(_number(value))


def _is_pair(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) == 2 and _is_number(value[0]) and _is_number(value[1])


def _is_key(name: str) -> bool:
    """Numbers that name something are not drawn."""
    held = name.casefold()
    return held in ("id", "key", "index", "year") or held.endswith(("_id", " id")) or name.endswith("Id")
