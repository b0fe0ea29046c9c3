"""Finds the tool a name in code means: raw or generated, on its server; and the nearest names when there is none."""

from __future__ import annotations

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from workbench.policy.calls import tool_risk
from workbench.policy.levels import rank
from workbench.policy.tables import verbs
from workbench.quick_records import dataclass
from workbench.records import Hints, Tool

_ODD = re.compile(r"\W+|_+")
_SUFFIX = re.compile(r"_([0-9a-f]{4,64})$")
_PREFIX = "mcp__"
NAMELESS = "tool"  # the generated name of one that has no letter in its own
MOST_FOUND = 4096  # names looked up that are remembered; they come from programs, so there is an end to it


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A name that no known tool has."""

    server: str
    tool: str
    server_known: bool
    nearest: tuple[str, ...]


class Toolbook:
    """All known tools; None instead of a list means that the catalogue is not known and names alone must do."""

    def __init__(self, tools: Sequence[Tool] | None) -> None:
        self.open = tools is None
        self._found: dict[tuple[str, str], Tool | Unlisted] = {}
        self._tools: dict[str, dict[str, list[Tool]]] = {}
        for tool in tools or ():
            self._tools.setdefault(normal(tool.server), {}).setdefault(normal(tool.name), []).append(tool)

    def find(self, server: str, name: str) -> Tool | Unlisted:
        """The tool by raw or generated name; of several that a name may mean, the riskiest."""
        found = self._found.get((server, name))
        if found is None:
            if len(self._found) >= MOST_FOUND:
                self._found.clear()
            found = self._found[server, name] = self._find(server, name)
        return found

    def _find(self, server: str, name: str) -> Tool | Unlisted:
        offered = self._tools.get(normal(server), {})
        named = offered.get(normal(name)) or self._by_suffix(offered, name)
        if not named and name == NAMELESS:
            named = offered.get("", [])
        exact = [tool for tool in named if tool.name == name]
        if found := exact or sorted(named, key=lambda tool: -rank(tool_risk(tool))):
            return found[0]
        if self.open:
            return by_name(server, name)
        return Unlisted(server, name, bool(offered), self._nearest(server, name))

    def find_id(self, identifier: str) -> Tool | Unlisted:
        """The tool of `mcp__server__tool`; `server.tool` and `server__tool` mean the same."""
        bare = identifier.removeprefix(_PREFIX)
        cuts = [(bare[: m.start()], bare[m.end() :]) for m in re.finditer(r"__|\.|/", bare)]
        answers = [self.find(server, tool) for server, tool in cuts if server and tool]
        known = [answer for answer in answers if isinstance(answer, Tool)]
        return known[0] if known else next(iter(answers), Unlisted("", bare, False, self._nearest("", bare)))

    def offered(self, server: str) -> tuple[Tool, ...]:
        """All tools of a server."""
        return tuple(tool for tools in self._tools.get(normal(server), {}).values() for tool in tools)

    def _by_suffix(self, offered: dict[str, list[Tool]], name: str) -> list[Tool]:
        """Generated names that collided end in digits of the raw name's own SHA-256."""
        if not (match := _SUFFIX.search(name)):
            return []
        digits = match.group(1)
        return [tool for tools in offered.values() for tool in tools if _digest(tool.name).startswith(digits)]

    def _nearest(self, server: str, name: str) -> tuple[str, ...]:
        """Names much like this one, on the same server when it is known."""
        own = [tool.name for tool in self.offered(server)]
        if own:
            return tuple(f"{server}.{found}" for found in difflib.get_close_matches(name, own, n=3, cutoff=0.4))
        every = {
            f"{tool.server}.{tool.name}" for tools in self._tools.values() for same in tools.values() for tool in same
        }
        return tuple(difflib.get_close_matches(f"{server}.{name}", sorted(every), n=3))


def toolbook(tools: Sequence[Tool] | None) -> Toolbook:
    """The book of these tools; that of the last list is still there, because one list serves many programs."""
    global _last
    if isinstance(tools, tuple) and tools is _last[0]:
        return _last[1]
    made = Toolbook(tools)
    if isinstance(tools, tuple):  # nobody can change it meanwhile
        _last = tools, made
    return made


_last: tuple[tuple[Tool, ...], Toolbook] = ((), Toolbook(()))


@lru_cache(maxsize=4096)
def normal(name: str) -> str:
    """The form in which raw and generated names meet."""
    return _ODD.sub("_", unicodedata.normalize("NFKC", name).casefold()).strip("_")


def by_name(server: str, name: str) -> Tool:
    """A tool nobody described, taken at its word: reading verbs read, everything else may destroy."""
    reading = verbs.reads(name) and not verbs.destroys(name)
    return Tool(server, name, hints=Hints(read_only=reading or None))


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
