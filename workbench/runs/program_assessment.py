"""Assesses the program of a run: its text, the skills it uses, the limits of its profile, and calls that are certain
to fail.

The user is not asked about a program that is certain to fail; its author is told at once which parameters exist.
Cached definitions may be outdated, so the servers concerned are started before a program is rejected, and nothing is
certain about a server that does not start.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from workbench import offload
from workbench.analysis.approval_gate import (
    ForeseenCall,
    RunBounds,
    apply_bounds,
    is_additive,
    is_data,
    name_file_changes,
    residual_risk,
)
from workbench.analysis.canonical_text import CanonicalText, canonicalize
from workbench.analysis.certain_failures import FAILED, MISSING, WAITING, find_certain_failures, find_missing_packages
from workbench.analysis.interpreter.tool_calls import SQL_ARGUMENTS
from workbench.analysis.reading import PYTHON, Reading, read_program
from workbench.analysis.used_skills import uses_skills, with_skills
from workbench.broker.agent_sessions import PERSON
from workbench.broker.comparable_text import is_date_or_amount
from workbench.broker.provenance_index import UNTRUSTED, ProvenanceIndex
from workbench.broker.services import Services
from workbench.broker.token_release import announce_tokens
from workbench.errors import WorkbenchError
from workbench.identifiers import fold
from workbench.permissions.call_rules import Foreseen, KnownArguments, ToolRules
from workbench.permissions.judgement import foresee
from workbench.permissions.provenance_rules import may_replace
from workbench.permissions.tool_annotations import facts_of
from workbench.records import (
    CallDecision,
    Fault,
    Finding,
    Gate,
    HostRule,
    Permission,
    Risk,
    ServerStatus,
    Tool,
    Verdict,
)
from workbench.records.common_types import at_least, rank
from workbench.runs.file_rules import find_file_rule, has_read_untrusted
from workbench.runs.repl_sessions import ReplSession
from workbench.runs.run import ProgramRun, is_users_run
from workbench.sandbox.importable_packages import packages
from workbench.servers.server_catalog import ServerCatalog
from workbench.servers.tool_definitions.tool_error_messages import not_allowed, server_failed, waiting_line

MOST_REQUIRED = 100


def required_tools(services: Services, names: Sequence[str]) -> tuple[str, ...]:
    """Resolve names in any spelling to `server.tool`; a server's name stands for all of its tools. An unknown name
    is refused before the run starts."""
    if len(names) > MOST_REQUIRED:
        raise WorkbenchError(
            f"A program may name at most {MOST_REQUIRED} tools.", "Name fewer tools, or leave out required_tools."
        )
    known = services.catalog.tools() if names else ()
    found: list[Tool] = []
    for name in names:
        whole = [tool for tool in known if tool.server == name]
        found += whole or [services.catalog.tool_by_id(name, known)]
    return tuple(dict.fromkeys(f"{tool.server}.{tool.name}" for tool in found))


class ProgramAssessor:
    """Reads programs with the skills they use, and judges them within the limits of their profile."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def read_program(self, run: ProgramRun, code: str | CanonicalText) -> Reading:
        """Assess a text with the settings of this run, including how it passes on data that its session has read."""
        one = run.record.proposal
        reading = await self.read_within_bounds(
            code, run.repl_session, one.language, one.profile, one.required, one.session
        )
        reading = announce_tokens(reading, run.session, self._services.rules, self._services.catalog.tool)
        provenance = run.session.provenance
        if one.language != PYTHON or not provenance.kinds or is_users_run(run):
            return reading
        allowed = frozenset(run.session.allowed_destinations)
        if provenance.needs_thread:
            return await asyncio.to_thread(mark_injected_literals, reading, provenance, allowed)
        size = len(reading.program.text)
        return await offload.SOURCE_SEARCH.run(size, mark_injected_literals, reading, provenance, allowed)

    async def find_failures(self, reading: Reading) -> tuple[Finding, ...]:
        """Find what is certain to fail, in the program or in a skill that it uses."""
        catalog = self._services.catalog
        if found := self._missing_packages(reading) or await certain_failures(reading, catalog):
            return found
        if reading.verdict.any_skill or not reading.skills or not not_allowed(catalog.states()):
            return ()
        return await asyncio.to_thread(servers_to_allow, tuple(reading.skills.values()), catalog)

    def _missing_packages(self, reading: Reading) -> tuple[Finding, ...]:
        found = packages(self._services.settings().run_packages, "")
        tops = {place.split("/")[0].split(".")[0] for place, _ in found.mounts}
        folders = (self._services.paths.workspace, self._services.paths.workspace.parent)

        def available(name: str) -> bool:
            return name in tops or any((folder / end).exists() for folder in folders for end in (name, f"{name}.py"))

        return find_missing_packages(reading, available, found.installed)

    async def read_within_bounds(
        self,
        code: str | CanonicalText,
        state: ReplSession | None = None,
        language: str = PYTHON,
        profile: str = "",
        required: tuple[str, ...] = (),
        session: str = PERSON,
    ) -> Reading:
        """Return the reading of a text, with its verdict within the limits of this profile and these tools."""
        text = code if isinstance(code, CanonicalText) else canonicalize(code)
        reading = await self._read(text, state, language, network=self._services.run_profiles.reaches(profile))
        return raise_for_outsiders_text(reading.with_verdict(self.within_bounds(reading, profile, required, session)))

    async def _read(self, text: CanonicalText, state: ReplSession | None, language: str, *, network: bool) -> Reading:
        """Analyse a text. Long texts and skills, which are files, are read on a thread."""
        tools, earlier = self._services.catalog.tools(), state.texts if state else ()
        reach = self._services.network.rules().open if network else None
        size = len(text.text) + sum(map(len, earlier))
        reading = await offload.PROGRAM_READING.run(
            size, read_program, text, tools, reach, earlier=earlier, language=language
        )
        return await asyncio.to_thread(self._with_skills, reading, tools, reach) if uses_skills(reading) else reading

    def _with_skills(self, reading: Reading, tools: Sequence[Tool], reach: Sequence[HostRule] | None) -> Reading:
        return with_skills(reading, tools, self._services.library.usable(), reach=reach)

    def within_bounds(
        self,
        reading: Reading,
        profile: str,
        required: tuple[str, ...],
        session: str,
        more_rules: Sequence[Permission] = (),
    ) -> Verdict:
        """Limit the verdict to the profile and tools of this run. A profile that was deleted meanwhile blocks the
        program. `more_rules`: rules that are tried out as if the user had made them."""
        services, verdict = self._services, reading.verdict
        try:
            wanted = services.run_profiles.find(profile)
        except WorkbenchError as fault:
            return blocked_verdict(verdict, fault)

        def say_file_rule(path: str) -> str:
            found = find_file_rule(services, path, session, more_rules)
            return f"Allowed by a rule: {found.label}" if found is not None else ""

        limits = RunBounds(
            wanted,
            required,
            services.run_profiles.wider(wanted),
            services.rules.trust.lost,
            find_file_rule=say_file_rule,
            analyzed=reading.language == PYTHON,
        )

        def rules_for(tool: Tool) -> ToolRules:
            return services.rules.rules_for(tool).with_rules(more_rules)

        def ruled(tool: Tool) -> Foreseen:
            return foresee(rules_for(tool), wanted, required, session)

        calls = tuple(_foreseen_calls(reading, rules_for, session))
        found = name_file_changes(apply_bounds(verdict, limits, self._tool, ruled, calls), self._is_file)
        if found.risk is not Risk.MEDIUM:
            return found
        tools, untrusted = (
            [self._tool(use.server, use.tool) for use in found.tools],
            has_read_untrusted(services, session),
        )
        return replace(found, mild=is_additive(found, tools, self._is_file, untrusted=untrusted))

    def _is_file(self, path: str) -> bool:
        """Whether a path of the workspace exists."""
        return os.path.lexists(self._services.paths.workspace / path)

    def _tool(self, server: str, name: str) -> Tool | None:
        try:
            return self._services.catalog.tool(server, name)
        except WorkbenchError:
            return None


