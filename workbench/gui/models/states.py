"""Kept states as rows: whose it is, what it holds, and when it ends by itself."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.gui.rows import Row
from workbench.gui.text import one_line, visible
from workbench.gui.words import ago, countdown, level_word
from workbench.records import KeptState


def state_key(state: KeptState) -> str:
    """One state of one author; names alone may be there twice."""
    return f"{state.session}\n{state.name}"


def state_rows(states: Iterable[KeptState], now: float) -> list[Row]:
    """In the order given."""
    return [_row(state, now) for state in states]


def _row(state: KeptState, now: float) -> Row:
    one = state.programs == 1
    programs = ("{} program" if one else "{} programs").format(state.programs)
    memory = f"{round(state.memory_mb)} MB" if state.memory_mb else ""
    since = f"began {_since(state.began, now)}"
    facts = " · ".join(filter(None, (one_line(state.author, 60), programs, memory, since, _last(state, now))))
    where = f"In {level_word(state.level)} ({state.backend})." if state.level else ""
    return Row(
        key=state_key(state),
        title=visible(state.name),
        detail=facts,
        aside="at work" if state.busy else countdown(state.expires, now),
        icon="loader" if state.busy else "layers",
        tone="accent" if state.busy else "muted",
        tip="\n".join(filter(None, (visible(state.name), facts, where))),
    )


def _last(state: KeptState, now: float) -> str:
    return "" if state.busy else f"last used {_since(state.used, now)}"


def _since(at: float, now: float) -> str:
    word = ago(at, now)
    return word if now - at < 60 else f"{word} ago"
