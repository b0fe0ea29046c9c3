"""Finds the bounds a proposal asks for and puts its verdict within them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec.structs import replace

from workbench.analysis.additive_programs import is_additive
from workbench.analysis.verdict_bounds import Limits, bound
from workbench.errors import WorkbenchError
from workbench.permissions.judgement import foresee
from workbench.permissions.provenance_rules import UNTRUSTED
from workbench.records import Gate, Risk, Tool, Verdict
from workbench.runs.program_languages import PYTHON
from workbench.runs.rooms import Rooms

MOST_REQUIRED = 100


def required_tools(rooms: Rooms, names: Sequence[str]) -> tuple[str, ...]:
    """Names in any spelling as `server.tool`, a server's name as all of its tools; one that no server has is refused
    now, not in the middle of the run."""
    if len(names) > MOST_REQUIRED:
        raise WorkbenchError(f"A program is limited to at most {MOST_REQUIRED} tools.", "Leave out required_tools.")
    known = rooms.catalog.tools() if names else ()
    found: list[Tool] = []
    for name in names:
        whole = [tool for tool in known if tool.server == name]
        found += whole or [rooms.catalog.tool_by_id(name, known)]
    return tuple(dict.fromkeys(f"{tool.server}.{tool.name}" for tool in found))


def within_bounds(
    rooms: Rooms, verdict: Verdict, profile: str, required: tuple[str, ...], session: str, language: str
) -> Verdict:
    """The verdict as it stands for this run. A profile that is gone meanwhile blocks it: nothing runs unbounded."""
    try:
        wanted = rooms.bounds.find(profile)
    except WorkbenchError as fault:
        return unbounded(verdict, fault)
    wider = rooms.bounds.wider(wanted)
    limits = Limits(wanted, required, wider, rooms.rules.trust.lost, read=language == PYTHON)

    def find(server: str, name: str) -> Tool | None:
        try:
            return rooms.catalog.tool(server, name)
        except WorkbenchError:
            return None

    found = bound(verdict, limits, find, lambda tool: foresee(rooms.rules.of(tool), wanted, required, session))
    if found.risk is not Risk.MEDIUM or _has_met_strangers(rooms, session):
        return found
    tools = [find(use.server, use.tool) for use in found.tools]
    return replace(found, mild=is_additive(found, tools, lambda path: os.path.lexists(rooms.paths.workspace / path)))


def _has_met_strangers(rooms: Rooms, session: str) -> bool:
    """Whether the session has read text that outsiders can write; of one that is not known, nobody can say."""
    found = rooms.sessions.get(session)
    return found is None or UNTRUSTED in found.provenance.kinds


def unbounded(verdict: Verdict, fault: WorkbenchError) -> Verdict:
    """Nobody can say what it may do."""
    return replace(verdict, gate=Gate.BLOCKED, risk=Risk.HIGH, sentence=f"Cannot run: {fault.message} {fault.hint}")
