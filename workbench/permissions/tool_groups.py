"""Finds out what a tool does at worst: reads, adds, changes, destroys, or reaches outside.

The built-in reviewed annotations decide where there are some. Otherwise the hints of its server, the verbs of its name,
its description and its parameters do: hints that make a tool harmless count only if nothing else contradicts them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from workbench.permissions import tool_verbs
from workbench.permissions.reviewed_tools import Review
from workbench.records import Hints, Tool, ToolGroup, UserAnnotations

_ADDING = frozenset({"create", "add", "append", "insert", "new", "make", "store", "remember", "draft", "duplicate"})
_CHANGING = tool_verbs.CHANGING - _ADDING | {"modify", "patch", "replace", "change", "apply", "upsert", "sync"}
# Parameters that say what the tool shall do: it may do anything.
_COMMANDS = frozenset({"command", "commands", "cmd", "shell", "script", "javascript", "argv"})
_CODE = frozenset({"code", "function", "expression", "python"})  # unless the name reads: `get_coupon(code)`
_WORLD = tool_verbs.WORLD - {"page", "docs", "feed"}  # which a server may have itself
_ADDRESS_FORMATS = ("uri", "url", "iri", "uri-reference")
_LOOKED_AT = 400  # characters of a description that are read
_OUTSIDE_TEXT = re.compile(
    r"\b(?:internet|online|web ?(?:sites?|pages?|search)|(?:search|browse|surf)(?:es)? the web|https?|urls?|weather"
    r"|forecast|geocod\w+|search engine|(?:external|remote|public|third-party|web|rest|http) (?:api|service)s?"
    r"|wikipedia|google|bing|duckduckgo|github|gitlab)\b",
    re.I,
)
_STATEMENTS = frozenset({"sql", "statement", "statements", "mutation", "cypher"})


DOES = {  # "its tools that …"
    ToolGroup.READS: "only read",
    ToolGroup.ADDS: "only add something",
    ToolGroup.CHANGES: "change something",
    ToolGroup.DESTROYS: "delete, overwrite or run what they are given",
    ToolGroup.OUTSIDE: "can send something to others",
}
DOES_ONE = {
    ToolGroup.READS: "only reads",
    ToolGroup.ADDS: "only adds",
    ToolGroup.CHANGES: "changes",
    ToolGroup.DESTROYS: "destroys",
    ToolGroup.OUTSIDE: "reaches outside",
}


class GroupFinding(Struct, frozen=True):
    """What a tool does at worst, and how we know."""

    group: ToolGroup
    basis: str  # "reviewed", "its name agrees", "by its name", "by its parameters", …
    doubt: str = ""  # why the server's own words are not believed


def find_group(tool: Tool, review: Review | None, said: UserAnnotations, *, suspect: bool) -> GroupFinding:
    """Find the group of a tool. `said`: the user's annotations in force. `suspect`: whether name or description say
    that it sends something."""
    claims = tool.claimed or tool.hints
    if (by_user := _user_group(said)) is not None:
        return GroupFinding(by_user, "you said so")
    if review is not None:
        return GroupFinding(review.group, "reviewed", _disagreement(claims, review.group, tool.server))
    if claims.read_only:
        return _of_claimed_reader(tool)
    return _of_changing_tool(tool, claims, suspect=suspect)


def doubt_of_closed_world(tool: Tool) -> str:
    """Return why a reading tool's claim that it reaches nothing outside its server is not believed; empty if nothing
    contradicts it."""
    claims = tool.claimed or tool.hints
    if claims.open_world is not False or not (evidence := _outside_evidence(tool)):
        return ""
    return f"{tool.server} says that it reaches nothing outside, but {evidence}."


def _outside_evidence(tool: Tool) -> str:
    if not _WORLD.isdisjoint((*tool_verbs.name_words(tool.server), *tool_verbs.name_words(tool.name))):
        return "its name says otherwise"
    fields = tool.input_schema.get("properties")
    for name, field in fields.items() if isinstance(fields, Mapping) else ():
        address = isinstance(field, Mapping) and field.get("format") in _ADDRESS_FORMATS
        if tool_verbs.names_address(name) or address:
            return f"its parameter {name} is an address"
    return "its description says otherwise" if _OUTSIDE_TEXT.search(tool.description[:_LOOKED_AT]) else ""


def describe_claims(claims: Hints) -> str:
    """Return what a server says about a tool; empty if it says nothing."""
    if claims.read_only:
        words = "only reads"
    elif claims.destructive:
        words = "may destroy"
    elif claims.destructive is False:
        words = "only adds"
    elif claims.read_only is False:
        words = "changes"
    else:
        words = ""
    outside = "reaches outside" if claims.open_world else ""
    return ", ".join(filter(None, (words, outside)))


def _user_group(said: UserAnnotations) -> ToolGroup | None:
    if said.destructive:
        return ToolGroup.DESTROYS
    if said.sends:
        return ToolGroup.OUTSIDE
    if said.read_only:
        return ToolGroup.READS
    if said.destructive is False and said.read_only is False:
        return ToolGroup.ADDS
    return None


def _of_claimed_reader(tool: Tool) -> GroupFinding:
    name, server = tool.name, tool.server
    if tool_verbs.contradicts_reading(name):
        destroys = tool_verbs.destroys(name)
        doubt = f"{server} says that it only reads, but its name says that it {'destroys' if destroys else 'sends'}."
        return GroupFinding(ToolGroup.DESTROYS if destroys else ToolGroup.OUTSIDE, "by its name", doubt)
    if parameter := _parameter(tool, _commands(tool)):
        doubt = f"{server} says that it only reads, but it does what the parameter {parameter} says."
        return GroupFinding(ToolGroup.DESTROYS, "by its parameters", doubt)
    basis = "its name agrees" if tool_verbs.reads(name) else "as its server says"
    return GroupFinding(ToolGroup.READS, basis, doubt_of_closed_world(tool))


def _of_changing_tool(tool: Tool, claims: Hints, *, suspect: bool) -> GroupFinding:
    words = tool_verbs.name_words(tool.name)
    changing = not _CHANGING.isdisjoint(words)
    doubt = f"{tool.server} says that it only adds, but its name says otherwise." if claims.destructive is False else ""
    if tool_verbs.destroys(tool.name):
        return GroupFinding(ToolGroup.DESTROYS, "by its name", doubt)
    if _parameter(tool, _commands(tool)):
        return GroupFinding(ToolGroup.DESTROYS, "by its parameters")
    if suspect or claims.open_world:
        basis = "by its name" if tool_verbs.sends(tool.name) else "by its description"
        return GroupFinding(ToolGroup.OUTSIDE, "as its server says" if claims.open_world else basis)
    if claims.destructive:
        return GroupFinding(ToolGroup.CHANGES if changing else ToolGroup.DESTROYS, "as its server says")
    if _parameter(tool, _STATEMENTS) and not tool_verbs.reads(tool.name):
        return GroupFinding(ToolGroup.CHANGES, "by its parameters")
    if tool_verbs.reads(tool.name):
        if claims.read_only is False:
            return GroupFinding(ToolGroup.CHANGES, "as its server says")
        return GroupFinding(ToolGroup.READS, "by its name")
    if changing:
        return GroupFinding(ToolGroup.CHANGES, "by its name", doubt)
    if claims.destructive is False:
        return GroupFinding(ToolGroup.ADDS, "as its server says")
    if not _ADDING.isdisjoint(words):
        return GroupFinding(ToolGroup.ADDS, "by its name")
    return GroupFinding(ToolGroup.CHANGES, "its name does not say")


def _commands(tool: Tool) -> frozenset[str]:
    return _COMMANDS if tool_verbs.reads(tool.name) else _COMMANDS | _CODE


def _parameter(tool: Tool, names: frozenset[str]) -> str:
    fields = tool.input_schema.get("properties")
    return next((name for name in fields if name.lower() in names), "") if isinstance(fields, Mapping) else ""


def _disagreement(claims: Hints, group: ToolGroup, server: str) -> str:
    """Return that the server's words make a tool more harmless than it is; empty if they do not."""
    if claims.read_only and group is not ToolGroup.READS:
        return f"{server} says that it only reads, which is not so."
    harmless = group in (ToolGroup.READS, ToolGroup.ADDS)
    if claims.destructive is False and claims.read_only is False and not harmless:
        return f"{server} says that it only adds, which is not so."
    return ""
