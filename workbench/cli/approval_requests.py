"""Approval requests of all kinds: finds them by id in any project, shows them, and reads the user's answer at a
terminal.

Each kind is a subclass of `Request`; `find_requests` lists the requests of all kinds.
"""

from __future__ import annotations

import asyncio
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from difflib import unified_diff
from textwrap import wrap
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.api.client_texts import LONGEST, confirmation_name
from workbench.cli.approval_text import call_facts, group_rows, program_facts, time_left
from workbench.cli.common_options import DONE, talk
from workbench.cli.terminal_answers import (
    ROLE,
    LineReader,
    Terminal,
    answer,
    find_running_projects,
    report_unanswered,
    unlock,
)
from workbench.cli.terminal_output import narrate
from workbench.errors import WorkbenchError
from workbench.events import AskSettled, CallHeld, Event, FilesHeld, HeldCallSettled, RunChanged, spawn
from workbench.paths import Paths
from workbench.records import (
    Decision,
    HeldCall,
    HeldCallAnswer,
    JsonObject,
    RequestGroup,
    RequestKind,
    Risk,
    RuleOffer,
    Run,
    WaitingRequest,
)
from workbench.records.common_types import rank
from workbench.records.waiting_requests import call_request, program_request

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.api.client_stub import CoreApi

CALLS = (RequestKind.CALL, RequestKind.ANSWER)
DECIDABLE = (RequestKind.PROGRAM, *CALLS, RequestKind.FILES)  # with allow or deny
_LINES = 400  # maximum lines of one diff
SHORTEST = 3  # minimum characters of an abbreviated id
TYPED = (Risk.HIGH, Risk.CRITICAL)  # for these risks, the user must type a name instead of "allow"


