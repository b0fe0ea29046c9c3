"""Runs as rows: those that wait for a person first, then those on their way, then the history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from workbench.gui.rows import Row
from workbench.gui.text import one_line, visible
from workbench.gui.words import ago, countdown, first_sentence, risk_word, run_state_word
from workbench.records import Run, RunState

UNDERWAY = frozenset({RunState.PROPOSED, RunState.CHECKED, RunState.RUNNING})
URGENT_SECONDS = 30
"""From here on the countdown is shown in the colour of danger."""


def run_rows(runs: Iterable[Run], now: float) -> list[Row]:
    """The whole list, with a heading over each part that is not empty."""
    ordered = sorted(runs, key=lambda run: run.proposal.at, reverse=True)
    waiting = sorted((run for run in ordered if run.state is RunState.WAITING), key=lambda run: run.deadline)
    same = Counter(map(_question, waiting))
    first = {_question(run): run.id for run in reversed(waiting)}
    waiting = [run for run in waiting if first[_question(run)] == run.id]  # identical requests are one row
    underway = [run for run in ordered if run.state in UNDERWAY]
    ended = [run for run in ordered if run.state is not RunState.WAITING and run.state not in UNDERWAY]
    rows: list[Row] = []
    for key, title, part in (
        ("waiting", "Waiting for you", waiting),
        ("underway", "On their way", underway),
        ("ended", "Earlier", ended),
    ):
        if part:
            rows.append(Row(f"section:{key}", title, aside=str(len(part)), section=True))
            rows.extend(run_row(run, now, same[_question(run)] if key == "waiting" else 0) for run in part)
    return rows


def _question(run: Run) -> tuple[str, str]:
    """What one answer is for: the same text in the same meaning, asked by the same session."""
    return (run.fingerprint, run.proposal.session) if run.fingerprint else (run.id, "")


def run_row(run: Run, now: float, same: int = 0) -> Row:
    """One run: what it does, who asked, and how it stands; `same`: how many requests of this question wait."""
    word = run_state_word(run)
    waiting = run.state is RunState.WAITING
    badges: tuple[tuple[str, str], ...] = ()
    if run.verdict and (waiting or run.state in UNDERWAY):
        risk = risk_word(run.verdict.risk)
        badges = ((risk.text, risk.tone), *(((f"{same} ×", "accent"),) if same > 1 else ()))
    if run.proposal.dry_run:
        badges = (*badges, ("Dry run", "info"))
    if run.held:
        badges = (*badges, ("Files wait for you", "warning"))
    return Row(
        key=run.id,
        title=visible(run_title(run)),
        detail=f"{visible(run.proposal.author)} · {_detail(run)}",
        aside=countdown(run.deadline, now) if waiting else ago(run.proposal.at, now),
        aside_tone="danger" if waiting and run.deadline - now <= URGENT_SECONDS else "muted",
        icon=word.icon,
        tone=word.tone,
        badges=badges,
        strong=waiting,
        tip=f"{visible(run_title(run))}\n{visible(run.proposal.author)} · {_detail(run)}",
    )


def held_words(run: Run) -> str:
    """What a program that has ended wants to change of files that are not its own."""
    names = ", ".join(one_line(path, 60) for path in run.held[:3]) + (" …" if len(run.held) > 3 else "")
    many = "A program of {0} wants to change {1} files: {2}"
    one = "A program of {0} wants to change {2}"
    return (one if len(run.held) == 1 else many).format(one_line(run.proposal.author, 60), len(run.held), names)


def run_title(run: Run) -> str:
    """What the analyzer says it does; else the skill; else the author's claim; else the first line."""
    if run.proposal.skill:
        return run.proposal.skill
    if run.verdict and run.verdict.sentence:
        return run.verdict.sentence
    return first_sentence(run.proposal.purpose) or first_sentence(run.proposal.code) or run.id


def _detail(run: Run) -> str:
    word = run_state_word(run).text
    if run.state is RunState.REFUSED and run.decision and run.decision.reason:
        return f"{word}: {visible(first_sentence(run.decision.reason))}"
    if run.fault and run.state not in (RunState.WAITING, RunState.RUNNING):
        return f"{word}: {visible(first_sentence(run.fault.message))}"
    if run.calls:
        calls = "{}, 1 tool call" if len(run.calls) == 1 else "{}, {} tool calls"
        return calls.format(word, len(run.calls))
    return word
