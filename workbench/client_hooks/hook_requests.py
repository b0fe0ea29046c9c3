"""The core's side of hooks: judges each call by rules and risk, asks the user where that is needed, and answers.

A hook only asks. What it gets is decided by rules of the user, or by the user in one of their own clients; an agent
that starts the hook program itself learns what would be decided, and no more.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.shell.command_reader import lower_first
from workbench.broker.agent_pause import PAUSED
from workbench.broker.held_calls import CORE_CLOSED, MUTED, TIMED_OUT, HeldCalls
from workbench.broker.services import Services
from workbench.client_hooks.call_effects import CallEffects, read_call, show_change
from workbench.client_hooks.hook_calls import (
    CallKind,
    HookCall,
    HookDecision,
    read_payload,
    unreadable_call,
    write_answer,
)
from workbench.client_hooks.hook_program import LARGEST
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.permissions import client_rules
from workbench.permissions.call_rules import RuleAnswer
from workbench.records import CallDecision, HeldCall, Note, Risk, RuleOffer, Tool
from workbench.records.common_types import at_least

READ_SECONDS = 10.0  # how long a hook program may take to send its payload
MARGIN_SECONDS = 2.0  # the answer is sent this long before the hook program gives up
REMEMBERED_SECONDS = 300.0  # between the two hooks of one call
SHARED_SECONDS = 5.0  # how long a second hook of the same call gets the same answer
MOST_WAITING = 50  # calls that wait for the user at once; beyond them, clients show their own prompt
SHOWN_ARGUMENTS: Final = 20_000
SHOWN_FOLDER: Final = 60  # characters of a folder in a heading, its end
OWN_SERVERS: Final = frozenset({"workbench", "mcp-workbench"})  # its calls are reviewed where they arrive

log = logging.getLogger(__name__)


class HookOutcome(Struct, frozen=True):
    """What was decided about a call, and by what: a rule, you, the risk, or nobody in time."""

    decision: HookDecision
    reason: str = ""
    by: str = ""
    rule: str = ""


MOST_SESSIONS: Final = 1_000  # of clients that are remembered
UNDECIDED = HookOutcome(HookDecision.ASK, "Nobody answered in the workbench in time.", "nobody")
UNREADABLE = HookOutcome(HookDecision.ASK, "The workbench could not read this call.", "nobody")
LEFT = HookOutcome(HookDecision.NONE, "", "client")


@dataclass(slots=True, eq=False)
class _SharedDecision:
    """The decision about one call, for which one or two hook programs wait."""

    task: asyncio.Task[HookOutcome]
    hooks: int = 0  # hook programs that wait for it now


class HookRequests:
    """Answers the hook programs of a core."""

    def __init__(self, services: Services, held_calls: HeldCalls) -> None:
        self._services = services
        self._held_calls = held_calls
        self._decisions: dict[tuple[str, ...], _SharedDecision] = {}
        self._starts: dict[tuple[str, str], str] = {}  # client and session → folder in which it began
        self._asking = 0  # calls that wait for the user now
        self._remembered: dict[tuple[str, ...], tuple[float, HookOutcome]] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one hook program, and end the connection: the program reads until then."""
        try:
            await self._serve(reader, writer)
        except OSError as fault:
            log.info("a hook program ended before its answer: %s", fault)
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_SECONDS):
                client, seconds, payload = await _read_request(reader)
        except (TimeoutError, ValueError, asyncio.IncompleteReadError, OSError):
            return  # without an answer, the hook program does what is set for an absent core
        call = await asyncio.to_thread(read_payload, client, payload)
        outcome = LEFT
        if call is None:
            call, outcome = unreadable_call(client, payload), UNREADABLE
        else:
            try:
                outcome = await self._answer_while_connected(call, seconds, reader)
            except Exception:
                log.exception("a client's call could not be judged")
                outcome = UNREADABLE  # without an answer, the client could run it unasked
        writer.write(write_answer(call, outcome.decision, outcome.reason))
        await writer.drain()

    async def _answer_while_connected(
        self, call: HookCall, seconds: float, reader: asyncio.StreamReader
    ) -> HookOutcome:
        """Decide, unless the hook program ends first: then nobody waits for the answer any more."""
        deciding = spawn("judge a client's call", self._decide_once(call, seconds))
        leaving = spawn("a hook program ends", reader.read(1))
        try:
            await asyncio.wait({deciding, leaving}, return_when=asyncio.FIRST_COMPLETED)
            return deciding.result() if deciding.done() else LEFT
        finally:
            for task in (deciding, leaving):
                task.cancel()
            await asyncio.wait({deciding, leaving})

    async def _decide_once(self, call: HookCall, seconds: float) -> HookOutcome:
        """Decide about a call once, even if two hooks ask about it: VS Code also runs the hooks of Claude Code. The key
        contains the call itself, so a false id cannot borrow the answer of a harmless call."""
        key = (call.call_id or uuid.uuid4().hex, call.event, *_same_call(call))
        shared = self._decisions.get(key)
        if shared is None:
            task = spawn("decide about a client's call", self._decide(call, seconds))
            shared = self._decisions[key] = _SharedDecision(task)
        shared.hooks += 1
        try:
            outcome = await asyncio.shield(shared.task)
            asyncio.get_running_loop().call_later(SHARED_SECONDS, self._forget, key, shared)
            return outcome
        except BaseException:
            if shared.hooks == 1 or shared.task.done():  # else the other hook program still waits
                self._forget(key, shared)
                shared.task.cancel()
            raise
        finally:
            shared.hooks -= 1

    def _forget(self, key: tuple[str, ...], shared: _SharedDecision) -> None:
        if self._decisions.get(key) is shared:
            del self._decisions[key]

    async def _decide(self, call: HookCall, seconds: float) -> HookOutcome:
        if call.kind is CallKind.OTHER or (call.kind is CallKind.MCP and call.server in OWN_SERVERS):
            return LEFT
        started = time.monotonic()
        call = replace(call, start=self._start_of(call))
        remembered = self._take_remembered(call)
        effects = await asyncio.to_thread(read_call, call, self._find_tool)
        if call.event == "afterFileEdit":
            self._write_audit(call, effects, HookOutcome(HookDecision.NONE, "", "client"), started)
            return LEFT
        if self._services.settings().agent_paused:  # since the user allowed it at the first hook
            remembered = None
        outcome = remembered or await self._judge(call, effects, seconds)
        self._remember(call, outcome)
        self._write_audit(call, effects, outcome, started)
        return outcome

    def _start_of(self, call: HookCall) -> str:
        """Return the folder of the first call of the client's session: `cd` makes no other folder its project."""
        if not call.session or not call.cwd:
            return call.cwd
        start = self._starts.setdefault((call.client, call.session), call.cwd)
        while len(self._starts) > MOST_SESSIONS:
            del self._starts[next(iter(self._starts))]
        return start

    async def _judge(self, call: HookCall, effects: CallEffects, seconds: float) -> HookOutcome:
        rules, settings = self._services.rules, self._services.settings()
        if settings.agent_paused:
            return HookOutcome(HookDecision.DENY, f"{PAUSED.message} {PAUSED.hint}", "you")
        answer = client_rules.judge(rules.rules, call.client, call.kind.value, effects.subjects, call.session)
        for rule in answer.used:
            rules.note_use(rule)
        label = answer.rule.label if answer.rule is not None else ""
        if answer.decision is CallDecision.DENY:
            return HookOutcome(HookDecision.DENY, f"Denied by a rule: {label}", "rule", label)
        if (denial := self._find_tool_denial(call)) is not None:
            rules.note_use(denial.permission)
            return HookOutcome(HookDecision.DENY, f"Denied by a rule for {call.server}.{call.tool}.", "rule")
        if answer.decision is CallDecision.ALLOW and not rules.trust.lost:
            return HookOutcome(HookDecision.ALLOW, f"Allowed by a rule: {label}", "rule", label)
        asks = answer.decision is CallDecision.ASK or rules.trust.lost
        if not asks and effects.risk is Risk.LOW and settings.hooks_low == "allow":
            return HookOutcome(HookDecision.ALLOW, effects.sentence, "risk")
        if not asks and not at_least(effects.risk, Risk(settings.hooks_ask_from)):
            return LEFT
        return await self._ask_user(call, effects, seconds - MARGIN_SECONDS, label)

    async def _ask_user(self, call: HookCall, effects: CallEffects, limit: float, rule: str) -> HookOutcome:
        """Ask the user. `limit`: seconds that the client waits, also while the clock of the request is stopped."""
        wait = min(float(self._services.settings().hooks_wait_seconds), limit)
        if wait <= 0 or self._asking >= MOST_WAITING:
            return UNDECIDED
        change = await asyncio.to_thread(show_change, call) if call.kind is CallKind.EDIT else ""
        covered = "and no rule covers it" if self._services.rules.rules else "and you have set no rules"
        why = f"A rule asks: {rule}" if rule else f"Its risk is {effects.risk.value}, {covered}."
        held_call = _held_call(call, effects, why, change)
        line = call.command or ", ".join(call.paths) or ", ".join(call.urls) or call.tool
        self._asking += 1
        try:
            answer = await self._held_calls.ask(held_call, line[:200], wait, alone=True, limit=limit)
        finally:
            self._asking -= 1
        if answer in (TIMED_OUT, CORE_CLOSED):
            return UNDECIDED
        if not answer.allow:
            said = "The user denied it." if answer is not MUTED else answer.reason
            return HookOutcome(HookDecision.DENY, answer.reason or said, "you")
        made = (one.sentence for one in held_call.rule_offers if one.id == answer.scope)
        return HookOutcome(HookDecision.ALLOW, "Allowed by the user.", "you", next(made, ""))

    def _find_tool(self, server: str, tool: str) -> Tool | None:
        try:
            return self._services.catalog.server(server).tools.get(tool)
        except WorkbenchError:
            return None

    def _find_tool_denial(self, call: HookCall) -> RuleAnswer | None:
        """Return the denial of this tool of a server of that name by a rule. A rule that allows does not count here,
        because the client may mean another server by the same name."""
        tool = self._find_tool(call.server, call.tool) if call.kind is CallKind.MCP else None
        if tool is None:
            return None
        answer = self._services.rules.rules_for(tool).judge(call.arguments)
        return answer if answer.decision is CallDecision.DENY else None

    # ── between the two hooks of one call, and the audit ─────────────────────────────────────────
    def _remember(self, call: HookCall, outcome: HookOutcome) -> None:
        """Keep the user's answer for the second hook of the same call: clients ask before a call, and again before
        their own prompt."""
        if call.event == "PreToolUse" and outcome.by in ("you", "nobody"):
            self._remembered[_same_call(call)] = (time.monotonic(), outcome)
        for key, (at, _) in list(self._remembered.items()):
            if time.monotonic() - at > REMEMBERED_SECONDS:
                del self._remembered[key]

    def _take_remembered(self, call: HookCall) -> HookOutcome | None:
        if call.event != "PermissionRequest":
            return None
        at, outcome = self._remembered.pop(_same_call(call), (0.0, LEFT))
        return outcome if outcome is not LEFT and time.monotonic() - at <= REMEMBERED_SECONDS else None

    def _write_audit(self, call: HookCall, effects: CallEffects, outcome: HookOutcome, started: float) -> None:
        words = {HookDecision.ALLOW: "allowed", HookDecision.DENY: "denied",
                 HookDecision.ASK: "left to the client's prompt",
                 HookDecision.NONE: "left to the client"}  # fmt: skip
        by = {"rule": " by a rule", "you": " by you", "risk": " because of its low risk", "nobody": ", nobody answered"}
        shown = call.command or ", ".join(call.paths) or ", ".join(call.urls) or f"{call.server}.{call.tool}"
        summary = f"{call.title}: {shown[:300]}: {words[outcome.decision]}{by.get(outcome.by, '')}"
        detail: dict[str, object] = {
            "client": call.client, "event": call.event, "tool": call.tool, "effects": self._mask(effects.sentence),
            "decision": outcome.decision.value or "client", "by": outcome.by, "folder": call.cwd,
        }  # fmt: skip
        detail |= {"rule": self._mask(outcome.rule)} if outcome.rule else {}
        kind = {HookDecision.ALLOW: "hook.allowed", HookDecision.DENY: "hook.denied"}.get(outcome.decision, "hook.left")
        self._services.journal.append(
            Note(
                kind,
                self._mask(summary),
                actor=call.title,
                session=_session(call),
                risk=effects.risk.value,
                ok=outcome.decision is not HookDecision.DENY,
                ms=(time.monotonic() - started) * 1000,
                detail=detail,
            )
        )

    @property
    def _mask(self) -> Callable[[str], str]:
        return self._services.sessions.person.mask


