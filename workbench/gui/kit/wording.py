"""Texts of the window for states, risks, times, sizes, token counts and verdicts, with their icons and colour roles."""

from __future__ import annotations

import time

from msgspec import Struct

from workbench.records import Hints, Risk, Run, RunState, ServerState, ServerStatus, SkillState, Tool, Verdict
from workbench.tokens import ESTIMATE, with_counter


class StateText(Struct, frozen=True):
    """How a state is shown: text, icon and colour role."""

    text: str
    icon: str
    tone: str  # a colour role


def run_word(state: RunState) -> StateText:
    return {
        RunState.PROPOSED: StateText("Proposed", "circle", "muted"),
        RunState.CHECKED: StateText("Checked", "circle", "muted"),
        RunState.WAITING: StateText("Waiting for you", "hourglass", "warning"),
        RunState.RUNNING: StateText("Running", "play", "info"),
        RunState.DONE: StateText("Done", "check", "success"),
        RunState.REFUSED: StateText("Refused", "ban", "danger"),
        RunState.FAILED: StateText("Failed", "alert", "danger"),
        RunState.STOPPED: StateText("Stopped", "stop", "muted"),
        RunState.INTERRUPTED: StateText("Interrupted", "bolt", "warning"),
    }[state]


def was_denied(run: Run) -> bool:
    """Whether the user denied the program or did not answer in time. Otherwise a rule refused it."""
    if run.state is not RunState.REFUSED:
        return False
    return run.deadline > 0 if run.decision is None else not run.decision.allow


def run_state_word(run: Run) -> StateText:
    """The state of a run, also while it is stopping or its answer is prepared."""
    if run.stopping:
        return StateText("Stopping…", "stop", "warning")
    if run.preparing:
        return StateText("Preparing the answer…", "loader", "info")
    word = run_word(RunState.REFUSED if run.denied_until else run.state)
    return StateText("Denied", word.icon, word.tone) if was_denied(run) or run.denied_until else word


def state_word(state: ServerState) -> StateText:
    """The state of a server: the same word everywhere."""
    word = server_word(state.status)
    if state.status is ServerStatus.STOPPED and state.config.disabled:
        return StateText("Disabled", word.icon, word.tone)
    return word


def server_word(status: ServerStatus) -> StateText:
    return {
        ServerStatus.STOPPED: StateText("Stopped", "circle", "faint"),
        ServerStatus.STARTING: StateText("Starting…", "loader", "warning"),
        ServerStatus.READY: StateText("Ready", "dot", "success"),
        ServerStatus.FAILED: StateText("Failed", "alert", "danger"),
    }[status]


def skill_word(state: SkillState) -> StateText:
    return {
        SkillState.DRAFT: StateText("Draft", "pencil", "warning"),
        SkillState.KEPT: StateText("Kept", "bookmark", "success"),
        SkillState.RETIRED: StateText("Retired", "archive", "faint"),
    }[state]


def risk_word(risk: Risk) -> StateText:
    return {
        Risk.LOW: StateText("Low risk", "shield-check", "success"),
        Risk.MEDIUM: StateText("Medium risk", "shield", "warning"),
        Risk.HIGH: StateText("High risk", "shield-alert", "danger"),
        Risk.CRITICAL: StateText("Critical risk", "shield-alert", "critical"),
    }[risk]


UNVERIFIED = StateText("Unverified", "help", "muted")
"""A risk that rests only on annotations of a server about which the user has not decided."""


def verdict_word(verdict: Verdict) -> StateText:
    """The risk of a program; “unverified” if it asks only because the user has not decided about a server."""
    return UNVERIFIED if verdict.waits_for_trust else risk_word(verdict.risk)


def hint_words(hints: Hints) -> tuple[tuple[str, str], ...]:
    """Annotations of a tool as badges: text and tone, the dangerous one first."""
    words: list[tuple[str, str]] = []
    if hints.destructive and not hints.read_only:
        words.append(("destructive", "danger"))
    if hints.read_only:
        words.append(("reads", "success"))
    elif hints.read_only is False and not hints.destructive:
        words.append(("writes", "warning"))
    if hints.open_world and not hints.read_only:
        words.append(("reaches out", "info"))
    return tuple(words)


def is_unverified(tool: Tool) -> bool:
    """Whether neither the trusted server nor the user says if the tool changes anything."""
    return tool.hints.read_only is None and tool.hints.destructive is None


