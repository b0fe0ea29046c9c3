"""What an agent says about itself and its wishes, made fit to be shown: one line, and nobody else's name."""

from __future__ import annotations

from typing import Final

LONGEST_NAME: Final = 80  # characters
NOT_AGENTS: Final = frozenset({"you", "person", "user", "the user", "the workbench", "workbench"})


def agent_name(claimed: str) -> str:
    """The name an agent gave itself, on one line, and never one that audit and library have for the person."""
    name = shortened(claimed, LONGEST_NAME)
    return f'an agent named "{name}"' if name.casefold() in NOT_AGENTS else name or "an agent"


def shortened(text: str, letters: int) -> str:
    """One line of what can be seen, no longer than this."""
    plain = "".join(mark if mark.isprintable() else " " for mark in text[: 4 * letters])
    line = " ".join(plain.split())
    return line if len(line) <= letters else f"{line[: letters - 1]}…"
