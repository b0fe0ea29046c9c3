"""Agent sessions: one for each agent connection and one for the user, each with its own vault and ledger."""

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
from workbench.privacy.public_texts import PublicProgram, PublicTexts, Stretches
from workbench.privacy.sealed_values import SealedValues
from workbench.privacy.text_kinds import KindMarks, Part, TextKind
from workbench.privacy.user_marks import StartRules
from workbench.privacy.value_store import Source
from workbench.privacy.vault import Vault
from workbench.records import JsonObject, JsonValue, Ledger, Origin, Place, ToolSummary
from workbench.secrets.secret_masking import SecretMasks
from workbench.tokens import add
from workbench.workspace.directory_scan import Stamp

KEEP_SECONDS = 600.0  # how long the session of a disconnected agent is kept, if none of its runs is
MOST_WEIGHT = 20_000  # maximum vault values in sessions of disconnected agents; one takes 4 to 5 KB
BYTES_OF_A_VALUE = 4_000  # of kept answers that count as one value
PAST_SESSIONS = 200  # released sessions whose tokens are still listed in the report
_EDGE = 400  # characters; longer than any address or number
_SEARCHES = 5  # recent searches of a session to which later calls are attributed
_SEARCH_SECONDS = 900.0  # a later call is not attributed to the search
PERSON = "person"  # the id of the session that all clients of the user share
PREVIEW = "preview"  # id of the session for previews of what a model would see; it makes no calls
_REMEMBERED = 20_000  # characters; shorter texts of a server are remembered and kept only once


