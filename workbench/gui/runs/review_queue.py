"""What waits for the user in the Review dialog: its order, its groups, and how each entry is described in the list."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from workbench.gui.code.code_view import ORDER
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import StateText, risk_word, time_left, verdict_word
from workbench.gui.runs.pending_strip import elicitation_source, elicitation_title
from workbench.gui.runs.run_rows import URGENT_SECONDS, request_of, run_sentence
from workbench.gui.shell.store import Store
from workbench.records import Ask, HeldCall, Origin, RequestGroup, Risk, Run
from workbench.records.common_types import count_of
from workbench.records.stated_facts import call_sentence

_SENTENCE = 200  # characters of what a request would do
_AUTHOR = 60
_NOT_ASSESSED = StateText("Not assessed", "help", "warning")


class QueueEntry(Struct, frozen=True):
    """One entry of the list: programs of one form, a held call, or an elicitation."""

    key: str  # the id of its request, or of its group
    members: tuple[str, ...]  # ids of requests; of identical ones only the first, because one answer applies to all
    sentence: str
    author: str
    risk: StateText  # or what a server asks for
    deadline: float = math.inf
    clock_left: float = 0.0  # seconds left while its clock is stopped; 0: it runs
    sessions: tuple[str, ...] = ()  # of the agents
    count: int = 1  # how many requests wait, identical ones included


class QueueGroups:
    """Groups of waiting programs of the same form, with a key that stays while programs come and go."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}  # id of a run → key of its group
        self._tables: dict[str, RequestGroup] = {}
        self.answered: set[str] = set()
        """Requests whose answer was accepted, until the core reports that they no longer wait."""

    def note_answered(self, ids: Iterable[str], store: Store) -> None:
        """Leave these requests out, and forget earlier ones that no longer wait."""
        waiting = {run.id for run in store.runs.values() if run.awaits_answer} | store.held_calls.keys()
        self.answered = (self.answered | set(ids)) & waiting

    def take(self, groups: Sequence[RequestGroup]) -> None:
        """Use what the core answered about the programs that wait now."""
        keys: dict[str, str] = {}
        self._tables = {}
        for group in groups:
            known = (self._keys[run_id] for run_id in group.ids if run_id in self._keys)
            key = next((one for one in known if one not in self._tables), f"group:{group.ids[0]}")
            if len(group.ids) > 1 or key in self._keys.values():
                self._tables[key] = group
                keys |= dict.fromkeys(group.ids, key)
        self._keys = keys

    def key_of(self, run_id: str) -> str:
        """The key of the entry that a run belongs to."""
        return self._keys.get(run_id, run_id)

    def table(self, key: str) -> RequestGroup | None:
        """The table of a group with several programs."""
        return self._tables.get(key)


def waiting_programs(store: Store, groups: QueueGroups) -> dict[str, list[Run]]:
    """Programs that wait, by the id of the first of identical ones, what ends first at the front."""
    waiting = [run for run in store.runs.values() if run.awaits_answer and run.id not in groups.answered]
    waiting.sort(key=lambda run: run.deadline or math.inf)
    identical: dict[tuple[str, str], list[Run]] = {}
    for run in waiting:
        identical.setdefault(request_of(run), []).append(run)
    return {runs[0].id: runs for runs in identical.values()}


def queue_entries(store: Store, groups: QueueGroups) -> list[QueueEntry]:
    """Everything that can be decided in the Review dialog, what ends first at the front."""
    by_key: dict[str, list[list[Run]]] = {}
    for first, runs in waiting_programs(store, groups).items():
        by_key.setdefault(groups.key_of(first), []).append(runs)
    entries = [_of_runs(key, identical) for key, identical in by_key.items()]
    held_calls = (call for call in store.held_calls.values() if call.id not in groups.answered)
    entries += map(_of_held_call, held_calls)
    entries += map(_of_elicitation, store.elicitations.values())
    return sorted(entries, key=lambda entry: entry.deadline)


def _of_runs(key: str, identical: Sequence[Sequence[Run]]) -> QueueEntry:
    firsts = [runs[0] for runs in identical]
    every = [run for runs in identical for run in runs]
    assessed = [run for run in firsts if run.verdict is not None]
    worst = max(assessed, key=lambda run: ORDER.index(_risk(run)), default=firsts[0])
    authors = tuple(dict.fromkeys(run.proposal.author for run in every))
    others = f" and {len(authors) - 1} more" if len(authors) > 1 else ""
    return QueueEntry(
        key,
        tuple(run.id for run in firsts),
        one_line(run_sentence(worst), _SENTENCE),
        one_line(authors[0], _AUTHOR) + others,
        verdict_word(worst.verdict) if worst.verdict and len(assessed) == len(firsts) else _NOT_ASSESSED,
        firsts[0].deadline or math.inf,
        firsts[0].clock_left,
        tuple(dict.fromkeys(run.proposal.session for run in every if run.proposal.origin is Origin.AGENT)),
        len(every),
    )


def _risk(run: Run) -> Risk:
    return run.verdict.risk if run.verdict is not None else Risk.HIGH


def _of_held_call(held_call: HeldCall) -> QueueEntry:
    what = one_line(call_sentence(held_call), _SENTENCE)
    if held_call.is_answer:
        what = "Waits to send its answer"
    elif held_call.more and held_call.sentence:
        what = f"{count_of(held_call.more + 1, 'call')}: {what}"
    return QueueEntry(
        held_call.id,
        (held_call.id,),
        what,
        one_line(held_call.author, _AUTHOR),
        risk_word(held_call.risk),
        held_call.deadline or math.inf,
        held_call.clock_left,
        (held_call.session,) if held_call.author != "you" else (),
    )


