"""What a person can do with skills: the part of the table that the list of skills and its page bind."""

from __future__ import annotations

from workbench.gui.action import LINKED, Action

SKILL = "skill"  # a skill is chosen
DRAFT = "draft"  # a draft is chosen
KEPT = "kept"  # a kept skill is chosen
LIVING = "living"  # a skill that is not retired is chosen
RETIRED = "retired"  # a retired one is chosen


def _action(name: str, text: str, words: str, symbol: str, *when: str, keys: str = "") -> Action:
    return Action(name, text, words, "Skills", symbol, keys, (LINKED, *when))


SKILL_ACTIONS: tuple[Action, ...] = (
    _action("skill.show", "Show skill", "Open its page: card, code, versions, tests.", "book", SKILL),
    _action("skill.open", "Open skill", "Show the skill's program in the editor.", "pencil", SKILL),
    _action("skill.run", "Run skill…", "Fill in its arguments and run it.", "play", LIVING),
    _action("skill.test", "Test skill", "Play its recordings, offline, and say what differs.", "check", LIVING),
    _action("skill.keep", "Keep draft…", "Make the draft a skill that agents can use.", "bookmark", DRAFT),
    _action(
        "skill.new",
        "New skill…",
        "Name a skill, and write it in the editor from a beginning that runs.",
        "plus",
        keys="Ctrl+Alt+K",
    ),
    _action(
        "skill.import",
        "Import skills…",
        "Look at a folder, zip file or git checkout, and take skills of it.",
        "download",
    ),
    _action("skill.export", "Export skill…", "Pack it into a zip file that other clients read.", "save", SKILL),
    _action("skill.rename", "Rename skill…", "Folder, card, function and versions follow.", "pencil", LIVING),
    _action("skill.tags", "Tag skill…", "Say what it belongs to.", "list", LIVING),
    _action("skill.back", "Restore skill", "Let agents find a retired skill again.", "undo", RETIRED),
    _action("skill.retire", "Retire skill…", "Hide a kept skill from agents; it is not deleted.", "archive", KEPT),
    Action("skills.retired", "Show retired skills", "List retired skills too.", "Skills", "eye", "", (), True),
)
