"""Actions on skills for agents, the window and the command line, and usage statistics from finished runs.

A skill runs as a program that imports it, through the same pipeline as any other program: it is assessed together with
the skill's text, the user is asked where needed, and the run is in the audit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from workbench.analysis.canonical_text import canonicalize, strip_code_fence
from workbench.analysis.program_fingerprints import skeleton
from workbench.analysis.reading import PYTHON
from workbench.analysis.used_skills import MARK
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.identifiers import skill_module_name
from workbench.records import FindKind, JsonValue, Note, Run, RunState, Skill, SkillState, Tool, Verdict
from workbench.runs.run import ProgramRun
from workbench.search.searchable_items import of_skill
from workbench.similar_names import similar_names
from workbench.skills.skill_code import calling
from workbench.skills.skill_folder import skill_name

if TYPE_CHECKING:
    from workbench.runs.run_manager import RunManager


async def kept_skills(services: Services) -> tuple[Skill, ...]:
    """Return the skills that may be used, sorted by name."""
    return await asyncio.to_thread(services.library.usable)


async def kept_skill(services: Services, name: str) -> Skill:
    """Return a kept skill by its name or import name; raises with the reason and the names that exist."""
    usable = await kept_skills(services)
    for skill in usable:
        if name in (skill.name, skill_module_name(skill.name)):
            return skill
    if (draft := await asyncio.to_thread(_draft, services, name)) is not None:
        raise WorkbenchError(
            f"{draft.name} is a draft; the user has not kept it yet.",
            "Only the user can keep it, in the workbench's window or with"
            f" `mcp-workbench skills keep {draft.name}` in a terminal.",
        )
    names = ", ".join(skill.name for skill in usable)
    raise WorkbenchError(
        f"There is no kept skill {name!r:.100}.", f"Kept skills: {names}." if names else "No skills are kept yet."
    )


def _draft(services: Services, name: str) -> Skill | None:
    drafts = (skill for skill in services.library.skills() if skill.state is SkillState.DRAFT)
    return next((skill for skill in drafts if name in (skill.name, skill_module_name(skill.name))), None)


async def find_skills(services: Services, query: str, limit: int = 20) -> tuple[Skill, ...]:
    """Find skills, best match first, ranked as tools are; an empty query returns all, sorted by name."""
    usable = {skill.name: skill for skill in await kept_skills(services)}
    if not query.strip():
        return tuple(usable.values())[:limit]
    items = tuple(of_skill(skill) for skill in usable.values())
    found = await services.catalog.everywhere.find(query, (FindKind.SKILL,), limit, items)
    return tuple(usable[one.name] for one in found.finds if one.name in usable)


async def read_skill_text(services: Services, name: str) -> str:
    """Return a skill's instructions and code as one text for a model."""
    skill = await kept_skill(services, name)
    head = f"# {skill.name} (version {skill.version})\n{skill.description}"
    code = f"```python\n{skill.code.rstrip()}\n```" if skill.code else ""
    return "\n\n".join(part for part in (head, skill.notes.strip(), code) if part)


async def run_skill(
    services: Services,
    run_manager: RunManager,
    session: Session,
    name: str,
    arguments: Mapping[str, JsonValue],
    seconds: float = 0.0,
) -> Run:
    """Start a program that calls the skill with these arguments; `RunManager.finished` waits for its end."""
    skill = await kept_skill(services, name)
    return run_manager.submit(calling(skill, arguments), session, f"Run the skill {skill.name}.", seconds)


async def offer_skill(services: Services, session: Session, name: str, code: str, description: str) -> str:
    """Save an agent's draft, from the tool `save_skill` or from a program; returns the text that the agent gets."""
    text = canonicalize(strip_code_fence(code))
    if text.faults:
        raise WorkbenchError(text.faults[0].message, "Remove those characters and offer it again.")
    kept = [skill for skill in await asyncio.to_thread(services.library.usable) if skill.name == skill_name(name)]
    skill = await asyncio.to_thread(services.library.offer, name, description, text.text, session.author)
    summary = session.mask(f"{session.author} offered the skill {skill.name}")
    note = Note(kind="skill.drafted", summary=summary, actor=session.author, session=session.id)
    services.journal.append(note)
    words = (
        f"{skill.name} is now a draft. It can be used after the user keeps it in the workbench's window or with"
        f" `mcp-workbench skills keep {skill.name}` in their own terminal."
    )
    if kept and kept[0].code != text.text:
        words += f" Until then load_skill and run_skill use the kept skill of this name: {kept[0].description}"
    return words


# characters; the forms of longer programs are not counted, because a skill is short and this blocks the event loop
LONGEST: Final = 6_000
_RAN: Final = frozenset({RunState.DONE, RunState.FAILED, RunState.STOPPED})


def learn_from_run(run: ProgramRun) -> None:
    """Count a finished run for the skills that it used, or for the form of its program."""
    record, services = run.record, run.services
    proposal, verdict, usage = record.proposal, record.verdict, services.library.usage
    if record.state not in _RAN or proposal.dry_run or verdict is None or not record.started or verdict.any_skill:
        return  # with `any_skill` the used skills are not known
    done, saved = record.state is RunState.DONE, record.ledger.direct - record.ledger.actual
    skills = [name.removeprefix(MARK) for name in verdict.definitions if name.startswith(MARK)]
    if skills:
        usage.used(skills, done=done, saved=saved, at=time.time())
        return
    if not done or not record.calls or proposal.skill or proposal.language != PYTHON or run.reading is None:
        return
    if len(proposal.code) <= LONGEST and (key := skeleton(run.reading.program)):
        tools = sorted({f"{call.server}.{call.tool}" for call in record.calls})
        usage.ran(key, record.id, run.session.mask(proposal.purpose), tools[:10], saved=saved, at=time.time())


def needed_tools(verdict: Verdict | None) -> tuple[str, ...]:
    """Return the tools that a program's text names as "server.tool", whether they exist or not."""
    if verdict is None:
        return ()
    found = {f"{use.server}.{use.tool}" for use in verdict.tools}
    return tuple(sorted(found | {one.subject for one in verdict.findings if one.rule == "tool.unknown"}))


def describe_missing_tools(wanted: Iterable[str], tools: Sequence[Tool]) -> tuple[str, ...]:
    """Return the wanted tools that are not in the catalog, each with the most similar existing name."""
    there = {f"{tool.server}.{tool.name}" for tool in tools}
    servers = sorted({tool.server for tool in tools})
    return tuple(_describe_missing_tool(name, there, servers) for name in wanted if name not in there)


def _describe_missing_tool(name: str, there: set[str], servers: Sequence[str]) -> str:
    server, _, tool = name.partition(".")
    own = [one.partition(".")[2] for one in there if one.startswith(f"{server}.")]
    if own:
        near = similar_names(tool, own, 2)
        return f"{name}: {server} has no such tool{f' (similar: {_join_or(near)})' if near else ''}"
    near = similar_names(server, servers, 2)
    return f"{name}: there is no server {server}{f' (similar: {_join_or(near)})' if near else ''}"


def _join_or(names: Sequence[str]) -> str:
    return " or ".join(names)
