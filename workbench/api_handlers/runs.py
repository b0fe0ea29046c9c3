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
from workbench.api_handlers.request_handler import BY, RequestHandler
from workbench.audit.audit_statistics import DECIDED, NEWEST, is_hasty, review_figures
from workbench.broker.agent_sessions import PERSON
from workbench.broker.services import Services
from workbench.records import (
    Decision,
    EntryQuery,
    Finding,
    HeldCall,
    HeldCallAnswer,
    KeptState,
    Note,
    Origin,
    PlanChoice,
    ReviewFigures,
    Run,
    Verdict,
)
from workbench.runs.answer_preview import MASK_AGAIN
from workbench.runs.run_manager import RunManager


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

    @api(decides=True, consent=True)
    async def decide(self, decision: Decision) -> Run:
        terminal = self._terminal_of(decision.run_id)
        return self._manager.decide(replace(decision, by=BY, terminal=terminal))

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
        return self._manager.dry_runs.run(choice, BY)

    # ── held calls and REPL sessions ─────────────────────────────────────────────────────────────
    @api(decides=True, consent=True)
    async def answer_held_call(self, answer: HeldCallAnswer) -> HeldCall:
        """Allow or deny a held call; the answer applies to exactly the calls that the held call of this id showed."""
        agents = any(one.id == answer.held_call_id and one.session != PERSON for one in self._manager.held_calls.all())
        terminal = self._check_terminal(of_agent=agents)
        held_call = self._manager.held_calls.answer(answer)
        if not (held_call.is_answer and answer.scope == MASK_AGAIN):
            self._services.journal.append(self._decision_note(held_call, answer, terminal))
        return held_call

    def _decision_note(self, held_call: HeldCall, answer: HeldCallAnswer, terminal: str) -> Note:
        """Return the audit entry of one decision about any number of calls; each call also has entries of its own."""
        many, name = len(held_call.list), f"{held_call.server}.{held_call.tool}"
        calls = f"{many:,} calls of {{}} were" if many > 1 else "A call of {} was"
        if held_call.is_answer:
            calls = "Sending the answer of a program was"
        word, hasty = ("allowed" if answer.allow else "denied"), is_hasty(answer.allow, answer.seconds)
        unread = f" after {answer.seconds:.1f} s, too soon to have been read" if hasty else ""
        detail: dict[str, object] = {"allow": answer.allow, "by": BY, "seconds": answer.seconds, "scope": answer.scope}
        detail |= {"terminal": terminal} if terminal else {}
        return Note(
            kind=f"{DECIDED}.call",
            summary=f"{calls.format(name)} {word} by {BY}{unread}",
            actor=BY,
            session=held_call.session,
            server=held_call.server,
            tool=held_call.tool,
            run_id=held_call.run_id,
            risk=str(held_call.risk),
            detail={**detail, "calls": many, **({"hasty": True} if hasty else {})},
        )

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
