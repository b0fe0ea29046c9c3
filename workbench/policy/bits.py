"""Three things about a tool that no server tells: it holds private data, outsiders write what it returns, it can send.

A person's word counts. Where there is none, a guess from name, description and hints stands for it; a description may
only make a guess stricter, because whoever serves the tool wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from workbench.policy.tables import verbs
from workbench.records import Tool

_SENDS = re.compile(
    r"^\W{0,5}(?:sends?|posts?|publish(?:es)?|e-?mails?|forwards?|uploads?|shares?|notif(?:y|ies)|tweets?|invites?)\b",
    re.I,
)
_OUTSIDERS = re.compile(
    r"\b(?:e-?mails?|inbox|web ?pages?|websites?|comments?|reviews?|issues|tickets|news|rss|chat messages)\b", re.I
)
_LOOKED_AT = 400  # characters of a description


def private(tool: Tool) -> bool:
    """Whether its answers hold data that is not for everybody."""
    return guess_private(tool) if tool.private is None else tool.private


def outsiders(tool: Tool) -> bool:
    """Whether outsiders can write what it returns."""
    return guess_outsiders(tool) if tool.outsiders is None else tool.outsiders


def sends(tool: Tool) -> bool:
    """Whether it can carry data to somebody outside."""
    return guess_sends(tool) if tool.sends is None else tool.sends


def asks_anywhere(tool: Tool, given: Iterable[str] = ()) -> bool:
    """Whether it only reads, but wherever its arguments say: what it is asked for is heard there. `given`: names of
    arguments of a call, where its schema is not known."""
    if not _looks(tool):
        return False
    fields = tool.input_schema.get("properties")
    if any(map(names_address, fields if isinstance(fields, Mapping) else given)):
        return True
    said = set(verbs.words(tool.name))
    if tool.hints.open_world is False or fields:
        return False
    return not said.isdisjoint(verbs.ADDRESSED) or ("fetch" in said and "page" in said)


def asks_world(tool: Tool) -> bool:
    """Whether it only reads, but beyond its own server: whoever answers there learns what it was asked."""
    if not _looks(tool):
        return False
    world = tool.hints.open_world
    return not verbs.WORLD.isdisjoint(verbs.words(tool.name)) if world is None else world


def names_address(key: str) -> bool:
    """Whether an argument of this name says which host is reached."""
    return not verbs.ADDRESSES.isdisjoint(verbs.words(key))


def reaches_outside(tool: Tool, given: Iterable[str] = ()) -> bool:
    """Whether a call of it can be heard outside of its server."""
    return sends(tool) or asks_anywhere(tool, given) or asks_world(tool)


def hears(tool: Tool, server: str, given: Iterable[str] = ()) -> bool:
    """Whether what this server answered reaches somebody new by a call of the tool: whoever an address or a message
    names is new, and a service that a server asks for itself knows what came from it."""
    if asks_anywhere(tool, given) or (sends(tool) and verbs.sends(tool.name)):
        return True
    return server != tool.server and reaches_outside(tool, given)


def contradicts(tool: Tool) -> bool:
    """Whether a tool that claims to read only carries a name that says otherwise. Not once a person has said it."""
    if "read_only" in tool.said:
        return False
    claims = tool.claimed or tool.hints
    changing = verbs.destroys(tool.name) or verbs.sends(tool.name)
    return bool(claims.read_only) and changing and not verbs.reads(tool.name)


def guess_sends(tool: Tool) -> bool:
    """By its hints and its name."""
    if _only_reads(tool):
        return False
    return verbs.sends(tool.name) or bool(tool.hints.open_world)


def guess_outsiders(tool: Tool) -> bool:
    """By what it answers with: mail, issues, pages."""
    if not _answers(tool):
        return False
    if tool.hints.open_world is not None:
        return tool.hints.open_world
    return not _words(tool).isdisjoint(verbs.OUTSIDERS | verbs.PUBLIC)


def guess_private(tool: Tool) -> bool:
    """What a tool reads is somebody's, unless it is the public world that it reads."""
    if not _answers(tool):
        return False
    return _words(tool).isdisjoint(verbs.PUBLIC) or not guess_outsiders(tool)


def suspect_sends(tool: Tool) -> bool:
    """The guess, and what its description says beside."""
    return guess_sends(tool) or (not _only_reads(tool) and bool(_SENDS.match(tool.description[:_LOOKED_AT])))


def suspect_outsiders(tool: Tool) -> bool:
    """The guess, and what its description says beside."""
    told = tool.hints.open_world is not False and bool(_OUTSIDERS.search(tool.description[:_LOOKED_AT]))
    return guess_outsiders(tool) or (_answers(tool) and told)


def _looks(tool: Tool) -> bool:
    """It reads, by a hint that counts or by its name."""
    return (bool(tool.hints.read_only) and not contradicts(tool)) or verbs.reads(tool.name)


def _only_reads(tool: Tool) -> bool:
    """It says so, and is believed or has a name that says the same."""
    if tool.hints.read_only:
        return not contradicts(tool)
    return bool(tool.claimed and tool.claimed.read_only) and verbs.reads(tool.name) and not verbs.destroys(tool.name)


def _answers(tool: Tool) -> bool:
    return bool(tool.hints.read_only) or verbs.reads(tool.name)


def _words(tool: Tool) -> set[str]:
    return {*verbs.words(tool.server), *verbs.words(tool.name)}
