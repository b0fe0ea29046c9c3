"""What is odd about a tool's own definition: hidden characters, claims against its name, words meant for a model only.

Rules are few and narrow: a normal server has none or few of these, or nobody would read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from workbench.policy.bits import contradicts
from workbench.policy.canonical import hidden
from workbench.policy.lookalikes import plain_letters
from workbench.policy.tables import verbs
from workbench.policy.tables.names import names
from workbench.records import Hints, JsonValue, Tool, ToolWarning

_LONGEST = 200_000  # characters of one definition that are looked at
_TEXTS = 20_000  # texts of one definition
_TAKING = names("delete remove drop destroy purge wipe truncate erase uninstall kill terminate revoke overwrite rm")
_QUOTED = 90  # characters of the place that is shown

# Words that speak to the model behind the person's back. Each was met in published attacks on tool descriptions.
_POISON: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|other|system|all)\b"
            r"[^.\n]{0,20}\b(?:instructions?|prompts?|rules?|messages?|directions?)\b",
            re.I,
        ),
        "It tells the model to set aside what others said to it",
    ),
    (
        re.compile(
            r"<\s*/?\s*(?:important|system|secret|hidden|instructions?|assistant|critical)\s*>|\[/?(?:INST|SYSTEM)\]"
            r"|<\|im_(?:start|end)\|>",
            re.I,
        ),
        "It has a block that looks like an order to the model",
    ),
    (
        re.compile(
            r"\b(?:do not|don't|never|must not|should not|without)\b[^.\n]{0,25}"
            r"\b(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|show|alert|alerting)\b"
            r"[^.\n]{0,30}\b(?:the |this to |it to )?(?:user|human|person|anyone|anybody)\b",
            re.I,
        ),
        "It asks the model to keep something from you",
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


def odd_definition(tool: Tool) -> tuple[ToolWarning, ...]:
    """By itself, without its neighbours."""
    texts = tuple(_texts(tool))
    return (*_hidden(tool, texts), *_disguised(tool), *_claims(tool), *_poison(tool, texts))


def unmarked(tools: Sequence[Tool]) -> tuple[ToolWarning, ...]:
    """Names that take something away, where the server says nothing of it. A server that never says anything gets one
    warning for all of them."""
    silent = [
        tool
        for tool in tools
        if _takes(tool.name) and _claimed(tool).destructive is None and not _claimed(tool).read_only
    ]
    if not silent:
        return ()
    if any(_claimed(tool).destructive is not None or _claimed(tool).read_only is not None for tool in tools):
        return tuple(_silent(tool) for tool in silent if _claimed(tool).read_only is None)
    words = f"None of its tools says whether it changes anything; {len(silent)} have names that take something away."
    why = f"Such as {', '.join(tool.name[:60] for tool in silent[:3])}: the workbench judges them by their names."
    return (ToolWarning(silent[0].server, "", "unmarked", words, why),)


def _silent(tool: Tool) -> ToolWarning:
    words = f"Its name says “{_taking(tool.name)}”, and nothing marks it."
    why = "Other tools of this server say whether they destroy; this one leaves you and the model guessing."
    return ToolWarning(tool.server, tool.name, "unmarked", words, why)


def _hidden(tool: Tool, texts: Iterable[tuple[str, str]]) -> Iterator[ToolWarning]:
    for place, text in texts:
        if found := hidden(text):
            words = f"Its {place} has {len(found)} characters you cannot see, the first {found[0].subject}."
            if len(found) == 1:
                words = f"Its {place} has a character you cannot see: {found[0].subject}."
            why = "A model reads them; they can carry orders, or make a text read otherwise than it is."
            yield ToolWarning(tool.server, tool.name, "hidden", words, why)
            return


def _disguised(tool: Tool) -> Iterator[ToolWarning]:
    plain = plain_letters(tool.name)
    if plain != tool.name and plain.isascii():
        words = f"Its name reads “{plain[:80]}” and is written with letters of another script."
        yield ToolWarning(tool.server, tool.name, "lookalike", words, "Somebody may take it for the tool of that name.")


def _claims(tool: Tool) -> Iterator[ToolWarning]:
    if _claimed(tool).read_only and (contradicts(tool) or _takes(tool.name)):
        words = "It claims to read only, but its name says that it changes something."
        yield ToolWarning(
            tool.server, tool.name, "contradiction", words, "Clients that trust the claim do not ask you."
        )
    elif _claimed(tool).destructive is False and _takes(tool.name):
        words = f"It claims to destroy nothing, but its name says “{_taking(tool.name)}”."
        yield ToolWarning(
            tool.server, tool.name, "contradiction", words, "Clients that trust the claim do not ask you."
        )


def _poison(tool: Tool, texts: Iterable[tuple[str, str]]) -> Iterator[ToolWarning]:
    told = set()
    for place, text in texts:
        for pattern, words in _POISON:
            if words not in told and (match := pattern.search(text)):
                told.add(words)
                yield ToolWarning(tool.server, tool.name, "poison", f"{words}, in its {place}.", _quote(text, match))


def _quote(text: str, match: re.Match[str]) -> str:
    start = max(0, match.start() - 20)
    shown = " ".join(text[start : start + _QUOTED + len(match.group()[:_QUOTED])].split())
    return f"“{'…' if start else ''}{shown[: _QUOTED * 2]}…”"


def _takes(name: str) -> bool:
    """Whether it is a verb of its name, and not what a reading tool is about."""
    return bool(_taking(name)) and not verbs.reads(name)


def _taking(name: str) -> str:
    return next((word for word in verbs.words(name) if word in _TAKING), "")


def _texts(tool: Tool) -> Iterator[tuple[str, str]]:
    """Every text a model reads, with where it stands; names of properties too."""
    left = _LONGEST
    for number, (place, text) in enumerate(_walk(tool)):
        if number >= _TEXTS or left <= 0:
            return
        yield place, text[:left]
        left -= len(text)


def _walk(tool: Tool) -> Iterator[tuple[str, str]]:
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
    """What the server says, whoever believes it."""
    return tool.claimed or tool.hints


def _says_nothing(tool: Tool) -> bool:
    claims = _claimed(tool)
    return claims.destructive is None and not claims.read_only
