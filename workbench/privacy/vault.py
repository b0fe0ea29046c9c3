"""Masks and unmasks the personal data of one session: masked for models, restored for calls.

Answers of servers are kept, and searched for personal data only where words of an outgoing text occur in them. The
vault exists in memory only. Tokens of another session never resolve, and a damaged token restores nothing.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from threading import RLock
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.gc_pause import pause_gc
from workbench.privacy.answer_index import AnswerIndex
from workbench.privacy.answer_lookup import AnswerLookup
from workbench.privacy.answer_passages import separate_texts
from workbench.privacy.decoded_text import plain, visible
from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.detector import SHORT, SeenTexts, by_patterns
from workbench.privacy.detectors.json_fields import (
    as_text,
    embedded,
    leaves_with_keys,
    parsed,
    rebuild,
    texts,
    texts_and_numbers,
)
from workbench.privacy.detectors.kinds import CUSTOM, LITERAL, SEALED, Kind, plural
from workbench.privacy.detectors.text_search import DetectedSpan, merge_findings
from workbench.privacy.pii_tokens import LOOKALIKE, TokenFactory, find_tokens, is_percent_encoded, normalize_token
from workbench.privacy.public_texts import Stretches
from workbench.privacy.text_kinds import is_ordinary
from workbench.privacy.truncated_values import TruncatedValues
from workbench.privacy.value_index import fold
from workbench.privacy.value_store import Source, StoredValue, ValueStore
from workbench.records import JsonValue, Place
from workbench.thread_cancellation import WorkCancelled

log = logging.getLogger(__name__)

_Known = tuple[int, int, str, AbstractSet[str]]  # start and end of a known value, its kind, its servers

_TOGETHER: Final = 2_000  # characters; shorter texts are searched together
_MOST_TOGETHER: Final = 100
_PRINTABLE: Final = re.compile(r"[ -~]{5,4000}")  # readable parts of bytes
_TELLING: Final = 8  # letters and digits
# a letter that JSON writes by its number
_ESCAPED: Final = re.compile(r"\\u(?!00[0-7]|[dD][89a-fA-F])([0-9a-fA-F]{4})")
_MOST_PRINTABLE: Final = 100_000  # characters of them that are looked up; of more, the first and the last half
_HALF: Final = _MOST_PRINTABLE // 2
_State = tuple[int, tuple[int, int]]
_FIRST: Final[_State] = (0, (0, 0))
_BORDER: Final = "\n\n\0\n\n"  # between texts that are searched together: no finding crosses it
_UNREADABLE: Final = "An answer could not be searched for personal data, so this text is withheld."
_UNREADABLE_HINT: Final = "Print something else. The log of the workbench has the details."
_LONG: Final = 100_000  # characters; longer texts make so many objects that garbage collection is slow


class Vault(ValueStore):
    """Values of one session, with everything that detects, masks and restores them."""

    def __init__(self, session: str, key: bytes | None = None, rules: DetectionRules = DEFAULT_RULES) -> None:
        super().__init__(TokenFactory(session, key), rules)
        self.answers = AnswerIndex()
        self._lookup = AnswerLookup(self.answers)
        self._searching_new = RLock()
        self._is_replaced = False  # by `renewed`; what this vault learns does not count as searched any more
        self._truncated = TruncatedValues(self)
        self._harmless = (rules, SeenTexts())  # short texts in which these rules find nothing
        self._waived: tuple[DetectionRules, set[str]] = (rules, set())  # folded values that pass by these rules
        self._clean: tuple[_State, SeenTexts] = (_FIRST, SeenTexts())  # texts with nothing to mask in this state
        self._known_free: tuple[_State, SeenTexts] = (_FIRST, SeenTexts())  # texts without known values in this state

    @property
    def state(self) -> _State:
        """Changes when a text might be masked differently: a value was learned, or an answer came in."""
        return self.learnt, self.answers.state

    def keep(self, text: str, source: Source) -> None:
        """Keep the text of an answer. It is searched for personal data when words of it are about to leave."""
        for one in separate_texts(text):
            self.answers.add(one, source)

    def renewed(self, session: str) -> Vault:
        """A vault with the same answers and without values."""
        vault = Vault(session)
        vault.answers, vault._lookup = self.answers, AnswerLookup(self.answers)
        self._is_replaced = True
        self._lookup = AnswerLookup(self.answers, marks=False)
        self.answers.forget_judgements()
        return vault

    def forget_answers(self) -> None:
        """Release the kept answers. What was found in them stays known."""
        released, self.answers = self.answers, AnswerIndex()
        self.answers.unread = released.unread + 1  # a state that was not seen before
        self._lookup = AnswerLookup(self.answers)

    def look_up(self, text: str) -> tuple[int, int]:
        """Search the answers for personal data where words of this text occur in them. Returns the state of the answers
        for which that holds."""
        covered = self.search_new_answers()
        if covered[0]:
            for value, source in self._lookup.find(text):
                self._register_part(value, source)
        return covered

    def search_new_answers(self) -> tuple[int, int]:
        """Search the short answers that came in since the last time, which costs less than looking a text up in them.
        Returns the state of the answers that follows."""
        with self._searching_new:  # another thread waits until they are searched
            answers = self.answers
            new, state = answers.take_new()
            try:
                for text, document in new:
                    self._register_part(text if (value := parsed(text)) is None else value, document.source)
            except Exception:
                answers.return_new(new)
                raise
            if self._is_replaced:
                answers.return_new(new)
            return state

    def _register_part(self, value: JsonValue, source: Source) -> None:
        try:
            self.register(value, source)
        except WorkCancelled:
            raise
        except Exception as fault:  # data from a server can make a parser fail in any way
            log.exception("an answer cannot be searched for personal data")
            raise WorkbenchError(_UNREADABLE, _UNREADABLE_HINT) from fault

    def follow(self, rules: DetectionRules) -> None:
        """Detect personal data by these rules from now on, also in answers that were searched before."""
        if rules != self.rules:
            super().follow(rules)
            self.answers.forget_judgements()

    def register(self, value: JsonValue, source: Source) -> None:
        """Learn all personal data in a value that a server sent. Strings that contain JSON are read with their keys."""
        rules = self.rules.for_server(source.server if isinstance(source, Place) else source)
        found = list(self._find(value, rules))
        for kind, text, why in found:
            self.learn(kind, text, source, why)
        if rules is not self.rules:
            self._waive({fold(text) for _, text, _ in self._find(value, self.rules)} - {fold(one[1]) for one in found})

    def _find(self, value: JsonValue, rules: DetectionRules) -> Iterator[tuple[str, str, str]]:
        """Kind, text and reason of all personal data in a value."""
        harmless = self._harmless_texts() if rules is self.rules else SeenTexts()
        unread: list[str] = []
        for leaf, kind, key in leaves_with_keys(value, rules):
            if kind is None and (leaf in harmless if isinstance(leaf, str) else True):
                continue
            text = as_text(leaf)
            if kind and "\0" not in text and kind.accepts(plain(visible(text))) and not rules.lets_pass(text):
                yield kind.name, text.strip(), f"key {key}" if key else "column"
            elif isinstance(leaf, str):
                unread.append(leaf)
        yield from self._find_in_texts(list(dict.fromkeys(unread)), rules, harmless)

    def _find_in_texts(
        self, texts: Sequence[str], rules: DetectionRules, harmless: SeenTexts
    ) -> Iterator[tuple[str, str, str]]:
        """Detect personal data in texts without a key. Short ones are searched together, which is faster."""
        together: list[str] = []
        for text in texts:
            if len(text) > _TOGETHER:
                yield from self._find_together([text], rules, harmless)
            else:
                together.append(text)
            for value in embedded(text):
                yield from self._find(value, rules)
        for at in range(0, len(together), _MOST_TOGETHER):
            yield from self._find_together(together[at : at + _MOST_TOGETHER], rules, harmless)

    def _find_together(
        self, texts: Sequence[str], rules: DetectionRules, harmless: SeenTexts
    ) -> Iterator[tuple[str, str, str]]:
        joined = _BORDER.join(texts)
        found = self.detections.detect(joined, rules)
        yield from ((one.kind, joined[one.start : one.end], one.why) for one in found)
        starts = [one.start for one in found]
        at = 0
        for text in texts:
            first = bisect_left(starts, at)
            at += len(text) + len(_BORDER)
            is_harmless = first == len(starts) or starts[first] >= at
            if len(text) <= SHORT and is_harmless and not embedded(text):
                harmless.add(text)

    def _waive(self, values: set[str]) -> None:
        """Let values pass that only the rules for other servers detect, until a different server supplies them."""
        if self._waived[0] is not self.rules:
            self._waived = (self.rules, set())
        self._waived[1].update(values)

    def waives(self, text: str) -> bool:
        """Whether a value passes because of the rules for the only server that supplied it."""
        rules, waived = self._waived
        if not waived or rules is not self.rules:
            return False
        folded = fold(visible(text))
        return folded in waived and not self.origin(folded)[0]

    def _detect(self, text: str) -> list[DetectedSpan]:
        found = self.detections.detect(text, self.rules)
        return [one for one in found if not self.waives(text[one.start : one.end])]

    def _harmless_texts(self) -> SeenTexts:
        """Texts without personal data by the current rules."""
        rules, texts = self._harmless
        if rules is not self.rules:
            texts = SeenTexts()
            self._harmless = (self.rules, texts)
        return texts

    def sanitize(self, text: str) -> str:
        """The text with a token in place of each personal value. Masking the result again changes nothing."""
        self.search_new_answers()
        if text in self._clean_texts(self.state) or (text.startswith("[") and self.read(text)):
            return text  # masked output is masked again when it is sent
        return self._sanitize(text, self.look_up(text))

    def _sanitize(self, text: str, covered: tuple[int, int]) -> str:
        """`sanitize` of a text that was looked up in this state of the answers."""
        learnt = self.learnt
        if text in self._clean_texts((learnt, covered)):
            return text
        while (masked := self._pass(text, read=True)) != text:
            text, before, learnt = masked, learnt, self.learnt
            while before != learnt:  # new values may occur elsewhere; looking for them is faster than detecting again
                text, before, learnt = self._pass(text, read=False), learnt, self.learnt
        if learnt == self.learnt:
            self._clean_texts((learnt, covered)).add(text)
        return text

    def sanitize_around(self, text: str, public: Stretches) -> tuple[str, Stretches]:
        """Mask a text with public stretches, in which nothing is detected; also returns their new positions."""
        self.look_up(text)
        while True:
            learnt = self.learnt
            masked, moved = self._around(text, public, read=True)
            if masked == text:
                return text, public
            text, public = masked, moved
            while learnt != self.learnt:
                learnt = self.learnt
                text, public = self._around(text, public, read=False)

    def replace_known(self, text: str) -> str:
        """The text with a token for each known value and each match of the user's patterns. Nothing is detected or
        learned: for definitions, skills and the workbench's own sentences."""
        self.search_new_answers()
        if text in self._known_free_texts(self.state):
            return text
        covered = self.look_up(text)
        state = self.learnt, covered
        replaced = self._replace_known(text)
        if replaced == text and state == self.state:
            self._known_free_texts(state).add(text)
        return replaced

    def _known_free_texts(self, state: _State) -> SeenTexts:
        """Texts without known values in this state."""
        known, texts = self._known_free
        if known != state:
            texts = SeenTexts()
            self._known_free = (state, texts)
        return texts

    def _replace_known(self, text: str) -> str:
        rules = self.rules
        if not self.known and not rules.patterns:
            return text
        masked, _ = self._blanked(text)
        seen = (one for one in self.known.find(masked) if not rules.lets_pass(one.value))
        known = [(one.start, one.end, *self.origin(one.value)) for one in seen]
        known = [one for one in known if one[2] == CUSTOM or not is_ordinary(text[one[0] : one[1]])]
        return self._with_tokens(text, [*by_patterns(masked, rules)], known)

    def sanitize_json(self, value: JsonValue, public: Callable[[str], bool] | None = None) -> JsonValue:
        """The same structure with tokens; a value's key takes precedence over its form. `public` says whether a text is
        public, so that only known values are replaced in it."""

        def leaf(leaf: JsonValue, kind: Kind | None) -> JsonValue:
            if public is not None and isinstance(leaf, str) and public(leaf):
                return self._replace_known(leaf)
            return self._leaf(leaf, kind, covered)

        covered = self.look_up("\n".join(texts_and_numbers(value)))
        try:
            while (clean := rebuild(value, leaf, self.rules)) != value:
                value = clean  # values found late may also occur earlier
            return clean
        except RecursionError:
            raise WorkbenchError("The value is nested too deeply to be searched for personal data.") from None

    def _clean_texts(self, state: _State) -> SeenTexts:
        """Texts with nothing to mask in this state."""
        known, texts = self._clean
        if known != state:
            texts = SeenTexts()
            self._clean = (state, texts)
        return texts

    def _pass(self, text: str, *, read: bool) -> str:
        if len(text) < _LONG:
            return self._once(text, read=read)
        with pause_gc():
            return self._once(text, read=read)

    def _once(self, text: str, *, read: bool) -> str:
        """The text with a token for each known value and each finding of the detector."""
        masked, literals = self._blanked(text)
        rules = self.rules
        seen = (one for one in self.known.find(masked) if not rules.lets_pass(one.value))
        known = [(one.start, one.end, *self.origin(one.value)) for one in seen]
        told = self._detect(masked) if read else ()
        return self._with_tokens(text, [*literals, *told], known)

    def _around(self, text: str, public: Stretches, *, read: bool) -> tuple[str, Stretches]:
        """One pass over a text with public stretches. In them, only known values and matches of the user's patterns are
        replaced, and in long ones, known values that are ordinary words stay."""
        masked, literals = self._blanked(text)
        rules = self.rules
        seen = (one for one in self.known.find(masked) if not rules.lets_pass(one.value))
        known = [(one.start, one.end, *self.origin(one.value)) for one in seen]
        known = [one for one in known if not self._is_ordinary_in_public(text, one, public)]
        told = self._detect(masked) if read else ()
        found = [one for one in (*literals, *told) if public.around(one.start, one.end) is None]
        edits: list[tuple[int, int, int]] = []
        return self._with_tokens(text, [*found, *by_patterns(masked, rules)], known, edits), public.moved(edits)

    def _is_ordinary_in_public(self, text: str, known: _Known, public: Stretches) -> bool:
        start, end, kind, _ = known
        stretch = public.around(start, end)
        return stretch is not None and stretch.long and kind != CUSTOM and is_ordinary(text[start:end])

    def _with_tokens(
        self, text: str, found: list[DetectedSpan], known: list[_Known], edits: list[tuple[int, int, int]] | None = None
    ) -> str:
        """The text with a token for each stretch, of the value itself if JSON wrote its letters by numbers. Sources are
        the servers whose known values cover it: a server that knows a postal code did not supply the address. `edits`
        receives start, end and new length of each replacement."""
        if not found and not known:
            return text
        found = [*found, *(DetectedSpan(start, end, kind) for start, end, kind, _ in known)]
        sources = sorted((start, end, servers) for start, end, _, servers in known)
        parts, at, first = [], 0, 0
        for part in merge_findings(found):
            spans: dict[str, list[tuple[int, int]]] = {}
            while first < len(sources) and sources[first][0] < part.end:
                start, end, servers = sources[first]
                for server in servers:
                    spans.setdefault(server, []).append((start, end))
                first += 1
            suppliers = {server for server, own in spans.items() if _covers(text, part.start, part.end, own)}
            stretch = _ESCAPED.sub(_unescaped, text[part.start : part.end])
            parts += [text[at : part.start], self.token(part.kind, stretch, None, suppliers, part.why)]
            if edits is not None:
                edits.append((part.start, part.end, len(parts[-1])))
            at = part.end
        return "".join([*parts, text[at:]])

    def _blanked(self, text: str) -> tuple[str, list[DetectedSpan]]:
        """The text with all tokens and look-alikes blanked out, and the look-alikes that are no tokens of this
        session."""
        literals: list[DetectedSpan] = []
        parts: list[str] = []
        at = 0
        for match in find_tokens(text):
            start, end = match.span()
            if self.read(match.group()) is None:
                literals.append(DetectedSpan(start, end, LITERAL))
            parts += [text[at:start], "\0" * (end - start)]
            at = end
        return "".join([*parts, text[at:]]) if parts else text, literals

    def _leaf(self, leaf: JsonValue, kind: Kind | None, covered: tuple[int, int]) -> JsonValue:
        text = as_text(leaf)
        told = kind and "\0" not in text and kind.accepts(plain(visible(text))) and not self.rules.lets_pass(text)
        if kind and told and not self.waives(text.strip()) and next(find_tokens(text), None) is None:
            normalize_token = text.strip()
            number = leaf if isinstance(leaf, int | float) else None
            suppliers = self.origin(fold(normalize_token))[1]
            return text.replace(normalize_token, self.token(kind.name, normalize_token, number, suppliers), 1)
        return self._sanitize(leaf, covered) if isinstance(leaf, str) else self._number(leaf)

    def _number(self, number: int | float) -> JsonValue:
        """The token of a number that is a known value, else the number."""
        folded = self.known.number(as_text(number).lstrip("-"))
        if folded is None:
            return number
        kind, servers = self.origin(folded)
        return self.token(kind, as_text(number), number, servers)

    def restore_json(self, value: JsonValue, server: str, *, allow_foreign: bool = False) -> JsonValue:
        """The value with the real data, for a call to this server. Rejects damaged, unknown and foreign tokens."""
        if not self.has_tokens(value):
            return value
        foreign = [item for item in self.restorations(value, server) if item.foreign]
        if foreign and not allow_foreign:
            raise refusal(foreign)
        return rebuild(value, lambda leaf, _: self._restore_leaf(leaf))

    def has_tokens(self, value: JsonValue) -> bool:
        """Whether a text in the value looks like a token."""
        return any("_" in text and LOOKALIKE.search(text) for text in texts(value))

    def restorations(self, value: JsonValue, server: str) -> tuple[Restoration, ...]:
        """What restoring would send to this server, by kind and source; raises for a token that does not resolve."""
        seen: dict[int, tuple[StoredValue, str]] = {}
        for text in texts(value):
            for held, token in self._held_in(text) if "_" in text else ():
                if held.kind != LITERAL:
                    if (
                        server
                        and server not in held.sources
                        and _is_telling(held)
                        and self._lookup.occurs(held.text, server)
                    ):
                        held.sources.add(server)
                    seen.setdefault(id(held), (held, token))
        tokens: dict[tuple[str, str], list[str]] = {}
        for held, token in seen.values():
            tokens.setdefault((held.kind, _source(held, server)), []).append(token)
        return tuple(
            Restoration(kind, len(found), source, server, source != server, tokens=tuple(found))
            for (kind, source), found in tokens.items()
        )

    def restore(self, text: str) -> str:
        """The text with real values, for the user. Tokens that do not resolve stay."""
        return LOOKALIKE.sub(lambda match: self._value(match.group()) or match.group(), text)

    def reveal(self, token: str) -> str:
        """The value of one token."""
        return self.resolve(token.strip()).text

    def _value(self, token: str) -> str | None:
        held = self.read(token)
        if held is None:
            return None
        return quote(held.text, safe="", errors="surrogatepass") if is_percent_encoded(token) else held.text

    def _held_in(self, text: str) -> Iterator[tuple[StoredValue, str]]:
        found = (match.group() for match in LOOKALIKE.finditer(text))
        return ((self.resolve(token), normalize_token(token)) for token in found)

    def _restore_leaf(self, leaf: JsonValue) -> JsonValue:
        if not isinstance(leaf, str):
            return leaf
        whole = self.read(leaf)
        return whole.number if whole is not None and whole.number is not None else self.restore(leaf)

    def remove_truncated_values(self, text: str, public: Stretches | None = None) -> str:
        """Masked text without the remaining pieces of known values that the program cut. `public` has the stretches
        that did not come from the program."""
        return self._truncated.remove_from(text, public)

    def seal(self, value: JsonValue, source: str) -> str:
        """A token for the whole value of a sealed field."""
        number = value if isinstance(value, int | float) else None
        return self.token(SEALED, as_text(value), number, {source})

    def shows(self, data: bytes) -> bool:
        """Whether a known value occurs in these bytes, as in the metadata of a picture."""
        text = data.decode("latin-1")
        readable = "\n".join(_PRINTABLE.findall(text))
        self.look_up(readable if len(readable) <= _MOST_PRINTABLE else readable[:_HALF] + readable[-_HALF:])
        return self.known.occurs_in(text)