async def _read_request(reader: asyncio.StreamReader) -> tuple[str, float, bytes]:
    head = (await reader.readline()).split()
    if len(head) != 3 or not 0 <= int(head[2]) <= LARGEST:
        raise ValueError("not a hook program")
    return head[0].decode("ascii"), float(int(head[1])), await reader.readexactly(int(head[2]))


_WHAT = {  # kind of call → what the client wants to do, and the heading above the call
    CallKind.SHELL: ("run a command", "What it would run"),
    CallKind.EDIT: ("change files", "What it would change"),
    CallKind.READ: ("read files", "What it would read"),
    CallKind.FETCH: ("download", "What it would send"),
    CallKind.MCP: ("call a tool", "What it would send"),
}


def _held_call(call: HookCall, effects: CallEffects, why: str, change: str) -> HeldCall:
    what, heading = _WHAT[call.kind]
    return HeldCall(
        id="",
        run_id="",
        call_id=uuid.uuid4().hex[:12],
        server=call.title,
        tool=call.tool,
        arguments=_shortened(change or _shown_arguments(call)),
        heading=f"{heading} in {_shown_folder(call.cwd)}" if call.cwd and call.kind is CallKind.SHELL else heading,
        why=(why, *effects.details),
        risk=effects.risk,
        sentence=f"{call.title} wants to {what}: {lower_first(effects.sentence)}",
        session=_session(call),
        author=call.title,
        rule_offers=tuple(
            RuleOffer(f"rule-{number}", "hook", one.scope, one.label, (one,))
            for number, one in enumerate(effects.offers)
        ),
    )


def _shown_folder(folder: str) -> str:
    home = os.path.expanduser("~")
    shown = f"~{folder[len(home) :]}" if folder == home or folder.startswith(f"{home}/") else folder
    return shown if len(shown) <= SHOWN_FOLDER else f"…{shown[-SHOWN_FOLDER:]}"


def _shown_arguments(call: HookCall) -> str:
    """The call as the user reads it: the plain command, else the arguments as JSON."""
    if call.kind is CallKind.SHELL:
        return call.command
    return json.dumps(call.arguments, ensure_ascii=False, indent=2, default=str)


def _shortened(text: str) -> str:
    rest = len(text) - SHOWN_ARGUMENTS
    return text if rest <= 0 else f"{text[:SHOWN_ARGUMENTS]}… ({rest:,} more characters)"


def _session(call: HookCall) -> str:
    return f"hook:{call.client}:{call.session[:60]}"


def _same_call(call: HookCall) -> tuple[str, ...]:
    same: list[object] = [call.kind, call.cwd, call.command, call.urls]
    if call.kind is not CallKind.SHELL:  # of which clients give descriptions that differ
        same += [call.paths, call.server, call.tool, call.arguments]
    text = json.dumps(same, default=str)
    return call.session, hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
