"""Runs an approved program in the sandbox and answers its requests: calls, searches, skills."""

from __future__ import annotations

import asyncio
import math
import os
from functools import partial
from pathlib import Path

from workbench import offload
from workbench.analysis.reading import PYTHON, Reading
from workbench.analysis.used_skills import check_unchanged, included_skill_codes, includes_skills, names_skill
from workbench.broker.broker import Broker
from workbench.broker.call_audit import shown_arguments
from workbench.broker.held_calls import HeldCalls
from workbench.broker.program_answers import (
    answer_about_sealed_values,
    definition_hints,
    failure,
    program_value,
)
from workbench.broker.run_guard import RunGuard
from workbench.errors import WorkbenchError
from workbench.permissions.tool_annotations import facts_of
from workbench.recordings.call_recorder import RecordedCall
from workbench.records import (
    CallTrace,
    Depth,
    JsonObject,
    JsonValue,
    Limits,
    Outcome,
    Risk,
    Run,
    RunProfile,
    ToolCall,
    ToolSummary,
)
from workbench.runs.generated_packages import GeneratedPackages
from workbench.runs.program_network import network_of
from workbench.runs.repl_sessions import ReplSessions
from workbench.runs.run import ProgramRun
from workbench.runs.skill_actions import kept_skill, offer_skill
from workbench.runs.token_literals import TokenLiterals
from workbench.runs.workspace_file_masking import learn_files, reads_source, source_files
from workbench.sandbox.importable_packages import packages
from workbench.sandbox.program import Answered
from workbench.sandbox.sandbox import Ending, Program, ToolFailure
from workbench.servers.server_catalog import one_tool
from workbench.settings import Settings
from workbench.wrappers.compact_signatures import signature

LONGEST_NAME = 400  # characters of a tool's or server's name in a request
SHOWN_ARGUMENTS = 400  # characters of a nested call's arguments that the run record shows