def _of_elicitation(ask: Ask) -> QueueEntry:
    title = elicitation_title(ask)
    return QueueEntry(ask.id, (ask.id,), title.text, elicitation_source(ask), title, ask.deadline or math.inf)


def queue_row(entry: QueueEntry, now: float) -> Row:
    """One row of the list: what the request would do, who makes it, and the time that is left."""
    limited = entry.deadline < math.inf
    left = time_left(entry.deadline, entry.clock_left, now) if limited else ""
    urgent = limited and not entry.clock_left and entry.deadline - now <= URGENT_SECONDS
    title = f"{entry.count} × {entry.sentence}" if entry.count > 1 else entry.sentence
    return Row(
        key=entry.key,
        title=title,
        detail=entry.author or "A program",
        aside=left,
        aside_tone="danger" if urgent else "muted",
        icon=entry.risk.icon,
        tone=entry.risk.tone,
        wraps=True,
        spoken=entry.risk.text,
        tip=f"{title}\n{entry.author}",
    )


def in_order(before: Sequence[str], entries: Mapping[str, QueueEntry], kept: str = "") -> list[str]:
    """The keys in the order in which they were shown before, new ones at the end. A group takes the place of its first
    member. `kept`: stays although it ended."""
    group_of = {member: entry.key for entry in entries.values() for member in entry.members}
    moved = (key if key in entries else group_of.get(key, key) for key in before)
    order = list(dict.fromkeys(key for key in moved if key in entries or key == kept))
    known = set(order)
    return order + [key for key in entries if key not in known]


class ReviewQueue:
    """What waits, in the order in which the list shows it: while the user works it off nothing moves, new requests
    join at the end, and what waits again returns to its place."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._entries: dict[str, QueueEntry] = {}
        self._before: tuple[QueueEntry, ...] = ()  # the list when something was answered last
        self.groups = QueueGroups()
        self.order: list[str] = []
        """The keys of the entries."""

    def get(self, key: str) -> QueueEntry | None:
        return self._entries.get(key)

    def collect(self, kept: str) -> None:
        """Read what waits now. `kept` is in the list in any case."""
        self.groups.note_answered((), self._store)
        entries = self._read()
        self.order = in_order(self.order, entries, kept)
        if kept and kept not in self.order:
            self.order.append(kept)

    def drop_ended(self, kept: Collection[str]) -> None:
        """Leave out what no longer waits, except `kept`."""
        entries = self._read()
        self.order = [key for key in self.order if key in entries or key in kept]

    def listed(self) -> tuple[QueueEntry, ...]:
        """The entries in their order."""
        return tuple(self._entries[key] for key in self.order if key in self._entries)

    def place(self, key: str) -> int:
        """The place of an entry in the list; 0 where it is not in it."""
        return self.order.index(key) if key in self.order else 0

    def count(self, until: int | None = None) -> int:
        """How many requests there are up to a place, those that are identical or of one group included."""
        return sum(self._entries[key].count if key in self._entries else 1 for key in self.order[:until])

    def waiting_ids(self) -> set[str]:
        """The ids of everything that waits."""
        return {member for entry in queue_entries(self._store, self.groups) for member in entry.members}

    def waiting_runs(self) -> dict[str, Run]:
        """The programs that wait; of identical ones the first."""
        return {run_id: runs[0] for run_id, runs in waiting_programs(self._store, self.groups).items()}

    def ids_of_session(self, session: str) -> tuple[str, ...]:
        """The ids of all requests of an agent session that wait, also of those in groups with other agents."""
        runs = [run.id for run in self._store.runs.values() if run.awaits_answer and run.proposal.session == session]
        held_calls = [call.id for call in self._store.held_calls.values() if call.session == session]
        return tuple(one for one in (*runs, *held_calls) if one not in self.groups.answered)

    def rename(self, before: str, after: str) -> None:
        """A held call waits under a new id: it keeps its place."""
        self.order = [after if key == before else key for key in self.order]

    def note_places(self) -> None:
        """Remember the list, for a denial that is undone."""
        self._before = self.listed()

    def put_back(self, ids: Sequence[str], kept: str) -> list[str]:
        """Let requests wait again in their place of before, in front of what followed them there. Returns the keys of
        their entries. `kept` stays in the list in any case."""
        known = set(self.order)
        self.groups.answered -= set(ids)
        self.collect(kept)
        keys = [key for key in self.order if set(ids) & set(self._entries[key].members)]
        keys += [key for key in self.order if key not in known and key not in keys]  # a held call has a new id
        self.order = [key for key in self.order if key not in keys]
        for key in keys:
            members = {key, *ids} if len(keys) == 1 else {key, *self._entries[key].members}
            old = next((place for place, one in enumerate(self._before) if members & set(one.members)), None)
            followers = self._before[old + 1 :] if old is not None else ()
            following = next((one.key for one in followers if one.key in self.order), "")
            self.order.insert(self.order.index(following) if following else len(self.order), key)
        return keys

    def _read(self) -> dict[str, QueueEntry]:
        entries = {entry.key: entry for entry in queue_entries(self._store, self.groups)}
        self._entries |= entries
        return entries


def rows_without_run(store: Store, now: float) -> list[Row]:
    """What waits and belongs to no run: calls of other clients' own tools, and requests of servers."""
    entries = [_of_held_call(call) for call in store.held_calls.values() if call.run_id not in store.runs]
    entries += [_of_elicitation(ask) for ask in store.elicitations.values()]
    return [queue_row(entry, now) for entry in entries]