def _foreseen_calls(reading: Reading, rules_for: Callable[[Tool], ToolRules], session: str) -> Iterator[ForeseenCall]:
    """Judge the calls in the text by the user's rules about arguments, with the arguments that are known."""
    for call in reading.calls:
        rules = rules_for(call.tool)
        if not rules.looks_into_arguments:
            continue
        known = list(call.known_arguments)
        answers = [rules.judge_known(one, session) for one in known]
        allowed = all(one.decision is CallDecision.ALLOW for one in answers)
        by_arguments = all(_names_sql(one.permission, given) for one, given in zip(answers, known, strict=True))
        depends, text = any(one.depends for one in answers), " ".join(dict.fromkeys(one.why for one in answers))
        yield ForeseenCall(f"{call.tool.server}.{call.tool.name}", call.span, allowed, depends, text, by_arguments)


def _names_sql(rule: Permission | None, given: KnownArguments) -> bool:
    """Whether a rule is about the arguments of a call and leaves none open that may be SQL."""
    if rule is None or rule.kind != "arguments":
        return False
    named = {one.path.partition(".")[0].removesuffix("[]") for one in rule.where}
    return {*given.values, *given.unknown} & SQL_ARGUMENTS <= named


def blocked_verdict(verdict: Verdict, fault: WorkbenchError) -> Verdict:
    """Return the verdict of a program whose profile cannot be found: blocked."""
    return replace(verdict, gate=Gate.BLOCKED, risk=Risk.HIGH, sentence=f"Cannot run: {fault.message} {fault.hint}")


