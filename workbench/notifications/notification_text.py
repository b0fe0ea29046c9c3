"""The text of a notification about waiting requests, without more content than the settings allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from workbench.records import RequestKind, WaitingRequest
from workbench.records.common_types import worst

NAME, SENTENCE = 60, 240  # maximum characters


class NotificationText(Struct, frozen=True):
    """The text of a notification about all requests that wait."""

    title: str
    body: str
    count: int
    risk: str = ""  # the highest one; empty if no request has a risk


def describe(
    waiting: Sequence[WaitingRequest], project: str, *, content: bool, mask: Callable[[WaitingRequest], str]
) -> NotificationText:
    """The message about these requests. Without `content` it names kinds, agents, the project and the risk only.

    `mask` returns a request's sentence without personal data.
    """
    risks = [request.risk for request in waiting if request.risk is not None]
    risk = str(worst(risks)) if risks else ""
    where = f"Project {plain_line(project, NAME)}."
    if len(waiting) > 1:
        what = "programs" if {request.kind for request in waiting} == {RequestKind.PROGRAM} else "requests"
        risk_words = f"Highest risk: {risk}. " if risk else ""
        sentence = f"Newest: {_sentence(waiting[-1], mask)} " if content else ""
        return NotificationText(f"{len(waiting)} {what} wait", f"{risk_words}{sentence}{where}", len(waiting), risk)
    request = waiting[0]
    sentence = _sentence(request, mask) if content else ""
    risk_words = f"{risk.capitalize()} risk." if risk else ""
    return NotificationText(title_of(request), " ".join(filter(None, (risk_words, sentence, where))), 1, risk)


def _sentence(request: WaitingRequest, mask: Callable[[WaitingRequest], str]) -> str:
    return plain_line(mask(request) if request.sentence else title_of(request), SENTENCE)


def title_of(request: WaitingRequest) -> str:
    """What waits and for whom, in a few words without content."""
    who = plain_line(request.author, NAME) or "an agent"
    match request.kind:
        case RequestKind.PROGRAM:
            return "Your program waits" if request.own else f"A program of {who} waits"
        case RequestKind.CALL:
            return f"A call of {who} waits"
        case RequestKind.ANSWER:
            return f"An answer to {who} waits"
        case RequestKind.FILES:
            return "File changes wait"
        case _:
            return f"{who} asks for your input"


def plain_line(text: str, limit: int) -> str:
    """One line without control and direction characters, shortened with an ellipsis."""
    flat = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: limit * 4]).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
