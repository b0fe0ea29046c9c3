"""Which kind most values of a column are: a tenth value that no form knows is of the kind of the other nine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from workbench.privacy.detection_rules import DetectionRules
from workbench.privacy.detectors import person_names
from workbench.privacy.detectors.field_names import kind_of
from workbench.privacy.detectors.kinds import BY_NAME, KINDS, Kind
from workbench.records import JsonValue

FEWEST = 4  # rows that can agree on something
LOOKED_AT = 40  # of them
SHARE = 0.6
LONGEST = 60  # characters of a value

_NAME = replace(BY_NAME["NAME"], accepts=person_names.is_plausible_name)
_FORMED = tuple(kind for kind in KINDS if kind.name in ("EMAIL", "PHONE", "CARD", "IBAN", "SSN", "IP", "MAC"))
_NAMES = frozenset({"name", "label", "title", "display_name", "displayName", "Name", "contact", "who", "by", "full"})


def agreed(rows: Sequence[JsonValue], rules: DetectionRules) -> tuple[tuple[str, Kind], ...]:
    """Keys, which announce nothing themselves, of the records in a list, with the kind that most values are."""
    if len(rows) < FEWEST or not isinstance(rows[0], dict):
        return ()
    records = [row for row in rows[:LOOKED_AT] if isinstance(row, dict)]
    if len(records) < FEWEST:
        return ()
    keys = [str(key) for key in rows[0] if kind_of(str(key), rules) is None and not rules.lets_pass(str(key))]
    told = ((key, majority_kind(_values(records, key), key in _NAMES, rules)) for key in keys)
    return tuple((key, kind) for key, kind in told if kind is not None)


def majority_kind(values: Sequence[str], named: bool, rules: DetectionRules) -> Kind | None:
    """The kind of which most of these values are."""
    if len(values) < FEWEST:
        return None
    seen = Counter(kind.name for value in values for kind in _FORMED if _whole(kind, value))
    if named and "NAME" not in rules.off:
        seen["NAME"] = sum(person_names.is_likely_name(value) and person_names.can_be_name(value) for value in values)
    name, count = seen.most_common(1)[0] if seen else ("", 0)
    if count < SHARE * len(values) or name in rules.off:
        return None
    return _NAME if name == "NAME" else BY_NAME[name]


def _values(records: Sequence[Mapping[str, JsonValue]], key: str) -> list[str]:
    values = (row.get(key) for row in records)
    return [value for value in values if isinstance(value, str) and 0 < len(value) <= LONGEST]


def _whole(kind: Kind, value: str) -> bool:
    bare = value.strip()
    return next(iter(kind.find(bare)), None) == (0, len(bare))
