"""Repeats stored calls on the live servers and checks the answers: of saved calls against the expectations in their
files, of recordings against the recorded answers.

Both kinds are sent through the broker as calls of the user, so the same rules and approvals apply. For recordings,
values that differ are reported but do not fail the check. What may break a skill, and what offline tests cannot detect,
is a missing tool, a changed definition or a changed structure of an answer.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.permissions.tool_annotations import facts_of
from workbench.recordings.comparison import answer_value, definition_change, differences, form_changes
from workbench.recordings.expectations import check_expectations
from workbench.records import (
    CheckResult,
    DifferenceKind,
    Expect,
    Fault,
    JsonObject,
    JsonValue,
    Origin,
    Outcome,
    SavedCall,
    SkillDifference,
    SkillTest,
    Tool,
    ToolCall,
)
from workbench.servers.server_catalog import ServerCatalog
from workbench.skills.cassettes import Cassette, CassetteStep

MOST: Final = 50  # calls that are made for one recording
USER: Final = "person"  # the session of the user's own calls
MakeCall: TypeAlias = Callable[[ToolCall], Awaitable[Outcome]]


class LiveChecks:
    """Checks saved calls and recordings with calls of the user. `make_call` applies rules to a call and sends it."""

    def __init__(self, catalog: ServerCatalog, make_call: MakeCall) -> None:
        self._catalog = catalog
        self._make_call = make_call

    async def check_saved_call(self, saved: SavedCall, *, confirmed: bool, attended: bool) -> CheckResult:
        """Make a saved call and check its answer against its expectations. `attended` means that the user started this
        one call; otherwise it is one of many calls from files that other people may have written."""
        not_made = CheckResult(saved.file, saved.server, saved.tool, passed=False)
        if saved.withheld:
            words = f"This call needs values that are not saved because they are secret: {', '.join(saved.withheld)}."
            return replace(not_made, fault=Fault(words, "Open the call in its form and enter them there."))
        outcome = await self._call(saved.server, saved.tool, saved.arguments, confirmed=confirmed, attended=attended)
        if outcome.needs_confirmation:
            return replace(not_made, fault=outcome.fault, needs_confirmation=True)
        if not outcome.ok and not outcome.tool_error and not any(e.kind is Expect.ERROR for e in saved.expectations):
            return replace(not_made, fault=outcome.fault, outcome=outcome)
        tool = self.find_tool(saved)
        has_schema = tool is not None and tool.output_schema is not None
        marks = await asyncio.to_thread(check_expectations, saved, outcome, has_schema=has_schema)
        return CheckResult(saved.file, saved.server, saved.tool, all(mark.holds for mark in marks), marks, outcome)

    async def check_recording(self, skill: str, cassette: Cassette, *, allow: bool) -> SkillTest:
        """Make each different call of a recording once; with `allow` also those that may change or send something."""
        started, found, seen = time.perf_counter(), list[SkillDifference](), set[str]()
        for step in cassette.steps:
            said = json.dumps(step.params, sort_keys=True)
            if step.kind != "call" or said in seen or len(seen) >= MOST:
                continue
            seen.add(said)
            found += await self._check_step(cassette, step, allow=allow)
        state = "failed" if any(one.breaks for one in found) else "changed" if found else "passed"
        return SkillTest(skill, cassette.name, state, tuple(found), (time.perf_counter() - started) * 1000)

    def find_tool(self, saved: SavedCall) -> Tool | None:
        """The tool of a saved call; None if the catalog does not contain it."""
        try:
            return self._catalog.tool(saved.server, saved.tool)
        except WorkbenchError:
            return None

    async def _check_step(self, cassette: Cassette, step: CassetteStep, *, allow: bool) -> list[SkillDifference]:
        try:
            tool = self._catalog.tool(str(step.params.get("server")), str(step.params.get("tool")))
        except WorkbenchError as fault:
            return [SkillDifference(DifferenceKind.DEFINITION, fault.message)]
        recorded = cassette.tools.get(f"{tool.server}.{tool.name}")
        change = definition_change(recorded, tool) if recorded is not None else None
        found = [change] if change is not None else []
        if not allow and not facts_of(tool).only_reads:
            words = f"{step.tool} was not called: it may change or send something."
            return [*found, SkillDifference(DifferenceKind.CALL, words, breaks=False)]
        given = step.params.get("arguments")
        arguments = given if isinstance(given, dict) else {}
        outcome = await self._call(tool.server, tool.name, arguments, confirmed=allow, attended=False)
        if not outcome.ok:
            reason = outcome.fault.message if outcome.fault else "no reason was given"
            words = f"{step.tool} failed: {reason}"
            return [*found, SkillDifference(DifferenceKind.CALL, words, breaks=step.failure is None)]
        return [*found, *_answer(step, answer_value(outcome))]

    async def _call(self, server: str, tool: str, arguments: JsonObject, *, confirmed: bool, attended: bool) -> Outcome:
        return await self._make_call(
            ToolCall(
                os.urandom(6).hex(), server, tool, arguments, Origin.PERSON, USER,
                confirmed=confirmed, unattended=not attended,
            )
        )  # fmt: skip


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
        words = f"The answer of {step.tool} has the same form; values that differ: {changed}."
        return [SkillDifference(DifferenceKind.RESULT, words, breaks=False)]
    return []