class ProgramExecution:
    """One program in one sandbox; every frame from the sandbox is untrusted until it is checked."""

    def __init__(
        self,
        run: ProgramRun,
        broker: Broker,
        packages_of_runs: GeneratedPackages,
        states: ReplSessions,
        held_calls: HeldCalls,
    ) -> None:
        self._run = run
        self._services = run.services
        self._broker = broker
        self._packages = packages_of_runs
        self._states = states
        self._network = network_of(run)
        self._held_calls = held_calls
        self._guard = run.guard = RunGuard(run, run.services.settings, held_calls, run.hold_call)

    async def run(self) -> Ending:
        """Run exactly the approved text to its end."""
        proposal = self._run.record.proposal
        self._run.resources.push_async_callback(self._close)
        await self._packages.refresh(proposal.language)
        await learn_files(self._run)
        self._run.token_literals = TokenLiterals(self._run)
        verdict = self._run.record.verdict
        if verdict is not None and includes_skills(verdict):
            usable = await asyncio.to_thread(self._services.library.usable)
            check_unchanged(verdict, usable)
            for code in included_skill_codes(verdict, usable):
                self._run.session.public_texts.add_code(code)
        settings = self._services.settings()
        profile = self._run.record.verdict.profile if self._run.record.verdict else None
        mounted = profile is None or profile.workspace != "none"
        chosen = packages(settings.run_packages, settings.run_preload)
        program = Program(
            code=proposal.code,
            limits=limits_from(settings, proposal.seconds, profile),
            workspace=self._run.workspace if mounted else self._packages.empty_workspace,
            writable=(profile is None or profile.workspace == "write") and self._run.may_write,
            servers=self._packages.wrapper_folder(proposal.language),
            skills=self._packages.skill_folder if self._sees_skills else self._packages.empty_workspace,
            language=proposal.language,
            packages=chosen.mounts,
            preload=chosen.preload,
            level=self._run.record.level,
            network=self._network.passing if self._network is not None else None,
            is_user_asked=self._is_user_asked,
            awaits_end=self._run.stage is not None,
        )
        reading = self._run.reading
        if reading is not None and reads_source(reading):
            await asyncio.to_thread(self._add_sources, reading, self._packages.wrapper_folder(proposal.language))
        if (state := self._run.repl_session) is not None:
            state.run_ids.add(self._run.record.id)
            return await self._states.run(state, program, self._answer, self._run.output)
        return await self._services.sandbox.run(program, self._answer, self._run.output)

    async def _close(self) -> None:
        """Close the program's network."""
        if self._run.record.proposal.language == PYTHON:
            self._packages.compile_called(self._run.observed_actions.called_tools)
        if self._network is not None:
            await self._network.close()
            self._run.hint = self._network.hint

    def _add_sources(self, reading: Reading, wrappers: Path) -> None:
        """Register the generated functions and the skills that the program may read as files as public text. Runs on
        a thread."""
        skills = (self._packages.skill_folder,) if self._sees_skills else ()
        for text in source_files(reading, (wrappers, *skills)):
            self._run.session.public_texts.add_code(text)

    @property
    def _sees_skills(self) -> bool:
        """Whether the folder of kept skills is mounted for the program. In a REPL session it always is, because
        later programs may use skills."""
        return self._run.repl_session is not None or includes_skills(self._run.record.verdict)

    def _is_user_asked(self) -> bool:
        """Whether the user currently has a request because of this program: from a server, or about a held call."""
        run_id = self._run.record.id
        return self._services.catalog.asks.holds(run_id) or self._held_calls.has_waiting(run_id)

    async def _answer(self, kind: str, params: JsonObject) -> Answered:
        """Answer a request, and record it, so that a recording can be made from this run."""
        if kind == "tokens":
            return await self._answer_request(kind, params)
        recording = self._run.recording
        try:
            answer = await self._answer_request(kind, params)
        except ToolFailure as failure:
            recording.add(RecordedCall(kind, params, failure=failure))
            raise
        recording.add(RecordedCall(kind, params, answer))
        return answer

    async def _answer_request(self, kind: str, params: JsonObject) -> Answered:
        try:
            match kind:
                case "call":
                    return await self._call(params)
                case "search":
                    return self._search(params)
                case "definition":
                    return self._definition(params)
                case "skill":
                    return await self._read_skill(str(params.get("name", "")))
                case "offer":
                    return await self._save_skill(params)
                case "sealed":
                    return answer_about_sealed_values(self._run.session, params)
                case "tokens":
                    return await self._token_hints()
                case "connect" | "send" | "receive" if self._network is not None:
                    return await self._network.answer(kind, params)
        except WorkbenchError as fault:
            raise ToolFailure(f"{fault.message} {fault.hint}".strip(), code="workbench") from fault
        raise ToolFailure(f"The sandbox cannot ask for {kind!r}.", code="protocol")

    async def _token_hints(self) -> JsonObject:
        tokens = self._run.token_literals
        return await asyncio.to_thread(tokens.hints) if tokens else {}

    async def _call(self, params: JsonObject) -> Answered:
        arguments = params.get("arguments") or {}
        if not isinstance(arguments, dict):
            raise ToolFailure("The arguments of a tool call must be an object.", code="arguments")
        run = self._run
        names = str(params.get("server", "")), str(params.get("tool", ""))
        if max(map(len, names)) > LONGEST_NAME:
            raise ToolFailure("There is no tool with such a long name.", code="unknown_tool")
        found = self._services.catalog.names.find(*names)
        server, tool = (found.server, found.name) if found is not None else names
        call = ToolCall(
            id=os.urandom(6).hex(),
            server=server,
            tool=tool,
            arguments=arguments,
            origin=run.record.proposal.origin,
            session=run.session.id,
            run_id=run.record.id,
        )
        run.begin_call(call.id, partial(self._trace, call))
        asyncio.get_running_loop().call_soon(run.show_call, call.id)  # shown while the server works
        outcome = await self._broker.call(call, self._guard, self._broker.progress(call.id))
        self._end(call.id, outcome)
        if not outcome.ok:
            failure = self._failure(outcome, call)
            run.session.public_texts.add(list(definition_hints(failure)))
            raise failure
        schema = self._schema(call) if params.get("unwrap") is True else None
        answer: Answered = await offload.ANSWER_CONVERSION.run(outcome.bytes, program_value, outcome, schema)
        if tokens := run.token_literals:
            rules = self._services.rules.rules_for(self._services.catalog.tool(call.server, call.tool))
            return await offload.ANSWER_CONVERSION.run(outcome.bytes, tokens.locate, rules, answer)
        return answer

    def _schema(self, call: ToolCall) -> JsonObject | None:
        """Return the output schema of the tool."""
        return self._services.catalog.tool(call.server, call.tool).output_schema

    def _failure(self, outcome: Outcome, call: ToolCall) -> ToolFailure:
        """Return the failure of a call, with similar names that exist."""
        catalog = self._services.catalog
        if (tool := catalog.names.find(call.server, call.tool)) is not None:
            return failure(outcome, call, tool)
        if catalog.names.tools_of(call.server):
            return failure(outcome, call, None, [tool.name for tool in catalog.names.similar(call.tool, call.server)])
        return failure(outcome, call, None, catalog.names.similar_servers(call.server))

    def _trace(self, call: ToolCall) -> CallTrace:
        """Return the entry for a starting call in the list of calls."""
        shown = shown_arguments(self._run.session, call.arguments)[:SHOWN_ARGUMENTS]
        return CallTrace(call.id, call.server, call.tool, shown, self._risk(call), "running")

    def _end(self, call_id: str, outcome: Outcome) -> None:
        state = "held" if outcome.held else "done" if outcome.ok else "refused" if outcome.refused else "failed"
        note = outcome.fault.message if outcome.fault else ""
        if outcome.cached:
            note = f"cached, {outcome.cached:.0f} s old"
        self._run.end_call(call_id, state, note=note, ms=outcome.ms, bytes=outcome.bytes, tokens=outcome.tokens)

    def _risk(self, call: ToolCall) -> Risk:
        tool = self._services.catalog.names.find(call.server, call.tool)
        return (
            facts_of(tool).risk if tool is not None else Risk.LOW
        )  # an unknown tool; the broker refuses the call with the reason

    async def _read_skill(self, name: str) -> str:
        """Return the code of a kept skill that is unchanged and was assessed together with the program."""
        skill = await kept_skill(self._services, name)
        if not names_skill(self._run.record.verdict, skill.name):
            words = f"This program was not assessed with the skill {skill.name}."
            raise WorkbenchError(words, "Write the skill's name as a literal where the program loads it.")
        self._run.session.public_texts.add_code(skill.code)
        return skill.code

    async def _save_skill(self, params: JsonObject) -> str:
        name, code, description = (str(params.get(key, "")) for key in ("name", "code", "description"))
        return await offer_skill(self._services, self._run.session, name, code, description)

    def _search(self, params: JsonObject) -> JsonValue:
        """Return records and the text that agents read; TypeScript programs get only the text."""
        query, depth = str(params.get("query", "")), depth_of(str(params.get("detail_level", "name")))
        answer = self._services.catalog.search(
            query,
            depth,
            limit_of(params.get("limit")),
            str(params.get("server") or ""),
            str(params.get("category") or ""),
        )
        session = self._run.session
        session.add_search(query, answer.matches)
        records = [self._describe_match(one, depth) for one in answer.matches]
        header, _, listed = answer.text.partition("\n")
        session.public_texts.add([listed, records])
        asked = "\n".join(str(params.get(key) or "") for key in ("query", "server", "category"))
        if session.mask(asked) == asked:  # the header repeats the program's query
            session.public_texts.add([header, answer.text])
        if self._run.record.proposal.language != PYTHON:
            return answer.text
        return {"text": answer.text, "records": records}

    def _describe_match(self, one: ToolSummary, depth: Depth) -> JsonValue:
        """Return one tool of a search result with the requested level of detail."""
        function = one.import_line.rpartition(" ")[2]
        if depth is Depth.NAME:
            return function
        described = {"name": function, "server": one.server, "description": one.summary, "import": one.import_line}
        if depth is Depth.DESCRIPTION:
            return described
        tool = self._services.catalog.tool(one.server, one.name)
        schemas = {"input_schema": tool.raw.get("inputSchema"), "output_schema": tool.raw.get("outputSchema")}
        return described | {"description": tool.description, "signature": signature(tool, function)} | schemas

    def _definition(self, params: JsonObject) -> JsonValue:
        name, category = str(params.get("name", "")), str(params.get("category") or "")
        raw = dict(one_tool(self._services.catalog, name, category).tool.raw)
        self._run.session.public_texts.add(raw)
        return raw


