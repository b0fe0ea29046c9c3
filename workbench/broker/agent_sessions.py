"""Agent sessions: one for each agent connection and one for the user, each with a vault and a ledger of its own."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from typing import Final

from workbench.broker.answer_registration import AnswerRegistrations
from workbench.broker.provenance_index import PRIVATE, UNTRUSTED, ProvenanceIndex
from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file
from workbench.privacy.detectors.detector import SeenTexts
from workbench.privacy.pii_tokens import TokenHistory, cut_before, find_tokens
from workbench.privacy.public_texts import Program, PublicTexts, Stretches
from workbench.privacy.sealed_values import SealedValues
from workbench.privacy.text_kinds import KindMarks, Part, TextKind
from workbench.privacy.user_marks import Following
from workbench.privacy.value_store import Source
from workbench.privacy.vault import Vault
from workbench.records import JsonObject, JsonValue, Ledger, Origin, Place, ToolSummary
from workbench.secrets.secret_masking import Masks
from workbench.tokens import add
from workbench.workspace.directory_scan import Stamp

KEEP_SECONDS = 600.0  # how long a session whose agent left is kept, if no run of it is
MOST_WEIGHT = 20_000  # values of sessions whose agents left; one takes 4 to 5 KB
LETTERS_OF_A_VALUE = 4_000  # characters of answers that weigh as much as a value
PAST_SESSIONS = 200  # released sessions whose tokens are still listed in the report
_EDGE = 400  # characters; no address or number is longer
_SEARCHES = 5  # of a session that later calls are looked up in
_SEARCH_SECONDS = 900.0  # a call that comes later has another reason
PERSON = "person"  # the id of the session that all clients of the user share
PREVIEW = "preview"  # of the session in which the user looks at what a model would see; nothing is called in it
_REMEMBERED = 20_000  # characters of a server's text that is not read a second time


class Session:
    """One agent session; its PII tokens never resolve in a different one."""

    def __init__(self, name: str, origin: Origin, author: str, masked: Callable[[], bool], masks: Masks) -> None:
        self.id = name
        self.origin = origin
        self.author = author
        self.declared: Mapping[str, str] = {}  # what the agent says of its program and its model
        self.called = author  # the name it gave itself; of two that are here under one name, `author` has a number
        self.present = True
        self.left_at = 0.0  # when its agent left, by the monotonic clock
        self.vault = Vault(name)
        self.token_history = TokenHistory()
        self.text_kinds = KindMarks()
        self.public_texts = PublicTexts()  # definitions and code that its programs were handed
        self.registrations = AnswerRegistrations()  # of answers that their user saw before they were looked through
        self._registered = SeenTexts()
        self.ledger = Ledger()
        self.provenance = ProvenanceIndex()
        self.permitted: set[tuple[str, ...]] = set()  # values that the user let pass: server, tool, rule, path, value
        self.given: Counter[tuple[str, str, str, str]] = Counter()  # kind, whose, to which server and tool → how many
        self.sealed = SealedValues(self.vault)
        self.seals: dict[str, bool] = {}  # sealed tools that answered → whether the agent was told
        self.guesses = 0  # how often sealed values were compared with texts
        self.files: dict[str, tuple[int, float]] = {}  # of the workspace that were read for personal data → size, time
        self._following = Following()
        self._apart = Vault(self.id)  # for what only the audit reads, see `mask_apart`
        self.made: dict[str, Stamp] = {}  # files of the workspace that its programs made, as they left them
        self.knows_definitions = False  # direct use would have loaded every definition once
        self._searches: deque[tuple[float, str, frozenset[tuple[str, str]]]] = deque(maxlen=_SEARCHES)
        self._told: Counter[str] = Counter()  # tokens that the audit knows of
        self.shown: dict[int, tuple[JsonObject, object, str]] = {}  # of the last calls: arguments, what hid, text
        self._masked = masked
        self._masks = masks  # stored secrets: hidden whatever is set for personal data

    def searched(self, question: str, found: Iterable[ToolSummary]) -> None:
        """Remember for a while what was looked for, masked, and what was shown."""
        tools = frozenset((one.server, one.name) for one in found)
        if question.strip() and tools:
            self._searches.append((time.monotonic(), self.mask(question), tools))

    def questions(self, server: str, tool: str) -> list[str]:
        """The fresh questions that a tool, which has run now, was shown for."""
        since = time.monotonic() - _SEARCH_SECONDS
        return [question for at, question, tools in self._searches if at >= since and (server, tool) in tools]

    def register(self, text: str, source: Source, read: Callable[[str], JsonValue]) -> None:
        """Learn the personal data in a text that a server sent, as the value that `read` makes of it."""
        server = source.server if isinstance(source, Place) else source
        key = f"{server}\0{text}" if len(text) <= _REMEMBERED else ""
        if not key or key not in self._registered:  # reading a text of the same server again teaches nothing
            self.vault.register(read(text), source)
            if key:
                self._registered.add(key)

    @property
    def hidden_by(self) -> object:
        """Compares unequal as soon as a text might be masked otherwise than before."""
        return self.vault, self.vault.learnt, self._masks.known, self._masked()

    @property
    def hides(self) -> bool:
        """Whether personal data is replaced by tokens at all."""
        return self._masked()

    def mask(self, text: str) -> str:
        """Text as the model of this session may see it."""
        text = self._masks.mask(text)
        return self.vault.sanitize(text) if self._masked() else text

    def mask_known(self, text: str) -> str:
        """The same for a definition, a skill or a sentence of ours: known values only, nothing is guessed or learnt."""
        text = self._masks.mask(text)
        return self.vault.replace_known(text) if self._masked() else text

    def mask_part(self, text: str, kind: TextKind) -> str:
        """A part of a text, looked through as its kind asks. Stored secrets leave in none."""
        if kind is TextKind.DATA:
            return self.mask(text)
        return self.mask_known(text) if kind is TextKind.PUBLIC else self._masks.mask(text)

    def mask_parts(self, parts: Sequence[Part], code: str = "") -> str:
        """A text of several parts, of which the data was made by a program with this code; what is found in one of them
        is replaced in all."""
        program = Program(code)
        while True:
            learnt = self.vault.learnt
            masked = [
                self.mask_output(text, program) if kind is TextKind.DATA else self.mask_part(text, kind)
                for text, kind in parts
            ]
            if learnt == self.vault.learnt:
                return "".join(masked)

    def mask_apart(self, text: str, letters: int = 0) -> str:
        """For the audit, a text that an agent wrote: what is guessed to be personal gets tokens of a vault apart, so
        that its program's own words come back to the agent as it wrote them. `letters`: of its start alone."""
        whole = not letters or len(text) <= letters
        text = self._masks.mask(text if whole else text[: letters + _EDGE])
        if self._masked():
            text = self.vault.replace_known(self._guess_apart(text))
        if whole:
            return text
        start = text[:-_EDGE]
        return start[: cut_before(start, letters)]

    def _guess_apart(self, text: str) -> str:
        parts, at = list[str](), 0
        for token in find_tokens(text):  # tokens stay what they are
            parts += [self._apart.sanitize(text[at : token.start()]), token.group()]
            at = token.end()
        return "".join([*parts, self._apart.sanitize(text[at:])])

    def mask_start(self, text: str, letters: int) -> str:
        """The first letters of a text, masked before it is cut: what may be half of a value goes too."""
        if len(text) <= letters:
            return self.mask(text)
        start = self.mask(text[: letters + _EDGE])[:-_EDGE]
        return start[: cut_before(start, letters)]

    def mask_output(self, text: str, program: Program | None = None) -> str:
        """The same for what a program made, which may have cut a text anywhere. In texts that the workbench handed to
        it, and in the lines of its own that a traceback shows, nothing is guessed."""
        public = self.public_texts.stretches(text, program) if self._masked() else ()
        if not public:
            text = self.mask(text)
            return self.vault.remove_truncated_values(text) if self._masked() else text
        if (bare := self._masks.mask(text)) != text:
            public = self.public_texts.stretches(bare, program)
        return self.vault.remove_truncated_values(*self.vault.sanitize_around(bare, Stretches(public)))

    def mask_json(self, value: JsonValue) -> JsonValue:
        """A value as audit and model may see it."""
        value = self._masks.mask_json(value)
        return self.vault.sanitize_json(value) if self._masked() else value

    def mask_result(self, value: JsonValue) -> JsonValue:
        """The same for what a program returned: in texts that the workbench handed to it, nothing is guessed."""
        value = self._masks.mask_json(value)
        return self.vault.sanitize_json(value, self.public_texts.has) if self._masked() else value

    def shows(self, data: bytes) -> bool:
        """Whether something to be masked can be read in these bytes, in which nothing can be masked."""
        return self._masks.mask_bytes(data) != data or (self._masked() and self.vault.shows(data))

    def follow(self, following: Following) -> None:
        """Look for personal data as marks and settings say; what was read under others is read again."""
        if following == self._following:
            return
        self._following = following
        self._begin_looking()

    def _begin_looking(self) -> None:
        self.vault.follow(self._following.rules)
        self._apart = Vault(self.id)
        self._apart.follow(self._following.rules)
        for kind, value in self._following.known:
            self.vault.learn(kind, value)
        self._registered = SeenTexts()

    def made_since(self) -> dict[str, int]:
        """How many values of each kind got a token since this was asked last; for the audit."""
        found = Counter(self.vault.counts_by_kind())
        new, self._told = found - self._told, found
        return dict(sorted(new.items()))

    def forget(self) -> int:
        """Drop every value; answers how many there were. Tokens made before stand for nothing from now on, because the
        next ones are made with another key."""
        known = len(self.vault.issued())
        self.vault, self.token_history = Vault(self.id), TokenHistory()
        self.sealed = SealedValues(self.vault)
        self._begin_looking()
        self.given.clear()
        return known

    @property
    def weight(self) -> int:
        """What it takes of memory, counted in values."""
        return self.vault.learnt + self.provenance.letters // LETTERS_OF_A_VALUE

    def release(self) -> None:
        """Drop everything large; other objects may still hold the session."""
        self.forget()
        self.provenance = ProvenanceIndex()
        self.text_kinds = KindMarks()
        for kept in (self.permitted, self.seals, self.files, self.made, self.shown, self._searches):
            kept.clear()

    def spend(self, ledger: Ledger) -> None:
        self.ledger = add(self.ledger, ledger)


