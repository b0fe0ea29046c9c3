"""Decides which calls that the user makes by hand ask first: those that may destroy something or send something out.

Pressing Run is consent to everything else. Hints that make a tool dangerous always count, and its name counts whatever
its hints say, so a server that says nothing, or something untrue, gains nothing by it. What the user
said of the tool on its page Trust counts before both. Agents and programs are judged more strictly, see
`permissions/judgement.py`.
"""

from __future__ import annotations

import re

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.permissions import tool_verbs
from workbench.permissions.tool_annotations import contradicts
from workbench.permissions.tool_verbs import DESTROYS, SENDS
from workbench.records import Permission, Tool, Word

UNKNOWN = "unknown"  # why a call of a script asks: it is not known what the tool does
QUESTIONS = (DESTROYS, SENDS, UNKNOWN)
OWN = "own"  # the kind of a permission for calls that the user makes by hand; no rule for programs reads it

_TOLD = re.compile(
    r"(?:^|[.:]\s)\W{0,5}(?:(?:permanently|irreversibly|immediately)\s)?(?:(?P<destroys>deletes?|removes?|drops?"
    r"|purges?|wipes?|erases?|destroys?|truncates?|uninstalls?)|(?P<sends>sends?|publish(?:es)?|e-?mails?|tweets?"
    r"|purchases?|buys?|pays?|transfers?|posts?))\s",
    re.I,
)
_LOOKED_AT = 400  # characters of a description


class OwnCallQuestion(Struct, frozen=True):
    """Why the user is asked: what the tool may do, and a whole sentence."""

    what: str  # DESTROYS or SENDS
    sentence: str


def objection(tool: Tool) -> OwnCallQuestion | None:
    """Why the user's own call of this effective tool asks first; None lets it go."""
    if "read_only" in tool.said and tool.hints.read_only and not _marked(tool, "destructive", "sends"):
        return None
    if (why := _destroys(tool)) is not None:
        return OwnCallQuestion(DESTROYS, f"{tool.name} may delete or overwrite data for good: {why}.")
    if (why := _sends(tool)) is not None:
        return OwnCallQuestion(SENDS, f"{tool.name} may send something out, which cannot be taken back: {why}.")
    return None


def doubt(tool: Tool) -> str:
    """What is not known of a tool that may change something, in a whole sentence."""
    if (why := objection(tool)) is not None:
        return why.sentence
    claims = tool.claimed or tool.hints
    if contradicts(tool):
        return f"{tool.name} may change data: {tool.server} says that it only reads, but its name says otherwise."
    if claims.read_only is False or tool.hints.destructive is not None:
        return f"{tool.name} may change data."
    if claims.read_only is None and claims.destructive is None:
        return f"{tool.name} may change data: {tool.server} does not say whether it does."
    return f"{tool.name} may change data: you have not yet trusted what {tool.server} says about its tools."


def permits(permission: Permission, tool: Tool) -> bool:
    """Whether it lets the user's own call of this tool go without a question. One for a whole server leaves out what
    the user marked as destroying or sending; one for a tool is void with another definition."""
    if (permission.kind, permission.server) != (OWN, tool.server):
        return False
    if permission.tool:
        return permission.tool == tool.name and permission.key == tool.hash
    return not _marked(tool, "destructive", "sends")


def sentence(permission: Permission) -> str:
    """What it allows, as the user reads it."""
    what = f"{permission.server}.{permission.tool}" if permission.tool else f"every tool of {permission.server}"
    return f"You call {what} without being asked; programs and agents still ask."


def check(permission: Permission, _: Tool | None) -> None:
    """Refuse one that would never count."""
    if permission.word is not Word.ALLOW or permission.scope != "always" or permission.where:
        raise WorkbenchError(
            "A permission for your own calls only allows, for a tool or a server, until you revoke it."
        )


def _marked(tool: Tool, *bits: str) -> bool:
    return any(bit in tool.said and (tool.hints.destructive if bit == "destructive" else tool.sends) for bit in bits)


def _destroys(tool: Tool) -> str | None:
    if "destructive" in tool.said:
        return "you marked it so" if tool.hints.destructive else None
    claims = tool.claimed or tool.hints
    if claims.destructive:
        return f"{tool.server} says so"
    if DESTROYS in tool_verbs.says(tool.name):
        return "its name says so"
    return "its description says so" if _verb_of_description(tool) == DESTROYS else None


def _sends(tool: Tool) -> str | None:
    if "sends" in tool.said:
        return "you marked it so" if tool.sends else None
    if SENDS in tool_verbs.says(tool.name):
        return "its name says so"
    return "its description says so" if _verb_of_description(tool) == SENDS else None


def _verb_of_description(tool: Tool) -> str:
    """What the first word of its description says; a description only ever makes stricter, and says nothing against
    a name or a hint that reads."""
    if tool_verbs.READS in tool_verbs.says(tool.name) or (tool.claimed or tool.hints).read_only:
        return ""
    found = _TOLD.search(tool.description[:_LOOKED_AT])
    return "" if found is None else DESTROYS if found["destroys"] else SENDS
