"""Assesses the kept skills that a program imports together with it: what a skill does is what the program does.

Without this a reviewer would read an import, and the broker would refuse what the skill calls. The verdict names the
hash of each skill, so a skill that is kept anew while its program waits is noticed before anything runs.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from workbench.errors import WorkbenchError
from workbench.policy.canonical import canonical
from workbench.policy.earlier import assess_after
from workbench.policy.impact import together
from workbench.policy.levels import worst
from workbench.records import Gate, HostRule, Skill, Span, Tool, Verdict
from workbench.syntax import parse

MARK = "skills."  # before a skill's name among the definitions of a verdict; import names hold no dots
DEEPEST = 5  # skills that import skills that import skills; past this the program is put before a person


def assess_all(
    code: str,
    tools: Sequence[Tool],
    skills: Sequence[Skill],
    earlier: Sequence[str] = (),
    above: tuple[str, ...] = (),
    reach: Sequence[HostRule] | None = None,
) -> Verdict:
    """The verdict on a program, on those that ran before it in its state, and on every kept skill they name. `above`:
    the skills on whose behalf this text is read."""
    verdict = assess_after(earlier, code, tools, reach)
    if verdict.gate is Gate.BLOCKED or not any("skill" in text for text in (*earlier, code)):
        return verdict
    known = {skill.name.replace("-", "_"): skill for skill in skills}
    for name, line in (dict.fromkeys(_named("\n".join(earlier)), 1) | _named(code)).items():
        if skill := known.get(name):
            doubt = _doubt(skill, above)
            inner = None if doubt else assess_all(skill.code, tools, skills, (), (*above, skill.name), reach)
            verdict = _joined(verdict, skill, inner, line, doubt)
    return verdict


def circle(name: str, code: str, skills: Sequence[Skill]) -> tuple[str, ...]:
    """The way on which a skill with this code would import itself; empty where there is none."""
    texts = {skill.name: skill.code for skill in skills} | {name: code}
    known = {one.replace("-", "_"): one for one in texts}
    ways: list[tuple[str, ...]] = [(name,)]
    seen = {name}
    while ways:
        way = ways.pop(0)
        for found in _named(texts[way[-1]]):
            other = known.get(found)
            if other == name:
                return (*way, name)
            if other is not None and other not in seen:
                seen.add(other)
                ways.append((*way, other))
    return ()


def used_skills(code: str, skills: Sequence[Skill]) -> dict[str, str]:
    """The skills that a text uses, and those that they use, each with the hash of its code."""
    known = {skill.name.replace("-", "_"): skill for skill in skills}
    found: dict[str, str] = {}
    texts = [code]
    while texts:
        for name in _named(texts.pop()):
            if (skill := known.get(name)) is not None and skill.name not in found:
                found[skill.name] = skill.sha
                texts.append(skill.code)
    return found


def _doubt(skill: Skill, above: tuple[str, ...]) -> str:
    """Why a skill is not read once more on behalf of those above it."""
    if skill.name in above:
        way = " → ".join((*above[above.index(skill.name) :], skill.name))
        return f"The skills {way} import each other in a circle, which fails when they run."
    return f"The skill {skill.name}: skills import each other too deeply to be read." if len(above) >= DEEPEST else ""


def borrows(verdict: Verdict | None) -> bool:
    """Whether skills were assessed together with the program."""
    return verdict is not None and any(name.startswith(MARK) for name in verdict.definitions)


def check_unchanged(verdict: Verdict | None, skills: Sequence[Skill]) -> None:
    """Refuse a program whose skills are not the ones that were assessed."""
    now = {MARK + skill.name: skill.sha for skill in skills}
    for name, sha in (verdict.definitions if verdict else {}).items():
        if name.startswith(MARK) and now.get(name) != sha:
            words = f"The skill {name.removeprefix(MARK)} changed after this program was assessed."
            raise WorkbenchError(words, "Propose it again; it will be assessed with the skill as it is now.")


def _named(code: str) -> dict[str, int]:
    """Import names of skills in a text, each with the first line that names it."""
    found: dict[str, int] = {}
    try:
        tree = parse(canonical(code).text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    for node in ast.walk(tree):
        for name in _names_of(node):
            found.setdefault(name.replace("-", "_"), getattr(node, "lineno", 1))
    return found


def _names_of(node: ast.AST) -> list[str]:
    match node:
        case ast.ImportFrom(module=str(module)) if module.startswith("skills."):
            return [module.split(".")[1]]
        case ast.ImportFrom(module="skills"):
            return [alias.name for alias in node.names]
        case ast.Import():
            return [alias.name.split(".")[1] for alias in node.names if alias.name.startswith("skills.")]
        case ast.Call(args=[ast.Constant(value=str(name)), *_]) if "load_skill" in ast.unparse(node.func):
            return [name]
    return []


def _joined(verdict: Verdict, skill: Skill, inner: Verdict | None, line: int, doubt: str = "") -> Verdict:
    definitions = {**verdict.definitions, MARK + skill.name: skill.sha}
    if inner is None:
        return replace(verdict, gate=Gate.ASK, not_assessed=(*verdict.not_assessed, doubt), definitions=definitions)
    place = f" (in the skill {skill.name})"
    read = {f"The text of the kept skill {name}." for name in (skill.name, skill.name.replace("-", "_"))}
    unread = [doubt for doubt in verdict.not_assessed if doubt not in read]
    return replace(
        verdict,
        risk=worst((verdict.risk, inner.risk)),
        gate=verdict.gate if inner.gate is Gate.AUTO else Gate.ASK,
        sentence=f"{verdict.sentence} The skill {skill.name}: {inner.sentence}",
        findings=(
            *verdict.findings,
            *(replace(one, message=one.message + place, span=Span(line, 0, line, 0)) for one in inner.findings),
        ),
        effects=(*verdict.effects, *(replace(one, text=one.text + place, line=line) for one in inner.effects)),
        tools=(*verdict.tools, *(replace(use, line=line) for use in inner.tools)),
        not_assessed=(*unread, *inner.not_assessed),
        definitions={**inner.definitions, **definitions},
        hosts=tuple(dict.fromkeys((*verdict.hosts, *inner.hosts))),
        impact=together(verdict.impact, inner.impact),
        lines=verdict.lines + inner.lines,
        forks=verdict.forks + inner.forks,
    )