class Sessions:
    """All sessions of this core. One whose agent left stays for a while, so that late answers find their vault and the
    user can reveal the tokens of its runs; then it is released."""

    def __init__(
        self, masked: Callable[[], bool], masks: Masks | None = None, memory: SessionMemory | None = None
    ) -> None:
        self._memory = memory or SessionMemory(None, lambda: 0)
        self._masked = masked
        self._masks = masks or Masks()
        self._all = {PERSON: Session(PERSON, Origin.PERSON, "you", masked, self._masks)}
        self.past: dict[str, Session] = {}  # of earlier cores, whose tokens the user may reveal
        self.preview = Session(PREVIEW, Origin.PERSON, "you", masked, self._masks)
        self._following = Following()
        self.released: deque[tuple[str, str, Origin, Ledger]] = deque(maxlen=PAST_SESSIONS)  # what they spent
        self._spent = Ledger()  # by all that were released

    @property
    def person(self) -> Session:
        return self._all[PERSON]

    def open(self, author: str) -> Session:
        """A new agent's session, under a name that cannot be guessed."""
        while (name := f"agent-{secrets.token_hex(3)}") in self._all:
            pass
        session = Session(name, Origin.AGENT, author, self._masked, self._masks)
        session.follow(self._following)
        self._all[session.id] = session
        return session

    def bring_back(self, name: str, author: str, vault: Vault) -> None:
        """A session of an earlier core, which only the user can look at: no agent and no call reaches it."""
        session = Session(name, Origin.AGENT, author, self._masked, self._masks)
        session.vault = vault
        self.past[name] = session

    def follow(self, following: Following) -> None:
        """Every session, and each that begins later, looks for personal data so."""
        if following == self._following:
            return
        self._following = following
        for session in self._all.values():
            session.follow(following)
        self.preview.follow(following)
        self.preview.forget()  # so that the preview shows at once what the user changed

    def named(self, session: Session, author: str) -> None:
        """An agent said its name: what it read in an earlier connection, it has read."""
        taken = {one.author for one in self._all.values() if one.present and one is not session}
        numbered = (f"{author} ({number})" for number in count(2))
        session.called = author
        session.author = next(name for name in chain([author], numbered) if name not in taken)
        session.provenance = self._memory.of(author, session.provenance)

    def left(self, session: Session) -> None:
        """Its name is free again; it stays known for a while, because late answers still need its vault."""
        session.present, session.left_at = False, time.monotonic()

    def release(self, at_work: Container[str], kept: Container[str]) -> list[Session]:
        """Let go of sessions whose agents left, oldest first, and answer with them: those that left a while ago and
        whose runs are not `kept` any more, and as many more as weigh too much together. Never one `at_work`, and only
        for its age the one that left last."""
        gone = [one for one in self._all.values() if not one.present and one.id not in at_work]
        gone.sort(key=lambda one: one.left_at)
        weight, old = sum(one.weight for one in gone), time.monotonic() - KEEP_SECONDS
        released = []
        for one in gone:
            is_old = one.left_at <= old and one.id not in kept
            if is_old or (weight > MOST_WEIGHT and one is not gone[-1]):
                weight -= one.weight
                released.append(one)
                del self._all[one.id]
                self._spent = add(self._spent, one.ledger)
                if one.ledger.direct or one.ledger.actual:
                    self.released.append((one.id, one.author, one.origin, one.ledger))
        return released

    def remember(self, session: Session) -> None:
        """Its program or its conversation has ended: a later core shall know what kinds of text it has read."""
        if session.origin is Origin.AGENT:
            self._memory.keep(session.called, session.provenance)

    def get(self, name: str) -> Session | None:
        return self._all.get(name)

    def author(self, name: str) -> str:
        """Whose session it is, in words; the name itself where it is over."""
        session = self._all.get(name)
        return session.author if session is not None else name

    def all(self) -> tuple[Session, ...]:
        return tuple(self._all.values())

    def total(self) -> Ledger:
        """What all sessions together saved and spent."""
        ledger = self._spent
        for session in self._all.values():
            ledger = add(ledger, session.ledger)
        return ledger


