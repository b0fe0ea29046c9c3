"""Assesses a program together with the skills that it uses: effects of a skill are effects of the program.

Without this, a reviewer would only see an import, and the broker would refuse the calls of the skill. The verdict on
the program lists its skills. A skill that is nested too deeply, or chosen only at run time, is a finding that needs
approval. A program with an unknown skill is returned to its author. The verdict contains the hash of each skill, so a
skill that is saved again while its program waits is detected before anything runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from workbench.analysis.data_flow.leak_findings import find_leak_between
from workbench.analysis.interpreter.imports import PACKAGE, unread_skill
from workbench.analysis.reading import Reading, read_program
from workbench.analysis.verdict import ONLY_COMPUTES, merge_impacts
from workbench.errors import WorkbenchError
from workbench.identifiers import skill_module_name
from workbench.records import Effect, EffectKind, Finding, Gate, HostRule, Risk, Skill, Span, Tool, Verdict
from workbench.records.common_types import worst

MARK = PACKAGE  # prefix of a skill's name among the definitions of a verdict; import names contain no dots
UNKNOWN = "skill.unknown"  # the rule of a finding about an unknown skill
DEEPEST = 5  # maximum nesting of skills that import skills; deeper ones need approval


def read_all(
    code: str,
    tools: Sequence[Tool],
    skills: Sequence[Skill],
    earlier: Sequence[str] = (),
    importers: tuple[str, ...] = (),
    reach: Sequence[HostRule] | None = None,
) -> Reading:
    """Analyze a program with the earlier programs of its REPL session and every skill they use.

    `importers`: the skills that led to this text."""
    reading = read_program(code, tools, reach, earlier=earlier, is_skill=bool(importers))
    return with_skills(reading, tools, skills, importers, reach)


def uses_skills(reading: Reading) -> bool:
    """Return whether the verdict depends on the skill library."""
    verdict = reading.verdict
    return verdict.gate is not Gate.BLOCKED and bool(verdict.skills or verdict.any_skill)


def with_skills(
    reading: Reading,
    tools: Sequence[Tool],
    skills: Sequence[Skill],
    importers: tuple[str, ...] = (),
    reach: Sequence[HostRule] | None = None,
) -> Reading:
    """Return the reading of a text together with every skill that it uses."""
    if not uses_skills(reading):
        return reading
    verdict, read_skills = reading.verdict, dict(reading.skills)
    known = _by_import_name(skills)
    if verdict.any_skill:  # any skill may be used, so none may change before the program runs
        verdict = replace(verdict, definitions={**verdict.definitions, **{MARK + one.name: one.sha for one in skills}})
    for name, line in verdict.skills.items():
        if (skill := known.get(name)) is None:
            verdict = _add_unknown_skill(verdict, name, line)
        elif doubt := _why_unread(skill, importers):
            verdict = _add_unread_skill(verdict, skill, line, doubt)
        else:
            inner = read_all(skill.code, tools, skills, (), (*importers, skill.name), reach)
            leak = find_leak_between(verdict, inner.verdict, tools)
            verdict = _add_skill_verdict(verdict, skill, inner.verdict, line)
            if leak is not None:
                verdict = _add_unclear_flow(verdict, skill, line, *leak)
            read_skills |= {**inner.skills, skill.name: inner}
    return dataclasses.replace(reading, verdict=verdict, skills=read_skills)


def find_cycle(name: str, code: str, skills: Sequence[Skill]) -> tuple[str, ...]:
    """Return the import cycle that a skill with this code would cause; empty if there is none."""
    texts = {skill.name: skill.code for skill in skills} | {name: code}
    known = {skill_module_name(one): one for one in texts}
    paths: list[tuple[str, ...]] = [(name,)]
    seen = {name}
    while paths:
        path = paths.pop(0)
        for found in _find_imports(texts[path[-1]]):
            other = known.get(found)
            if other == name:
                return (*path, name)
            if other is not None and other not in seen:
                seen.add(other)
                paths.append((*path, other))
    return ()


def used_skills(code: str, skills: Sequence[Skill]) -> dict[str, str]:
    """Return the skills that a text uses, directly and indirectly, each with the hash of its code."""
    known = _by_import_name(skills)
    found: dict[str, str] = {}
    texts = [code]
    while texts:
        for name in _find_imports(texts.pop()):
            if (skill := known.get(name)) is not None and skill.name not in found:
                found[skill.name] = skill.sha
                texts.append(skill.code)
    return found


def includes_skills(verdict: Verdict | None) -> bool:
    """Return whether skills were assessed together with the program."""
    return verdict is not None and any(name.startswith(MARK) for name in verdict.definitions)


def included_skill_codes(verdict: Verdict, skills: Sequence[Skill]) -> tuple[str, ...]:
    """Return the texts of the skills that were assessed together with the program."""
    return tuple(skill.code for skill in skills if MARK + skill.name in verdict.definitions)


def names_skill(verdict: Verdict | None, name: str) -> bool:
    """Return whether this skill was assessed with the program, or may be chosen by it at run time."""
    return verdict is not None and MARK + name in verdict.definitions


def check_unchanged(verdict: Verdict | None, skills: Sequence[Skill]) -> None:
    """Raise an error if a skill is not the version that was assessed."""
    now = {MARK + skill.name: skill.sha for skill in skills}
    now |= {MARK + name: skill.sha for name, skill in _by_import_name(skills).items()}
    for name, sha in (verdict.definitions if verdict else {}).items():
        if name.startswith(MARK) and now.get(name, "") != sha:
            words = f"The skill {name.removeprefix(MARK)} changed after this program was assessed."
            raise WorkbenchError(
                words, "Submit the program again; it will be assessed with the current version of the skill."
            )


def _by_import_name(skills: Sequence[Skill]) -> Mapping[str, Skill]:
    """Return every skill under its possible import names.

    These are the name in import statements and the name that `load_skill` uses."""
    return {name: skill for skill in skills for name in (skill.name.replace("-", "_"), skill_module_name(skill.name))}


def _find_imports(code: str) -> Mapping[str, int]:
    """Return the import names of the skills that a text uses, each with its first line."""
    return read_program(code, None).verdict.skills


def _why_unread(skill: Skill, importers: tuple[str, ...]) -> str:
    """Return why a skill is not analyzed: an import cycle, or too deep nesting; "" if it is."""
    if skill.name in importers:
        path = " → ".join((*importers[importers.index(skill.name) :], skill.name))
        return f"The skills {path} import each other in a cycle, which fails at run time"
    return (
        f"The skill {skill.name}: skills import each other too deeply to be analyzed"
        if len(importers) >= DEEPEST
        else ""
    )


def _add_unknown_skill(verdict: Verdict, name: str, line: int) -> Verdict:
    """Return the verdict as refused because a skill is unknown.

    No approval is needed, because there is nothing to load. The empty hash makes `check_unchanged` fail if such a skill
    is saved before the program runs, because it was not assessed."""
    words = f"Uses the skill {name}, which is not saved in this project"
    refused = _with_finding(verdict, UNKNOWN, Risk.MEDIUM, words, name, line, EffectKind.REFUSED)
    gate = Gate.REFUSED if verdict.gate in (Gate.AUTO, Gate.REFUSED) else verdict.gate
    return replace(refused, gate=gate, definitions={**verdict.definitions, MARK + name: ""})


def _add_unread_skill(verdict: Verdict, skill: Skill, line: int, doubt: str) -> Verdict:
    asking = _with_finding(verdict, "skill.unread", Risk.HIGH, doubt, skill.name, line)
    return replace(
        asking,
        not_assessed=(*verdict.not_assessed, f"{doubt}."),
        definitions={**verdict.definitions, MARK + skill.name: skill.sha},
    )


def _with_finding(
    verdict: Verdict, rule: str, risk: Risk, words: str, subject: str, line: int, effect: EffectKind = EffectKind.MAY
) -> Verdict:
    span = Span(line, 0, line, 0)
    return replace(
        verdict,
        risk=worst((verdict.risk, risk)),
        gate=Gate.ASK,
        sentence=_extend_sentence(verdict, f"{words}."),
        findings=(*verdict.findings, Finding(rule, risk, words, span, subject)),
        effects=(*verdict.effects, Effect(effect, words, line, risk)),
    )


def _add_unclear_flow(verdict: Verdict, skill: Skill, line: int, source: str, sink: str) -> Verdict:
    """Return the verdict with a finding that the data flow between the program and the skill cannot be followed."""
    words = f"Whether data from {source} goes to {sink} cannot be determined: the skill {skill.name} is between them"
    asking = _with_finding(verdict, "flow.unclear", Risk.HIGH, words, sink, line)
    return replace(asking, gate=Gate.ASK, may_carry=tuple(sorted({*verdict.may_carry, sink})))


def _extend_sentence(verdict: Verdict, words: str) -> str:
    """Return the verdict's sentence with an addition, or the addition alone if the program only computes."""
    return words if verdict.sentence == ONLY_COMPUTES else f"{verdict.sentence} {words}"


