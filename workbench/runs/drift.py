"""Makes the calls of a cassette once more, at the servers as they are: what a test that runs offline cannot notice.

Values change all the time and are told beside; what a skill relies on, that a tool is there, as it was defined, and
answers in the same form, is what counts.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import Final

from workbench.calls.judge import answer_value, differences
from workbench.errors import WorkbenchError
from workbench.permissions.provenance_rules import only_reads
from workbench.records import DifferenceKind, JsonValue, Origin, SkillDifference, SkillTest, Tool, ToolCall
from workbench.runs.broker import Broker
from workbench.runs.replay import what_changed
from workbench.runs.rooms import Rooms
from workbench.runs.sessions import PERSON
from workbench.servers.tool_definitions.definition_parsing import digest
from workbench.skills.cassettes import Cassette, Step

MOST: Final = 50  # calls that are made
_EXAMPLES: Final = 20  # items of a list that are looked at for its form


async def drift(rooms: Rooms, broker: Broker, skill: str, cassette: Cassette, *, allow: bool) -> SkillTest:
    """Each different call once. `allow`: those too that may change or send something."""
    started, found, seen = time.perf_counter(), list[SkillDifference](), set[str]()
    for step in cassette.steps:
        said = json.dumps(step.params, sort_keys=True)
        if step.kind != "call" or said in seen or len(seen) >= MOST:
            continue
        seen.add(said)
        found += await _call(rooms, broker, cassette, step, allow=allow)
    state = "failed" if any(one.breaks for one in found) else "changed" if found else "passed"
    return SkillTest(skill, cassette.name, state, tuple(found), (time.perf_counter() - started) * 1000)


async def _call(rooms: Rooms, broker: Broker, cassette: Cassette, step: Step, *, allow: bool) -> list[SkillDifference]:
    server, name = str(step.params.get("server")), str(step.params.get("tool"))
    try:
        tool = rooms.catalog.tool(server, name)
    except WorkbenchError as fault:
        return [SkillDifference(DifferenceKind.DEFINITION, fault.message)]
    found = _definition(cassette, tool)
    if not allow and not only_reads(tool):
        words = f"{step.tool} was not called: it may change or send something."
        return [*found, SkillDifference(DifferenceKind.CALL, words, breaks=False)]
    arguments = step.params.get("arguments")
    call = ToolCall(
        os.urandom(6).hex(), tool.server, tool.name, arguments if isinstance(arguments, dict) else {},
        Origin.PERSON, PERSON, confirmed=allow,
    )  # fmt: skip
    outcome = await broker.call(call)
    if not outcome.ok:
        reason = outcome.fault.message if outcome.fault else "it failed"
        words = f"{step.tool} failed: {reason}"
        return [*found, SkillDifference(DifferenceKind.CALL, words, breaks=step.failure is None)]
    return [*found, *_answer(step, answer_value(outcome))]


def _definition(cassette: Cassette, tool: Tool) -> list[SkillDifference]:
    before = cassette.tools.get(f"{tool.server}.{tool.name}")
    if before is None or digest(before) == tool.hash:
        return []
    words = f"The definition of {tool.server}.{tool.name} changed: {what_changed(before, tool.raw)}."
    return [SkillDifference(DifferenceKind.DEFINITION, words, breaks=False)]


def _answer(step: Step, now: JsonValue) -> list[SkillDifference]:
    if step.failure is not None:
        return [SkillDifference(DifferenceKind.CALL, f"{step.tool} no longer fails.", breaks=False)]
    bent = [SkillDifference(DifferenceKind.RESULT, f"{step.tool}: {words}.") for words in misfits(step.answer, now)]
    if bent:
        return bent[:5]
    changed = sum(1 for _ in differences(step.answer, now, []))
    if changed:
        words = f"{step.tool} answers in the same form, with {changed} other values."
        return [SkillDifference(DifferenceKind.RESULT, words, breaks=False)]
    return []


def misfits(before: JsonValue, after: JsonValue, at: str = "") -> Iterator[str]:
    """Where the form of an answer is another one: fields that are gone, and values of another kind."""
    where = at or "the answer"
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key not in after:
                yield f"{f'{at}.{key}' if at else key} is gone"
            else:
                yield from misfits(value, after[key], f"{at}.{key}" if at else key)
    elif isinstance(before, list) and isinstance(after, list):
        for value in after[:_EXAMPLES] if before else ():
            yield from misfits(before[0], value, f"{at}[*]")
    elif _kind(before) != _kind(after) and before is not None and after is not None:
        yield f"{where} is {_kind(after)} and was {_kind(before)}"


def _kind(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true or false"
    kinds = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "nothing")
