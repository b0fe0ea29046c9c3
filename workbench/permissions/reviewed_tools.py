"""Built-in annotations of tools of well-known servers, written by us after reading each definition.

They apply to a tool only if its server's entry starts the reviewed package and the definition is one that was reviewed.
`tools/review_tools.py` makes and checks the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache

import msgspec
from msgspec import Struct

from workbench.paths import resources
from workbench.records import JsonValue, Tool, ToolGroup

FILE = "reviewed_tools.json"
FLAGS = ("open", "private", "outsiders", "sends")
_TEXTS = frozenset({"description", "title", "default", "examples", "$schema", "$comment"})
_DEEPEST = 60
_HASH_LENGTH = 16


class Review(Struct, frozen=True):
    """What we found about one tool."""

    group: ToolGroup
    open_world: bool = False  # reaches systems beyond its server and the user's own data there
    private: bool = False  # its answers hold data that is not public
    outsiders: bool = False  # outsiders can write what it returns
    sends: bool = False  # can send something to others


class ReviewedTool(Struct, frozen=True, omit_defaults=True):
    """One tool in the file. `facts`: what it does, followed by flags: `reads private outsiders`."""

    facts: str
    definitions: tuple[str, ...]
    why: str = ""  # why a tool only reads although its name says otherwise


class ReviewedServer(Struct, frozen=True):
    """The reviewed tools of one server. `packages`: the packages and hosts where they are found."""

    packages: tuple[str, ...]
    tools: Mapping[str, ReviewedTool]


def parse_facts(facts: str) -> Review:
    """Read the words of a reviewed tool. Raises ValueError for an unknown word. What can send belongs to the group
    that reaches outside, unless it destroys."""
    does, *flags = facts.split()
    if set(flags) - set(FLAGS):
        raise ValueError(f"Unknown flags in {facts!r}.")
    group = ToolGroup(does)
    if "sends" in flags and group is not ToolGroup.DESTROYS:
        group = ToolGroup.OUTSIDE
    return Review(group, "open" in flags, "private" in flags, "outsiders" in flags, "sends" in flags)


def definition_hash(tool: Tool) -> str:
    """Hash of what a tool does: name, description and the structure of its parameters. Texts and default values of
    parameters are left out, because servers fill them in from the machine."""
    described = " ".join(tool.description.split())
    parts = [tool.name, described, _structure(tool.input_schema, 0)]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]


def find_review(package: str, tool: Tool) -> Review | None:
    """Return our annotations for this definition of a tool of a package; None if it was not reviewed."""
    known = _reviewed().get(package, {}).get(tool.name) if package else None
    if known is None or definition_hash(tool) not in known.definitions:
        return None
    return parse_facts(known.facts)


def reviewed_servers() -> tuple[ReviewedServer, ...]:
    """Read the file."""
    return msgspec.json.decode((resources() / FILE).read_bytes(), type=tuple[ReviewedServer, ...])


@cache
def _reviewed() -> Mapping[str, Mapping[str, ReviewedTool]]:
    return {package: server.tools for server in reviewed_servers() for package in server.packages}


def _structure(value: JsonValue, depth: int) -> JsonValue:
    """Return a schema without its texts. The names of properties stay, also if they are called `title`."""
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, list | tuple):
        return [_structure(one, depth + 1) for one in value]
    if not isinstance(value, Mapping):
        return value
    found = {}
    for key, inner in value.items():
        if key == "properties" and isinstance(inner, Mapping):
            found[key] = {name: _structure(one, depth + 1) for name, one in inner.items()}
        elif key not in _TEXTS:
            found[key] = _structure(inner, depth + 1)
    return found
