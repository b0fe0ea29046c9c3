"""Personal values of one session: the token that stands for each, and the servers and calls they came from.

Texts are read on several threads, so every change happens under one lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import TypeAlias

from workbench.errors import WorkbenchError
from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.detector import DetectionCache
from workbench.privacy.detectors.kinds import BY_NAME, LITERAL
from workbench.privacy.pii_tokens import TokenFactory
from workbench.privacy.unicode_folding import plain, visible
from workbench.privacy.value_index import ValueIndex, fold
from workbench.records import Place

Source: TypeAlias = str | Place
"""Where a value comes from: a server by its name, or one call of it; an empty name where no server supplied it."""

_PLACES = 5  # calls that are remembered of one value
_HINT = "Pass tokens on exactly as you received them in this session."


@dataclass(slots=True)
class StoredValue:
    """The value behind a token, and the servers that supplied it."""

    kind: str
    text: str
    number: int | float | None = None  # set when it was a JSON number and becomes one again
    sources: set[str] = field(default_factory=set)


class ValueStore:
    """Values and tokens of one session."""

    def __init__(self, marks: TokenFactory, rules: DetectionRules = DEFAULT_RULES) -> None:
        self.known = ValueIndex()
        self.readings = DetectionCache()
        self.rules = rules
        self.learnt = 0  # values so far, and changes of the rules: grows with each value that is known
        self._filing = Lock()
        self._marks = marks
        self._held: dict[tuple[str, int], StoredValue] = {}
        self._tokens: dict[tuple[str, str, str], tuple[str, StoredValue]] = {}
        self._counts: Counter[str] = Counter()
        self._came: dict[str, tuple[Place, ...]] = {}  # folded value → the first calls that it came with
        self._origins: dict[str, tuple[str, set[str]]] = {}  # folded value → its kind and the servers that supplied it

    def follow(self, rules: DetectionRules) -> None:
        """Detect personal data by these rules from now on. Known values stay known unless the rules let them pass."""
        if rules != self.rules:
            with self._filing:
                self.rules = rules
                self.learnt += 1

    def learn(self, kind: str, text: str, source: Source = "") -> None:
        """Know a value from now on, and the server or call that supplied it, if one did."""
        text = visible(text)
        folded = fold(text)
        server = source.server if isinstance(source, Place) else source
        with self._filing:
            if folded not in self._origins:
                self._file(kind, text, folded)
            if server:
                self._origins[folded][1].add(server)
            if isinstance(source, Place):
                self._note_place(folded, source)

    def _note_place(self, folded: str, place: Place) -> None:
        before = self._came.get(folded, ())
        if len(before) < _PLACES and not any(_same(place, one) for one in before):
            self._came[folded] = (*before, place)

    def came(self, text: str) -> tuple[Place, ...]:
        """The first calls whose answers held this value."""
        return self._came.get(fold(text), ())

    def origin(self, folded: str) -> tuple[str, AbstractSet[str]]:
        """The kind of a known value and the servers that supplied it; empty for one that is not known."""
        return self._origins.get(folded, ("", frozenset()))

    def filed_since(self, count: int) -> tuple[str, ...]:
        """The values, folded, that became known after the first so many."""
        with self._filing:
            return tuple(islice(self._origins, count, None))

    def token(
        self, kind: str, text: str, number: int | float | None = None, sources: AbstractSet[str] = frozenset()
    ) -> str:
        """The token that stands for this writing of a value; always the same one."""
        key = (kind, text, type(number).__name__)
        with self._filing:
            if key not in self._tokens:
                self._tokens[key] = self._issue(StoredValue(kind, text, number))
            token, held = self._tokens[key]
            held.sources |= sources
        return token

    @property
    def key(self) -> bytes:
        """The secret that signs the session's tokens, for whoever keeps them on disk."""
        return self._marks.key

    def put_back(self, token: str, text: str, number: int | float | None, sources: Iterable[str]) -> None:
        """Store a value under the token that an earlier core made; raises ValueError for a token of another session."""
        place = self._marks.read(token)
        if place is None:
            raise ValueError("it is no token of this session")
        held = StoredValue(place[0], text, number, set(sources))
        with self._filing:
            self._held[place] = held
            self._tokens[held.kind, text, type(number).__name__] = (self._marks.make(*place), held)
            self._counts[held.kind] = max(self._counts[held.kind], place[1])

    def read(self, token: str) -> StoredValue | None:
        """What a token of this session stands for, in any case or percent-encoded; None for anything else."""
        place = self._marks.read(token)
        return self._held.get(place) if place else None

    def held(self, token: str) -> StoredValue | None:
        """The same for a token that a user typed or pasted, with blanks around it."""
        return self.read(token.strip())

    def resolve(self, token: str) -> StoredValue:
        """What a token stands for; raises on a damaged, unknown or foreign token."""
        held = self.read(token)
        if held is None:
            raise WorkbenchError(f"The token {token} is unknown in this session.", _HINT)
        return held

    def canonical(self, token: str) -> str:
        """A token of this session in the spelling in which it was issued."""
        token = token.strip()
        place = self._marks.read(token)
        return self._marks.make(*place) if place else token

    def issued(self) -> tuple[tuple[str, StoredValue], ...]:
        """Every token that stands for personal data, in the order in which they were made."""
        with self._filing:
            return tuple((token, held) for token, held in self._tokens.values() if held.kind != LITERAL)

    def found(self) -> dict[str, int]:
        """How many different values of each kind have tokens."""
        return {kind: count for kind, count in sorted(self._counts.items()) if kind != LITERAL}

    def _issue(self, held: StoredValue) -> tuple[str, StoredValue]:
        self._counts[held.kind] += 1
        number = self._counts[held.kind]
        self._held[held.kind, number] = held
        told = held.kind != LITERAL and not isinstance(held.number, bool)  # `True` stands everywhere
        if told and (folded := fold(shown := visible(held.text))) not in self._origins:
            self._file(held.kind, shown, folded)
        return self._marks.make(held.kind, number), held

    def _file(self, kind: str, text: str, folded: str) -> None:
        self._origins[folded] = (kind, set())
        self.known.add(plain(text), numeric=BY_NAME[kind].numeric, worded=BY_NAME[kind].worded)
        self.learnt += 1  # only now: who looked before did not see it


def _same(one: Place, other: Place) -> bool:
    """The same tool in the same run; a program may call it a thousand times."""
    return (one.server, one.tool, one.run_id) == (other.server, other.tool, other.run_id)
