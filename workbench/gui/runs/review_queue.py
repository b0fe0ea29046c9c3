"""The order of what waits for the user in the Review dialog, and how each request is described in its list."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import StateText, countdown, risk_word, verdict_word
from workbench.gui.runs.pending_strip import elicitation_source, elicitation_title
from workbench.gui.runs.run_rows import URGENT_SECONDS, request_of, run_sentence
from workbench.gui.shell.store import Store
from workbench.records import Ask, HeldCall, Run, RunState
from workbench.records.common_types import count_of

_SENTENCE = 200  # characters of what a request would do
_AUTHOR = 60
_NOT_ASSESSED = StateText("Not assessed", "help", "warning")


class QueueEntry(Struct, frozen=True):
    """One entry of the list: a program with those that one answer applies to, a held call, or an elicitation."""

    key: str  # the id of its request, of several programs of the first
    sentence: str
    author: str
    risk: StateText  # or what a server asks for
    deadline: float = math.inf
    count: int = 1


def queue_entries(store: Store) -> list[QueueEntry]:
    """Everything that can be decided in the Review dialog, what ends first at the front."""
    entries = _programs(run for run in store.runs.values() if run.state is RunState.WAITING)
    entries += map(_of_held_call, store.held_calls.values())
    entries += map(_of_elicitation, store.elicitations.values())
    return sorted(entries, key=lambda entry: entry.deadline)


def _programs(waiting: Iterable[Run]) -> list[QueueEntry]:
    """Programs with identical requests are one entry."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in sorted(waiting, key=lambda run: run.deadline or math.inf):
        groups.setdefault(request_of(run), []).append(run)
    return [_of_run(runs[0], len(runs)) for runs in groups.values()]


def _of_run(run: Run, count: int) -> QueueEntry:
    return QueueEntry(
        run.id,
        one_line(run_sentence(run), _SENTENCE),
        one_line(run.proposal.author, _AUTHOR),
        verdict_word(run.verdict) if run.verdict is not None else _NOT_ASSESSED,
        run.deadline or math.inf,
        count,
    )


def _of_held_call(held_call: HeldCall) -> QueueEntry:
    calls = count_of(held_call.more + 1, "call")
    what = one_line(held_call.sentence or f"Calls {held_call.server}.{held_call.tool}", _SENTENCE)
    if held_call.is_answer:
        what = "Waits to send its answer"
    elif held_call.more:
        what = f"{calls}: {what}"
    author = one_line(held_call.author, _AUTHOR)
    return QueueEntry(held_call.id, what, author, risk_word(held_call.risk), held_call.deadline or math.inf)


def _of_elicitation(ask: Ask) -> QueueEntry:
    title = elicitation_title(ask)
    return QueueEntry(ask.id, title.text, elicitation_source(ask), title, ask.deadline or math.inf)


def queue_row(entry: QueueEntry, now: float) -> Row:
    """One row of the list: what the request would do, who makes it, and the time that is left."""
    limited = entry.deadline < math.inf
    badges = ((f"{entry.count} ×", "accent"),) if entry.count > 1 else ()
    left = countdown(entry.deadline, now) if limited else ""
    return Row(
        key=entry.key,
        title=entry.sentence,
        detail=entry.author or "A program",
        aside=left,
        aside_tone="danger" if limited and entry.deadline - now <= URGENT_SECONDS else "muted",
        icon=entry.risk.icon,
        tone=entry.risk.tone,
        spoken=entry.risk.text,
        badges=badges,
        tip=f"{entry.sentence}\n{entry.author}",
    )


def in_order(before: Sequence[str], entries: Sequence[QueueEntry], kept: str = "") -> list[str]:
    """The keys in the order in which they were shown before, new ones at the end. `kept`: stays although it ended."""
    now = {entry.key for entry in entries}
    order = [key for key in before if key in now or key == kept]
    known = set(order)
    return order + [entry.key for entry in entries if entry.key not in known]
