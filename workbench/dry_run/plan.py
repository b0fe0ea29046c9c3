"""Limits a real run to the calls that the user selected from the plan of a dry run.

Each selected call is allowed once. A call that was not selected is refused. A call that is not in the plan needs
approval.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from workbench.dry_run.held_side_effects import FILES, HeldSideEffect
from workbench.dry_run.stand_in_values import StandIns, places
from workbench.permissions.judgement import PlanMatch
from workbench.permissions.provenance_rules import canonical
from workbench.records import JsonObject, JsonValue, Outcome, Tool

_MISSING: Final = object()


class Plan:
    """The plan of one run. A line is used up when a call matches it."""

    def __init__(self, steps: Iterable[HeldSideEffect], stand_ins: StandIns, selected: Iterable[str]) -> None:
        chosen = frozenset(selected)
        steps = tuple(steps)
        self.includes_files = any(step.plan_step.call_id == FILES for step in steps) and FILES in chosen
        calls = [step for step in steps if step.plan_step.call_id != FILES]
        self._pending = [step for step in calls if step.plan_step.call_id in chosen]
        self._excluded = [step for step in calls if step.plan_step.call_id not in chosen]
        self._stand_ins = stand_ins
        self._values: dict[int, dict[str, JsonValue]] = {}  # real answers of planned calls, by the number of the call
        self._calls_under_way: dict[str, int] = {}

    def judge(self, call_id: str, tool: Tool, arguments: JsonObject) -> PlanMatch:
        """Compare a call with the plan, and use up the line that it matches."""
        text = canonical(arguments)
        for steps, exact in ((self._pending, PlanMatch.EXACT), (self._excluded, PlanMatch.LEFT_OUT)):
            for step in steps:
                if _matches_tool(step, tool) and (filled := self._with_real_values(step.arguments)) is not _MISSING:
                    if canonical(filled) != text:
                        continue
                    steps.remove(step)
                    self._calls_under_way[call_id] = step.number
                    replaced = filled != step.arguments and exact is PlanMatch.EXACT
                    return PlanMatch.BY_PLACE if replaced else exact
        return PlanMatch.NOWHERE

    def learn(self, call_id: str, outcome: Outcome) -> None:
        """Record the real answer of a planned call, which replaces the stand-in values."""
        number = self._calls_under_way.pop(call_id, None)
        if number is None or not outcome.ok or not outcome.structured:
            return
        try:
            self._values[number] = dict(places(json.loads(outcome.structured)))
        except (ValueError, RecursionError):
            return  # not JSON: no stand-in value of the plan can come from this answer

    @property
    def unused_count(self) -> int:
        """The number of selected calls that were not made."""
        return len(self._pending)

    # ── stand-in values ──────────────────────────────────────────────────────────────────────────
    def _with_real_values(self, value: object) -> object:
        """Return arguments with real values in place of stand-in values; `_MISSING` if a real value is not known
        yet."""
        if isinstance(value, Mapping):
            parts = {key: self._with_real_values(child) for key, child in value.items()}
            return _MISSING if any(part is _MISSING for part in parts.values()) else parts
        if isinstance(value, list):
            items = [self._with_real_values(child) for child in value]
            return _MISSING if any(item is _MISSING for item in items) else items
        if isinstance(value, str):
            return self._text_with_real_values(value)
        if isinstance(value, int) and not isinstance(value, bool) and value in self._stand_ins.numbers:
            return self._real_value(*self._stand_ins.numbers[value])
        return value

    def _text_with_real_values(self, text: str) -> object:
        if text in self._stand_ins.texts:
            return self._real_value(*self._stand_ins.texts[text])
        for invented, where in self._stand_ins.find(text).items():
            real = self._real_value(*where)
            if real is _MISSING or real is None or isinstance(real, bool):
                return _MISSING
            text = text.replace(invented, str(real))
        return text

    def _real_value(self, number: int, place: str) -> object:
        return self._values.get(number, {}).get(place, _MISSING)


def _matches_tool(step: HeldSideEffect, tool: Tool) -> bool:
    held = step.plan_step
    return (held.server, held.tool, step.definition) == (tool.server, tool.name, tool.hash)
