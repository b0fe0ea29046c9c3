"""Gives values back for their tokens: to a server as far as it may have them, to a person's eyes always.

What does not resolve is refused in what goes to a server, and stays as it is in what a person reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from workbench.privacy.held import Held
from workbench.privacy.kinds import LITERAL
from workbench.privacy.marks import LOOKALIKE, bare, encoded
from workbench.privacy.restorations import HERE, Restoration, refusal
from workbench.privacy.values import Values
from workbench.privacy.walk import rebuild, texts
from workbench.records import JsonValue


class Giving:
    """One session's."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def restore_json(self, value: JsonValue, server: str, *, allow_foreign: bool = False) -> JsonValue:
        """The value with the real data, for a call to this server; what is damaged, unknown or foreign is refused."""
        if not self.has_tokens(value):
            return value
        foreign = [item for item in self.restorations(value, server) if item.foreign]
        if foreign and not allow_foreign:
            raise refusal(foreign)
        return rebuild(value, lambda leaf, _: self._leaf(leaf))

    def has_tokens(self, value: JsonValue) -> bool:
        """Whether something in it looks like a token."""
        return any("_" in text and LOOKALIKE.search(text) for text in texts(value))

    def restorations(self, value: JsonValue, server: str) -> tuple[Restoration, ...]:
        """What restoring would give to this server, by kind and origin; raises on a token that does not resolve."""
        seen: dict[int, tuple[Held, str]] = {}
        for text in texts(value):
            for held, token in self._held_in(text) if "_" in text else ():
                if held.kind != LITERAL:
                    seen.setdefault(id(held), (held, token))
        tokens: dict[tuple[str, str], list[str]] = {}
        for held, token in seen.values():
            tokens.setdefault((held.kind, _source(held, server)), []).append(token)
        return tuple(
            Restoration(kind, len(found), source, server, source != server, tokens=tuple(found))
            for (kind, source), found in tokens.items()
        )

    def restore(self, text: str) -> str:
        """The text with real values, for a person's eyes; what does not resolve stays as it is."""
        return LOOKALIKE.sub(lambda match: self._value(match.group()) or match.group(), text)

    def reveal(self, token: str) -> str:
        """The value behind one token."""
        return self._values.resolve(token.strip()).text

    def _value(self, token: str) -> str | None:
        held = self._values.read(token)
        if held is None:
            return None
        return quote(held.text, safe="", errors="surrogatepass") if encoded(token) else held.text

    def _held_in(self, text: str) -> Iterator[tuple[Held, str]]:
        found = (match.group() for match in LOOKALIKE.finditer(text))
        return ((self._values.resolve(token), bare(token)) for token in found)

    def _leaf(self, leaf: JsonValue) -> JsonValue:
        if not isinstance(leaf, str):
            return leaf
        whole = self._values.read(leaf)
        return whole.number if whole is not None and whole.number is not None else self.restore(leaf)


def _source(held: Held, server: str) -> str:
    if server in held.sources:
        return server
    return ", ".join(sorted(held.sources)) or HERE
