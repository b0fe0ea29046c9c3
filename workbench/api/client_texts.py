"""Texts that the window and the command line share: times, agents' titles, the confirmation name."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Final

from workbench.records import Risk, Verdict

_SPANS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_LONGEST = 8  # characters of a time span


def parse_time(text: str, now: float | None = None) -> float | None:
    """Parse `30m` or `7d` ago, `today`, or a date or time in local time. None for anything else."""
    at = time.time() if now is None else now
    if text[:-1].isdecimal() and text.isascii() and text[-1:] in _SPANS and len(text) < _LONGEST:
        return at - int(text[:-1]) * _SPANS[text[-1]]
    days = {"today": 0, "yesterday": 1}
    if text in days:
        midnight = datetime.fromtimestamp(at).replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - timedelta(days=days[text])).timestamp()
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


_TITLES = {
    "claude-code": "Claude Code",
    "claude code": "Claude Code",
    "claude-ai": "Claude Desktop",
    "claude": "Claude",
    "cursor": "Cursor",
    "visual studio code": "VS Code",
    "vscode": "VS Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "goose": "goose",
    "windsurf": "Windsurf",
    "cline": "Cline",
    "lm-studio": "LM Studio",
}


def agent_title(name: str) -> str:
    """Return the title for a name that an agent gave itself; an unknown name is returned unchanged."""
    plain = name.strip().lower()
    return next((title for start, title in _TITLES.items() if plain.startswith(start)), name)


LONGEST: Final = 80  # characters that a user can be expected to type
_ORDER: Final = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)


def confirmation_name(verdict: Verdict) -> str:
    """Return the tool or target that makes a program risky; "allow" if nothing has a name. A text that the program
    shares with an earlier answer names neither, so it comes last."""
    worst = sorted(verdict.findings, key=lambda one: (one.rule == "flow.copied", -_ORDER.index(one.risk)))
    named = [finding.subject.strip() for finding in worst if finding.subject.strip()]
    used = [use.tool for use in verdict.tools]
    return next((name for name in (*named, *used) if len(name) <= LONGEST and name.isprintable()), "allow")