def depth_of(word: str) -> Depth:
    """Parse a level of detail; accepts all spellings in use for the three levels."""
    spellings = {
        "name": Depth.NAME,
        "name_only": Depth.NAME,
        "description": Depth.DESCRIPTION,
        "with_description": Depth.DESCRIPTION,
        "summary": Depth.DESCRIPTION,
        "full": Depth.FULL,
    }
    if word not in spellings:
        raise WorkbenchError(f"There is no detail level {word!r:.60}.", "Use name, description or full.")
    return spellings[word]


def limit_of(value: JsonValue) -> int:
    """Return a number of matches from 1 to 500; 20 for anything that is not a number."""
    return int(max(1, min(value, 500))) if isinstance(value, int | float) and abs(value) < math.inf else 20


def limits_from(settings: Settings, wished_seconds: float, profile: RunProfile | None = None) -> Limits:
    """Return the user's limits, multiplied by the profile's factor and capped by its maximum. A program may request
    less time, never more; time that it sleeps counts towards a requested limit."""
    times = profile.times if profile else 1
    most = most_seconds(settings, profile)
    shorter = 0 < wished_seconds <= most
    return Limits(
        seconds=float(wished_seconds if shorter else most),
        total_seconds=float(settings.run_total_seconds * times),
        sleep_counts=shorter,
        memory_mb=_least(settings.run_memory_mb * times, profile.memory_mb if profile else 0),
        cpu_seconds=float(settings.run_cpu_seconds * times),
        pids=settings.run_pids,
        output_bytes=settings.run_output_bytes,
        disk_mb=settings.run_disk_mb,
        calls=_least(settings.run_calls * times, profile.calls if profile else 0),
        cpus=settings.run_cpus,
    )


def most_seconds(settings: Settings, profile: RunProfile | None) -> int:
    """Return the longest run time that a program may request."""
    return _least(settings.run_seconds * (profile.times if profile else 1), profile.seconds if profile else 0)


def time_limit_notice(settings: Settings, run: Run) -> str:
    """Return the notice for an agent whose program requested more time than allowed; otherwise an empty text."""
    wished, most = run.proposal.seconds, most_seconds(settings, run.verdict.profile if run.verdict else None)
    if wished <= most:
        return ""
    return (
        f"[timeout {wished:g} was reduced to {most} seconds of the program's own work; waiting for tools, waiting for"
        f" the user and sleeping do not count, up to {settings.run_total_seconds} seconds in total]"
    )


def _least(most: int, own: int) -> int:
    return min(most, own) if own else most