class Session:
    """One agent session; its PII tokens never resolve in a different session."""

    def __init__(self, name: str, origin: Origin, author: str, masked: Callable[[], bool], masks: SecretMasks) -> None:
        self.id = name
        self.origin = origin
        self.author = author
        self.client_claims: Mapping[str, str] = {}  # what the agent declares about its client and its model
        # the name it gave itself; if two connected agents have the same name, `author` has a number
        self.claimed_name = author
        self.connected = True
        self.left_at = 0.0  # when its agent disconnected, by the monotonic clock
        self.vault = Vault(name)
        self.token_history = TokenHistory()
        self.text_kinds = KindMarks()
        self.public_texts = PublicTexts()  # definitions and code that its programs received
        self.registrations = AnswerRegistrations()  # of answers that were shown to the user before they were masked
        self._kept = SeenTexts()  # short texts that were kept
        self.ledger = Ledger()
        self.provenance = ProvenanceIndex(self.vault.answers)
        self.allowed_values: set[tuple[str, ...]] = (
            set()
        )  # values that the user allowed: server, tool, rule, path, value
        # server and destination, from outsiders' text, that the user allowed
        self.allowed_destinations: set[tuple[str, str]] = set()
        # kind, source, receiving server and tool → number of values
        self.released_values: Counter[tuple[str, str, str, str]] = Counter()
        self.sealed = SealedValues(self.vault)
        self.sealed_tools: dict[str, bool] = {}  # sealed tools that answered → whether the agent was notified
        self.guesses = 0  # number of comparisons of sealed values with texts
        # workspace files that were searched for personal data → size, time
        self.searched_files: dict[str, tuple[int, float]] = {}
        self._following = StartRules()
        self._audit_vault = Vault(self.id)  # for texts that only the audit contains, see `mask_apart`
        self.created_files: dict[str, Stamp] = {}  # workspace files that its programs made, with their last state
        # whether the ledger has counted the definitions, which direct use would load once
        self.knows_definitions = False
        self._searches: deque[tuple[float, str, frozenset[tuple[str, str]]]] = deque(maxlen=_SEARCHES)
        self._reported: Counter[str] = Counter()  # tokens that were reported to the audit
        # shown arguments of the latest calls: arguments, masking state, text
        self.shown_arguments: dict[int, tuple[JsonObject, object, str]] = {}
        self._is_masking = masked
        self._masks = masks  # stored secrets, which are masked whatever the settings for personal data are

    def add_search(self, question: str, found: Iterable[ToolSummary]) -> None:
        """Remember a search for a while: its masked query and the tools found."""
        tools = frozenset((one.server, one.name) for one in found)
        if question.strip() and tools:
            self._searches.append((time.monotonic(), self.mask(question), tools))

    def find_queries(self, server: str, tool: str) -> list[str]:
        """Return the recent search queries whose results contained a tool that has run now."""
        since = time.monotonic() - _SEARCH_SECONDS
        return [question for at, question, tools in self._searches if at >= since and (server, tool) in tools]

    def keep(self, text: str, source: Source) -> None:
        """Keep a text from a server or file, so that its personal data is found when a part of it leaves."""
        server = source.server if isinstance(source, Place) else source
        key = f"{server}\0{text}" if len(text) <= _REMEMBERED else ""
        if key and key in self._kept:  # the same text of the same server contains nothing new
            return
        try:
            self.vault.keep(text, source)
        except WorkbenchError:
            if self.origin is Origin.AGENT:
                raise
            self._forget_answers()  # the user's session never ends, and no model reads it
            self.vault.keep(text, source)
        if key:
            self._kept.add(key)

    def _forget_answers(self) -> None:
        self.vault.forget_answers()
        self._kept = SeenTexts()
        self.provenance.forget_answers()
        self.provenance.add_answers(self.vault.answers)

    @property
    def masking_state(self) -> object:
        """A value that compares unequal as soon as a text might be masked differently."""
        if self._is_masking():
            self.vault.search_new_answers()
        return self.vault, self.vault.state, self._masks.known, self._is_masking()

    @property
    def masks_personal_data(self) -> bool:
        """Whether personal data is replaced by tokens."""
        return self._is_masking()

    def mask(self, text: str) -> str:
        """Return the text as the model of this session may see it."""
        text = self._masks.mask(text)
        return self.vault.sanitize(text) if self._is_masking() else text

    def look_up(self, texts: Iterable[str]) -> None:
        """Look several texts up in the answers at once, which is faster than when each is masked."""
        if self._is_masking():
            self.vault.look_up("\n".join(texts))

    def mask_known(self, text: str) -> str:
        """Mask a definition, a skill or a sentence of the workbench: known values only, nothing is detected or
        registered."""
        text = self._masks.mask(text)
        return self.vault.replace_known(text) if self._is_masking() else text

    def mask_part(self, text: str, kind: TextKind) -> str:
        """Mask a part of a text according to its kind. Stored secrets are masked in every kind."""
        if kind is TextKind.DATA:
            return self.mask(text)
        return self.mask_known(text) if kind is TextKind.PUBLIC else self._masks.mask(text)

    def mask_parts(self, parts: Sequence[Part], code: str = "") -> str:
        """Mask a text of several parts, whose data parts come from a program with this code; a value found in one
        part is replaced in all."""
        program = PublicProgram(code)
        while True:
            state = self.masking_state
            masked = [
                self.mask_output(text, program) if kind is TextKind.DATA else self.mask_part(text, kind)
                for text, kind in parts
            ]
            if state == self.masking_state:
                return "".join(masked)

    def mask_for_audit(self, text: str, letters: int = 0) -> str:
        """Mask a text that an agent wrote, for the audit: detected values get tokens of a separate vault, so that
        the agent still gets its own text back unchanged. `letters`: only the first so many characters."""
        whole = not letters or len(text) <= letters
        text = self._masks.mask(text if whole else text[: letters + _EDGE])
        if self._is_masking():
            text = self.vault.replace_known(self._mask_detected(text))
        if whole:
            return text
        start = text[:-_EDGE]
        return start[: cut_before(start, letters)]

    def _mask_detected(self, text: str) -> str:
        parts, at = list[str](), 0
        for token in find_tokens(text):  # existing tokens are kept
            parts += [self._audit_vault.sanitize(text[at : token.start()]), token.group()]
            at = token.end()
        return "".join([*parts, self._audit_vault.sanitize(text[at:])])

    def mask_start(self, text: str, letters: int) -> str:
        """Return the first `letters` characters of a text, masked before it is cut; a value that may be cut is
        removed."""
        if len(text) <= letters:
            return self.mask(text)
        start = self.mask(text[: letters + _EDGE])[:-_EDGE]
        return start[: cut_before(start, letters)]

    def mask_output(self, text: str, program: PublicProgram | None = None) -> str:
        """Mask text that a program made, which may have cut values anywhere. Nothing is detected in texts that the
        workbench gave to the program, or in lines of its own code in a traceback."""
        public = self.public_texts.stretches(text, program) if self._is_masking() else ()
        if not public:
            text = self.mask(text)
            return self.vault.remove_truncated_values(text) if self._is_masking() else text
        if (bare := self._masks.mask(text)) != text:
            public = self.public_texts.stretches(bare, program)
        return self.vault.remove_truncated_values(*self.vault.sanitize_around(bare, Stretches(public)))

    def mask_json(self, value: JsonValue) -> JsonValue:
        """Return a value as audit and model may see it."""
        value = self._masks.mask_json(value)
        return self.vault.sanitize_json(value) if self._is_masking() else value

    def mask_result(self, value: JsonValue) -> JsonValue:
        """Mask what a program returned; nothing is detected in texts that the workbench gave to the program."""
        value = self._masks.mask_json(value)
        return self.vault.sanitize_json(value, self.public_texts.has) if self._is_masking() else value

    def needs_masking(self, data: bytes) -> bool:
        """Whether bytes, which cannot be masked, contain something that would have to be masked."""
        return self._masks.mask_bytes(data) != data or (self._is_masking() and self.vault.shows(data))

    def follow(self, following: StartRules) -> None:
        """Apply new marks and settings for personal data; texts that were read under others will be read again."""
        if following == self._following:
            return
        self._following = following
        self._reset_detection()

    def _reset_detection(self) -> None:
        self.vault.follow(self._following.rules)
        self._audit_vault = Vault(self.id)
        self._audit_vault.follow(self._following.rules)
        for kind, value in self._following.known:
            self.vault.learn(kind, value)

    def count_new_values(self) -> dict[str, int]:
        """Return how many values of each kind got a token since the last call of this method; for the audit."""
        found = Counter(self.vault.counts_by_kind())
        new, self._reported = found - self._reported, found
        return dict(sorted(new.items()))

    def forget(self) -> int:
        """Delete every value and return their number. Earlier tokens then have no value, because new tokens are made
        with a new key. The answers stay, because programs may hold what they read and print it later."""
        known = len(self.vault.issued())
        self.vault, self.token_history = self.vault.renewed(self.id), TokenHistory()
        self.sealed = SealedValues(self.vault)
        self._reset_detection()
        self.released_values.clear()
        return known

    @property
    def weight(self) -> int:
        """Return the memory use, counted in values."""
        return self.vault.learnt + self.provenance.weight // BYTES_OF_A_VALUE

    def release(self) -> None:
        """Release everything large; other objects may still hold the session."""
        self.vault.forget_answers()
        self.provenance = ProvenanceIndex()
        self.forget()
        self.text_kinds = KindMarks()
        for kept in (
            self.allowed_values,
            self.allowed_destinations,
            self.sealed_tools,
            self.created_files,
            self.shown_arguments,
            self._searches,
        ):
            kept.clear()

    def spend(self, ledger: Ledger) -> None:
        self.ledger = add(self.ledger, ledger)


