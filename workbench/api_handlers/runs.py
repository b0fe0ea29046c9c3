"""API methods about programs: assess, run, dry run, decide, answer held calls, end REPL sessions."""

from __future__ import annotations

import asyncio
import json

from msgspec.structs import replace

from workbench.analysis.canonical_text import clean_text
from workbench.analysis.certain_failures import check_draft
from workbench.analysis.parsed_program import ParsedProgram
from workbench.analysis.sarif import sarif
from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.audit.audit_statistics import DECIDED, NEWEST, review_figures
from workbench.broker.agent_sessions import PERSON
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import (
    Decision,
    DecisionOutcome,
    EntryQuery,
    Finding,
    HeldCall,
    HeldCallAnswer,
    KeptState,
    Origin,
    PlanChoice,
    ReviewFigures,
    Run,
    Verdict,
)
from workbench.records.waiting_requests import WaitingRequest, files_request
from workbench.runs.run_manager import RunManager
from workbench.workspace.file_change_records import changes_record


class RunHandler(RequestHandler):
    """Runs programs of the user, and takes the user's decisions about programs, held calls and REPL sessions."""

    def __init__(self, services: Services, run_manager: RunManager) -> None:
        super().__init__(services)
        self._manager = run_manager

    @api(decides=True)
    async def submit(
        self,
        code: str,
        purpose: str,
        skill: str,
        state: str = "",
        language: str = "python",
        profile: str = "",
        required: tuple[str, ...] = (),
        seconds: float = 0.0,
        force_approval: bool = False,
    ) -> Run:
        """Run the user's own program within the limits of a profile. `state`: the name of a REPL session;
        `required`: the only tools that it may use, if any. Returns once the run has been submitted."""
        return self._manager.submit(
            code,
            self._services.sessions.person,
            purpose,
            seconds,
            skill,
            state,
            language,
            profile,
            required,
            force_approval,
        )

    @api
    async def waiting_requests(self) -> tuple[WaitingRequest, ...]:
        """Everything that waits for the user: programs, held calls and answers, file changes, forms of servers, and
        decisions about servers. What is denied first is first."""
        held = await asyncio.to_thread(self._services.held_files.all)
        return (*self._manager.open_requests(), *(files_request(changes_record(one)) for one in held))

    @api(decides=True, consent=True)
    async def decide(self, decision: Decision) -> Run:
        return self._manager.decide(self._as_decided_here(decision))

    def _as_decided_here(self, decision: Decision) -> Decision:
        return replace(decision, by=self._decided_by(), terminal=self._terminal_of(decision.run_id))

    @api(decides=True, consent=True)
    async def decide_many(
        self, decisions: tuple[Decision, ...] = (), answers: tuple[HeldCallAnswer, ...] = ()
    ) -> tuple[DecisionOutcome, ...]:
        """Apply several answers to programs and held calls at once; each is accepted or refused for itself. Each names
        what the user saw. More than one may be allowed only up to medium risk."""
        outcomes = self._manager.decide_many(
            [self._as_decided_here(one) for one in decisions], [self._as_answered_here(one) for one in answers]
        )
        return tuple(outcomes)

    @api(decides=True, consent=True)
    async def deny_agent(
        self, session: str, reason: str = "", mute: bool = False, undoable: bool = False
    ) -> tuple[DecisionOutcome, ...]:
        """Deny every waiting program and call of one agent session. `mute`: also deny its further requests at once,
        until the agent connects again or `unmute_agent` is called."""
        self._check_terminal(of_agent=session != PERSON)
        if mute:
            self._check_is_agent(session)
            author = self._services.sessions.author(session)
            self._manager.held_calls.mute(session, author)
            self._note("agent.muted", f"You muted {author}: its approval requests are denied", session=session)
        outcomes = self._manager.deny_agent(session, self._decided_by(), reason, undoable=undoable)
        return tuple(outcomes)

    @api(decides=True, consent=True)
    async def unmute_agent(self, session: str) -> None:
        """Be asked about an agent session's requests again."""
        self._check_terminal(of_agent=True)
        if self._manager.held_calls.is_muted(session):
            self._manager.held_calls.unmute(session)
            author = self._services.sessions.author(session)
            self._note("agent.unmuted", f"You unmuted {author}", session=session)

    @api(decides=True, consent=True)
    async def undo_denial(self, request_id: str) -> None:
        """Let a program or held call wait again that the user denied a few seconds ago. A held call gets a new id."""
        self._check_terminal(of_agent=True)
        self._manager.undo_denial(request_id)

    @api(decides=True, consent=True)
    async def revive(self, run_id: str) -> Run:
        """Put a program back that was refused because nobody answered in time, that the user denied, or that a restart
        of the core interrupted. Returns the new run, which is assessed again; the old one names it in `revived_as`."""
        self._terminal_of(run_id)
        return self._manager.revive(run_id)

    @api(consent=True)
    async def review(self) -> None:
        """Stop the clocks of all waiting requests while the caller shows them to the user. The call does not return;
        the caller cancels it. When the caller disconnects, the clocks continue, with at least 30 seconds left."""
        with self._manager.clocks.reviewing():
            await asyncio.Event().wait()

    def _check_is_agent(self, session: str) -> None:
        if session == PERSON:
            raise WorkbenchError("Only an agent can be muted.", "Your own programs ask you as the settings say.")

    @api(decides=True, consent=True)
    async def edit(self, run_id: str, code: str, base: str = "") -> Run:
        """Replace the code of a waiting run; it is assessed again and gets a new hash. With `base`, the hash of the
        code that was edited, it is refused if the code was replaced since."""
        self._terminal_of(run_id)
        return await self._manager.edit(run_id, code, base)

    def _terminal_of(self, run_id: str) -> str:
        proposal = self._manager.run(run_id).proposal
        return self._check_terminal(of_agent=proposal.origin is Origin.AGENT)

    @api
    async def sarif(self, names: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> str:
        """The findings of these verdicts as one SARIF log, each under the name of its program."""
        log = sarif(zip(names, verdicts, strict=False))
        return json.dumps(log, indent=1, ensure_ascii=True)

    @api(in_thread=True)
    def clean_code(self, code: str) -> str:
        """The text without what prevents it from being run: hidden characters, foreign encodings, odd line ends."""
        return clean_text(code)

    @api
    async def review_figures(self) -> ReviewFigures:
        query = EntryQuery(kind=DECIDED, limit=NEWEST)
        return review_figures(await asyncio.to_thread(self._services.audit_search.entries, query))

    # ── dry runs ─────────────────────────────────────────────────────────────────────────────────
    @api(decides=True)
    async def dry_run(
        self, code: str, purpose: str = "", skill: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        """Start a dry run of the user's own program and return its run. At its end the run holds the plan."""
        person = self._services.sessions.person
        return self._manager.submit(
            code, person, purpose, skill=skill, language=language, profile=profile, dry_run=True
        )

    @api(decides=True)
    async def dry_run_waiting(self, run_id: str) -> Run:
        """Start a dry run of a program that waits for approval. The program continues to wait."""
        run = self._manager.dry_runs.of_waiting(run_id)
        self._note("run.dry_run_started", f"You started a dry run of a program of {run.proposal.author}", run_id=run_id)
        return run

    @api(decides=True, consent=True)
    async def run_plan(self, choice: PlanChoice) -> Run:
        """Run the program of a dry run once. It may make the calls that the user selected; any other side effect
        needs approval."""
        self._check_terminal(of_agent=True)
        return self._manager.dry_runs.run(choice, self._decided_by())

    # ── held calls and REPL sessions ─────────────────────────────────────────────────────────────
    @api(decides=True, consent=True)
    async def answer_held_call(self, answer: HeldCallAnswer) -> HeldCall:
        """Allow or deny a held call; the answer applies to exactly the calls that the held call of this id showed."""
        return self._manager.answer_held_call(self._as_answered_here(answer))

    @api(consent=True)
    async def assess_held_call_edit(self, held_call_id: str, arguments: str) -> HeldCall:
        """The held call as it would be judged with these arguments; nothing is changed. `arguments`: JSON text that
        fits the tool's schema, or the text of an answer that waits."""
        return await self._manager.held_calls.assess_edit(held_call_id, arguments)

    @api(decides=True, consent=True)
    async def edit_held_call(self, held_call_id: str, arguments: str) -> HeldCall:
        """Replace the arguments of a held call. It is judged again and waits under a new id, which an answer names."""
        agents = any(one.id == held_call_id and one.session != PERSON for one in self._manager.held_calls.all())
        self._check_terminal(of_agent=agents)
        return await self._manager.held_calls.edit(held_call_id, arguments)

    def _as_answered_here(self, answer: HeldCallAnswer) -> HeldCallAnswer:
        agents = any(one.id == answer.held_call_id and one.session != PERSON for one in self._manager.held_calls.all())
        return replace(answer, terminal=self._check_terminal(of_agent=agents), by=self._decided_by())

    @api(decides=True)
    async def end_state(self, session: str, name: str) -> tuple[KeptState, ...]:
        """End a REPL session; its variables are lost, and a program that runs in it is ended. Returns the remaining
        ones."""
        await self._manager.states.end(session, name, "the user ended it")
        return self._manager.states.records()

    @api
    async def check_code(self, code: str) -> tuple[Finding, ...]:
        """The calls of a Python program that cannot work according to the known definitions."""
        tools = self._catalog.tools()
        servers = [state.config.name for state in self._catalog.states()]
        return await asyncio.to_thread(lambda: check_draft(ParsedProgram(code), tools, servers))
