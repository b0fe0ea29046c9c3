"""What is odd about a tool beside the tools of other servers: a name that is theirs, or nearly, or words about them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from workbench.policy.lookalikes import plain_letters
from workbench.policy.tables import verbs
from workbench.quick_records import dataclass
from workbench.records import Tool, ToolWarning

_SHORT = 8  # letters; shorter names are too often like each other by chance
_NAMED = 200  # names that are looked for in one description
_FAMILY = 12  # names that are alike in the same way; more of them are one family, and honest
_READ = 20_000  # characters of a description that are looked at
_LONG = 80  # letters; longer names are not compared
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+")
_JOINTS = re.compile(r"[-_.\s]")


@dataclass(frozen=True, slots=True)
class _Town:
    """All tools of a bench, by name, and the words their names are made of."""

    owners: Mapping[str, frozenset[str]]
    words: Mapping[str, int]  # word → in how many names
    nearly: Mapping[str, str]  # name → another server's name that reads almost alike


def odd_neighbours(tools: Sequence[Tool]) -> tuple[ToolWarning, ...]:
    """Over all servers at once."""
    owners: dict[str, set[str]] = defaultdict(set)
    for tool in tools:
        owners[tool.name].add(tool.server)
    frozen = {name: frozenset(servers) for name, servers in owners.items()}
    words = Counter(word for name in frozen for word in set(verbs.words(name)))
    town = _Town(frozen, words, _nearly(frozen, words))
    return (*_shared(town), *(warning for tool in tools for warning in _odd(tool, town)))


def _shared(town: _Town) -> Iterator[ToolWarning]:
    """One warning for each two servers: a dozen equal names are one thing to know."""
    names: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, servers in town.owners.items():
        for server in servers:
            for other in servers - {server}:
                names[server, other].append(name)
    for (server, other), shared in sorted(names.items()):
        some = ", ".join(name[:60] for name in sorted(shared)[:4]) + (" …" if len(shared) > 4 else "")
        words = f"{len(shared)} of its tools have the same name as one of {other}: {some}."
        yield ToolWarning(server, "", "same name", words, "Check which of them a program or an agent means.")


def _odd(tool: Tool, town: _Town) -> Iterator[ToolWarning]:
    twin = town.nearly.get(tool.name, "")
    if owner := min(town.owners.get(twin, frozenset()) - {tool.server}, default=""):
        words = f"Its name is nearly that of {owner}.{twin[:80]}."
        yield ToolWarning(tool.server, tool.name, "lookalike", words, "Somebody may take it for that tool.")
    if named := _names_others(tool, town):
        words = f"Its description speaks of a tool of another server: {named}."
        why = "A server has no business with its neighbours' tools; so one bends what a model does with another."
        yield ToolWarning(tool.server, tool.name, "poison", words, why)


def _nearly(owners: Mapping[str, frozenset[str]], words: Mapping[str, int]) -> dict[str, str]:
    """Names that are one letter, or one look, away from another server's name."""
    shapes: dict[str, list[str]] = defaultdict(list)
    for name in owners:
        for shape in _shapes(name):
            shapes[shape].append(name)
    found: dict[str, str] = {}
    for alike in shapes.values():
        for name in alike if len(alike) <= _FAMILY else ():
            twin = next(
                (one for one in alike if one != name and owners[one] - owners[name] and _close(name, one, words)), ""
            )
            if twin:
                found.setdefault(name, twin)
    return found


def _shapes(name: str) -> set[str]:
    """Two names that are one letter apart share a shape: the name with one letter taken out."""
    plain = _plain(name)
    if not _SHORT <= len(plain) <= _LONG:
        return set()
    return {plain, *(plain[:place] + plain[place + 1 :] for place in range(len(plain)))}


def _close(one: str, other: str, words: Mapping[str, int]) -> bool:
    """A difference that a reader overlooks. Another way to join words, a plural, a number, and another word that is
    used elsewhere (`get` and `git`) are honest."""
    if _JOINTS.sub("", one).casefold() == _JOINTS.sub("", other).casefold():
        return False
    if _plain(one) == _plain(other):
        return True
    if _singular(one) == _singular(other):
        return False
    first, second = verbs.words(plain_letters(one)), verbs.words(plain_letters(other))
    differing = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    honest = len(first) == len(second) and all(words.get(a, 0) > 1 and words.get(b, 0) > 1 for a, b in differing)
    return not honest and _one_letter(_plain(one), _plain(other))


def _one_letter(one: str, other: str) -> bool:
    longer, shorter = sorted((one, other), key=len, reverse=True)
    place = next((at for at, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), len(shorter))
    if len(longer) == len(shorter):
        swapped = longer[:place] + longer[place : place + 2][::-1] + longer[place + 2 :]
        return longer[place + 1 :] == shorter[place + 1 :] or swapped == shorter
    return len(longer) == len(shorter) + 1 and longer[place + 1 :] == shorter[place:]


def _plain(name: str) -> str:
    return _JOINTS.sub("", plain_letters(name)).casefold()


def _singular(name: str) -> tuple[str, ...]:
    return tuple(word.removesuffix("s") for word in verbs.words(name) if not word.isdigit())


def _names_others(tool: Tool, town: _Town) -> str:
    """A name of several words that only other servers have."""
    for word in list(dict.fromkeys(_NAME.findall(tool.description[:_READ])))[:_NAMED]:
        servers = town.owners.get(word, frozenset())
        if len(word) >= _SHORT and servers and tool.server not in servers:
            return f"{min(servers)}.{word}"
    return ""
