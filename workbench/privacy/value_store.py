"""Personal values of one session: the token of each, the servers and calls they came from, and their encryption.

Texts are read on several threads, so every change happens under one lock.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections import Counter
from collections.abc import Container, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Any, Final, TypeAlias

from workbench.errors import WorkbenchError
from workbench.privacy.decoded_text import plain, visible
from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.detector import DetectionCache
from workbench.privacy.detectors.kinds import BY_NAME, LITERAL
from workbench.privacy.pii_tokens import LOOKALIKE, VARIANTS, VARYING, TokenFactory, TokenPlace, is_token_shaped
from workbench.privacy.value_index import ValueIndex, fold
from workbench.records import Place

Source: TypeAlias = str | Place
"""Where a value came from: a server's name, or one of its calls; an empty name if no server supplied it."""

_MOST_PLACES = 5  # calls that are stored for one value
_HINT = "Pass tokens on exactly as you received them in this session."


@dataclass(slots=True)
class StoredValue:
    """The value of a token, and the servers that supplied it."""

    kind: str
    text: str
    number: int | float | None = None  # set if it was a JSON number and is restored as one
    sources: set[str] = field(default_factory=set)
    why: str = ""  # the detector's reason, such as `key email` or `form`


class ValueStore:
    """The values of one session and their tokens."""

    def __init__(self, marks: TokenFactory, rules: DetectionRules = DEFAULT_RULES) -> None:
        self.known = ValueIndex()
        self.detections = DetectionCache()
        self.rules = rules
        self.learnt = 0  # number of learned values and changed rules; texts masked before may need masking again
        self._filing = Lock()
        self._marks = marks
        self._held: dict[TokenPlace, StoredValue] = {}
        self._tokens: dict[tuple[str, str, str], tuple[str, StoredValue]] = {}
        self._counts: Counter[str] = Counter()
        self._full_names: dict[str, dict[frozenset[str], str]] = {}  # word → full names that contain it, by their words
        self._places: dict[str, tuple[Place, ...]] = {}  # folded value → the first calls whose answers contained it
        self._origins: dict[str, tuple[str, set[str]]] = {}  # folded value → its kind and the servers that supplied it
        self._reasons: dict[str, str] = {}  # folded value → the detector's first reason

    def follow(self, rules: DetectionRules) -> None:
        """Detect personal data by these rules from now on. Known values stay known unless the rules let them pass."""
        if rules != self.rules:
            with self._filing:
                self.rules = rules
                self.learnt += 1

    def learn(self, kind: str, text: str, source: Source = "", why: str = "") -> None:
        """Add a value, with the server or call that supplied it and the detector's reason."""
        text = visible(text)
        folded = fold(text)
        server = source.server if isinstance(source, Place) else source
        with self._filing:
            if folded not in self._origins:
                self._file(kind, text, folded)
            if why:
                self._reasons.setdefault(folded, why)
            if server:
                self._origins[folded][1].add(server)
            if isinstance(source, Place):
                self._note_place(folded, source)

    def _note_place(self, folded: str, place: Place) -> None:
        before = self._places.get(folded, ())
        if len(before) < _MOST_PLACES and not any(_same(place, one) for one in before):
            self._places[folded] = (*before, place)

    def places(self, text: str) -> tuple[Place, ...]:
        """The first calls whose answers contained this value."""
        return self._places.get(fold(text), ())

    def origin(self, folded: str) -> tuple[str, AbstractSet[str]]:
        """The kind of a known value and the servers that supplied it; empty for one that is not known."""
        return self._origins.get(folded, ("", frozenset()))

    def reason(self, folded: str) -> str:
        """The detector's first reason for a known value; empty if none was recorded."""
        return self._reasons.get(folded, "")

    def filed_since(self, count: int) -> tuple[str, ...]:
        """The values, folded, that were added after the first `count`."""
        with self._filing:
            return tuple(islice(self._origins, count, None))

    def token(
        self,
        kind: str,
        text: str,
        number: int | float | None = None,
        sources: AbstractSet[str] = frozenset(),
        why: str = "",
    ) -> str:
        """The token of a value in this spelling; the same spelling always has the same token."""
        key = (kind, text, type(number).__name__)
        with self._filing:
            if key not in self._tokens:
                first = self.reason(fold(visible(text))) or why  # what its source said of it, before its new place
                self._tokens[key] = self._issue(StoredValue(kind, text, number, why=first))
            token, held = self._tokens[key]
            held.sources |= sources
        return token

    @property
    def key(self) -> bytes:
        """The secret that signs the session's tokens, for storing them on disk."""
        return self._marks.key

    def put_back(
        self, token: str, text: str, number: int | float | None, sources: Iterable[str], why: str = ""
    ) -> None:
        """Store a value under the token that an earlier core made; raises ValueError for a token of another session."""
        place = self._marks.read(token)
        if place is None:
            raise ValueError("it contains a token of a different session")
        held = StoredValue(place[0], text, number, set(sources), why)
        with self._filing:
            self._held[place] = held
            self._tokens[held.kind, text, type(number).__name__] = (self._marks.make(*place), held)
            self._counts[held.kind] = max(self._counts[held.kind], place[1])
            self._note_full_name(held.kind, text)

    def read(self, token: str) -> StoredValue | None:
        """The value of a token of this session, in any case or percent-encoded; None for anything else."""
        place = self._marks.read(token)
        return self._held.get(place) if place else None

    def find_pasted(self, token: str) -> StoredValue | None:
        """The value of a token that the user typed or pasted, perhaps with blanks around it."""
        return self.read(token.strip())

    def resolve(self, token: str) -> StoredValue:
        """The value of a token; raises for a damaged, unknown or foreign token."""
        held = self.read(token)
        if held is None:
            raise WorkbenchError(f"The token {token} is unknown in this session: it {self._fault_of(token)}.", _HINT)
        return held

    def why_unknown(self, token: str) -> str:
        """A sentence why a token does not resolve; empty for one that does."""
        return (
            "" if self.read(token) is not None else f"{token} is no token of this session: it {self._fault_of(token)}."
        )

    def _fault_of(self, token: str) -> str:
        if not is_token_shaped(token):
            return "is damaged, because a token is written like [EMAIL_1.…]"
        return "was changed or comes from a different session"

    def restore_literals(self, text: str, literals: Container[str]) -> str:
        """The text with these look-alikes in place of the tokens that stand for them."""

        def restored(match: re.Match[str]) -> str:
            held = self.read(match.group())
            return held.text if held is not None and held.kind == LITERAL and held.text in literals else match.group()

        return LOOKALIKE.sub(restored, text)

    def canonical(self, token: str) -> str:
        """A token of this session in the spelling in which it was issued."""
        token = token.strip()
        place = self._marks.read(token)
        return self._marks.make(*place) if place else token

    def issued(self) -> tuple[tuple[str, StoredValue], ...]:
        """Every token of personal data with its value, in the order of creation."""
        with self._filing:
            return tuple((token, held) for token, held in self._tokens.values() if held.kind != LITERAL)

    def counts_by_kind(self) -> dict[str, int]:
        """The number of different values of each kind that have tokens."""
        counts = Counter(kind for kind, *_ in tuple(self._held))
        return {kind: count for kind, count in sorted(counts.items()) if kind != LITERAL}

    def _issue(self, held: StoredValue) -> tuple[str, StoredValue]:
        place = self._name_variant(held)
        if place is None:
            self._counts[held.kind] += 1
            place = held.kind, self._counts[held.kind]
        self._held[place] = held
        known = held.kind != LITERAL and not isinstance(held.number, bool)  # `True` occurs everywhere
        if known and (folded := fold(shown := visible(held.text))) not in self._origins:
            self._file(held.kind, shown, folded)
        return self._marks.make(*place), held

    def _name_variant(self, held: StoredValue) -> TokenPlace | None:
        """The place of a part or another spelling of the only known full name that has all its words. Of `Ada Lovelace`
        and `Ada Mary Lovelace`, the longer one counts; with `Ada Byron`, there is no only one."""
        words = _name_words(held.text) if held.kind == VARYING else frozenset[str]()
        found = min((self._full_names.get(word, {}) for word in words), key=len, default={})
        names = [name for name in found if words <= name] if len(found) <= _MOST_NAMESAKES else []
        longest = max(names, key=len, default=frozenset[str]())
        if not longest or any(not name <= longest for name in names) or (full := found[longest]) == held.text:
            return None
        key = VARYING, full, type(None).__name__
        if key not in self._tokens:
            self._tokens[key] = self._issue(StoredValue(VARYING, full))
        whole = self._marks.read(self._tokens[key][0])
        return self._free_variant(whole[1]) if whole is not None and len(whole) == 2 else None

    def _free_variant(self, number: int) -> TokenPlace | None:
        taken = {self._marks.make(VARYING, number)}  # two signatures can be alike
        for variant in range(1, VARIANTS + 1):
            token = self._marks.make(VARYING, number, variant)
            if (VARYING, number, variant) not in self._held and token not in taken:
                return VARYING, number, variant
            taken.add(token)
        return None

    def _note_full_name(self, kind: str, text: str) -> None:
        if kind == VARYING and len(words := _name_words(text)) > 1:
            for word in words:
                self._full_names.setdefault(word, {}).setdefault(words, text)

    def _file(self, kind: str, text: str, folded: str) -> None:
        self._origins[folded] = (kind, set())
        self._note_full_name(kind, text)
        self.known.add(plain(text), numeric=BY_NAME[kind].numeric, worded=BY_NAME[kind].worded)
        self.learnt += 1  # last: a thread that reads the old count has not seen the value