class Request(ABC):
    """One request that waits, with the way to show and to answer it in a terminal."""

    def __init__(self, waiting: WaitingRequest) -> None:
        self.id = waiting.id
        self.kind = waiting.kind
        self.run_id = waiting.run_id
        self.risk = waiting.risk
        self.sentence = waiting.sentence
        self.author = waiting.author
        self.session = waiting.session  # the agent session, if it is a request of an agent
        self.answers = waiting.answers
        self.version = waiting.fingerprint
        """Differs as soon as an answer would decide about something else than was shown."""
        self.deadline = deadline_of(waiting)
        self.clock_left = waiting.clock_left  # seconds left while its clock is stopped; 0: it runs

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the requests that an answer applies to."""
        return (self.id,)

    @property
    def confirmation_word(self) -> str:
        """The word that the user types to allow the request."""
        return "allow"

    @property
    def offers(self) -> Sequence[RuleOffer]:
        """The lasting answers that may be given instead of allowing the request once."""
        return ()

    @property
    def title(self) -> str:
        """What waits, for the list."""
        return {RequestKind.FILES: "files wait", RequestKind.TRUST: "server waits"}.get(self.kind, f"{self.kind} waits")

    @property
    def risk_text(self) -> str:
        """The risk as a word; empty if it has none."""
        return str(self.risk) if self.risk is not None else ""

    @property
    def worst_line(self) -> int:
        """The line of code that makes it risky; 0: none."""
        return 0

    @property
    def time(self) -> str:
        """The time left to answer."""
        return f"{time_left(self.deadline)} left" if self.deadline < math.inf else "no deadline"

    @property
    def short_time(self) -> str:
        """The time left to answer as minutes and seconds."""
        if self.deadline == math.inf:
            return "no deadline"
        left = max(0, round(self.clock_left or self.deadline - time.time()))
        return f"{left // 60}:{left % 60:02d}"

    @property
    def obstacle(self) -> str:
        """Why the request cannot be allowed in its current state, or an empty text."""
        return ""

    @abstractmethod
    async def facts(self, connection: CoreConnection, width: int) -> list[str]:
        """The lines shown to the user before the answer."""

    @abstractmethod
    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        """Send the answer. It names the hash of what was shown, so that it cannot apply to a changed request."""

    @abstractmethod
    def ended_by(self, event: Event) -> str:
        """Why the event ends this request without an answer, or an empty text."""

    def as_json(self) -> JsonObject:
        """The JSON form for scripts."""
        return {
            "id": self.id,
            "kind": self.kind.value,
            "run": self.run_id,
            "state": "waiting",
            "risk": self.risk_text,
            "sentence": self.sentence,
            "author": self.author,
            "deadline": self.deadline if self.deadline < math.inf else 0.0,
        }


class ProgramRequest(Request):
    """A program that waits for approval before it runs."""

    def __init__(self, run: Run) -> None:
        super().__init__(program_request(run))
        self.run = run
        self._hosts: tuple[str, ...] = ()

    @property
    def worst_line(self) -> int:
        findings = [one for one in self.run.verdict.findings if one.span.line] if self.run.verdict else []
        risky = [one for one in findings if one.risk is not Risk.LOW]
        return max(risky, key=lambda one: rank(one.risk)).span.line if risky else 0

    @property
    def confirmation_word(self) -> str:
        verdict = self.run.verdict
        return confirmation_name(verdict) if verdict is not None and self.risk in TYPED else "allow"

    @property
    def offers(self) -> Sequence[RuleOffer]:
        return self.run.offers

    @property
    def obstacle(self) -> str:
        if "allow" not in self.answers:
            return "This program cannot run in its current form. Deny it, or change it with `mcp-workbench runs edit`."
        return ""

    async def facts(self, connection: CoreConnection, width: int) -> list[str]:
        return program_facts(self.run, await connection.fetch_full_text(self.run.proposal.code), width)

    async def ask_hosts(self, terminal: LineReader) -> None:
        """Ask which hosts to allow for this run: hosts that the program names and no rule allows."""
        for host in self.run.verdict.hosts if self.run.verdict else ():
            typed = await terminal.read_line(
                f"Allow this run to reach {host}? Type yes, or press Enter to keep it blocked: "
            )
            self._hosts += (host,) if typed == "yes" else ()

    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        run = self.run
        same = [
            other.id
            for other in await api.runs()
            if (other.fingerprint, other.proposal.session) == (run.fingerprint, run.proposal.session)
            and other.awaits_answer
            and other.id != run.id
        ]
        also = tuple(same) if run.fingerprint else ()
        await api.decide(replace(self.decision(allow, reason, seconds), offer=offer, also=also))

    def decision(self, allow: bool, reason: str, seconds: float) -> Decision:
        """The decision about the program as it was shown."""
        run, hosts = self.run, self._hosts if allow else ()
        return Decision(
            run.id, run.proposal.sha, allow, "you", reason, time.time(), seconds, hosts,
            fingerprint=run.fingerprint, undoable=True,
        )  # fmt: skip

    def ended_by(self, event: Event) -> str:
        if not isinstance(event, RunChanged) or event.run.id != self.id:
            return ""
        if not event.run.awaits_answer:
            decision = event.run.decision
            if decision is not None:
                return f"The program was {'allowed' if decision.allow else 'denied'} by {decision.by}."
            return "The program is no longer waiting." if not event.run.fault else event.run.fault.message
        return "" if event.run.proposal.sha == self.run.proposal.sha else "The program was changed elsewhere."


class GroupRequest(Request):
    """Waiting programs of the same form, which differ in values only. They are denied together, and allowed together up
    to medium risk."""

    def __init__(self, group_id: str, members: Sequence[ProgramRequest], group: RequestGroup) -> None:
        worst = max(members, key=lambda one: rank(one.risk) if one.risk is not None else 0)
        super().__init__(program_request(worst.run))
        self.id, self.run_id = group_id, ""
        self.sentence = f"{len(members)} × {worst.sentence}"
        self.version = " ".join(one.version for one in members)
        self.deadline, self.clock_left = members[0].deadline, members[0].clock_left
        sessions = {one.session for one in members}
        self.session = worst.session if len(sessions) == 1 else ""
        self.members = members
        self._group = group

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(one.id for one in self.members)

    @property
    def obstacle(self) -> str:
        if any(one.risk in TYPED for one in self.members):
            return "Programs of high risk are allowed one by one: O lists them singly. D denies all of them."
        return next((one.obstacle for one in self.members if one.obstacle), "")

    async def facts(self, connection: CoreConnection, width: int) -> list[str]:
        first = self.members[0]
        rows = group_rows(self._group, [one.author for one in self.members])
        return [
            *wrap(self.sentence, width),
            "",
            *wrap(f"Your answer applies to all {len(self.members)}. O lists them singly.", width),
            *rows,
            "",
            f"The first of them, {first.id}",
            *await first.facts(connection, width),
        ]

    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        decisions = tuple(one.decision(allow, reason, seconds) for one in self.members)
        problems = [one.problem for one in await api.decide_many(decisions, ()) if one.problem]
        if problems:
            done = len(decisions) - len(problems)
            raise WorkbenchError(f"{done} of {len(decisions)} were {'allowed' if allow else 'denied'}.", problems[0])

    def ended_by(self, event: Event) -> str:
        return ""  # its members have ended, or joined a different group


class CallRequest(Request):
    """A call, or several similar calls, of a running program that wait for approval; or the answer of a program."""

    def __init__(self, held_call: HeldCall) -> None:
        super().__init__(call_request(held_call))
        self.held_call = held_call

    @property
    def confirmation_word(self) -> str:
        name = self.held_call.tool
        return name if self.risk in TYPED and len(name) <= LONGEST and name.isprintable() else "allow"

    @property
    def offers(self) -> Sequence[RuleOffer]:
        """The lasting answers that a request of a different client's own tool offers."""
        return () if self.risk in TYPED else self.held_call.rule_offers

    async def facts(self, connection: CoreConnection, width: int) -> list[str]:
        return call_facts(self.held_call, await connection.fetch_full_text(self.held_call.arguments), width)

    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        await api.answer_held_call(HeldCallAnswer(self.id, allow, offer or "once", reason, seconds, undoable=True))

    def ended_by(self, event: Event) -> str:
        if isinstance(event, CallHeld) and event.before == self.id:
            return "More calls were added to this request. Review it again."
        if isinstance(event, HeldCallSettled) and event.held_call.id == self.id:
            answered = event.ending in ("allowed", "denied")
            by = f"by {event.by}" if event.by else "elsewhere"
            return f"The call was {event.ending} {by}." if answered else "The call is no longer waiting."
        return ""


