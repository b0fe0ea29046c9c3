"""Which rules count no longer, and why, for the person who reads the list of them.

Nothing is decided here: what a rule allows is compared anew with each call and each program. A tool that is not known
now says nothing about a rule, because its server may only be stopped.
"""

from __future__ import annotations

from collections.abc import Iterable

from workbench.policy.own_calls import OWN
from workbench.policy.pinning import PYTHON
from workbench.policy.sentence import RULES
from workbench.policy.trust import void
from workbench.records import Permission, Tool, Verdict, Word


def about(verdict: Verdict) -> tuple[str, ...]:
    """What a pinned approval of this program stands and falls with: one name and its hash or version each."""
    definitions = sorted(f"{name} {sha}" for name, sha in verdict.definitions.items())
    return (f"rules {verdict.rules}", f"python {PYTHON}", *definitions)


def voided(rules: Iterable[Permission], tools: Iterable[Tool]) -> dict[str, str]:
    """Why each allow that is void counts no more, by the id of the rule."""
    allows = [one for one in rules if one.word is Word.ALLOW]
    known = {f"{tool.server}.{tool.name}": tool for tool in tools} if allows else {}
    return {one.id: why for one in allows if (why := _changed(one, known))}


def _changed(rule: Permission, known: dict[str, Tool]) -> str:
    if rule.kind == OWN and rule.tool:
        tool = known.get(f"{rule.server}.{rule.tool}")
        return "the tool's definition changed since" if tool is not None and tool.hash != rule.key else ""
    if rule.kind in ("tool", "arguments"):
        tool = known.get(f"{rule.server}.{rule.tool}")
        return void(rule, tool) if tool is not None else ""
    for name, _, sha in (one.rpartition(" ") for one in rule.about):
        if (name, sha) in (("rules", RULES), ("python", PYTHON)):
            continue
        if name in ("rules", "python"):
            return "programs are judged in another way since"
        if name in known and known[name].hash != sha:
            return f"the definition of {name} changed since"
    return ""
