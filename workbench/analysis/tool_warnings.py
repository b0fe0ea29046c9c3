"""Warns about suspicious tool definitions: hidden characters, false claims, instructions for models, colliding names.

The rules are few and narrow: users read the warnings only if a normal server has few or none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from workbench.analysis.canonical_text import find_hidden_characters
from workbench.permissions import tool_verbs
from workbench.permissions.tool_annotations import contradicts
from workbench.permissions.word_sets import names
from workbench.records import Hints, JsonValue, Tool, ToolWarning
from workbench.similar_names import plain_letters

_LONGEST = 200_000  # maximum number of characters of one definition that are checked
_TEXTS = 20_000  # maximum number of texts of one definition
_TAKING = names("delete remove drop destroy purge wipe truncate erase uninstall kill terminate revoke overwrite rm")
_QUOTED = 90  # characters of the shown excerpt

# Instructions to the model that the user does not see. Each one occurs in published attacks on tool descriptions.
_POISON: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|other|system|all)\b"
            r"[^.\n]{0,20}\b(?:instructions?|prompts?|rules?|messages?|directions?)\b",
            re.I,
        ),
        "It tells the model to ignore other instructions",
    ),
    (
        re.compile(
            r"<\s*/?\s*(?:important|system|secret|hidden|instructions?|assistant|critical)\s*>|\[/?(?:INST|SYSTEM)\]"
            r"|<\|im_(?:start|end)\|>",
            re.I,
        ),
        "It has a block that looks like an instruction to the model",
    ),
    (
        re.compile(
            r"\b(?:do not|don't|never|must not|should not|without)\b[^.\n]{0,25}"
            r"\b(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|show|alert|alerting)\b"
            r"[^.\n]{0,30}\b(?:the |this to |it to )?(?:user|human|person|anyone|anybody)\b",
            re.I,
        ),
        "It asks the model to hide something from you",
    ),
    (
        re.compile(
            r"(?:~|\$HOME|/home/\w+|/root)?/\.(?:ssh|aws|gnupg|kube|netrc|npmrc|cursor|claude)\b|\bid_(?:rsa|ed25519)\b"
            r"|(?<!\.)/etc/(?:passwd|shadow)\b|\b(?:read|cat|open|contents? of|include|attach|pass|send)\b[^.\n]{0,40}"
            r"(?:\bmcp\.json\b|(?<![\w])\.env\b)",
            re.I,
        ),
        "It names files that hold keys or passwords",
    ),
)


def definition_warnings(tool: Tool) -> tuple[ToolWarning, ...]:
    """Return the warnings for one tool, without comparing it with other tools."""
    texts = tuple(_texts(tool))
    return (
        *_hidden_character_warnings(tool, texts),
        *_other_script_warnings(tool),
        *_contradiction_warnings(tool),
        *_poisoning_warnings(tool, texts),
    )


def unannotated_warnings(tools: Sequence[Tool]) -> tuple[ToolWarning, ...]:
    """Return warnings for tools whose name says that they delete something, without an annotation that says so.

    A server without any annotations gets one warning for all of its tools."""
    silent = [
        tool
        for tool in tools
        if _is_deleting_name(tool.name) and _claimed(tool).destructive is None and not _claimed(tool).read_only
    ]
    if not silent:
        return ()
    if any(_claimed(tool).destructive is not None or _claimed(tool).read_only is not None for tool in tools):
        return tuple(_unannotated_warning(tool) for tool in silent if _claimed(tool).read_only is None)
    words = (
        f"None of its tools says whether it changes anything; {len(silent)} have names that say they delete something."
    )
    why = f"For example {', '.join(tool.name[:60] for tool in silent[:3])}. The workbench judges them by their names."
    return (ToolWarning(silent[0].server, "", "unmarked", words, why),)


def _unannotated_warning(tool: Tool) -> ToolWarning:
    words = f"Its name says “{_deleting_word(tool.name)}”, but no annotation says whether it deletes."
    why = "Other tools of this server have this annotation; without it, you and the model cannot be sure."
    return ToolWarning(tool.server, tool.name, "unmarked", words, why)


def _hidden_character_warnings(tool: Tool, texts: Iterable[tuple[str, str]]) -> Iterator[ToolWarning]:
    for place, text in texts:
        if found := find_hidden_characters(text):
            words = f"Its {place} has {len(found)} characters you cannot see, the first {found[0].subject}."
            if len(found) == 1:
                words = f"Its {place} has a character you cannot see: {found[0].subject}."
            why = "A model reads them; they can contain instructions, or make a text look different from what it is."
            yield ToolWarning(tool.server, tool.name, "hidden", words, why)
            return


def _other_script_warnings(tool: Tool) -> Iterator[ToolWarning]:
    plain = plain_letters(tool.name)
    if plain != tool.name and plain.isascii():
        words = f"Its name reads “{plain[:80]}” but has letters of a different script."
        yield ToolWarning(
            tool.server, tool.name, "lookalike", words, "You or a model may mistake it for the tool of that name."
        )


def _contradiction_warnings(tool: Tool) -> Iterator[ToolWarning]:
    if _claimed(tool).read_only and (contradicts(tool) or _is_deleting_name(tool.name)):
        words = "It claims to be read-only, but its name says that it changes something."
        yield ToolWarning(
            tool.server, tool.name, "contradiction", words, "Clients that trust the claim do not ask you for approval."
        )
    elif _claimed(tool).destructive is False and _is_deleting_name(tool.name):
        words = f"It claims to destroy nothing, but its name says “{_deleting_word(tool.name)}”."
        yield ToolWarning(
            tool.server, tool.name, "contradiction", words, "Clients that trust the claim do not ask you for approval."
        )


def _poisoning_warnings(tool: Tool, texts: Iterable[tuple[str, str]]) -> Iterator[ToolWarning]:
    reported = set()
    for place, text in texts:
        for pattern, words in _POISON:
            if words not in reported and (match := pattern.search(text)):
                reported.add(words)
                yield ToolWarning(tool.server, tool.name, "poison", f"{words}, in its {place}.", _quote(text, match))


def _quote(text: str, match: re.Match[str]) -> str:
    start = max(0, match.start() - 20)
    shown = " ".join(text[start : start + _QUOTED + len(match.group()[:_QUOTED])].split())
    return f"“{'…' if start else ''}{shown[: _QUOTED * 2]}…”"


def _is_deleting_name(name: str) -> bool:
    """Return whether a deleting word is the verb of the name, and not the object of a reading tool."""
    return bool(_deleting_word(name)) and not tool_verbs.reads(name)


def _deleting_word(name: str) -> str:
    return next((word for word in tool_verbs.name_words(name) if word in _TAKING), "")


def _texts(tool: Tool) -> Iterator[tuple[str, str]]:
    """Yield every text that a model reads, with its place, including names of properties."""
    left = _LONGEST
    for number, (place, text) in enumerate(_definition_texts(tool)):
        if number >= _TEXTS or left <= 0:
            return
        yield place, text[:left]
        left -= len(text)


def _definition_texts(tool: Tool) -> Iterator[tuple[str, str]]:
    yield "name", tool.name
    yield "title", tool.title
    yield "description", tool.description
    stack: list[tuple[str, JsonValue]] = [("input schema", tool.input_schema), ("output schema", tool.output_schema)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, str):
            yield place, value
        elif isinstance(value, Mapping):
            for key, part in value.items():
                yield place, str(key)
                stack.append((place, part))
        elif isinstance(value, list):
            stack.extend((place, part) for part in value)


def _claimed(tool: Tool) -> Hints:
    """Return the annotations from the server, trusted or not."""
    return tool.claimed or tool.hints


def _has_no_annotations(tool: Tool) -> bool:
    claims = _claimed(tool)
    return claims.destructive is None and not claims.read_only


_SHORT = 8  # letters; shorter names are often similar by chance
_NAMED = 200  # maximum number of names looked up in one description
_FAMILY = 12  # maximum number of similar names; a larger group is a family of harmless names
_READ = 20_000  # maximum number of characters of a description that are checked
_LONG = 80  # letters; longer names are not compared
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+")
_JOINTS = re.compile(r"[-_.\s]")


class _ToolNames(Struct, frozen=True):
    """All tool names of a project, and the words that they contain."""

    owners: Mapping[str, frozenset[str]]
    words: Mapping[str, int]  # word → number of names that contain it
    lookalikes: Mapping[str, str]  # name → similar name of a tool of a different server


def similar_name_warnings(tools: Sequence[Tool]) -> tuple[ToolWarning, ...]:
    """Return warnings about equal or similar tool names on different servers."""
    owners: dict[str, set[str]] = defaultdict(set)
    for tool in tools:
        owners[tool.name].add(tool.server)
    frozen = {name: frozenset(servers) for name, servers in owners.items()}
    words = Counter(word for name in frozen for word in set(tool_verbs.name_words(name)))
    tool_names = _ToolNames(frozen, words, _find_lookalikes(frozen, words))
    return (
        *_shared_name_warnings(tool_names),
        *(warning for tool in tools for warning in _lookalike_warnings(tool, tool_names)),
    )


def _shared_name_warnings(tool_names: _ToolNames) -> Iterator[ToolWarning]:
    """Yield one warning for each pair of servers, not one for each shared name."""
    names: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, servers in tool_names.owners.items():
        for server in servers:
            for other in servers - {server}:
                names[server, other].append(name)
    for (server, other), shared in sorted(names.items()):
        some = ", ".join(name[:60] for name in sorted(shared)[:4]) + (" …" if len(shared) > 4 else "")
        words = f"{len(shared)} of its tools have the same name as one of {other}: {some}."
        yield ToolWarning(server, "", "same name", words, "Check which of them a program or an agent means.")


def _lookalike_warnings(tool: Tool, tool_names: _ToolNames) -> Iterator[ToolWarning]:
    twin = tool_names.lookalikes.get(tool.name, "")
    if owner := min(tool_names.owners.get(twin, frozenset()) - {tool.server}, default=""):
        words = f"Its name is similar to {owner}.{twin[:80]}."
        yield ToolWarning(tool.server, tool.name, "lookalike", words, "You or a model may mistake it for that tool.")
    if named := _find_foreign_name(tool, tool_names):
        words = f"Its description mentions a tool of another server: {named}."
        why = "A server should not mention tools of other servers: this can change how a model uses them."
        yield ToolWarning(tool.server, tool.name, "poison", words, why)


def _find_lookalikes(owners: Mapping[str, frozenset[str]], words: Mapping[str, int]) -> dict[str, str]:
    """Return names that differ from a name of another server in one letter or only in look-alike letters."""
    shapes: dict[str, list[str]] = defaultdict(list)
    for name in owners:
        for shape in _shapes(name):
            shapes[shape].append(name)
    found: dict[str, str] = {}
    for alike in shapes.values():
        for name in alike if len(alike) <= _FAMILY else ():
            twin = next(
                (
                    one
                    for one in alike
                    if one != name and owners[one] - owners[name] and _is_confusable(name, one, words)
                ),
                "",
            )
            if twin:
                found.setdefault(name, twin)
    return found


def _shapes(name: str) -> set[str]:
    """Return the name and all variants with one letter removed. Names that differ in one letter share a variant."""
    plain = _plain(name)
    if not _SHORT <= len(plain) <= _LONG:
        return set()
    return {plain, *(plain[:place] + plain[place + 1 :] for place in range(len(plain)))}


def _is_confusable(one: str, other: str, words: Mapping[str, int]) -> bool:
    """Return whether two names differ in a way that a reader overlooks.

    Harmless differences: separators between words, a plural, a number, or a different word that other names use, too
    (`get` and `git`)."""
    if _JOINTS.sub("", one).casefold() == _JOINTS.sub("", other).casefold():
        return False
    if _plain(one) == _plain(other):
        return True
    if _singular(one) == _singular(other):
        return False
    first, second = tool_verbs.name_words(plain_letters(one)), tool_verbs.name_words(plain_letters(other))
    differing = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    honest = len(first) == len(second) and all(words.get(a, 0) > 1 and words.get(b, 0) > 1 for a, b in differing)
    return not honest and _differs_in_one_letter(_plain(one), _plain(other))


def _differs_in_one_letter(one: str, other: str) -> bool:
    longer, shorter = sorted((one, other), key=len, reverse=True)
    place = next((at for at, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), len(shorter))
    if len(longer) == len(shorter):
        swapped = longer[:place] + longer[place : place + 2][::-1] + longer[place + 2 :]
        return longer[place + 1 :] == shorter[place + 1 :] or swapped == shorter
    return len(longer) == len(shorter) + 1 and longer[place + 1 :] == shorter[place:]


def _plain(name: str) -> str:
    return _JOINTS.sub("", plain_letters(name)).casefold()


def _singular(name: str) -> tuple[str, ...]:
    return tuple(word.removesuffix("s") for word in tool_verbs.name_words(name) if not word.isdigit())


def _find_foreign_name(tool: Tool, tool_names: _ToolNames) -> str:
    """Return a name of several words in the description that only other servers have."""
    for word in list(dict.fromkeys(_NAME.findall(tool.description[:_READ])))[:_NAMED]:
        servers = tool_names.owners.get(word, frozenset())
        if len(word) >= _SHORT and servers and tool.server not in servers:
            return f"{min(servers)}.{word}"
    return ""