def clock(at: float) -> str:
    """The time of day, with the date if it is not today."""
    moment, today = time.localtime(at), time.localtime()
    same_day = (moment.tm_year, moment.tm_yday) == (today.tm_year, today.tm_yday)
    return time.strftime("%H:%M:%S" if same_day else "%d %b %H:%M", moment)


def ago(at: float, now: float | None = None) -> str:
    """How long ago, in one short text."""
    seconds = max(0.0, (time.time() if now is None else now) - at)
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    if seconds < 86_400:
        return f"{int(seconds // 3600)} h"
    return f"{int(seconds // 86_400)} d"


def countdown(deadline: float, now: float | None = None) -> str:
    """The minutes and seconds that are left."""
    left = max(0, round(deadline - (time.time() if now is None else now)))
    return f"{left // 60}:{left % 60:02d}"


def time_left(deadline: float, stopped_with: float, now: float | None = None) -> str:
    """The minutes and seconds that a request has left, also while its clock is stopped with so many seconds."""
    return countdown(stopped_with, 0.0) if stopped_with else countdown(deadline, now)


def duration(ms: float) -> str:
    if ms < 1:
        return "<1 ms"
    if ms < 1000:
        return f"{ms:.0f} ms"
    return f"{ms / 1000:.1f} s" if ms < 60_000 else f"{ms / 60_000:.1f} min"


def amount(number: int) -> str:
    """A count for the status bar: 950, 12.3k, 4.1M."""
    if number < 1000:
        return str(number)
    if number < 1_000_000:
        return f"{number / 1000:.1f}k".replace(".0k", "k")
    return f"{number / 1_000_000:.1f}M".replace(".0M", "M")


def first_sentence(text: str) -> str:
    """The first line of a text, for a list row."""
    return " ".join(text.strip().split("\n", 1)[0].split())


def language_word(language: str) -> str:
    """The proper name of a program's language."""
    return {"python": "Python", "typescript": "TypeScript", "json": "JSON", "markdown": "Markdown", "toml": "TOML"}.get(
        language, language
    )


def level_word(level: str) -> str:
    """A level of isolation in a sentence."""
    return {
        "process": "the process sandbox",
        "container": "a container",
        "vm": "a virtual machine",
    }.get(level, level)


_made_by = [ESTIMATE]


def learn_counter(name: str) -> None:
    """Set what counted the tokens, as the core's status says."""
    _made_by[0] = name


def cost(number: int, made_by: str = "") -> str:
    """A number of tokens as text; `made_by`: what counted it, if it is known."""
    return with_counter(amount(number), made_by or _made_by[0])


def tokens_text(number: int, made_by: str = "") -> str:
    """A number of tokens without what counted it, for places where a tooltip says that."""
    return f"{'≈ ' if (made_by or _made_by[0]) == ESTIMATE else ''}{amount(number)} token{'' if number == 1 else 's'}"


_USUAL = "write_restricted"
_SHOWN = 4  # required tools that are named


def bounds_words(verdict: Verdict) -> str:
    """Why a program asks, what a rule allows, and the limits of the run, as far as they differ from the usual ones."""
    parts = [*verdict.asks, *verdict.allowed]
    if verdict.required:
        names = ", ".join(verdict.required[:_SHOWN]) + (" …" if len(verdict.required) > _SHOWN else "")
        parts.append(f"May call only {names}.")
    if verdict.profile is not None and verdict.profile.name != _USUAL:
        words = "Runs with the profile {0}: {1}"
        parts.append(words.format(verdict.profile.name, verdict.profile.sentence))
    return "\n".join(parts)


_KIND_LABELS = {
    "BANK": "Bank account",
    "CARD": "Card number",
    "DOB": "Date of birth",
    "EMAIL": "E-mail address",
    "IBAN": "IBAN",
    "IP": "IP address",
    "MAC": "MAC address",
    "NATIONAL_ID": "National ID",
    "ORG": "Organization",
    "PHONE": "Phone number",
    "SSN": "Social security number",
    "URL_CREDENTIAL": "Credential in a URL",
}


def kind_label(kind: str) -> str:
    """The name of a kind of personal data: `DOB` is a date of birth."""
    return _KIND_LABELS.get(kind, kind.replace("_", " ").capitalize())
