"""Describes a rule in one sentence, and checks whether a rule is valid."""

from __future__ import annotations

import time

from workbench.errors import WorkbenchError
from workbench.permissions.argument_patterns import ADDING, BELOW, READING, UNDER
from workbench.permissions.call_rules import reason_void
from workbench.records import CallDecision, Permission, Predicate, Tool

LONGEST = 200  # characters of a value in a rule
_DOES = {
    CallDecision.ALLOW: "Programs may {} without asking",
    CallDecision.ASK: "Programs {} only after you are asked",
    CallDecision.DENY: "No program may {}",
}
_FOR = {"session": ", in this session", "run": ", in this run"}


def sentence(rule: Permission) -> str:
    """Return what the rule does, as the user reads it."""
    what = f"call any tool of {rule.server}" if rule.kind == "server" else f"call {rule.server}.{rule.tool}"
    excluded = ", except high-risk tools and tools that can send data outside"
    limit = excluded if rule.word is CallDecision.ALLOW and rule.kind == "server" else ""
    when = f" when {_conditions(rule)}{_other_arguments(rule)}" if rule.where else ""
    return f"{_DOES[rule.word].format(what)}{limit}{when}{scope_ending(rule)}."


def program_sentence(rule: Permission, summary: str) -> str:
    """Return what a rule about one exact program does. `summary`: what the program does, as a sentence."""
    return f"Exactly this program may run without asking{scope_ending(rule)}: {summary}"


def scope_ending(rule: Permission) -> str:
    """Return from which agents and for how long a rule applies, as the end of a sentence."""
    until = f"until {time.strftime('%d %b %Y', time.localtime(rule.expires))}" if rule.expires else ""
    if rule.scope in _FOR:
        return _FOR[rule.scope]
    who = f"from agents with the name “{rule.session}”" if rule.scope == "client" else "from any agent"
    if rule.word is not CallDecision.ALLOW:
        return f", {who}" if rule.scope == "client" else ""
    return f", {who}, {until or 'until you revoke it'}"


def check(rule: Permission, tool: Tool | None) -> None:
    """Refuse a rule that would never apply, or that says less than it seems to."""
    if rule.kind not in ("server", "tool", "arguments") or not rule.server:
        raise WorkbenchError("A rule must be about a server, a tool, or arguments of a tool.")
    if (rule.kind == "arguments") != bool(rule.where):
        raise WorkbenchError("A rule about arguments must name at least one.", "Example: to matches *@example.org.")
    for one in rule.where:
        if not one.path.strip(". []") or not one.pattern or len(one.path) + len(one.pattern) > 2 * LONGEST:
            raise WorkbenchError(
                f"An argument and its pattern must not be empty, or longer than {2 * LONGEST} characters together.",
                f"For paths in the workspace, use the pattern {UNDER!r}.",
            )
    if rule.kind != "server" and tool is None:
        raise WorkbenchError(f"There is no tool {rule.server}.{rule.tool}.", "Choose a tool from the list.")
    if tool is not None and rule.kind != "server" and (why := reason_void(rule, tool)):
        raise WorkbenchError(
            f"This rule would have no effect: {why}.",
            "Allow the tool for certain arguments. Example: to matches *@example.org.",
        )


def _conditions(rule: Permission) -> str:
    return " and ".join(f"“{one.path}” {_condition(one)}" for one in rule.where)


def _other_arguments(rule: Permission) -> str:
    """Return which other arguments the calls may have, if the rule says so."""
    if rule.others is None:
        return ""
    if not rule.others:
        return " and no other argument is given"
    quoted = [f"“{name}”" for name in rule.others]
    open_ones = " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))
    return f", with any {open_ones} but no other argument"


def _condition(one: Predicate) -> str:
    if one.pattern == UNDER:
        return "is in the workspace"
    if one.pattern == READING:
        return "is SQL that only reads"
    if one.pattern.startswith(ADDING):
        return f"is {one.pattern}"
    if one.pattern.startswith(BELOW):
        return f"is below {one.pattern.removeprefix(BELOW)}"
    end = one.pattern[2:]
    if one.pattern.startswith("*@") and "*" not in end and "?" not in end:
        return f"is one address at {end}"
    start = one.pattern[:-1]
    if one.pattern.endswith("/*") and "://" in one.pattern and "*" not in start and "?" not in start:
        return f"begins with {start}"
    return f"is “{one.pattern}”"