_LISTED_FAILURES = 10  # failures in one answer


def servers_to_allow(readings: Sequence[Reading], catalog: ServerCatalog) -> tuple[Finding, ...]:
    """Find servers that the user has not yet allowed and that these texts, of skills that a program uses, certainly
    need."""
    waiting = not_allowed(catalog.states())
    found = [one for reading in readings for one in find_certain_failures(reading, (), (), waiting)] if waiting else []
    return tuple(one for one in found if one.rule == WAITING)


async def certain_failures(reading: Reading, catalog: ServerCatalog) -> tuple[Finding, ...]:
    """Find what is certain to fail according to current definitions; nothing is certain about servers that do not
    run."""
    if not reading.servers:
        return ()
    servers, waiting = [state.config.name for state in catalog.states()], not_allowed(catalog.states())
    failed = _failed_servers(catalog)
    if not await asyncio.to_thread(find_certain_failures, reading, catalog.tools(), servers, waiting, failed):
        return ()
    await _start_servers(reading, catalog)
    tools, failed = _tools_of_ready_servers(catalog), _failed_servers(catalog)
    return await asyncio.to_thread(find_certain_failures, reading, tools, servers, waiting, failed)


def _failed_servers(catalog: ServerCatalog) -> tuple[str, ...]:
    """Return the allowed servers that could not be started and whose tools are not known."""
    known, waiting = {tool.server for tool in catalog.tools()}, not_allowed(catalog.states())
    failed = [state.config.name for state in catalog.states() if state.status is ServerStatus.FAILED]
    return tuple(name for name in failed if name not in known and name not in waiting)


def explain_failures(findings: Sequence[Finding]) -> Fault:
    """Return the fault that the author of the program reads."""
    waiting = list(dict.fromkeys(finding.subject for finding in findings if finding.rule == WAITING))
    if waiting and all(finding.rule == WAITING for finding in findings):
        words, one = waiting_line(waiting), len(waiting) == 1
        hint = (
            f"Ask the user to allow {'it' if one else 'them'}, then propose the program again;"
            " nothing has happened yet."
        )
        return Fault(words, hint, ours=True)
    failed = list(dict.fromkeys(finding.subject for finding in findings if finding.rule == FAILED))
    if failed and all(finding.rule == FAILED for finding in findings):
        words = " ".join(map(server_failed, failed))
        return Fault(words, "Tell the user, then propose the program again; nothing has happened yet.", ours=True)
    if all(finding.rule == MISSING for finding in findings):
        words = " ".join(finding.message for finding in findings[:_LISTED_FAILURES])
        hint = "Write the program without it. The user can make installed packages available with run.packages."
        return Fault(words, hint, ours=True)
    lines = "\n".join(f"line {finding.span.line}: {finding.message}" for finding in findings[:_LISTED_FAILURES])
    more = len(findings) - _LISTED_FAILURES
    return Fault(
        "Some of its calls cannot work.",
        "Correct these lines and propose the program again; nothing has happened yet.",
        f"{lines}\n… and {more} more." if more > 0 else lines,
        ours=True,
    )


