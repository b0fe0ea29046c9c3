"""Puts tokens in place of everything personal in what goes to a model: what is known, and what the detector sees."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from workbench.errors import WorkbenchError
from workbench.privacy.detect import by_patterns
from workbench.privacy.found import Found, union
from workbench.privacy.kinds import CUSTOM, LITERAL, Kind
from workbench.privacy.known import fold
from workbench.privacy.letters import plain, visible
from workbench.privacy.marks import lookalikes
from workbench.privacy.ordinary import is_ordinary
from workbench.privacy.public_texts import Stretches
from workbench.privacy.remembered import Remembered
from workbench.privacy.values import Values
from workbench.privacy.walk import as_text, rebuild
from workbench.records import JsonValue
from workbench.uncollected import uncollected

_Known = tuple[int, int, str, AbstractSet[str]]  # where a known value stands, its kind, the servers that supplied it

_LONG: Final = 100_000  # characters in which so much is found that looking for garbage meanwhile takes long


class Hiding:
    """One session's."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._clean = (0, Remembered())  # texts with nothing to hide, for who knows so many values

    def sanitize(self, text: str) -> str:
        """The text with a token in place of everything personal; doing it again changes nothing."""
        learnt = self._values.learnt
        if text in self._clean_texts(learnt) or (text.startswith("[") and self._values.read(text)):
            return text  # as what was masked once is asked for again
        while (masked := self._pass(text, read=True)) != text:
            text, before, learnt = masked, learnt, self._values.learnt
            while before != learnt:  # what was just learnt may stand elsewhere: found sooner than all is read again
                text, before, learnt = self._pass(text, read=False), learnt, self._values.learnt
        if learnt == self._values.learnt:
            self._clean_texts(learnt).add(text)
        return text

    def sanitize_around(self, text: str, public: Stretches) -> tuple[str, Stretches]:
        """The same for a text with stretches in which nothing is guessed; where they stand in it afterwards."""
        while True:
            learnt = self._values.learnt
            masked, moved = self._around(text, public, read=True)
            if masked == text:
                return text, public
            text, public = masked, moved
            while learnt != self._values.learnt:
                learnt = self._values.learnt
                text, public = self._around(text, public, read=False)

    def replace_known(self, text: str) -> str:
        """The text with a token in place of each known value and of what the user's own patterns match, for text in
        which nothing is guessed and nothing learnt: definitions, skills, our own sentences."""
        masked, _ = self._blanked(text)
        rules = self._values.rules
        seen = (one for one in self._values.known.find(masked) if not rules.lets_pass(one.value))
        known = [(one.start, one.end, *self._values.origin(one.value)) for one in seen]
        known = [one for one in known if one[2] == CUSTOM or not is_ordinary(text[one[0] : one[1]])]
        return self._with_tokens(text, [*by_patterns(masked, rules)], known)

    def sanitize_json(self, value: JsonValue, public: Callable[[str], bool] | None = None) -> JsonValue:
        """The same structure with tokens; keys tell more about a value than its form does. `public`: whether a text is
        one in which nothing is guessed."""

        def leaf(leaf: JsonValue, kind: Kind | None) -> JsonValue:
            if public is not None and isinstance(leaf, str) and public(leaf):
                return self.replace_known(leaf)
            return self._leaf(leaf, kind)

        try:
            while (clean := rebuild(value, leaf, self._values.rules)) != value:
                value = clean  # what was found last is also looked for in what came first
            return clean
        except RecursionError:
            raise WorkbenchError("The value is nested too deeply to be read for personal data.") from None

    def _clean_texts(self, learnt: int) -> Remembered:
        """What is known to be clean by somebody who knows so many values."""
        known, texts = self._clean
        if known != learnt:
            texts = Remembered()
            self._clean = (learnt, texts)
        return texts

    def _pass(self, text: str, *, read: bool) -> str:
        if len(text) < _LONG:
            return self._once(text, read=read)
        with uncollected():
            return self._once(text, read=read)

    def _once(self, text: str, *, read: bool) -> str:
        """The text with a token for each known value, and for what the detector sees."""
        masked, literals = self._blanked(text)
        rules = self._values.rules
        seen = (one for one in self._values.known.find(masked) if not rules.lets_pass(one.value))
        known = [(one.start, one.end, *self._values.origin(one.value)) for one in seen]
        told = self._values.readings.detect(masked, rules) if read else ()
        return self._with_tokens(text, [*literals, *told], known)

    def _around(self, text: str, public: Stretches, *, read: bool) -> tuple[str, Stretches]:
        """One pass over a text with stretches in which nothing is guessed: there, of what the detector sees, only what
        the user's own patterns match counts; and in a long one, no ordinary word that is known."""
        masked, literals = self._blanked(text)
        rules = self._values.rules
        seen = (one for one in self._values.known.find(masked) if not rules.lets_pass(one.value))
        known = [(one.start, one.end, *self._values.origin(one.value)) for one in seen]
        known = [one for one in known if not self._says_nothing(text, one, public)]
        told = self._values.readings.detect(masked, rules) if read else ()
        found = [one for one in (*literals, *told) if public.around(one.start, one.end) is None]
        edits: list[tuple[int, int, int]] = []
        return self._with_tokens(text, [*found, *by_patterns(masked, rules)], known, edits), public.moved(edits)

    def _says_nothing(self, text: str, known: _Known, public: Stretches) -> bool:
        start, end, kind, _ = known
        stretch = public.around(start, end)
        return stretch is not None and stretch.long and kind != CUSTOM and is_ordinary(text[start:end])

    def _with_tokens(
        self, text: str, found: list[Found], known: list[_Known], edits: list[tuple[int, int, int]] | None = None
    ) -> str:
        """The text with a token for each stretch; one that holds a known value came from where that came from.
        `edits`: gets what was replaced, from where to where, by how many letters."""
        found = [*found, *(Found(start, end, kind) for start, end, kind, _ in known)]
        sources = sorted((start, end, servers) for start, end, _, servers in known)
        parts, at, first = [], 0, 0
        for part in union(found):
            suppliers: set[str] = set()
            while first < len(sources) and sources[first][0] < part.end:
                suppliers |= sources[first][2]
                first += 1
            stretch = text[part.start : part.end]
            parts += [text[at : part.start], self._values.token(part.kind, stretch, sources=suppliers)]
            if edits is not None:
                edits.append((part.start, part.end, len(parts[-1])))
            at = part.end
        return "".join([*parts, text[at:]])

    def _blanked(self, text: str) -> tuple[str, list[Found]]:
        """The text with every token and look-alike blanked out, and the look-alikes that stand for nothing here."""
        literals: list[Found] = []
        parts: list[str] = []
        at = 0
        for match in lookalikes(text):
            start, end = match.span()
            if self._values.read(match.group()) is None:
                literals.append(Found(start, end, LITERAL))
            parts += [text[at:start], "\0" * (end - start)]
            at = end
        return "".join([*parts, text[at:]]) if parts else text, literals

    def _leaf(self, leaf: JsonValue, kind: Kind | None) -> JsonValue:
        text = as_text(leaf)
        told = (
            kind and "\0" not in text and kind.accepts(plain(visible(text))) and not self._values.rules.lets_pass(text)
        )
        if kind and told and next(lookalikes(text), None) is None:
            bare = text.strip()
            number = leaf if isinstance(leaf, int | float) else None
            suppliers = self._values.origin(fold(bare))[1]
            return text.replace(bare, self._values.token(kind.name, bare, number, suppliers), 1)
        return self.sanitize(leaf) if isinstance(leaf, str) else self._number(leaf)

    def _number(self, number: int | float) -> JsonValue:
        """A number that is known as personal data elsewhere becomes a token here too."""
        folded = self._values.known.number(as_text(number).lstrip("-"))
        if folded is None:
            return number
        kind, servers = self._values.origin(folded)
        return self._values.token(kind, as_text(number), number, servers)
