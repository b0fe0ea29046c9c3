"""Holds back the side effects of one run, records them, and answers each call with a stand-in value.

Calls that only read are made as usual, so the program gets as far as in a real run. Calls that would change, send or
delete something become lines of a plan that the user reads before anything happens (`plan.py`).
"""

from __future__ import annotations

import json
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.interpreter.tool_calls import reversible
from workbench.broker.comparable_text import argument_leaves
from workbench.calls.call_history import History
from workbench.dry_run.stand_in_values import StandIns
from workbench.errors import WorkbenchError
from workbench.records import (
    Content,
    Fault,
    JsonObject,
    JsonValue,
    Outcome,
    PastQuery,
    PlanStep,
    Risk,
    Tool,
    ToolCall,
    ValueOrigin,
    Verdict,
)

FILES: Final = "workspace"  # id of the plan line for all file changes
MOST: Final = 200  # calls in a plan; a user will not read more
MOST_LETTERS: Final = 1_000_000  # characters of the arguments of all calls in a plan
SHOWN: Final = 20_000  # shown characters of one call's arguments
_MOST_SEARCHED: Final = 50  # past calls of the same tool that are searched for one with the same arguments


class HeldSideEffect(Struct, frozen=True):
    """One call that a dry run held back, with its real arguments."""

    plan_step: PlanStep
    arguments: JsonObject
    definition: str  # hash of the tool's definition
    number: int  # counts from 1; stand-in values contain it


class HeldSideEffects:
    """The side effects that one dry run holds back, and the stand-in answers."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.steps: list[HeldSideEffect] = []
        self.stand_ins = StandIns()
        self.notes: list[str] = []
        self.asks_outside = False  # whether calls of tools that read external data are made
        self.plan_used = False  # a run has used its plan already
        self.full = False
        self._letters = 0

    @property
    def plan(self) -> tuple[PlanStep, ...]:
        return tuple(step.plan_step for step in self.steps)

    async def hold(
        self,
        call: ToolCall,
        tool: Tool,
        arguments: JsonObject,
        risk: Risk,
        origins: tuple[ValueOrigin, ...],
        verdict: Verdict | None,
    ) -> Outcome:
        """Record the call in the plan, and return a stand-in answer."""
        text = json.dumps(arguments, ensure_ascii=False, indent=2, default=str)
        self._letters += len(text)
        if len(self.steps) >= MOST or self._letters > MOST_LETTERS:
            self.full = True
            words = f"A dry run can hold at most {MOST} calls with one megabyte of arguments."
            fault = Fault(words, "Start a dry run of a smaller part of the program.")
            return Outcome(call.id, ok=False, fault=fault, refused=True)
        number = len(self.steps) + 1
        held = PlanStep(
            call_id=call.id,
            server=tool.server,
            tool=tool.name,
            arguments=text if len(text) <= SHOWN else text[:SHOWN] + " …",
            line=_line(tool, verdict),
            summary=_summary(tool, arguments),
            reversible=reversible(tool),
            risk=risk,
            origins=origins,
            waits_for=self._waits_for(arguments),
        )
        self.steps.append(HeldSideEffect(held, arguments, tool.hash, number))
        outcome, answered = await self._answer(call, tool, arguments, number)
        self.steps[number - 1] = replace(self.steps[number - 1], plan_step=replace(held, answered=answered))
        return outcome

    def _waits_for(self, arguments: JsonObject) -> tuple[str, ...]:
        """Describe the argument values that come from the answer of an earlier held call."""
        found = []
        for path, text in argument_leaves(dict(arguments)):
            places = self.stand_ins.find(text).values()
            found += [f"{path}: {place or 'the answer'} of call {number}" for number, place in places]
        return tuple(dict.fromkeys(found))

    async def _answer(self, call: ToolCall, tool: Tool, arguments: JsonObject, number: int) -> tuple[Outcome, str]:
        if tool.output_schema:
            value = self.stand_ins.invent(number, tool.output_schema)
            return _outcome(call, value), "invented"
        if (recorded := await self._recorded(tool, arguments)) is not None:
            return replace(recorded, call_id=call.id, held=True, ms=0.0), "recorded"
        return _outcome(call, {}), "nothing"

    async def _recorded(self, tool: Tool, arguments: JsonObject) -> Outcome | None:
        """Return a recorded answer of this tool, preferably to the same arguments."""
        try:
            query = PastQuery(server=tool.server, tool=tool.name, state="ok", limit=_MOST_SEARCHED)
            found = [one for one in await self._history.find(query) if not one.cut and not one.withheld]
            same = json.dumps(arguments, ensure_ascii=False)
            best = next((one for one in found if one.arguments == same), found[0] if found else None)
            return (await self._history.get(best.id)).outcome if best is not None else None
        except WorkbenchError:  # the history cannot be read; a dry run works without it
            return None


def hold_files(dry_run: HeldSideEffects, written: dict[str, int], deleted: tuple[str, ...]) -> None:
    """Add one line to the plan for the files that the program changed in its copy of the workspace."""
    if not written and not deleted:
        return
    changes = {path: f"written, {size:,} bytes" for path, size in sorted(written.items())}
    changes |= dict.fromkeys(deleted, "deleted")
    text = json.dumps(changes, ensure_ascii=False, indent=2)
    names = ", ".join([*changes][:3]) + (f" and {len(changes) - 3} more" if len(changes) > 3 else "")
    held = PlanStep(
        call_id=FILES,
        server="",
        tool=FILES,
        arguments=text if len(text) <= SHOWN else text[:SHOWN] + " …",
        summary=f"Changes {names}",
        reversible=False,
        risk=Risk.HIGH if deleted else Risk.MEDIUM,
    )
    dry_run.steps.append(HeldSideEffect(held, {}, "", len(dry_run.steps) + 1))


def _outcome(call: ToolCall, value: JsonValue) -> Outcome:
    text = json.dumps(value, ensure_ascii=False)
    return Outcome(call.id, ok=True, content=(Content("text", text),), structured=text, bytes=len(text), held=True)


def _line(tool: Tool, verdict: Verdict | None) -> int:
    """Return the line of the program that calls this tool, if exactly one does; else 0."""
    uses = verdict.tools if verdict is not None else ()
    lines = {use.line for use in uses if (use.server, use.tool) == (tool.server, tool.name)}
    return lines.pop() if len(lines) == 1 else 0


def _summary(tool: Tool, arguments: JsonObject) -> str:
    """Return the call on one line, with its values shortened."""
    parts = []
    for key, value in list(arguments.items())[:6]:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        parts.append(f"{key}={text if len(text) <= 60 else text[:59] + '…'}")
    return f"{tool.server}.{tool.name}({', '.join(parts)})"
