"""How runs are described in lists: their order, titles, outcomes and badges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.wording import ago, countdown, first_sentence, run_state_word, verdict_word, was_denied
from workbench.records import Gate, Run, RunState
from workbench.records.common_types import count_of
from workbench.records.runs import ENDS

UNDERWAY = frozenset({RunState.PROPOSED, RunState.CHECKED, RunState.RUNNING})
URGENT_SECONDS = 30
"""From here on the countdown is shown in the colour of danger."""
_NONE: Mapping[str, float] = {}
MOST_ENDED = 500
"""So many ended runs are shown; the audit has all of them."""


def run_rows(
    runs: Iterable[Run],
    now: float,
    held: Mapping[str, float] = _NONE,
    search: str = "",
    others: Sequence[Row] = (),
) -> list[Row]:
    """All rows, with a heading above each part that is not empty. `held`: when the held calls of a run are denied.
    `others`: what else waits for the user and belongs to no run of the list.

    Identical requests that wait are one row, because one answer applies to all of them.
    """
    ordered = sorted((run for run in runs if _fits(run, search)), key=_last_activity, reverse=True)
    waiting = [run for run in ordered if waits_for_user(run, held)]
    waiting.sort(key=lambda run: _deadline(run, held, now) or now)
    same = Counter(map(request_of, waiting))
    first = {request_of(run): run for run in reversed(waiting)}
    underway = [run for run in ordered if run.state in UNDERWAY and not waits_for_user(run, held)]
    ended = [run for run in ordered if (run.state in ENDS or run.denied_until) and not run.held][:MOST_ENDED]
    rows: list[Row] = []
    for key, title, part, shown in (
        ("waiting", "Waiting for you", waiting, [run for run in waiting if first[request_of(run)] is run]),
        ("underway", "Running", underway, underway),
        ("ended", "Earlier", ended, ended),
    ):
        more = others if key == "waiting" else ()
        if part or more:
            rows.append(Row(f"section:{key}", title, aside=f"{len(part) + len(more):,}", section=True))
            rows += [_run_row(run, now, same[request_of(run)], held) for run in shown]
            rows += more
    return rows


def waits_for_user(run: Run, held: Mapping[str, float]) -> bool:
    """Whether the program, one of its calls or its changes of files wait for a decision."""
    return run.awaits_answer or run.id in held or bool(run.held)


def held_files_sentence(run: Run) -> str:
    """What a program that has ended wants to change in files that are not its own."""
    names = ", ".join(one_line(path, 60) for path in run.held[:3]) + (" …" if len(run.held) > 3 else "")
    files = "" if len(run.held) == 1 else f"{count_of(len(run.held), 'file')}: "
    return f"A program of {one_line(run.proposal.author, 60)} wants to change {files}{names}"


def run_title(run: Run) -> str:
    """What tells runs apart: the skill, else the purpose that the author claims, else what the analysis says."""
    return run.proposal.skill or first_sentence(run.proposal.purpose) or run_sentence(run)


def run_sentence(run: Run) -> str:
    """What the analysis says about the program, else its purpose or first line."""
    if run.verdict and run.verdict.sentence:
        return run.verdict.sentence
    return first_sentence(run.proposal.purpose) or first_sentence(run.proposal.code) or run.id


def can_run_again(run: Run) -> bool:
    """Whether the user can run the program again as their own."""
    blocked = run.verdict is not None and run.verdict.gate is Gate.BLOCKED
    return run.state in ENDS and not blocked and not run.proposal.dry_run


def can_keep(run: Run) -> bool:
    """Whether a skill can be made of the run."""
    return not run.proposal.dry_run and run.state is RunState.DONE and run.proposal.language == "python"


def _fits(run: Run, search: str) -> bool:
    texts = (run_title(run), run_sentence(run), run.proposal.author, run_state_word(run).text, run.id)
    return all(part in " ".join(texts).casefold() for part in search.casefold().split())


def _last_activity(run: Run) -> float:
    return max(run.ended, run.started, run.proposal.at)


def request_of(run: Run) -> tuple[str, str]:
    """What one answer applies to: the same text with the same meaning, from the same session."""
    waiting = run.awaits_answer and run.fingerprint
    return (run.fingerprint, run.proposal.session) if waiting else (run.id, "")


def _deadline(run: Run, held: Mapping[str, float], now: float) -> float:
    """When the program or its held call is denied; 0: nothing is counted down. While the user reviews requests the
    time does not go on."""
    if run.awaits_answer:
        return now + run.clock_left if run.clock_left else run.deadline
    return held.get(run.id, 0.0)


def _run_row(run: Run, now: float, same: int, held: Mapping[str, float]) -> Row:
    """One run: its purpose, its state, what it does and who submitted it. `same`: how many identical requests wait."""
    state, deadline = run_state_word(run), _deadline(run, held, now)
    waiting = run.awaits_answer
    badges: list[tuple[str, str]] = []
    if run.verdict and (waiting or run.state in UNDERWAY):
        risk = verdict_word(run.verdict)
        badges.append((risk.text, risk.tone))
    if same > 1:
        badges.append((f"{same} ×", "accent"))
    if run.id in held:
        badges.append(("Answer waits" if run.preparing else "Call waits", "warning"))
    if run.held:
        badges.append(("Files wait", "warning"))
    if run.proposal.dry_run:
        badges.append(("Dry run", "info"))
    title, sentence = visible(run_title(run)), visible(run_sentence(run))
    facts = [sentence if sentence != title else "", visible(run.proposal.author)]
    facts.insert(len(facts) if waiting else 0, _outcome(run))  # the heading says already that it waits
    detail = " · ".join(fact for fact in facts if fact)
    return Row(
        key=run.id,
        title=title,
        detail=detail,
        aside=countdown(deadline, now) if deadline else ago(_last_activity(run), now),
        aside_tone="danger" if deadline and deadline - now <= URGENT_SECONDS else "muted",
        icon="hourglass" if run.id in held else state.icon,
        tone="warning" if run.id in held else state.tone,
        badges=tuple(badges),
        strong=waits_for_user(run, held),
        wraps=waits_for_user(run, held),
        tip=f"{title}\n{detail}",
    )


def _outcome(run: Run) -> str:
    state, reason = run_state_word(run).text, ""
    if was_denied(run) and run.decision:
        reason = run.decision.reason
    elif run.fault and run.state in ENDS:
        reason = run.fault.message
    if reason:
        return f"{state}: {visible(first_sentence(reason))}"
    return f"{state}, {count_of(len(run.calls), 'tool call')}" if run.calls else state