def deadline_of(request: WaitingRequest | Run | HeldCall) -> float:
    """When the request is denied; while its clock is stopped, when it would be if the clock continued now."""
    return time.time() + request.clock_left if request.clock_left else request.deadline or math.inf


class FilesRequest(Request):
    """Held file changes: a program without approval changed files that it did not create, and has ended."""

    def __init__(self, waiting: WaitingRequest) -> None:
        super().__init__(waiting)
        self._shown_states: dict[str, str] = {}  # path → state in the preview that the user saw

    async def facts(self, connection: CoreConnection, width: int) -> list[str]:
        plan = await connection.api.held_plan(self.id)
        self._shown_states = {line.path: line.state for line in plan.lines}
        lines = [self.sentence, "This program ran without approval. The files stay unchanged until you decide.", ""]
        for line in plan.lines:
            stays = " It stays unchanged here; the window can overwrite it." if line.state == "conflict" else ""
            lines += [
                f"{line.path}: {line.words}{stays}",
                *([f"  Outside the sandbox, {line.warning}"] * bool(line.warning)),
            ]
            lines += await self._difference(connection, line.path)
        return lines

    async def _difference(self, connection: CoreConnection, path: str) -> list[str]:
        try:
            texts = await connection.api.held_text(self.id, path)
        except WorkbenchError as fault:
            return [f"  {fault.message}"]
        now, proposed = [(await connection.fetch_full_text(text)).splitlines() for text in texts]
        lines = [f"  {line}" for line in unified_diff(now, proposed, "now", "allowed", lineterm="")]
        more = [f"  … {len(lines) - _LINES:,} more lines of this diff"] if len(lines) > _LINES else []
        return [*lines[:_LINES], *more]

    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        paths = tuple(path for path, state in self._shown_states.items() if not allow or state in ("ready", "done"))
        if allow and not paths:
            raise WorkbenchError(
                "Each of these files changed since the program started, so none was written.",
                "Overwrite them in the window, or deny the changes.",
            )
        now = {line.path: line.state for line in (await api.held_plan(self.id)).lines}
        if allow and any(now.get(path) != self._shown_states[path] for path in paths):
            raise WorkbenchError(
                "A file changed after it was shown.",
                "Nothing was decided. Review the request again; it is still waiting.",
            )
        done = await api.decide_files(self.id, *((paths, ()) if allow else ((), paths)))
        if done.note:
            raise WorkbenchError(done.note, "Changes that could not be written are still waiting.")

    def ended_by(self, event: Event) -> str:
        if not isinstance(event, FilesHeld) or event.run_id != self.id:
            return ""
        return (
            "The waiting changes are different now. Review them again." if event.count else "It was decided elsewhere."
        )


