"""The memory of one session: which value each token stands for, and which server it came from.

It lives in memory only. Tokens of another session never resolve here, and a token that is damaged restores nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from urllib.parse import quote

from workbench.errors import WorkbenchError
from workbench.privacy.detect import Found, detect, union
from workbench.privacy.kinds import BY_NAME, LITERAL, Kind
from workbench.privacy.known import Known, fold
from workbench.privacy.marks import LOOKALIKE, Marks, encoded
from workbench.privacy.restorations import HERE, Restoration, refusal
from workbench.privacy.walk import leaves, parsed, rebuild, texts
from workbench.records import JsonValue

_SHORT = 120  # characters of a text that is remembered as clean
_CLEAN = 4096  # of them
_HINT = "Pass tokens on exactly as you received them in this session."


@dataclass(slots=True)
class Held:
    """One value behind a token."""

    kind: str
    text: str
    number: int | float | None = None  # set when it was a JSON number and becomes one again
    sources: set[str] = field(default_factory=set)


class Vault:
    """Hides and restores the personal data of one session."""

    def __init__(self, session: str, key: bytes | None = None) -> None:
        self._marks = Marks(session, key)
        self._held: dict[tuple[str, int], Held] = {}
        self._tokens: dict[tuple[str, str, str], tuple[str, Held]] = {}
        self._counts: Counter[str] = Counter()
        self._known = Known()
        self._filed = 0  # values so far
        self._clean: set[str] = set()  # short texts that hold nothing to hide, as far as is known now
        self._harmless: set[str] = set()  # short texts in which nothing is personal by its form
        self._filing = Lock()  # large texts are read on threads: two of them must not give one number to two values
        self._origins: dict[str, tuple[str, set[str]]] = {}  # folded value → its kind and the servers that supplied it

    def register(self, value: JsonValue, source: str) -> None:
        """Learn all personal data in a value that a server sent; strings that hold JSON are read with their keys."""
        for leaf, kind in leaves(value):
            if kind is None and (leaf in self._harmless if isinstance(leaf, str) else True):
                continue
            text = _text(leaf)
            if kind and "\0" not in text and kind.accepts(text):
                self._learn(kind.name, text.strip(), source)
            elif isinstance(leaf, str):
                for found in detect(leaf):
                    self._learn(found.kind, leaf[found.start : found.end], source)
                if (inner := parsed(leaf)) is not None:
                    self.register(inner, source)
                elif kind is None and len(leaf) <= _SHORT and not detect(leaf):
                    self._note_harmless(leaf)

    def _note_harmless(self, text: str) -> None:
        """Remember that a short text holds nothing by itself: names of fields, states and labels come again."""
        with self._filing:
            if len(self._harmless) >= _CLEAN:
                self._harmless.clear()
            self._harmless.add(text)

    def sanitize(self, text: str) -> str:
        """The text with a token in place of everything personal; doing it again changes nothing."""
        if text in self._clean:
            return text
        filed = self._filed
        while (clean := self._sanitize_once(text)) != text:
            text = clean
        if len(text) <= _SHORT:
            self._note_clean(text, filed)
        return text

    def _note_clean(self, text: str, filed: int) -> None:
        """Remember that nothing is to be hidden in it, if nothing was learnt since somebody looked."""
        with self._filing:
            if len(self._clean) >= _CLEAN:
                self._clean.clear()
            if filed == self._filed:
                self._clean.add(text)

    def sanitize_json(self, value: JsonValue) -> JsonValue:
        """The same structure with tokens; keys tell more about a value than its form does."""
        try:
            while (clean := rebuild(value, self._sanitize_leaf)) != value:
                value = clean  # what was found last is also looked for in what came first
            return clean
        except RecursionError:
            raise WorkbenchError("The value is nested too deeply to be read for personal data.") from None

    def restore_json(self, value: JsonValue, server: str, *, allow_foreign: bool = False) -> JsonValue:
        """The value with the real data, for a call to this server; what is damaged, unknown or foreign is refused."""
        if not any("_" in text and LOOKALIKE.search(text) for text in texts(value)):
            return value
        foreign = [item for item in self.restorations(value, server) if item.foreign]
        if foreign and not allow_foreign:
            raise refusal(foreign)
        return rebuild(value, lambda leaf, _: self._restore_leaf(leaf))

    def restorations(self, value: JsonValue, server: str) -> tuple[Restoration, ...]:
        """What restoring would give to this server, by kind and origin; raises on a token that does not resolve."""
        seen: dict[int, Held] = {}
        for leaf, _ in leaves(value):
            for _, held in self._tokens_in(leaf) if isinstance(leaf, str) else ():
                if held.kind != LITERAL:
                    seen[id(held)] = held
        counts = Counter((held.kind, _source(held, server)) for held in seen.values())
        return tuple(Restoration(kind, n, source, server, source != server) for (kind, source), n in counts.items())

    def restore(self, text: str) -> str:
        """The text with real values, for a person's eyes; what does not resolve stays as it is."""
        return LOOKALIKE.sub(lambda match: self._value(match.group()) or match.group(), text)

    def reveal(self, token: str) -> str:
        """The value behind one token."""
        return self._resolve(token.strip()).text

    def shows(self, data: bytes) -> bool:
        """Whether a known value can be read in these bytes as they are, as in the notes of a picture."""
        return self._known.stands_in(data.decode("latin-1"))

    def found(self) -> dict[str, int]:
        """How many different values of each kind this session has tokens for."""
        return {kind: count for kind, count in sorted(self._counts.items()) if kind != LITERAL}

    def _learn(self, kind: str, text: str, source: str) -> None:
        folded = fold(text)
        with self._filing:
            if folded not in self._origins:
                self._file(kind, text, folded)
            self._origins[folded][1].add(source)

    def _file(self, kind: str, text: str, folded: str) -> None:
        self._origins[folded] = (kind, set())
        self._known.add(text, numeric=BY_NAME[kind].numeric, worded=BY_NAME[kind].worded)
        self._filed += 1  # only now: who looked before did not see it
        self._clean.clear()

    def _sanitize_once(self, text: str) -> str:
        masked, literals = self._masked(text)
        known = [(seen.start, seen.end, *self._origins[seen.value]) for seen in self._known.find(masked)]
        found = [*literals, *detect(masked), *(Found(start, end, kind) for start, end, kind, _ in known)]
        sources = sorted((start, end, servers) for start, end, _, servers in known)
        parts, at, first = [], 0, 0
        for part in union(found):
            suppliers: set[str] = set()
            while first < len(sources) and sources[first][0] < part.end:
                suppliers |= sources[first][2]
                first += 1
            parts += [text[at : part.start], self._token(part.kind, text[part.start : part.end], sources=suppliers)]
            at = part.end
        return "".join([*parts, text[at:]])

    def _masked(self, text: str) -> tuple[str, list[Found]]:
        """The text with every token and look-alike blanked out, and the look-alikes that stand for nothing here."""
        literals: list[Found] = []

        def blank(match: re.Match[str]) -> str:
            if self._read(match.group()) is None:
                literals.append(Found(match.start(), match.end(), LITERAL))
            return "\0" * len(match.group())

        return LOOKALIKE.sub(blank, text), literals

    def _sanitize_leaf(self, leaf: JsonValue, kind: Kind | None) -> JsonValue:
        text = _text(leaf)
        if kind and "\0" not in text and kind.accepts(text) and not LOOKALIKE.search(text):
            bare = text.strip()
            number = leaf if isinstance(leaf, int | float) else None
            suppliers = self._origins.get(fold(bare), ("", set()))[1]
            return text.replace(bare, self._token(kind.name, bare, number, suppliers), 1)
        return self.sanitize(leaf) if isinstance(leaf, str) else self._sanitize_number(leaf)

    def _sanitize_number(self, number: int | float) -> JsonValue:
        """A number that is known as personal data elsewhere becomes a token here too."""
        folded = self._known.number(_text(number).lstrip("-"))
        if folded is None:
            return number
        kind, servers = self._origins[folded]
        return self._token(kind, _text(number), number, servers)

    def _token(
        self, kind: str, text: str, number: int | float | None = None, sources: set[str] | frozenset[str] = frozenset()
    ) -> str:
        key = (kind, text, type(number).__name__)
        with self._filing:
            if key not in self._tokens:
                self._tokens[key] = self._issue(Held(kind, text, number))
            token, held = self._tokens[key]
            held.sources |= sources
        return token

    def _issue(self, held: Held) -> tuple[str, Held]:
        self._counts[held.kind] += 1
        number = self._counts[held.kind]
        self._held[held.kind, number] = held
        if held.kind != LITERAL and (folded := fold(held.text)) not in self._origins:
            self._file(held.kind, held.text, folded)
        return self._marks.make(held.kind, number), held

    def _read(self, token: str) -> Held | None:
        place = self._marks.read(token)
        return self._held.get(place) if place else None

    def _resolve(self, token: str) -> Held:
        held = self._read(token)
        if held is None:
            raise WorkbenchError(f"The token {token} is unknown in this session.", _HINT)
        return held

    def _value(self, token: str) -> str | None:
        held = self._read(token)
        if held is None:
            return None
        return quote(held.text, safe="", errors="surrogatepass") if encoded(token) else held.text

    def _tokens_in(self, text: str) -> Iterator[tuple[str, Held]]:
        for match in LOOKALIKE.finditer(text):
            yield match.group(), self._resolve(match.group())

    def _restore_leaf(self, leaf: JsonValue) -> JsonValue:
        if not isinstance(leaf, str):
            return leaf
        whole = self._read(leaf)
        return whole.number if whole is not None and whole.number is not None else self.restore(leaf)


def _text(leaf: JsonValue) -> str:
    """A leaf as text; a whole float is written without its zero, as phone numbers out of tables are."""
    if isinstance(leaf, float):
        return str(int(leaf)) if math.isfinite(leaf) and leaf.is_integer() and abs(leaf) < 1e18 else repr(leaf)
    return str(leaf)


def _source(held: Held, server: str) -> str:
    if server in held.sources:
        return server
    return ", ".join(sorted(held.sources)) or HERE
