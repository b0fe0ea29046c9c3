"""The question what the annotations of a server are worth, computed from its tools."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from workbench.permissions.reviewed_tools import find_review
from workbench.permissions.tool_annotations import OWN, covers, examine
from workbench.permissions.tool_groups import DOES_ONE, describe_claims
from workbench.records import (
    ServerDecision,
    Standing,
    Tool,
    ToolGroup,
    ToolProposal,
    TrustQuestion,
    UserAnnotations,
)

EARLIER = (ToolGroup.READS, ToolGroup.ADDS)  # what trust meant before it had groups


def trust_question(
    server: str, entry: str, package: str, tools: Sequence[Tool], decision: ServerDecision | None
) -> TrustQuestion:
    """Return the question about a server. `tools`: with effective annotations. `decision`: for its current entry."""
    rows = tuple(_row(tool, package, decision) for tool in tools)
    shown = [server, entry, package, [[tool.hash, row.group] for tool, row in zip(tools, rows, strict=True)]]
    sha = hashlib.sha256(json.dumps(shown).encode()).hexdigest()
    known = package if any(row.reviewed for row in rows) else ""
    if decision is None:
        return TrustQuestion(server, sha, rows, _proposed(rows), package=known)
    ticked = EARLIER if decision.earlier else decision.groups
    return TrustQuestion(server, sha, rows, ticked, True, decision.earlier, known)


def _row(tool: Tool, package: str, decision: ServerDecision | None) -> ToolProposal:
    said = UserAnnotations(**{name: getattr(tool if name in OWN else tool.hints, name) for name in tool.said})
    found = examine(tool, find_review(package, tool), said)
    decided = tool.standing is not Standing.UNDECIDED if decision is None else covers(decision, tool)
    words = describe_claims(tool.claimed or tool.hints)
    basis = f"{DOES_ONE[found.group]} ({found.basis})"
    return ToolProposal(tool.name, found.group, words, basis, found.basis == "reviewed", found.doubt, decided)


def _proposed(rows: Sequence[ToolProposal]) -> tuple[ToolGroup, ...]:
    """Return the groups that are ticked in advance: reading, and adding if we have reviewed each tool that adds."""
    ticked = [ToolGroup.READS] if any(row.group is ToolGroup.READS for row in rows) else []
    adding = [row for row in rows if row.group is ToolGroup.ADDS]
    if adding and all(row.reviewed for row in adding):
        ticked.append(ToolGroup.ADDS)
    return tuple(ticked)
