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
from workbench.audit.approval_statistics import DECIDED, NEWEST, is_hasty, review
from workbench.broker.agent_sessions import PERSON
from workbench.records import (
    Decision,
    EntryQuery,
    Finding,
    KeptState,
    Note,
    Origin,
    Pause,
    PauseAnswer,
    PlanChoice,
    ReviewFigures,
    Run,
    Verdict,
)


class RunHandler(RequestHandler):
    """Programs, their verdicts, their runs."""

    @api
    async def assess(self, code: str, language: str = "python", profile: str = "") -> Verdict:
        return await self._context.run_manager.assess(code, language=language, profile=profile)

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
        """Run a person's own program, in a kept state of that name if it has one, within the bounds of a profile and
        with the required tools alone if there are any; answers once it is on its road."""
        return self._context.run_manager.submit(
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
        return self._context.run_manager.decide(replace(decision, by=BY, terminal=terminal))

    @api(decides=True, consent=True)
    async def edit(self, run_id: str, code: str) -> Run:
        """Replace the code of a waiting run; it is assessed again under a new sha."""
        self._terminal_of(run_id)
        return await self._context.run_manager.edit(run_id, code)

    def _terminal_of(self, run_id: str) -> str:
        proposal = self._context.run_manager.run(run_id).proposal
        return self._check_terminal(of_agent=proposal.origin is Origin.AGENT)

    @api
    async def sarif(self, names: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> str:
        """The findings of these verdicts as one SARIF log, each under the name of its program."""
        log = sarif(zip(names, verdicts, strict=False))
        return json.dumps(log, indent=1, ensure_ascii=True)

    @api
    async def clean(self, code: str) -> str:
        """The text without what makes it unfit to be run: hidden characters, foreign encodings, odd line ends."""
        return await asyncio.to_thread(clean_text, code)

    @api
    async def review_figures(self) -> ReviewFigures:
        query = EntryQuery(kind=DECIDED, limit=NEWEST)
        return review(await asyncio.to_thread(self._services.finder.entries, query))

    @api(decides=True)
    async def stop_run(self, run_id: str) -> Run:
        return await self._context.run_manager.stop(run_id)

    @api(decides=True)
    async def start_example_agent(self) -> None:
        """Start a real MCP client that proposes a program, so that a newcomer can see an approval."""
        await self._context.start_example()


class DryRunHandler(RequestHandler):
    """Rehearsals and their plans."""

    @api(decides=True)
    async def rehearse(
        self, code: str, purpose: str = "", skill: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        """Rehearse a person's own program; answers once it is on its road. Its plan is part of the run at its end."""
        person = self._services.sessions.person
        return self._context.run_manager.submit(
            code, person, purpose, skill=skill, language=language, profile=profile, rehearse=True
        )

    @api(decides=True)
    async def rehearse_waiting(self, run_id: str) -> Run:
        """Rehearse a program that waits for a decision, which goes on waiting."""
        run = self._context.run_manager.rehearsals.of_waiting(run_id)
        self._note("dry_run.started", f"A program of {run.proposal.author} is rehearsed", run_id=run_id)
        return run

    @api(decides=True, consent=True)
    async def run_plan(self, choice: PlanChoice) -> Run:
        """Let the rehearsed program run and do what was ticked, once; whatever leaves the plan is asked about."""
        self._check_terminal(of_agent=True)
        return self._context.run_manager.rehearsals.run(choice, BY)


class HeldCallsHandler(RequestHandler):
    """Calls that wait."""

    @api(decides=True, consent=True)
    async def answer_pause(self, answer: PauseAnswer) -> Pause:
        """Let it pass or deny it; the answer counts for exactly the calls that the pause of this id showed."""
        agents = any(
            one.id == answer.pause_id and one.session != PERSON for one in self._context.run_manager.pauses.all()
        )
        terminal = self._check_terminal(of_agent=agents)
        pause = self._context.run_manager.pauses.answer(answer)
        self._services.journal.append(self._told(pause, answer, terminal))
        return pause

    def _told(self, pause: Pause, answer: PauseAnswer, terminal: str) -> Note:
        """One decision, however many calls it is about; how each call went on stands in entries of its own."""
        calls = f"{len(pause.list)} calls" if len(pause.list) > 1 else "a call"
        word, hasty = ("allowed" if answer.allow else "denied"), is_hasty(answer.allow, answer.seconds)
        unread = f" after {answer.seconds:.1f} s, too soon to have been read" if hasty else ""
        detail: dict[str, object] = {"allow": answer.allow, "by": BY, "seconds": answer.seconds, "scope": answer.scope}
        detail |= {"terminal": terminal} if terminal else {}
        return Note(
            kind=f"{DECIDED}.call",
            summary=f"{calls} of {pause.server}.{pause.tool} {word} by {BY}{unread}",
            actor=BY,
            session=pause.session,
            server=pause.server,
            tool=pause.tool,
            run_id=pause.run_id,
            risk=str(pause.risk),
            detail={**detail, "calls": len(pause.list), **({"hasty": True} if hasty else {})},
        )


class ReplSessionHandler(RequestHandler):
    """Kept states. Each that begins or ends is in the audit, whoever began or ended it."""

    @api(decides=True)
    async def end_state(self, session: str, name: str) -> tuple[KeptState, ...]:
        """End one; its variables are lost, and a program that runs in it is ended. Answers with what is left."""
        await self._context.run_manager.states.end(session, name, "a person ended it")
        return self._context.run_manager.states.now()


class CodeCheckHandler(RequestHandler):
    """Completion, signatures, explanations."""

    @api
    async def check_code(self, code: str) -> tuple[Finding, ...]:
        """The calls of a program in Python that cannot work, by the definitions that are known."""
        tools = self._catalog.tools()
        servers = [state.config.name for state in self._catalog.states()]
        return await asyncio.to_thread(lambda: check_draft(ParsedProgram(code), tools, servers))
