"""Gives values back for their tokens: to a server as far as it may have them, to a person's eyes always.

What does not resolve is refused in what goes to a server, and stays as it is in what a person reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from urllib.parse import quote

from workbench.privacy.held import Held
from workbench.privacy.kinds import LITERAL
from workbench.privacy.marks import LOOKALIKE, encoded
from workbench.privacy.restorations import HERE, Restoration, refusal
from workbench.privacy.values import Values
from workbench.privacy.walk import leaves, rebuild, texts
from workbench.records import JsonValue


class Giving:
    """One session's."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def restore_json(self, value: JsonValue, server: str, *, allow_foreign: bool = False) -> JsonValue:
        """The value with the real data, for a call to this server; what is damaged, unknown or foreign is refused."""
        if not any("_" in text and LOOKALIKE.search(text) for text in texts(value)):
            return value
        foreign = [item for item in self.restorations(value, server) if item.foreign]
        if foreign and not allow_foreign:
            raise refusal(foreign)
        return rebuild(value, lambda leaf, _: self._leaf(leaf))

    def restorations(self, value: JsonValue, server: str) -> tuple[Restoration, ...]:
        """What restoring would give to this server, by kind and origin; raises on a token that does not resolve."""
        seen: dict[int, Held] = {}
        for leaf, _ in leaves(value):
            for held in self._held_in(leaf) if isinstance(leaf, str) else ():
                if held.kind != LITERAL:
                    seen[id(held)] = held
        counts = Counter((held.kind, _source(held, server)) for held in seen.values())
        return tuple(Restoration(kind, n, source, server, source != server) for (kind, source), n in counts.items())

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

    def _held_in(self, text: str) -> Iterator[Held]:
        return (self._values.resolve(match.group()) for match in LOOKALIKE.finditer(text))

    def _leaf(self, leaf: JsonValue) -> JsonValue:
        if not isinstance(leaf, str):
            return leaf
        whole = self._values.read(leaf)
        return whole.number if whole is not None and whole.number is not None else self.restore(leaf)


def _source(held: Held, server: str) -> str:
    if server in held.sources:
        return server
    return ", ".join(sorted(held.sources)) or HERE
