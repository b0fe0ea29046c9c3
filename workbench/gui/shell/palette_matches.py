"""What the palette finds by itself, and how its results are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from workbench.gui.kit.icons import mime_icon
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.wording import amount, hint_words
from workbench.gui.shell.actions import ACTIONS
from workbench.gui.shell.commands import Commands, keys_text
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import DoAction, Request, ShowCall, ShowServer, ShowSkillPage, ShowTool
from workbench.records import Find, FindKind, FoundIn, Reason, SavedCalls, ServerState, ServerStatus


def score(needle: str, text: str) -> int | None:
    """How well the letters fit, in order; None when they do not. Whole words and word starts win."""
    wanted, held = needle.casefold().replace(" ", ""), text.casefold()
    if not wanted:
        return 0
    whole = held.find(needle.casefold().strip())
    if whole >= 0:
        if _starts_word(held, whole):
            return 1000 - 2 * whole - len(held) // 4
        return 8 * len(wanted) - 10 - len(held) // 8
    if (begun := _begun(needle.casefold().split(), held)) is not None:
        return begun
    points, place = 0, -1
    for letter in wanted:
        found = held.find(letter, place + 1)
        if found < 0:
            return None
        points += 8 if found == place + 1 else 5 if _starts_word(held, found) else 1
        place = found
    return points - len(held) // 8


def _begun(words: list[str], held: str) -> int | None:
    """For several words that begin words of the text, in any order: "demo connect" means "Connect the demo"."""
    places = [next((at for at in _finds(word, held) if _starts_word(held, at)), -1) for word in words]
    if len(words) < 2 or -1 in places:
        return None
    in_order = places == sorted(places)
    return (900 if in_order else 800) - 2 * min(places) - len(held) // 4


def _finds(word: str, held: str) -> Iterator[int]:
    at = held.find(word)
    while at >= 0:
        yield at
        at = held.find(word, at + 1)


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()


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


def find_wish(find: Find) -> Request:
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


STRONG = 500
"""Points from which the letters are the beginning of words, not some letters of many."""

_EXACT = 100  # points for a name that was typed whole: "files" is the server of that name before "New file"


class Target(Struct, frozen=True):
    """Something the palette can go to."""

    row: Row
    words: str  # what the letters are compared with
    wish: Request
    weight: int = 0  # actions before servers, and saved calls last, where all fit equally
    missing: str = ""  # why it cannot be done now


def action_targets(commands: Commands, only: Sequence[str] = ()) -> list[Target]:
    """Every action, or those of these ids; one that cannot be done now says why."""
    found = []
    for entry in ACTIONS:
        if entry.id == "palette.open" or (only and entry.id not in only):
            continue
        missing = commands.missing(entry.id)
        text = entry.text.removesuffix("…")
        row = Row(
            f"action:{entry.id}",
            text,
            aside=missing or keys_text(entry.keys) or entry.category,
            icon=entry.icon or "bolt",
            tone="faint" if missing else "muted",
            faded=bool(missing),
        )
        weight = 0 if missing else 20
        found.append(Target(row, f"{text} {entry.category}", DoAction(entry.id), weight, missing))
    return found


def server_targets(servers: Iterable[ServerState]) -> list[Target]:
    return [
        Target(
            Row(
                f"server:{state.config.name}", one_line(state.config.name, 60), aside=state.status.value, icon="server"
            ),
            state.config.name,
            ShowTool(state.config.name, ""),
        )
        for state in servers
    ]


def saved_targets(saved: SavedCalls) -> list[Target]:
    return [
        Target(
            Row(f"saved:{call.file}", one_line(call.name, 60), aside=one_line(call.tool, 40), icon="bookmark"),
            f"{call.name} {call.collection} {call.tool} {' '.join(call.tags)}",
            ShowCall(call.server, call.tool, call.arguments, call.withheld),
            -STRONG,  # its tool has the same words, and comes first
        )
        for call in saved.calls
    ]


class Deeds(Struct, frozen=True):
    """What was found by letters, in the order in which it stands."""

    named: list[Target] = field(default_factory=list)  # actions whose whole title was typed, also barred ones
    strong: list[Target] = field(default_factory=list)  # the letters begin words of it
    barred: list[Target] = field(default_factory=list)  # so do they, but it cannot be done now
    weak: list[Target] = field(default_factory=list)


def sort_targets(text: str, targets: Sequence[Target]) -> Deeds:
    """What fits the words; without words everything does."""
    deeds = Deeds()
    for points, target in find_targets(text, targets):
        if isinstance(target.wish, DoAction) and is_named(target, text):
            deeds.named.append(target)
        elif points >= STRONG or not text:
            (deeds.barred if target.missing else deeds.strong).append(target)
        elif not target.missing:
            deeds.weak.append(target)
    return deeds


def find_targets(text: str, targets: Sequence[Target]) -> list[tuple[int, Target]]:
    """The best first, each with its points."""
    scored = [
        (points + target.weight + (_EXACT if is_named(target, text) else 0), place, target)
        for place, target in enumerate(targets)
        if (points := score(text, target.words)) is not None
    ]
    scored.sort(key=lambda found: (-found[0], found[1]))
    return [(points, target) for points, _, target in scored]


def is_named(target: Target, text: str) -> bool:
    """Whether the words are its whole title."""
    return target.row.title.casefold() == text.strip().casefold()