_NAME_WORD: Final = re.compile(r"[^\W\d_]{1,40}")
_MOST_NAMESAKES: Final = 200  # full names with the same word; a word of more names identifies nobody
_MOST_WORDS: Final = 6  # words of a name; a longer text is no name of one person


def _name_words(text: str) -> frozenset[str]:
    """The folded words of a name without initials; empty for a text that is too long for a name."""
    words = _NAME_WORD.findall(text) if len(text) <= 100 else []
    return frozenset(map(str.casefold, words)) if len(words) <= _MOST_WORDS else frozenset()


def _same(one: Place, other: Place) -> bool:
    """Whether two calls are of the same tool in the same run; a program may call it a thousand times."""
    return (one.server, one.tool, one.run_id) == (other.server, other.tool, other.run_id)


_NONCE: Final = 12
KEY: Final = 32  # bytes of a key


class ValueCipher:
    """Encrypts the values of one session for storage: AES-GCM, each value by itself, under a key of the session.

    A master key, which only a keyring or a file with a passphrase holds, wraps that key; `wrapped` may be stored.
    Session and token are authenticated: a value that was moved, swapped or changed cannot be decrypted.
    """

    def __init__(self, master: bytes, session: str, wrapped: str = "") -> None:
        """Raises ValueError if the wrapped key belongs to another session or master key."""
        self._session = session
        if wrapped:
            self._key = _open(master, wrapped, f"key|{session}")
        else:
            self._key = os.urandom(KEY)
        self.wrapped = wrapped or _seal(master, self._key, f"key|{session}")

    def seal(self, about: str, value: Any) -> str:  # Any: JSON
        """Encrypt a value; it can be decrypted only with the same `about`."""
        return _seal(self._key, json.dumps(value).encode("ascii"), f"{self._session}|{about}")

    def open(self, about: str, sealed: str) -> Any:  # Any: JSON
        """Decrypt a value; raises ValueError if it was changed or belongs to something else."""
        return json.loads(_open(self._key, sealed, f"{self._session}|{about}"))


def _seal(key: bytes, data: bytes, about: str) -> str:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE)
    sealed = AESGCM(key).encrypt(nonce, data, about.encode("utf-8", "surrogatepass"))
    return base64.b64encode(nonce + sealed).decode("ascii")


def _open(key: bytes, sealed: str, about: str) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    data = base64.b64decode(sealed, validate=True)
    try:
        return AESGCM(key).decrypt(data[:_NONCE], data[_NONCE:], about.encode("utf-8", "surrogatepass"))
    except InvalidTag:
        raise ValueError("it was changed or belongs to something else") from None
