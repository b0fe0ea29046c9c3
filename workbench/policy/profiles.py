"""The bounds of a run: the three that are built in, how two compare, and what a tool must be to be inside.

Pure: the room `permissions` reads those of files, mounts and the broker hold a run to them.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase

from workbench.policy.calls import tool_risk
from workbench.policy.levels import at_least
from workbench.policy.tables import verbs
from workbench.records import Fault, Risk, RunProfile, Tool

WORKSPACE = ("none", "read", "write")  # each holds what stands before it
TOOLS = ("none", "read", "add", "all")
ISOLATION = ("", "process", "container", "vm")
READ_ONLY = RunProfile("read_only", "read_only", "read", "read", network=False)
WRITE_RESTRICTED = RunProfile("write_restricted", "write_restricted")
EXECUTE_FULL = RunProfile("execute_full", "execute_full", ask=True, times=4)
BUILT_IN = {one.name: one for one in (READ_ONLY, WRITE_RESTRICTED, EXECUTE_FULL)}
_MOUNTS = {
    "none": "sees no workspace",
    "read": "reads the workspace and cannot change it",
    "write": "reads and writes the workspace",
}
_CLASSES = {
    "none": "calls no tool",
    "read": "calls tools that only read",
    "add": "calls tools that read or add, none of high risk",
    "all": "calls tools of any kind, those of high risk once a person or a rule allows it",
}


def within(inner: RunProfile, outer: RunProfile) -> bool:
    """Whether it allows nothing that the other one does not."""
    return (
        WORKSPACE.index(inner.workspace) <= WORKSPACE.index(outer.workspace)
        and TOOLS.index(inner.tools) <= TOOLS.index(outer.tools)
        and (outer.network or not inner.network)
        and (inner.ask or not outer.ask)
        and ISOLATION.index(inner.isolation) >= ISOLATION.index(outer.isolation)
        and inner.times <= outer.times
        and (not outer.only or (bool(inner.only) and set(inner.only) <= set(outer.only)))
        and all(_limit(mine) <= _limit(theirs) for mine, theirs in _limits(inner, outer))
    )


def described(profile: RunProfile) -> RunProfile:
    """With the sentence that says what it allows."""
    parts = [_MOUNTS[profile.workspace], _CLASSES[profile.tools]]
    parts += [f"of {', '.join(profile.only)} only"] if profile.only else []
    parts.append("reaches the places that are open" if profile.network else "reaches no network")
    parts += [f"may use {profile.times} times the limits"] if profile.times > 1 else []
    parts += [f"runs in a {profile.isolation} at least"] if profile.isolation else []
    parts += ["always asks a person first"] if profile.ask else []
    text = "; ".join(parts)
    return replace(profile, sentence=f"{text[:1].upper()}{text[1:]}.")


def outside(profile: RunProfile | None, required: tuple[str, ...], tool: Tool) -> Fault | None:
    """Why a run within these bounds may not call this tool; None when it may."""
    name = f"{tool.server}.{tool.name}"
    if required and name not in required:
        shown = ", ".join(required[:5]) + (" …" if len(required) > 5 else "")
        return Fault(f"{name} is not among the required_tools of this program.", f"It is limited to {shown}.")
    if profile is None:
        return None
    if profile.only and not any(_means(pattern, tool) for pattern in profile.only):
        hint = f"It is kept to {', '.join(profile.only[:5])}."
        return Fault(f"The profile {profile.name} does not hold {name}.", hint)
    if not _in_class(profile.tools, tool):
        return Fault(
            f"The profile {profile.name} {_CLASSES[profile.tools]}; {name} is not one of them.",
            "Propose it with a wider profile, which a person may have to allow.",
        )
    return None


def _in_class(kind: str, tool: Tool) -> bool:
    risk = tool_risk(tool)
    if kind == "read":
        reading = verbs.reads(tool.name) and not verbs.destroys(tool.name) and tool.hints.read_only is not False
        return risk is Risk.LOW or (risk is Risk.MEDIUM and reading and not tool.hints.destructive)
    return kind == "all" or (kind == "add" and not at_least(risk, Risk.HIGH))


def _means(pattern: str, tool: Tool) -> bool:
    return fnmatchcase(tool.server, pattern) or fnmatchcase(f"{tool.server}.{tool.name}", pattern)


def _limits(inner: RunProfile, outer: RunProfile) -> tuple[tuple[int, int], ...]:
    return (inner.seconds, outer.seconds), (inner.memory_mb, outer.memory_mb), (inner.calls, outer.calls)


def _limit(number: int) -> float:
    return number or float("inf")