MOST_NAMES: Final = 200  # names of agents that are remembered; the longest silent one goes first
MOST_LETTERS: Final = 40_000_000  # of answers that are held by all names; of who goes, the kinds stay known
_LATE: Final = 60.0  # seconds by which the time that is written may be late
_NOTHING: Final = (frozenset[str](), 0.0)
_KINDS: Final = frozenset({UNTRUSTED, PRIVATE})


class SessionMemory:
    """By the agent's name; a project and its core have one."""

    def __init__(self, file: Path | None, minutes: Callable[[], int], clock: Callable[[], float] = time.time) -> None:
        """`file`: without one nothing outlives the core. `minutes`: how long; 0 is not at all."""
        self._file = file
        self._minutes = minutes
        self._clock = clock
        self._known: dict[str, ProvenanceIndex] = {}
        self._kept = self._read()

    def of(self, name: str, fresh: ProvenanceIndex) -> ProvenanceIndex:
        """What a connection of this name has read as it begins; `fresh` where that is nothing."""
        key, since = _key(name), self._clock() - self._minutes() * 60
        before = self._known.get(key)
        if before is not None and (not before.at or before.at >= since):
            before.kinds |= fresh.kinds
            before.private_from |= fresh.private_from
            return before
        kinds, at = self._kept.get(key, _NOTHING)
        if at >= since:
            fresh.kinds |= kinds
            if PRIVATE in kinds:
                fresh.private_from |= {""}
            fresh.at = max(fresh.at, at)
        self._know(key, fresh)
        return fresh

    def keep(self, name: str, read: ProvenanceIndex) -> None:
        """Write down what kinds this name has read, and when. Not after each program: a time that is late by less than
        that changes nothing."""
        key, since = _key(name), self._clock() - self._minutes() * 60
        if (newest := self._known.get(key)) is None or newest.at < read.at:
            self._know(key, read)  # of several connections, the one that read last
        kinds, at = self._kept.get(key, _NOTHING)
        kinds = kinds if at >= since else frozenset()
        if read.at < since or (read.kinds <= kinds and read.at < at + _LATE):
            return
        self._kept[key] = (read.kinds | kinds, read.at)
        for old in sorted(self._kept, key=lambda one: self._kept[one][1])[: max(0, len(self._kept) - MOST_NAMES)]:
            del self._kept[old]
        self._write()

    def _know(self, key: str, read: ProvenanceIndex) -> None:
        self._known.pop(key, None)
        self._known[key] = read
        since = self._clock() - self._minutes() * 60
        for old in [one for one, found in self._known.items() if found.at and found.at < since and one != key]:
            del self._known[old]
        letters = sum(found.letters for found in self._known.values())
        while len(self._known) > 1 and (len(self._known) > MOST_NAMES or letters > MOST_LETTERS):
            letters -= self._known.pop(next(iter(self._known))).letters

    def _read(self) -> dict[str, tuple[frozenset[str], float]]:
        """What cannot be read says nothing of anybody."""
        try:
            found = json.loads(read_plain(self._file, "ascii")) if self._file is not None else {}
            return {str(key): (frozenset(map(str, kinds)) & _KINDS, float(at)) for key, (kinds, at) in found.items()}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return {}

    def _write(self) -> None:
        """A core must not fail for it: then a new core knows less, as if the time were over."""
        if self._file is None:
            return
        told: Mapping[str, object] = {key: (sorted(kinds), at) for key, (kinds, at) in self._kept.items()}
        with suppress(WorkbenchError):
            write_file(self._file, json.dumps(told), durable=False)


def _key(name: str) -> str:
    """The name itself may say who works on what."""
    return hashlib.sha256(" ".join(name.split()).casefold().encode("utf-8", "surrogatepass")).hexdigest()[:32]
