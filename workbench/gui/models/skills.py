"""Skills as rows: drafts apart, because they still wait for a person's yes; retired ones only when wished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.gui.rows import Badges, Row
from workbench.gui.text import visible
from workbench.gui.words import ago, amount, first_sentence, skill_word
from workbench.records import Skill, SkillState, SkillUse

SHOWN_TAGS = 2


def skill_rows(
    skills: Iterable[Skill],
    text: str,
    retired: bool,
    now: float,
    *,
    uses: Mapping[str, SkillUse] | None = None,
    ranks: Mapping[str, int] | None = None,
) -> list[Row]:
    """The whole list with headings. `text` filters by name, description and tags, `#text` by a tag alone; what a
    search found beside that comes in its order."""
    needle, found = text.strip().casefold(), ranks or {}
    shown = [skill for skill in skills if matches(skill, needle) or skill.name in found]
    shown.sort(key=lambda skill: (found.get(skill.name, len(found)), skill.name))
    parts = [
        (SkillState.DRAFT, "Drafts, not yet seen by agents"),
        (SkillState.KEPT, "Kept"),
    ]
    if retired:
        parts.append((SkillState.RETIRED, "Retired"))
    rows: list[Row] = []
    for state, title in parts:
        part = [skill for skill in shown if skill.state is state]
        if part:
            rows.append(Row(f"section:{state}", title, aside=str(len(part)), section=True))
            rows.extend(skill_row(skill, now, (uses or {}).get(skill.name)) for skill in part)
    return rows


def matches(skill: Skill, needle: str) -> bool:
    if needle.startswith("#"):
        return any(tag.casefold().startswith(needle[1:]) for tag in skill.tags)
    words = (skill.name, skill.description, *skill.tags, *skill.triggers)
    return not needle or any(needle in word.casefold() for word in words)


def skill_row(skill: Skill, now: float, use: SkillUse | None = None) -> Row:
    word = skill_word(skill.state)
    version = f"v{skill.version}" if skill.version else ""
    changed = ago(skill.changed, now) if skill.changed and not skill.starter else ""
    return Row(
        key=skill.name,
        title=visible(skill.name),
        detail=visible(first_sentence(skill.faults[0] if skill.faults else skill.description)),
        aside=" · ".join(part for part in (_used(use), version, changed) if part),
        icon="alert" if skill.faults else word.icon,
        tone="danger" if skill.faults else word.tone,
        badges=_badges(skill),
        mono=True,
        faded=skill.state is SkillState.RETIRED,
        tip=_tip(skill, word.text, use),
    )


def _badges(skill: Skill) -> Badges:
    found = [("starter", "info")] if skill.starter else []
    found += [("tool missing", "warning")] if skill.missing else []
    found += [(visible(f"#{tag}"[:20]), "muted") for tag in skill.tags[:SHOWN_TAGS]]
    return tuple(found)


def _used(use: SkillUse | None) -> str:
    if use is None or not use.runs:
        return ""
    share = f", {round(100 * use.done / use.runs)} %" if use.done < use.runs else ""
    return f"{use.runs}×{share}"


def _tip(skill: Skill, state: str, use: SkillUse | None) -> str:
    lines = [skill.name, state, skill.description, *skill.missing]
    if use is not None and use.runs:
        saved = "Ran {} times, {} of them to the end; about {} tokens saved."
        lines.append(saved.format(use.runs, use.done, amount(use.saved)))
    return visible("\n".join(lines))
