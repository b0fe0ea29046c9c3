"""How a find looks in a list, where choosing it leads, and the words for why it was found."""

from __future__ import annotations

from workbench.gui.rows import Row
from workbench.gui.server.offer_words import mime_icon
from workbench.gui.text import one_line, visible
from workbench.gui.whole import size_words
from workbench.gui.wishes import ShowServer, ShowSkillPage, ShowTool, Wish
from workbench.gui.words import amount, hint_words
from workbench.records import Find, FindKind, FoundIn, Reason, ServerStatus


def find_row(find: Find) -> Row:
    """Its name, and why it was found; below, what it is, whose, and what it does."""
    status = standing(find)
    hints = hint_words(find.hints)[:1] if find.kind is FindKind.TOOL else ()
    told = (one_line(find.server, 40), status, one_line(find.summary, 200))
    return Row(
        key=find_key(find),
        title=one_line(find.name if find.kind is FindKind.TOOL else find.title, 100),
        detail=" · ".join(part for part in told if part) or " ",
        aside=" · ".join(part for part in (*map(why, find.reasons[:1]), _cost(find)) if part),
        icon=_icon(find),
        badges=((kind_word(find.kind), "info"), *hints),
        tip="\n".join(filter(None, (visible(find.title), visible(find.summary), *map(why, find.reasons)))),
    )


def find_key(find: Find) -> str:
    return f"{find.kind}:{find.server}\n{find.name}"


def find_wish(find: Find) -> Wish:
    """Its own place in the window."""
    match find.kind:
        case FindKind.TOOL:
            return ShowTool(find.server, find.name, enter=True)
        case FindKind.SKILL:
            return ShowSkillPage(find.name, run=True)
        case FindKind.PROMPT:
            return ShowServer(find.server, "prompts", find.name)
    return ShowServer(find.server, "resources", find.name)


def kind_word(kind: FindKind) -> str:
    return {
        FindKind.TOOL: "Tool",
        FindKind.RESOURCE: "Resource",
        FindKind.TEMPLATE: "Template",
        FindKind.PROMPT: "Prompt",
        FindKind.SKILL: "Skill",
    }[kind]


def standing(find: Find) -> str:
    """What is to be known of its server before it is used; nothing while that runs."""
    if find.kind is FindKind.SKILL or find.status is ServerStatus.READY:
        return ""
    if not find.allowed:
        return "not running; connect it first"
    if find.status is ServerStatus.FAILED:
        return "its server failed"
    return "not running; starts at the first call"


def why(reason: Reason) -> str:
    """A few words, with the question's own in quotes."""
    said = {
        FoundIn.EXACT: "its exact name",
        FoundIn.NAME: "“{}” in its name",
        FoundIn.ASKED: "“{}” led to it before",
        FoundIn.DESCRIPTION: "“{}” in its description",
        FoundIn.PARAMETERS: "“{}” in what it takes",
        FoundIn.SERVER: "“{}” in its server's words",
        FoundIn.SYNONYM: "nearly “{}”",
        FoundIn.LETTERS: "its letters",
        FoundIn.MEANING: "near in meaning",
    }[reason.at]
    return said.format(one_line(reason.words, 30))


def _cost(find: Find) -> str:
    if find.size >= 0:
        return size_words(find.size)
    return f"≈ {amount(find.tokens)} tokens" if find.tokens else ""


def _icon(find: Find) -> str:
    return {
        FindKind.TOOL: "tool",
        FindKind.RESOURCE: mime_icon(find.mime),
        FindKind.TEMPLATE: "pencil",
        FindKind.PROMPT: "message",
        FindKind.SKILL: "book",
    }[find.kind]