class Sessions:
    """All sessions of this core. The session of a disconnected agent stays for a while, so that late answers find
    their vault and the user can reveal the tokens of its runs; then it is released."""

    def __init__(
        self, masked: Callable[[], bool], masks: SecretMasks | None = None, memory: SessionMemory | None = None
    ) -> None:
        self._memory = memory or SessionMemory(None, lambda: 0)
        self._is_masking = masked
        self._masks = masks or SecretMasks()
        self._all = {PERSON: Session(PERSON, Origin.PERSON, "you", masked, self._masks)}
        self.past: dict[str, Session] = {}  # sessions of earlier cores, whose tokens the user may reveal
        self.preview = Session(PREVIEW, Origin.PERSON, "you", masked, self._masks)
        self._following = StartRules()
        # id, author, origin and ledger of released sessions
        self.released: deque[tuple[str, str, Origin, Ledger]] = deque(maxlen=PAST_SESSIONS)
        self._spent = Ledger()  # model tokens of all released sessions

    @property
    def person(self) -> Session:
        return self._all[PERSON]

    def open(self, author: str) -> Session:
        """Open the session of a new agent, with an id that cannot be guessed."""
        while (name := f"agent-{secrets.token_hex(3)}") in self._all:
            pass
        session = Session(name, Origin.AGENT, author, self._is_masking, self._masks)
        session.follow(self._following)
        self._all[session.id] = session
        return session

    def reopen(
        self,
        name: str,
        author: str,
        agent: str,
        claims: Mapping[str, str],
        kinds: Iterable[str],
        private_servers: Iterable[str],
    ) -> Session:
        """Return the session of an earlier core again, for its programs that still wait for approval; its agent is
        disconnected. `kinds` and `private_servers`: what it had read."""
        session = Session(name, Origin.AGENT, author, self._is_masking, self._masks)
        session.claimed_name, session.client_claims = agent, claims
        session.follow(self._following)
        session.provenance = self._memory.load(agent, session.provenance)
        session.provenance.kinds |= frozenset(kinds)
        session.provenance.private_servers |= frozenset(private_servers)
        self.past.pop(name, None)
        self._all[session.id] = session
        self.mark_disconnected(session)
        return session

    def restore(self, name: str, author: str, vault: Vault) -> None:
        """Restore a session of an earlier core, which only the user can look at: it has no agent and no calls."""
        session = Session(name, Origin.AGENT, author, self._is_masking, self._masks)
        session.vault = vault
        self.past[name] = session

    def follow(self, following: StartRules) -> None:
        """Apply marks and settings for personal data to every session, including later ones."""
        if following == self._following:
            return
        self._following = following
        for session in self._all.values():
            session.follow(following)
        self.preview.follow(following)
        self.preview.forget()  # so that the preview shows the user's change at once

    def set_name(self, session: Session, author: str) -> None:
        """Set the name that an agent gave; what it read in an earlier connection counts for this session too."""
        taken = {one.author for one in self._all.values() if one.connected and one is not session}
        numbered = (f"{author} ({number})" for number in count(2))
        session.claimed_name = author
        session.author = next(name for name in chain([author], numbered) if name not in taken)
        session.provenance = self._memory.load(author, session.provenance)

    def mark_disconnected(self, session: Session) -> None:
        """Mark a session's agent as disconnected. Its name is free again; the session stays for a while, because
        late answers still need its vault."""
        session.connected, session.left_at = False, time.monotonic()

    def release(self, at_work: Container[str], kept: Container[str]) -> list[Session]:
        """Release sessions of disconnected agents, oldest first, and return them: those older than `KEEP_SECONDS`
        whose runs are not in `kept`, and more while all together exceed `MOST_WEIGHT`. A session in `at_work` is
        never released, and the one that disconnected last only because of its age."""
        gone = [one for one in self._all.values() if not one.connected and one.id not in at_work]
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
        """Store the kinds of text that a session has read, after a run or a connection has ended, for later cores."""
        if session.origin is Origin.AGENT:
            self._memory.store(session.claimed_name, session.provenance)

    def get(self, name: str) -> Session | None:
        return self._all.get(name)

    def client(self, name: str) -> str:
        """Return the name that the client of an agent session gave itself; empty for other sessions."""
        session = self._all.get(name)
        return session.claimed_name if session is not None and session.origin is Origin.AGENT else ""

    def author(self, name: str) -> str:
        """Return the author of a session; its id if the session has ended."""
        session = self._all.get(name)
        return session.author if session is not None else name

    def all(self) -> tuple[Session, ...]:
        return tuple(self._all.values())

    def total(self) -> Ledger:
        """Return what all sessions together saved and spent."""
        ledger = self._spent
        for session in self._all.values():
            ledger = add(ledger, session.ledger)
        return ledger