class FormRequest(Request):
    """A server's request for the user's input, which only a window can show."""

    @property
    def obstacle(self) -> str:
        return "A server asks for your input. Answer it in the workbench's window."

    async def facts(self, connection: CoreConnection, width: int) -> list[str]:
        return [self.sentence, "", self.obstacle]

    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        raise WorkbenchError(self.obstacle, "Nothing was answered.")

    def ended_by(self, event: Event) -> str:
        return "It was answered, or has ended." if isinstance(event, AskSettled) and event.ask.id == self.id else ""


class TrustRequest(Request):
    """A decision about a server, which programs wait for."""

    @property
    def obstacle(self) -> str:
        return f"Decide about the server in the window, or with: mcp-workbench servers trust {self.id}"

    async def facts(self, connection: CoreConnection, width: int) -> list[str]:
        return [self.sentence, "", self.obstacle]

    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        raise WorkbenchError("The decision about a server has several parts.", self.obstacle)

    def ended_by(self, event: Event) -> str:
        return ""


def as_request(waiting: WaitingRequest) -> Request:
    """Return a waiting request with the way to answer it in a terminal."""
    if waiting.run is not None:
        return ProgramRequest(waiting.run)
    if waiting.held_call is not None:
        return CallRequest(waiting.held_call)
    kinds = {RequestKind.FILES: FilesRequest, RequestKind.TRUST: TrustRequest}
    return kinds.get(waiting.kind, FormRequest)(waiting)


async def find_requests(api: CoreApi) -> list[Request]:
    """All waiting requests of one project; what is denied first is first."""
    return [as_request(one) for one in await api.waiting_requests()]


def locate(project: str | None, paths: Paths, wanted: str, kinds: Sequence[str]) -> tuple[Paths, str]:
    """Find a request by its id or the beginning of it. Returns its project and its full id."""
    matches: list[tuple[Paths, Request]] = []
    others: list[Request] = []
    for one in find_running_projects(project, paths):
        for request in talk(one, lambda connection: find_requests(connection.api), start=False, role=ROLE):
            if request.kind in kinds and _matches_id(wanted, request.id):
                matches.append((one, request))
            else:
                others.append(request)
    if len(matches) == 1:
        return matches[0][0], matches[0][1].id
    if matches:
        raise WorkbenchError(f"Several request IDs start with {wanted:.40}.", _listed([one for _, one in matches]))
    if (other := next((one for one in others if _matches_id(wanted, one.id)), None)) is not None:
        remedy = f"Answer it with `mcp-workbench runs allow {other.id}`." if other.answers else other.obstacle
        remedy = other.obstacle if isinstance(other, TrustRequest) else remedy
        raise WorkbenchError(f"{other.id} is a request of kind “{other.kind}”.", remedy)
    if state := _describe_state(project, paths, wanted):
        raise WorkbenchError(f"{wanted:.40} is not waiting for you: {state}.", "Nothing was decided.")
    waiting = [one for one in others if one.kind in kinds]
    what = "call" if kinds == CALLS else "request"
    raise WorkbenchError(
        f"No {what} {wanted!r:.60} is waiting for you.", _listed(waiting) or "Nothing else is waiting."
    )