def _is_telling(held: StoredValue) -> bool:
    """Whether a value is too long to occur in an answer that lists all possible ones, as of dates or four digits."""
    return held.kind != "DOB" and sum(map(str.isalnum, held.text)) >= _TELLING


def _unescaped(match: re.Match[str]) -> str:
    letter = chr(int(match[1], 16))
    return letter if letter.isalnum() else match[0]


def _covers(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether all letters and digits of a stretch are in these spans, which are sorted."""
    for first, last in (*spans, (end, end)):
        if any(map(str.isalnum, text[start:first])):
            return False
        start = max(start, last)
    return True


def _source(held: StoredValue, server: str) -> str:
    if server in held.sources:
        return server
    return ", ".join(sorted(held.sources)) or HERE


HERE = "this session"  # the source of a value that no server supplied


class Restoration(Struct, frozen=True):
    """How many values of one kind and source a call would send to a server: "2 e-mail addresses from crm would be sent
    to mail.send"."""

    kind: str
    count: int
    source: str
    server: str
    foreign: bool  # the server that would get them did not supply them
    tool: str = ""  # tool of that server, if known
    tokens: tuple[str, ...] = ()  # normalised: `EMAIL_1.K7Q2`

    def __str__(self) -> str:
        place = f"{self.server}.{self.tool}" if self.tool else self.server
        return f"{plural(self.kind, self.count)} from {self.source} would be sent to {place}"


def refusal(foreign: Sequence[Restoration]) -> WorkbenchError:
    """The error that these values are not restored; its hint says that the user can allow it."""
    words = "; ".join(map(str, foreign))
    hint = "Values are restored only for the server that supplied them, unless the user allows more."
    return WorkbenchError(f"{words}.", hint)