MOST_NAMES: Final = 200  # remembered names of agents; the one that was inactive longest is dropped first
MOST_LETTERS: Final = 40_000_000  # characters of answers held for all names; of dropped ones the kinds are kept
_LATE: Final = 60.0  # seconds by which the stored time may be behind
_NOTHING: Final = (frozenset[str](), 0.0)
_KINDS: Final = frozenset({UNTRUSTED, PRIVATE})


class SessionMemory:
    """Remembers what kinds of text agents have read, by the agent's name, across connections and cores of one
    project."""

    def __init__(self, file: Path | None, minutes: Callable[[], int], clock: Callable[[], float] = time.time) -> None:
        """`file`: without one, nothing outlives the core. `minutes`: how long to remember; 0 means not at all."""
        self._file = file
        self._minutes = minutes
        self._clock = clock
        self._known: dict[str, ProvenanceIndex] = {}
        self._kept = self._read()

    def load(self, name: str, fresh: ProvenanceIndex) -> ProvenanceIndex:
        """Return what an agent of this name had read when it connected; `fresh` if nothing is remembered."""
        key, since = _key(name), self._clock() - self._minutes() * 60
        before = self._known.get(key)
        if before is not None and (not before.last_read_at or before.last_read_at >= since):
            if before.characters <= MOST_LETTERS:
                before.add_connection(fresh)
                return before
            fresh.add_kinds(before)
        kinds, at = self._kept.get(key, _NOTHING)
        if at >= since:
            fresh.kinds |= kinds
            if PRIVATE in kinds:
                fresh.private_servers |= {""}
            fresh.last_read_at = max(fresh.last_read_at, at)
        self._know(key, fresh)
        return fresh

    def store(self, name: str, read: ProvenanceIndex) -> None:
        """Store which kinds this name has read, and when. The file is not written after each program, because a
        stored time that is slightly behind changes nothing."""
        key, since = _key(name), self._clock() - self._minutes() * 60
        if (newest := self._known.get(key)) is None or newest.last_read_at < read.last_read_at:
            self._know(key, read)  # of several connections, the latest to read counts
        kinds, at = self._kept.get(key, _NOTHING)
        kinds = kinds if at >= since else frozenset()
        if read.last_read_at < since or (read.kinds <= kinds and read.last_read_at < at + _LATE):
            return
        self._kept[key] = (read.kinds | kinds, read.last_read_at)
        for old in sorted(self._kept, key=lambda one: self._kept[one][1])[: max(0, len(self._kept) - MOST_NAMES)]:
            del self._kept[old]
        self._write()

    def _know(self, key: str, read: ProvenanceIndex) -> None:
        self._known.pop(key, None)
        self._known[key] = read
        since = self._clock() - self._minutes() * 60
        for old in [
            one
            for one, found in self._known.items()
            if found.last_read_at and found.last_read_at < since and one != key
        ]:
            del self._known[old]
        letters = sum(found.characters for found in self._known.values())
        while len(self._known) > 1 and (len(self._known) > MOST_NAMES or letters > MOST_LETTERS):
            letters -= self._known.pop(next(iter(self._known))).characters

    def _read(self) -> dict[str, tuple[frozenset[str], float]]:
        """Read the file; an unreadable file counts as empty."""
        try:
            found = json.loads(read_plain(self._file, "ascii")) if self._file is not None else {}
            return {str(key): (frozenset(map(str, kinds)) & _KINDS, float(at)) for key, (kinds, at) in found.items()}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return {}

    def _write(self) -> None:
        """Write the file. A failure is ignored: a later core then knows less, as if the time had expired."""
        if self._file is None:
            return
        told: Mapping[str, object] = {key: (sorted(kinds), at) for key, (kinds, at) in self._kept.items()}
        with suppress(WorkbenchError):
            write_file(self._file, json.dumps(told), durable=False)


def _key(name: str) -> str:
    """Return a hash of the name, because the name itself may be personal."""
    return hashlib.sha256(" ".join(name.split()).casefold().encode("utf-8", "surrogatepass")).hexdigest()[:32]
