"""Describes a rule in one sentence, checks whether a rule is valid, and suggests rules for a decision."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.permissions.argument_patterns import UNDER, destinations, exactly, holds
from workbench.permissions.call_rules import is_heavy, reason_void
from workbench.records import CallDecision, JsonObject, JsonValue, Permission, Predicate, Tool

MOST = 6  # arguments in a suggested rule
LONGEST = 200  # characters of a value in a suggested rule
_PATHS = frozenset({"path", "file", "filename", "file_path", "target", "directory", "folder"})
_DOES = {
    CallDecision.ALLOW: "Programs may {} without asking",
    CallDecision.ASK: "Programs {} only after you are asked",
    CallDecision.DENY: "No program may {}",
}
_FOR = {"always": "", "session": ", in this session", "run": ", in this run"}


def sentence(rule: Permission) -> str:
    """Return what the rule does, as the user reads it."""
    what = f"call any tool of {rule.server}" if rule.kind == "server" else f"call {rule.server}.{rule.tool}"
    excluded = ", except high-risk tools and tools that can send data outside"
    limit = excluded if rule.word is CallDecision.ALLOW and rule.kind == "server" else ""
    when = f" when {_conditions(rule)}" if rule.where else ""
    return f"{_DOES[rule.word].format(what)}{limit}{when}{_FOR.get(rule.scope, '')}."


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


def proposals(tool: Tool, arguments: JsonObject, workspace: str = "") -> tuple[Permission, ...]:
    """Return rules that would have allowed this call, the narrowest first. Destinations are always named, because a
    rule without them would allow every destination."""
    made: dict[tuple[Predicate, ...], Permission] = {}
    narrow = _exact(arguments)
    for where in (narrow, _wider(narrow, arguments, workspace)):
        if where and holds(where, arguments, workspace):
            made.setdefault(where, _rule(tool, "arguments", where))
    if not is_heavy(tool):
        made[()] = _rule(tool, "tool", ())
    return tuple(made.values())


def _exact(arguments: JsonObject) -> tuple[Predicate, ...]:
    """Return predicates for the exact destinations; without any, for the arguments that name the object acted on;
    else for all short arguments."""
    keys = destinations(arguments)
    keys = keys or tuple(key for key in arguments if _names_a_thing(key)) or tuple(arguments)
    found = [one for key in keys for one in _predicates(key, arguments[key])]
    whole = all(any(_begins(one.path, key) for one in found) for key in keys)
    return tuple(found) if whole and len(found) <= MOST else ()


def _wider(narrow: tuple[Predicate, ...], arguments: JsonObject, workspace: str) -> tuple[Predicate, ...]:
    """Return wider predicates: the domain instead of the address, the workspace instead of one file."""
    found = []
    for one in narrow:
        if one.path in _PATHS and holds((Predicate(one.path, UNDER),), {one.path: arguments[one.path]}, workspace):
            found.append(Predicate(one.path, UNDER))
        elif "@" in one.pattern and "*" not in one.pattern:
            found.append(Predicate(one.path, f"*@{one.pattern.rpartition('@')[2]}"))
        else:
            found.append(one)
    return tuple(found) if tuple(found) != narrow else ()


def _predicates(path: str, value: JsonValue, depth: int = 0) -> list[Predicate]:
    if isinstance(value, Mapping) and depth < 3:
        return [one for key, inner in value.items() for one in _predicates(f"{path}.{key}", inner, depth + 1)]
    if isinstance(value, list):
        alike = {exactly(one) for one in value if isinstance(one, str)}
        return [Predicate(f"{path}[]", alike.pop())] if len(alike) == 1 and len(value) == 1 else _shared(path, value)
    text = "" if isinstance(value, Mapping) else exactly(value)
    return [Predicate(path, text)] if 0 < len(text) <= LONGEST else []


def _shared(path: str, value: list[JsonValue]) -> list[Predicate]:
    """Return one predicate for several addresses of the same domain."""
    ends = {one.rpartition("@")[2] for one in value if isinstance(one, str) and "@" in one}
    if len(ends) == 1 and all(isinstance(one, str) for one in value):
        return [Predicate(f"{path}[]", f"*@{exactly(ends.pop())}")]
    return []


def _begins(path: str, key: str) -> bool:
    return path == key or path.startswith((f"{key}.", f"{key}[]"))


def _names_a_thing(key: str) -> bool:
    return key.casefold().endswith(("id", "name", "key", "number"))


def _rule(tool: Tool, kind: str, where: tuple[Predicate, ...]) -> Permission:
    rule = Permission("", kind, CallDecision.ALLOW, tool.server, tool.name, where, tool.hash, source="a decision")
    return replace(rule, label=sentence(rule))


def _conditions(rule: Permission) -> str:
    return " and ".join(
        f"“{one.path}” is in the workspace" if one.pattern == UNDER else f"“{one.path}” is “{one.pattern}”"
        for one in rule.where
    )