def _add_skill_verdict(verdict: Verdict, skill: Skill, inner: Verdict, line: int) -> Verdict:
    place = f" (in the skill {skill.name})"
    unread = {unread_skill(name) for name in (skill.name.replace("-", "_"), skill_module_name(skill.name))}
    still_unread = [doubt for doubt in verdict.not_assessed if doubt not in unread]
    return replace(
        verdict,
        risk=worst((verdict.risk, inner.risk)),
        gate=verdict.gate if inner.gate is Gate.AUTO else Gate.ASK,
        sentence=_extend_sentence(verdict, f"The skill {skill.name}: {inner.sentence}"),
        findings=(
            *verdict.findings,
            *(replace(one, message=one.message + place, span=Span(line, 0, line, 0)) for one in inner.findings),
        ),
        effects=(*verdict.effects, *(replace(one, text=one.text + place, line=line) for one in inner.effects)),
        tools=(*verdict.tools, *(replace(use, line=line) for use in inner.tools)),
        not_assessed=(*still_unread, *inner.not_assessed),
        definitions={**verdict.definitions, **inner.definitions, MARK + skill.name: skill.sha},
        hosts=tuple(dict.fromkeys((*verdict.hosts, *inner.hosts))),
        impact=merge_impacts(verdict.impact, inner.impact),
        may_carry=tuple(sorted({*verdict.may_carry, *inner.may_carry})),
        forks=verdict.forks + inner.forks,
        any_skill=verdict.any_skill or inner.any_skill,
    )
