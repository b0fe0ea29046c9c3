"""Sums up what reading found: which files, hosts, commands and tools, and how much of it cannot be taken back."""

from __future__ import annotations

from workbench.policy.calls import outward, tool_risk
from workbench.policy.report import Report
from workbench.policy.tables.deeds import Deed
from workbench.policy.value import HOLE
from workbench.records import Effect, EffectKind, Impact, Risk, Tool

MOST = 100  # names of one kind
TOOL_CLASSES = ("reads", "adds", "changes", "sends")
_LISTS = {
    **dict.fromkeys((Deed.READ, Deed.LIST), "read"),
    **dict.fromkeys((Deed.WRITE, Deed.COPY, Deed.MOVE, Deed.DELETE, Deed.META, Deed.LINK, Deed.DATABASE), "changed"),
    Deed.NETWORK: "networks",
    Deed.PROCESS: "commands",
}
_BY_RULE = {deed.value: where for deed, where in _LISTS.items()}
_UNKNOWN = frozenset({"", "?", HOLE, "…"})


def impact(report: Report) -> Impact:
    """Each name once, in the order of the text."""
    named: dict[str, dict[str, None]] = {where: {} for where in ("read", "changed", "networks", "commands")}
    unnamed = 0
    for note in sorted(report.notes.values(), key=lambda note: note.finding.span.line):
        where = _BY_RULE.get(note.finding.rule)
        if where and note.finding.subject in _UNKNOWN:
            unnamed += 1
        elif where:
            named[where][note.finding.subject] = None
    return Impact(
        **{where: tuple(names)[:MOST] for where, names in named.items()},
        tools=_tools(report),
        lasting=sum(map(_lasting, report.effects())),
        unnamed=unnamed,
    )


def together(first: Impact, second: Impact) -> Impact:
    """Of a program and a skill that it uses."""
    kinds = [kind for kind in TOOL_CLASSES if kind in first.tools or kind in second.tools]
    return Impact(
        read=_each(first.read, second.read),
        changed=_each(first.changed, second.changed),
        networks=_each(first.networks, second.networks),
        commands=_each(first.commands, second.commands),
        tools={kind: _each(first.tools.get(kind, ()), second.tools.get(kind, ())) for kind in kinds},
        lasting=first.lasting + second.lasting,
        unnamed=first.unnamed + second.unnamed,
    )


def _each(*names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for some in names for name in some))[:MOST]


def _tools(report: Report) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for use in sorted(report.uses.values(), key=lambda use: use.line):
        found.setdefault(tool_class(use.tool), {})[f"{use.tool.server}.{use.tool.name}"] = None
    return {kind: tuple(found[kind])[:MOST] for kind in TOOL_CLASSES if kind in found}


def tool_class(tool: Tool) -> str:
    """The one word for what a tool does to the world; what leaves weighs most."""
    risk = tool_risk(tool)
    if risk is Risk.LOW:
        return "reads"
    if outward(tool):
        return "sends"
    return "adds" if risk is Risk.MEDIUM else "changes"


def _lasting(effect: Effect) -> bool:
    return effect.reversible is False and effect.kind is not EffectKind.REFUSED
