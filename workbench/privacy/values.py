"""The memory of one session: which values it knows, which token stands for each, and which servers they came from.

Texts are read on several threads, so everything that counts or files happens under one lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet
from threading import Lock

from workbench.errors import WorkbenchError
from workbench.privacy.held import Held
from workbench.privacy.kinds import BY_NAME, LITERAL
from workbench.privacy.known import Known, fold
from workbench.privacy.marks import Marks
from workbench.privacy.rules import PLAIN, Rules

_HINT = "Pass tokens on exactly as you received them in this session."


class Values:
    """All values of one session."""

    def __init__(self, marks: Marks, rules: Rules = PLAIN) -> None:
        self.known = Known()
        self.rules = rules
        self.learnt = 0  # values so far, and changes of the rules
        self.filing = Lock()
        self._marks = marks
        self._held: dict[tuple[str, int], Held] = {}
        self._tokens: dict[tuple[str, str, str], tuple[str, Held]] = {}
        self._counts: Counter[str] = Counter()
        self._origins: dict[str, tuple[str, set[str]]] = {}  # folded value → its kind and the servers that supplied it

    def follow(self, rules: Rules) -> None:
        """Look for personal data by these rules from now on; what is known stays known, unless they let it pass."""
        if rules != self.rules:
            with self.filing:
                self.rules = rules
                self.learnt += 1

    def learn(self, kind: str, text: str, source: str) -> None:
        """Know a value from now on, and that this server supplied it."""
        folded = fold(text)
        with self.filing:
            if folded not in self._origins:
                self._file(kind, text, folded)
            self._origins[folded][1].add(source)

    def origin(self, folded: str) -> tuple[str, AbstractSet[str]]:
        """The kind of a known value and the servers that supplied it; empty for one that is not known."""
        return self._origins.get(folded, ("", frozenset()))

    def token(
        self, kind: str, text: str, number: int | float | None = None, sources: AbstractSet[str] = frozenset()
    ) -> str:
        """The token that stands for this writing of a value; always the same one."""
        key = (kind, text, type(number).__name__)
        with self.filing:
            if key not in self._tokens:
                self._tokens[key] = self._issue(Held(kind, text, number))
            token, held = self._tokens[key]
            held.sources |= sources
        return token

    def read(self, token: str) -> Held | None:
        """What a token of this session stands for; None for anything else."""
        place = self._marks.read(token)
        return self._held.get(place) if place else None

    def resolve(self, token: str) -> Held:
        """The same, but damaged, unknown and foreign tokens are refused."""
        held = self.read(token)
        if held is None:
            raise WorkbenchError(f"The token {token} is unknown in this session.", _HINT)
        return held

    def counts(self) -> dict[str, int]:
        """How many different values of each kind have tokens."""
        return {kind: count for kind, count in sorted(self._counts.items()) if kind != LITERAL}

    def _issue(self, held: Held) -> tuple[str, Held]:
        self._counts[held.kind] += 1
        number = self._counts[held.kind]
        self._held[held.kind, number] = held
        if held.kind != LITERAL and (folded := fold(held.text)) not in self._origins:
            self._file(held.kind, held.text, folded)
        return self._marks.make(held.kind, number), held

    def _file(self, kind: str, text: str, folded: str) -> None:
        self._origins[folded] = (kind, set())
        self.known.add(text, numeric=BY_NAME[kind].numeric, worded=BY_NAME[kind].worded)
        self.learnt += 1  # only now: who looked before did not see it