def decide(paths: Paths, request_id: str, *, allow: bool, reason: str = "") -> int:
    """Show the request, ask at the terminal, and send the answer."""
    return answer(paths, lambda connection, terminal: _decide(connection, terminal, request_id, allow, reason))


async def _decide(connection: CoreConnection, terminal: Terminal, request_id: str, allow: bool, reason: str) -> int:
    request = next((one for one in await find_requests(connection.api) if one.id == request_id), None)
    if request is None:
        raise WorkbenchError(
            f"{request_id} is no longer waiting for you.", "Run `mcp-workbench runs list` to see what is waiting."
        )
    for line in await request.facts(connection, terminal.width):
        terminal.say(line)
    return await settle(connection, terminal, request, allow=allow, reason=reason)


async def settle(
    connection: CoreConnection,
    terminal: Terminal,
    request: Request,
    *,
    allow: bool,
    reason: str = "",
) -> int:
    """Ask for the word that allows or denies the request, then for the PIN, then send the answer."""
    began, over, why = time.monotonic(), asyncio.Event(), list[str]()

    def hear(event: Event) -> None:
        if words := request.ended_by(event):
            why.append(words)
            over.set()

    async def watch_core() -> None:
        await connection.closed.wait()
        why.append("The core has ended, and all waiting requests with it.")
        over.set()

    forget, core_watch = connection.listen(hear), spawn("core lost", watch_core())
    try:
        if allow and request.obstacle:
            raise WorkbenchError(request.obstacle, "Nothing was decided.")
        if request.deadline < math.inf:
            terminal.say(
                f"\nIts time is paused while you read. After that it is denied in {time_left(request.deadline)}"
                " unless you answer."
            )
        if allow and request.offers:
            terminal.say("\nRules that would have let it run without asking:")
            for at, one in enumerate(request.offers, 1):
                terminal.say(f"{at}. {one.sentence}")
        choice = await _read_choice(terminal, request, over, allow=allow)
        seconds = round(time.monotonic() - began, 2)
        if over.is_set():
            raise WorkbenchError(why[0], "Your answer was not sent.")
        if choice is None:
            return report_unanswered()
        says_yes, offer = choice
        if not says_yes and not reason and request.kind is not RequestKind.FILES:
            reason = await terminal.read_line("Reason for the agent (Enter for no reason): ", over) or ""
        if says_yes and isinstance(request, ProgramRequest):
            await request.ask_hosts(terminal)
        if not await unlock(connection.api, terminal):
            return report_unanswered()
        forget()
        await request.send(connection.api, allow=says_yes, reason=reason, seconds=seconds, offer=offer)
        if not says_yes and request.kind is not RequestKind.FILES and await _undone(connection, terminal, request.id):
            return report_unanswered()
    finally:
        forget()
        core_watch.cancel()
    result = f" `mcp-workbench runs show {request.run_id}` shows the result." if request.run_id else ""
    narrate(f"{'Allowed' if says_yes else 'Denied'}.{result}")
    return DONE


async def _read_choice(
    terminal: Terminal, request: Request, over: asyncio.Event, *, allow: bool
) -> tuple[bool, str] | None:
    """Read the decision and the id of its lasting answer; `None` if the user typed nothing or the request ended."""
    while True:
        typed = await terminal.read_line(_question(request, allow=allow), over)
        if not typed or over.is_set():
            return None
        if (choice := _choice(request, typed, allow=allow)) is not None:
            return choice
        terminal.say(f"“{typed:.100}” is not one of these answers.")


