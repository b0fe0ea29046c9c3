"""The personal data of one session: learnt from servers, hidden from models, given back for calls and to a person.

It lives in memory only. Tokens of another session never resolve here, and a token that is damaged restores nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from workbench.privacy.giving import Giving
from workbench.privacy.halves import Halves
from workbench.privacy.held import Held, Source
from workbench.privacy.hiding import Hiding
from workbench.privacy.kinds import SEALED
from workbench.privacy.learning import Learning
from workbench.privacy.marks import Marks
from workbench.privacy.public_texts import Stretches
from workbench.privacy.restorations import Restoration
from workbench.privacy.rules import PLAIN, Rules
from workbench.privacy.values import Values
from workbench.privacy.walk import as_text
from workbench.records import JsonValue, Place


class Vault:
    """Hides and restores the personal data of one session."""

    def __init__(self, session: str, key: bytes | None = None, rules: Rules = PLAIN) -> None:
        self._values = Values(Marks(session, key), rules)
        self._learning = Learning(self._values)
        self._hiding = Hiding(self._values)
        self._giving = Giving(self._values)
        self._halves = Halves(self._values)

    def register(self, value: JsonValue, source: Source) -> None:
        """Learn all personal data in a value that a server sent; strings that hold JSON are read with their keys."""
        self._learning.register(value, source)

    def follow(self, rules: Rules) -> None:
        """Look for personal data by these rules from now on."""
        self._values.follow(rules)

    def sanitize(self, text: str) -> str:
        """The text with a token in place of everything personal; doing it again changes nothing."""
        return self._hiding.sanitize(text)

    def sanitize_around(self, text: str, public: Stretches) -> tuple[str, Stretches]:
        """The same for a text with stretches in which nothing is guessed; where they stand in it afterwards."""
        return self._hiding.sanitize_around(text, public)

    def replace_known(self, text: str) -> str:
        """The text with a token in place of each known value; nothing in it is guessed to be personal, or learnt."""
        return self._hiding.replace_known(text)

    def without_halves(self, text: str, public: Stretches | None = None) -> str:
        """Sanitized text without what is left of known values where a program cut it. `public`: stretches that the
        program did not make."""
        return self._halves.without(text, public)

    def sanitize_json(self, value: JsonValue, public: Callable[[str], bool] | None = None) -> JsonValue:
        """The same structure with tokens; keys tell more about a value than its form does. `public`: whether a text is
        one in which nothing is guessed."""
        return self._hiding.sanitize_json(value, public)

    def seal(self, value: JsonValue, source: str) -> str:
        """A token for a value as a whole, whatever it is, as it stands in a sealed field."""
        number = value if isinstance(value, int | float) else None
        return self._values.token(SEALED, as_text(value), number, {source})

    def restore_json(self, value: JsonValue, server: str, *, allow_foreign: bool = False) -> JsonValue:
        """The value with the real data, for a call to this server; what is damaged, unknown or foreign is refused."""
        return self._giving.restore_json(value, server, allow_foreign=allow_foreign)

    def has_tokens(self, value: JsonValue) -> bool:
        """Whether something in it looks like a token, of whatever session."""
        return self._giving.has_tokens(value)

    def restorations(self, value: JsonValue, server: str) -> tuple[Restoration, ...]:
        """What restoring would give to this server, by kind and origin; raises on a token that does not resolve."""
        return self._giving.restorations(value, server)

    def restore(self, text: str) -> str:
        """The text with real values, for a person's eyes; what does not resolve stays as it is."""
        return self._giving.restore(text)

    def reveal(self, token: str) -> str:
        """The value behind one token."""
        return self._giving.reveal(token)

    def shows(self, data: bytes) -> bool:
        """Whether a known value can be read in these bytes as they are, as in the notes of a picture."""
        return self._values.known.stands_in(data.decode("latin-1"))

    @property
    def learnt(self) -> int:
        """Grows with each value that is known, and when the rules change."""
        return self._values.learnt

    @property
    def key(self) -> bytes:
        """What makes its tokens, for who keeps them."""
        return self._values.key

    def put_back(self, token: str, text: str, number: int | float | None, sources: Iterable[str]) -> None:
        """A value that was kept; refuses a token that is none of this session's."""
        self._values.put_back(token, text, number, sources)

    def issued(self) -> tuple[tuple[str, Held], ...]:
        """Every token of this session and what it stands for, in the order in which they were made."""
        return self._values.issued()

    def held(self, token: str) -> Held | None:
        """What a token of this session stands for, however it is spelled; None for anything else."""
        return self._values.read(token.strip())

    def canonical(self, token: str) -> str:
        """A token of this session as it was made."""
        return self._values.canonical(token.strip())

    def came(self, text: str) -> tuple[Place, ...]:
        """The first calls whose answers held this value."""
        return self._values.came(text)

    def learn(self, kind: str, text: str, source: str = "") -> None:
        """Know one value from now on, because somebody said that it is personal."""
        self._values.learn(kind, text, source)

    def found(self) -> dict[str, int]:
        """How many different values of each kind this session has tokens for."""
        return self._values.counts()
