"""Decides which calls by the user ask first: those that may destroy data or send data outside.

Pressing Run is consent to everything else. Hints that make a tool dangerous always count, and its name counts whatever
its hints are, so a server gains nothing by missing or false hints. The user's own annotations on the tool's Trust page
override both. Calls of agents and programs are judged more strictly, see `permissions/judgement.py`.
"""

from __future__ import annotations

import re

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.permissions import tool_verbs
from workbench.permissions.tool_annotations import facts_of
from workbench.permissions.tool_verbs import DESTROYS, SENDS
from workbench.records import CallDecision, Permission, Tool

UNKNOWN = "unknown"  # why a script's call asks: the effects of the tool are not known
QUESTIONS = (DESTROYS, SENDS, UNKNOWN)
OWN = "own"  # kind of the rules for the user's own calls; they do not apply to programs

_TOLD = re.compile(
    r"(?:^|[.:]\s)\W{0,5}(?:(?:permanently|irreversibly|immediately)\s)?(?:(?P<destroys>deletes?|removes?|drops?"
    r"|purges?|wipes?|erases?|destroys?|truncates?|uninstalls?)|(?P<sends>sends?|publish(?:es)?|e-?mails?|tweets?"
    r"|purchases?|buys?|pays?|transfers?|posts?))\s",
    re.I,
)
_LOOKED_AT = 400  # characters of a description that are read


class OwnCallQuestion(Struct, frozen=True):
    """Why the user is asked: what the tool may do, and a complete sentence."""

    what: str  # DESTROYS or SENDS
    sentence: str


def find_objection(tool: Tool) -> OwnCallQuestion | None:
    """Return why the user's own call of this effective tool asks first; None if it does not."""
    if "read_only" in tool.said and tool.hints.read_only and not _marked(tool, "destructive", "sends"):
        return None
    if (why := _destroys(tool)) is not None:
        return OwnCallQuestion(DESTROYS, f"{tool.name} may delete or overwrite data for good: {why}.")
    if (why := _sends(tool)) is not None:
        return OwnCallQuestion(SENDS, f"{tool.name} may send data outside, which cannot be undone: {why}.")
    return None


def describe_doubt(tool: Tool) -> str:
    """Return what is not known about a tool that may change something, as a complete sentence."""
    if (why := find_objection(tool)) is not None:
        return why.sentence
    claims = tool.claimed or tool.hints
    if facts_of(tool).contradicts:
        return f"{tool.name} may change data: {tool.server} says that it only reads, but its name says otherwise."
    if claims.read_only is False or tool.hints.destructive is not None:
        return f"{tool.name} may change data."
    if claims.read_only is None and claims.destructive is None:
        return f"{tool.name} may change data: {tool.server} does not say whether it does."
    return f"{tool.name} may change data: you have not yet trusted what {tool.server} says about its tools."


def permits(permission: Permission, tool: Tool) -> bool:
    """Whether a rule allows the user's own call of this tool without asking. A rule for a whole server excludes
    tools that the user marked as destroying or sending; a rule for a tool is void after its definition changed."""
    if (permission.kind, permission.server) != (OWN, tool.server):
        return False
    if permission.tool:
        return permission.tool == tool.name and permission.key == tool.hash
    return not _marked(tool, "destructive", "sends")


def sentence(permission: Permission) -> str:
    """Return what the rule allows, as the user reads it."""
    what = f"{permission.server}.{permission.tool}" if permission.tool else f"every tool of {permission.server}"
    return f"You can call {what} without being asked; this does not apply to programs and agents."


def check(permission: Permission, _: Tool | None) -> None:
    """Refuse a rule that would never apply."""
    if permission.word is not CallDecision.ALLOW or permission.scope != "always" or permission.where:
        raise WorkbenchError("A rule for your own calls can only allow a tool or a server, until you revoke the rule.")


def _marked(tool: Tool, *bits: str) -> bool:
    return any(bit in tool.said and (tool.hints.destructive if bit == "destructive" else tool.sends) for bit in bits)


def _destroys(tool: Tool) -> str | None:
    if "destructive" in tool.said:
        return "you marked it as destructive" if tool.hints.destructive else None
    claims = tool.claimed or tool.hints
    if claims.destructive:
        return f"{tool.server} says so"
    if DESTROYS in tool_verbs.name_meanings(tool.name):
        return "its name says so"
    return "its description says so" if _verb_of_description(tool) == DESTROYS else None


def _sends(tool: Tool) -> str | None:
    if "sends" in tool.said:
        return "you marked it as sending data" if tool.sends else None
    if SENDS in tool_verbs.name_meanings(tool.name):
        return "its name says so"
    return "its description says so" if _verb_of_description(tool) == SENDS else None


def _verb_of_description(tool: Tool) -> str:
    """Return what the first word of the description says. A description can only make the judgement stricter, and
    does not override a name or a hint that says the tool reads."""
    if tool_verbs.READS in tool_verbs.name_meanings(tool.name) or (tool.claimed or tool.hints).read_only:
        return ""
    found = _TOLD.search(tool.description[:_LOOKED_AT])
    return "" if found is None else DESTROYS if found["destroys"] else SENDS
