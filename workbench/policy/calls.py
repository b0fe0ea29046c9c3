"""How risky a tool is, by its hints and its name.

Hints are claims, never proof: a tool that says "read only" and is called `delete_all` is judged by its name.
"""

from __future__ import annotations

from workbench.policy import bits
from workbench.policy.bits import contradicts
from workbench.policy.tables import verbs
from workbench.records import Risk, Tool


def tool_risk(tool: Tool) -> Risk:
    """Low: reads. Medium: adds, or reads by name alone. High: may change or destroy, or contradicts its own name."""
    hints = tool.hints
    if hints.read_only:
        return Risk.HIGH if contradicts(tool) else Risk.LOW
    if hints.read_only is None and hints.destructive is None:
        return Risk.MEDIUM if verbs.reads(tool.name) and not verbs.destroys(tool.name) else Risk.HIGH
    if hints.destructive is False and "destructive" in tool.said:
        return Risk.MEDIUM
    return Risk.MEDIUM if hints.destructive is False and not verbs.destroys(tool.name) else Risk.HIGH


def outward(tool: Tool) -> bool:
    """Whether it can carry data to somebody outside."""
    return bits.sends(tool)


def destroys(tool: Tool) -> bool:
    """Whether it may take something away that does not come back, by its hints or its name."""
    return tool_risk(tool) is Risk.HIGH and bool(tool.hints.destructive or verbs.destroys(tool.name))