async def _undone(connection: CoreConnection, terminal: Terminal, request_id: str) -> bool:
    """Offer to undo a denial while its agent is not told; returns whether the user undid it."""
    seconds = (await connection.api.settings()).approval_undo_seconds
    if not seconds:
        return False
    over = asyncio.Event()
    timer = asyncio.get_running_loop().call_later(seconds, over.set)
    typed = await terminal.read_line(f"Denied. To undo it, type undo within {seconds} s; Enter ends: ", over)
    timer.cancel()
    if typed != "undo":
        return False
    await connection.api.undo_denial(request_id)
    terminal.say("The denial was undone; the request waits again.")
    return True


async def deny_all(
    connection: CoreConnection, terminal: Terminal, requests: Sequence[Request], reason: str, *, mute: bool
) -> int:
    """Show several requests, ask once, and deny them. `mute`: also deny further requests of their agents at once."""
    for request in requests:
        terminal.say(f"{request.id}  {request.risk_text}  {request.author}: {request.sentence}")
    muted = f" and mute {'their agents' if len({one.session for one in requests}) > 1 else 'its agent'}" if mute else ""
    many, them = (f"these {len(requests)}", "them") if len(requests) > 1 else ("this request", "it")
    typed = await terminal.read_line(f"Type deny to deny {many}{muted}; Enter leaves {them} waiting: ")
    if typed != "deny" or not await unlock(connection.api, terminal):
        return report_unanswered()
    api = connection.api
    programs = [one.decision(False, reason, 0.0) for one in requests if isinstance(one, ProgramRequest)]
    calls = [HeldCallAnswer(one.id, False, reason=reason) for one in requests if isinstance(one, CallRequest)]
    outcomes = await api.decide_many(tuple(replace(one, undoable=False) for one in programs), tuple(calls))
    if mute:
        for session in dict.fromkeys(one.session for one in requests):
            await api.deny_agent(session, reason, mute=True)
    problems = [one for one in outcomes if one.problem]
    for one in problems:
        terminal.say(f"{one.request_id}: {one.problem}")
    narrate(f"Denied: {len(outcomes) - len(problems)}.")
    return DONE if not problems else 1


def _question(request: Request, *, allow: bool) -> str:
    if not allow:
        return "Type deny to deny it; Enter leaves it waiting: "
    word = request.confirmation_word
    wider = f", {word} and a number to make one of these rules" if request.offers else ""
    return f"Type {word} to allow it once{wider}, deny to deny it; Enter leaves it waiting: "


def _choice(request: Request, typed: str, *, allow: bool) -> tuple[bool, str] | None:
    """The decision and the id of its lasting answer for the typed text, or `None` for any other text."""
    if typed == "deny" and request.confirmation_word != "deny":
        return False, ""
    if not allow:
        return None
    if typed == request.confirmation_word:
        return True, ""
    word, _, number = typed.rpartition(" ")
    chosen = {str(at): one.id for at, one in enumerate(request.offers, 1)}.get(number)
    return (True, chosen) if word == request.confirmation_word and chosen is not None else None


def _matches_id(wanted: str, request_id: str) -> bool:
    return wanted == request_id or (len(wanted) >= SHORTEST and request_id.startswith(wanted))


def _listed(requests: Sequence[Request]) -> str:
    return f"These are waiting: {', '.join(f'{one.id} ({one.kind})' for one in requests[:10])}." if requests else ""


def _describe_state(project: str | None, paths: Paths, wanted: str) -> str:
    """The state of a run with this id that does not wait for an answer."""
    for one in find_running_projects(project, paths):
        for run in talk(one, lambda connection: connection.api.runs(), start=False):
            if _matches_id(wanted, run.id):
                decision = run.decision
                decided = f", and it was {'allowed' if decision.allow else 'denied'}" if decision is not None else ""
                return f"its state is “{run.state}”{decided}"
    return ""
