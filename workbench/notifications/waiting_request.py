"""What a notification says of the requests that wait, without more content than the settings allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from workbench.records import Ask, HeldCall, Origin, Risk, Run
from workbench.records.common_types import count_of, worst
from workbench.records.stated_facts import call_sentence

PROGRAM, CALL, ANSWER, FILES, FORM = "program", "call", "answer", "files", "form"
NAME, SENTENCE = 60, 240  # maximum characters


class WaitingRequest(Struct, frozen=True):
    """One request that waits for the user."""

    id: str
    kind: str
    author: str
    sentence: str  # may contain personal data
    session: str = ""
    run_id: str = ""
    risk: Risk | None = None
    sha: str = ""  # of the program that is described
    own: bool = False  # the program is the user's own

    @property
    def can_be_denied(self) -> bool:
        return self.kind in (PROGRAM, CALL)


class NotificationText(Struct, frozen=True):
    """The text of a notification about all requests that wait."""

    title: str
    body: str
    count: int
    risk: str = ""  # the highest one; empty if no request has a risk


def of_run(run: Run) -> WaitingRequest:
    verdict, proposal = run.verdict, run.proposal
    sentence, risk = (verdict.sentence, verdict.risk) if verdict is not None else ("", Risk.HIGH)
    own = proposal.origin is Origin.PERSON
    return WaitingRequest(run.id, PROGRAM, proposal.author, sentence, proposal.session, run.id, risk, proposal.sha, own)


def of_held_call(held_call: HeldCall) -> WaitingRequest:
    sentence = call_sentence(held_call)
    kind = ANSWER if held_call.is_answer else CALL
    return WaitingRequest(
        held_call.id, kind, held_call.author, sentence, held_call.session, held_call.run_id, held_call.risk
    )


def of_elicitation(ask: Ask) -> WaitingRequest:
    return WaitingRequest(ask.id, FORM, ask.server, "", ask.session)


def of_files(run_id: str, count: int) -> WaitingRequest:
    return WaitingRequest(run_id, FILES, "", f"Changes of {count_of(count, 'file')} wait.", risk=Risk.MEDIUM)


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
        what = "programs" if {request.kind for request in waiting} == {PROGRAM} else "requests"
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
        case "program":
            return "Your program waits" if request.own else f"A program of {who} waits"
        case "call":
            return f"A call of {who} waits"
        case "answer":
            return f"An answer to {who} waits"
        case "files":
            return "File changes wait"
        case _:
            return f"{who} asks for your input"


def plain_line(text: str, limit: int) -> str:
    """One line without control and direction characters, shortened with an ellipsis."""
    flat = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: limit * 4]).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
