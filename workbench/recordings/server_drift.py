"""Makes the calls of a cassette at the live servers and reports what changed since they were recorded.

Other values are only mentioned. A tool that is gone, a changed definition or another form of an answer is what a skill
may break on, and what tests that run offline cannot notice.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from workbench.errors import WorkbenchError
from workbench.permissions.tool_annotations import facts_of
from workbench.recordings.comparison import answer_value, definition_change, differences, form_changes
from workbench.records import DifferenceKind, JsonValue, Origin, Outcome, SkillDifference, SkillTest, ToolCall
from workbench.servers.server_catalog import ServerCatalog
from workbench.skills.cassettes import Cassette, CassetteStep

MOST: Final = 50  # calls that are made
USER: Final = "person"  # the session of the user's own calls
Call: TypeAlias = Callable[[ToolCall], Awaitable[Outcome]]


async def check_drift(catalog: ServerCatalog, call: Call, skill: str, cassette: Cassette, *, allow: bool) -> SkillTest:
    """Make each different call once; with `allow` also those that may change or send something."""
    started, found, seen = time.perf_counter(), list[SkillDifference](), set[str]()
    for step in cassette.steps:
        said = json.dumps(step.params, sort_keys=True)
        if step.kind != "call" or said in seen or len(seen) >= MOST:
            continue
        seen.add(said)
        found += await _call(catalog, call, cassette, step, allow=allow)
    state = "failed" if any(one.breaks for one in found) else "changed" if found else "passed"
    return SkillTest(skill, cassette.name, state, tuple(found), (time.perf_counter() - started) * 1000)


async def _call(
    catalog: ServerCatalog, call: Call, cassette: Cassette, step: CassetteStep, *, allow: bool
) -> list[SkillDifference]:
    server, name = str(step.params.get("server")), str(step.params.get("tool"))
    try:
        tool = catalog.tool(server, name)
    except WorkbenchError as fault:
        return [SkillDifference(DifferenceKind.DEFINITION, fault.message)]
    recorded = cassette.tools.get(f"{tool.server}.{tool.name}")
    change = definition_change(recorded, tool) if recorded is not None else None
    found = [change] if change is not None else []
    if not allow and not facts_of(tool).only_reads:
        words = f"{step.tool} was not called: it may change or send something."
        return [*found, SkillDifference(DifferenceKind.CALL, words, breaks=False)]
    arguments = step.params.get("arguments")
    made = ToolCall(
        os.urandom(6).hex(), tool.server, tool.name, arguments if isinstance(arguments, dict) else {},
        Origin.PERSON, USER, confirmed=allow,
    )  # fmt: skip
    outcome = await call(made)
    if not outcome.ok:
        reason = outcome.fault.message if outcome.fault else "it failed"
        words = f"{step.tool} failed: {reason}"
        return [*found, SkillDifference(DifferenceKind.CALL, words, breaks=step.failure is None)]
    return [*found, *_answer(step, answer_value(outcome))]


def _answer(step: CassetteStep, now: JsonValue) -> list[SkillDifference]:
    if step.failure is not None:
        return [SkillDifference(DifferenceKind.CALL, f"{step.tool} no longer fails.", breaks=False)]
    bent = [
        SkillDifference(DifferenceKind.RESULT, f"{step.tool}: {words}.") for words in form_changes(step.answer, now)
    ]
    if bent:
        return bent[:5]
    changed = sum(1 for _ in differences(step.answer, now, []))
    if changed:
        words = f"{step.tool} answers in the same form, with {changed} other values."
        return [SkillDifference(DifferenceKind.RESULT, words, breaks=False)]
    return []