async def _start_servers(reading: Reading, catalog: ServerCatalog) -> None:
    """Start the stopped servers that the program may use, as its calls would."""
    named = set(map(fold, reading.servers))
    asleep = [
        state.config.name
        for state in catalog.states()
        if state.status is ServerStatus.STOPPED and state.allowed and not state.config.disabled
    ]
    await asyncio.gather(*(_start_server(name, catalog) for name in asleep if fold(name) in named))


async def _start_server(name: str, catalog: ServerCatalog) -> None:
    with contextlib.suppress(WorkbenchError):  # the reason is in the server's status and in the fault of the call
        await catalog.server(name).start()


def _tools_of_ready_servers(catalog: ServerCatalog) -> list[Tool]:
    ready = {state.config.name for state in catalog.states() if state.status is ServerStatus.READY}
    return [tool for tool in catalog.tools() if tool.server in ready]


_MOST = 300  # literals of a program that are looked up
_LISTED_LITERALS = 10
_SHOWN = 80  # characters of a literal in the message
_SHORTEST = 5  # characters; shorter literals do not identify a source
_LOOKED_FOR = frozenset({UNTRUSTED})


def mark_injected_literals(
    reading: Reading, provenance: ProvenanceIndex, allowed: Collection[tuple[str, str]] = ()
) -> Reading:
    """Return the reading with a finding for each literal of the program that an outsider could have written. If one of
    them is passed on or written down, or the program may change existing records, it counts as high risk, so that
    nobody allows it unread; whether it asks stays as it was. `allowed`: servers and destinations that the user has
    allowed before."""
    verdict = reading.verdict
    if UNTRUSTED not in provenance.kinds or not (verdict.tools or verdict.impact.changed):
        return reading
    provenance.index_answers()
    found = list(islice(_find_injected_literals(reading, provenance), _LISTED_LITERALS))
    if verdict.risk is Risk.MEDIUM and (
        any(_has_effect(one.subject, reading, allowed) for one in found)
        or any(may_replace(call.tool) for call in reading.calls)
    ):
        verdict = replace(verdict, risk=Risk.HIGH, unsettled=residual_risk(verdict))
    if verdict is reading.verdict and not found:
        return reading
    every = tuple(sorted((*found, *verdict.findings), key=lambda one: -rank(one.risk)))
    return reading.with_verdict(replace(verdict, findings=every))


def raise_for_outsiders_text(reading: Reading) -> Reading:
    """Return the reading of a program that passes outsiders' text on to a tool with side effects as high risk, so that
    nobody allows it unread; whether it asks stays as it was."""
    verdict = reading.verdict
    if verdict.risk is not Risk.MEDIUM:
        return reading
    sources = {flow.sink for flow in verdict.flows if flow.kind == UNTRUSTED}
    names = {f"{call.tool.server}.{call.tool.name}" for call in reading.calls if _has_side_effects(call.tool)}
    if not any(sink == name or sink.startswith(f"{name}.") for sink in sources for name in names):
        return reading
    return reading.with_verdict(replace(verdict, risk=Risk.HIGH, unsettled=residual_risk(verdict)))


def _has_side_effects(tool: Tool) -> bool:
    facts = facts_of(tool)
    return facts.sends or at_least(facts.risk, Risk.MEDIUM)


def _has_effect(literal: str, reading: Reading, allowed: Collection[tuple[str, str]]) -> bool:
    """Whether the program passes a literal to a tool with side effects, or may write it into a file that agents or
    programs run by."""
    text = literal.removesuffix("…")
    for call in reading.calls:
        if not _has_side_effects(call.tool):
            continue
        if any(one.startswith(text) and (call.tool.server, one.casefold()) not in allowed for one in call.texts):
            return True
    return any(not is_data(path) for path in reading.verdict.impact.changed)


def _find_injected_literals(reading: Reading, provenance: ProvenanceIndex) -> Iterator[Finding]:
    texts = ((text, span) for text, span in reading.texts() if len(text) >= _SHORTEST and not is_date_or_amount(text))
    for text, span in islice(texts, _MOST):
        for came in provenance.find_sources(text, _LOOKED_FOR)[:1]:
            where = (
                f"the answer of {came.read.server}.{came.read.tool}" if came.read is not None else "an earlier answer"
            )
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            words = f"“{shown}” occurs in {where}, which can contain text from outsiders"
            yield Finding("flow.copied", Risk.HIGH, words, span, subject=shown)
