"""Consents on the command line: to start a server, and to allow a program or a held call."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from workbench.api.client_stub import CoreApi
from workbench.cli.approval_text import verdict_facts
from workbench.cli.terminal_output import narrate, visible
from workbench.errors import WorkbenchError
from workbench.records import (
    Consent,
    Decision,
    HeldCall,
    HeldCallAnswer,
    Risk,
    Run,
    RunState,
    ServerConfig,
    ServerState,
    ServerStatus,
)

if TYPE_CHECKING:
    from workbench.api.client_stub import CoreApi


_WIDTH = 100  # columns of the facts about a program


class NotAllowed(WorkbenchError):
    """The server has no consent yet to be started or contacted."""


async def connect_server(api: CoreApi, name: str, allow: bool) -> ServerState:
    """Connect the server and return its state. Its full command is shown before its first start."""
    state = await find_server(api, name)
    if state.status is ServerStatus.READY:
        return state
    sha = ""
    if not (state.allowed or state.config.builtin):
        consent = await api.consent(name)
        _check_consent(consent, allow)
        sha = consent.sha
    narrate(f"Connecting to {name} …")
    return await api.connect(name, sha)


async def find_server(api: CoreApi, name: str) -> ServerState:
    """The server of this name. The error for an unknown name lists the servers."""
    states = {state.config.name: state for state in await api.servers()}
    if name in states:
        return states[name]
    raise WorkbenchError(
        f"There is no server {name!r:.100}.",
        f"Servers of this project: {', '.join(states)}. To use another project, add --project FOLDER.",
    )


def command_line(config: ServerConfig) -> str:
    """The command line with the names of its environment variables, quoted for a shell; for a remote server, the
    URL.
    """
    if config.remote:
        return config.url
    names = [f"{name}=…" for name in config.env]
    return " ".join((*names, shlex.join((config.command, *config.args))))


def _check_consent(consent: Consent, allow: bool) -> None:
    words = " ".join((visible(consent.told.replace("\n", ", ")), *map(visible, (*consent.notes, *consent.warnings))))
    if allow:
        narrate(f"Allowed by --allow: {words}")
        return
    refusal = f"{consent.server} has not been allowed to start"
    hint = "Connect it once in the window, or add --allow if this command may run with your rights."
    if consent.remote:
        refusal = f"A connection to {consent.server} has not been allowed"
        hint = "Connect it once in the window, or add --allow if this may be sent to the server."
    raise NotAllowed(f"{refusal}: {words}", hint)


Line = Callable[[str], Awaitable[str]]
ALONE = "No user was available to answer."


class RunApprover:
    """Answers the approval requests of one run.

    `unanswered` is true if a request was denied because no user could answer.
    """

    def __init__(self, api: CoreApi, *, yes: bool, wait: bool, line: Line | None) -> None:
        self._api, self._yes, self._wait, self._line = api, yes, wait, line
        self.unanswered = False

    async def attend(self, run: Run) -> None:
        """Answer the pending requests of the run, or leave them to a window."""
        try:
            if run.state is RunState.WAITING:
                await self._decide(run)
            for held_call in run.held_calls:
                await self._answer(held_call)
        except WorkbenchError as fault:  # another client answered first, or the request timed out
            narrate(fault.message)

    async def _decide(self, run: Run) -> None:
        verdict = run.verdict
        if verdict is None:
            return
        narrate(f"The program needs approval: {verdict.risk} risk. {verdict.sentence}")
        critical = verdict.risk is Risk.CRITICAL
        if self._yes and not critical:
            narrate("Allowed once by --yes.")
            await self._send_decision(run, allow=True)
        elif self._wait or critical:
            await self._leave_to_window(run, critical=critical)
        elif self._line is not None:
            for line in verdict_facts(verdict, _WIDTH):
                narrate(line)
            await self._send_decision(run, allow=_is_yes(await self._line("Allow it once? [y/N] ")))
        else:
            self.unanswered = True
            await self._send_decision(run, allow=False, reason=ALONE)

    async def _leave_to_window(self, run: Run, *, critical: bool) -> None:
        """Leave the decision to a window. Critical risk is decided in a window only, where the whole program is
        visible.
        """
        if self._wait:
            narrate("The program is waiting. Allow or deny it in this project's window.")
            return
        narrate("Critical risk can be allowed in a window only. Run the command again with --wait and open the window.")
        self.unanswered = True
        await self._send_decision(run, allow=False, reason=ALONE)

    async def _answer(self, held_call: HeldCall) -> None:
        words = held_call.sentence or " ".join(held_call.why)
        narrate(f"A call needs approval: {held_call.server}.{held_call.tool}. {words}")
        for line in held_call.list or (held_call.arguments,):
            narrate(f"  {line:.500}")
        if self._wait:
            narrate("Allow or deny the call in this project's window.")
        elif self._line is not None:
            allow = _is_yes(await self._line("Allow the call? [y/N] "))
            await self._api.answer_held_call(HeldCallAnswer(held_call.id, allow))
        else:
            narrate("Denied: no terminal is attached, and --yes covers the program only, not this call.")
            await self._api.answer_held_call(HeldCallAnswer(held_call.id, allow=False, reason=ALONE))

    async def _send_decision(self, run: Run, *, allow: bool, reason: str = "") -> None:
        answer = Decision(run.id, run.proposal.sha, allow, "", reason, fingerprint=run.fingerprint)
        await self._api.decide(answer)


def terminal_reader(*, busy: bool) -> Line | None:
    """A function that reads an answer from this terminal, or `None` without a terminal or if stdin contains the
    program.
    """
    return _ask if not busy and sys.stdin.isatty() and sys.stderr.isatty() else None


async def _ask(question: str) -> str:
    """Read one line without a thread, because a thread that waits for input would outlive Ctrl+C."""
    import asyncio

    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    print(question, end="", file=sys.stderr, flush=True)
    loop.add_reader(sys.stdin, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()


def _is_yes(line: str) -> bool:
    return line.strip().lower() in ("y", "yes")
