"""Skills as rows: drafts apart, because they still wait for a person's yes; retired ones only when wished."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from workbench.gui.rows import Row
from workbench.gui.text import visible
from workbench.gui.words import ago, first_sentence, skill_word
from workbench.records import Skill, SkillState

translate = QCoreApplication.translate


def skill_rows(skills: Iterable[Skill], text: str, retired: bool, now: float) -> list[Row]:
    """The whole list with headings; `text` filters by name, description and tags."""
    needle = text.strip().casefold()
    shown = sorted((skill for skill in skills if matches(skill, needle)), key=lambda skill: skill.name)
    parts = [
        (SkillState.DRAFT, translate("skills", "Drafts, not yet seen by agents")),
        (SkillState.KEPT, translate("skills", "Kept")),
    ]
    if retired:
        parts.append((SkillState.RETIRED, translate("skills", "Retired")))
    rows: list[Row] = []
    for state, title in parts:
        part = [skill for skill in shown if skill.state is state]
        if part:
            rows.append(Row(f"section:{state}", title, aside=str(len(part)), section=True))
            rows.extend(skill_row(skill, now) for skill in part)
    return rows


def matches(skill: Skill, needle: str) -> bool:
    words = (skill.name, skill.description, *skill.tags)
    return not needle or any(needle in word.casefold() for word in words)


def skill_row(skill: Skill, now: float) -> Row:
    word = skill_word(skill.state)
    badges = ((translate("skills", "starter"), "info"),) if skill.starter else ()
    version = translate("skills", "v{}").format(skill.version) if skill.version else ""
    changed = ago(skill.changed, now) if skill.changed and not skill.starter else ""
    return Row(
        key=skill.name,
        title=visible(skill.name),
        detail=visible(first_sentence(skill.description)),
        aside=" · ".join(part for part in (version, changed) if part),
        icon=word.icon,
        tone=word.tone,
        badges=badges,
        mono=True,
        faded=skill.state is SkillState.RETIRED,
        tip=f"{visible(skill.name)}\n{word.text}\n{visible(skill.description)}",
    )
