"""Says whether a program of medium risk leaves a person nothing to decide that its data would not decide later.

It only adds or sets something at one server whose hints the person believes, where nothing leaves and nothing is lost,
or writes new files of plain data into the workspace; and nothing that outsiders can write has a part in it. A question
about such a program is answered unread, and it is those questions that make people answer the next one unread, too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from typing import Final

from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions import tool_annotations
from workbench.permissions.tool_annotations import tool_risk
from workbench.records import Finding, Gate, Risk, Tool, Verdict
from workbench.records.risk_levels import at_least

_DATA: Final = frozenset({".csv", ".tsv", ".json", ".jsonl", ".txt", ".md", ".log", ".parquet", ".png", ".jpg"})
_ROOM: Final = "workspace/"


def is_additive(verdict: Verdict, tools: Sequence[Tool | None], taken: Callable[[str], bool]) -> bool:
    """`tools`: those that the verdict names, as policy takes them. `taken`: whether a path of the workspace is there
    already, so that writing it would replace something."""
    if verdict.risk is not Risk.MEDIUM or verdict.gate is not Gate.ASK or verdict.not_assessed:
        return False
    known = {f"{tool.server}.{tool.name}": tool for tool in tools if tool is not None}
    if len(known) < len({(use.server, use.tool) for use in verdict.tools}) or any(
        map(tool_annotations.outsiders, known.values())
    ):
        return False
    if verdict.hosts or verdict.impact.networks or verdict.impact.commands:
        return False
    changing = [tool for tool in known.values() if at_least(tool_risk(tool), Risk.MEDIUM)]
    if changing and (len({tool.server for tool in known.values()}) > 1 or verdict.impact.read):
        return False  # what one server holds is not for another one, and nobody knows who wrote a file
    risky = (one for one in verdict.findings if at_least(one.risk, Risk.MEDIUM))
    return all(_adds(one, known) or _is_new_data(one, taken) for one in risky)


def only_adds(tool: Tool) -> bool:
    """Whether it destroys nothing and reaches nobody, by hints that are believed or a person's own word."""
    hints = tool.hints
    closed = hints.destructive is False and hints.open_world is False
    return closed and tool_risk(tool) is Risk.MEDIUM and not tool_annotations.sends(tool)


def _adds(one: Finding, known: dict[str, Tool]) -> bool:
    tool = known.get(one.subject) if one.rule == "tool.call" else None
    return tool is not None and only_adds(tool)


def _is_new_data(one: Finding, taken: Callable[[str], bool]) -> bool:
    """A file that no other program runs, and that was not there."""
    path = one.subject
    if one.rule != ProgramAction.WRITE.value or not path.startswith(_ROOM) or "…" in path:
        return False
    return is_data(path.removeprefix(_ROOM)) and not taken(path.removeprefix(_ROOM))


def is_data(path: str) -> bool:
    """Whether a file of the workspace, by its name, is plain data and not hidden."""
    hidden = any(part.startswith(".") for part in path.split("/"))
    return not hidden and posixpath.splitext(path)[1].lower() in _DATA
