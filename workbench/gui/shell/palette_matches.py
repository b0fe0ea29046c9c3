"""What the palette finds without the core, and how its results are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from workbench.gui.kit.icons import mime_icon
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.wording import amount, hint_words
from workbench.gui.shell.actions import ACTIONS, menu_of
from workbench.gui.shell.commands import Commands, keys_text
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import DoAction, Request, ShowCall, ShowServer, ShowSkill, ShowTool
from workbench.records import Find, FindKind, FoundIn, Reason, SavedCalls, ServerState, ServerStatus

_KINDS = {
    FindKind.TOOL: ("Tool", "tool"),
    FindKind.RESOURCE: ("Resource", ""),
    FindKind.TEMPLATE: ("Template", "pencil"),
    FindKind.PROMPT: ("Prompt", "message"),
    FindKind.SKILL: ("Skill", "book"),
}
_REASONS = {
    FoundIn.EXACT: "exact name",
    FoundIn.NAME: "“{}” in its name",
    FoundIn.ASKED: "“{}” led to it before",
    FoundIn.DESCRIPTION: "“{}” in its description",
    FoundIn.PARAMETERS: "“{}” in its parameters",
    FoundIn.SERVER: "“{}” in its server’s description",
    FoundIn.SYNONYM: "similar to “{}”",
    FoundIn.LETTERS: "similar letters",
    FoundIn.MEANING: "similar meaning",
}


def score(needle: str, text: str) -> int | None:
    """Fuzzy score of letters that occur in order; None if they do not. Whole words and word starts score highest."""
    wanted, held = needle.casefold().replace(" ", ""), text.casefold()
    if not wanted:
        return 0
    whole = held.find(needle.casefold().strip())
    if whole >= 0:
        if _starts_word(held, whole):
            return 1000 - 2 * whole - len(held) // 4
        return 8 * len(wanted) - 10 - len(held) // 8
    if (points_of_words := _score_words(needle.casefold().split(), held)) is not None:
        return points_of_words
    points, place = 0, -1
    for letter in wanted:
        found = held.find(letter, place + 1)
        if found < 0:
            return None
        points += 8 if found == place + 1 else 5 if _starts_word(held, found) else 1
        place = found
    return points - len(held) // 8


def _score_words(words: list[str], held: str) -> int | None:
    """Score of words that each start a word of the text, in any order: "demo connect" for "Connect the demo"."""
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


def in_name(find: Find, text: str) -> bool:
    """Whether every word of the query occurs in the name: such a match comes before guesses by meaning."""
    name = f"{find.name} {find.title}".casefold()
    return bool(text.strip()) and all(word in name for word in text.casefold().split())


def match_row(find: Find) -> Row:
    """Name and the reason of the match; below it server, state and first sentence."""
    kind, symbol = _KINDS[find.kind]
    hints = hint_words(find.hints)[:1] if find.kind is FindKind.TOOL else ()
    detail = (one_line(find.server, 40), server_state(find), one_line(find.summary, 200))
    return Row(
        key=match_key(find),
        title=one_line(find.name if find.kind is FindKind.TOOL else find.title, 100),
        detail=" · ".join(part for part in detail if part) or " ",
        aside=" · ".join(part for part in (*map(reason_text, find.reasons[:1]), _cost(find)) if part),
        icon=mime_icon(find.mime) if find.kind is FindKind.RESOURCE else symbol,
        badges=((kind, "info"), *hints),
        tip="\n".join(filter(None, (visible(find.title), visible(find.summary), *map(reason_text, find.reasons)))),
    )


def match_key(find: Find) -> str:
    return f"{find.kind}:{find.server}\n{find.name}"


def request_of(find: Find) -> Request:
    """The navigation request that opens a search result."""
    match find.kind:
        case FindKind.TOOL:
            return ShowTool(find.server, find.name, enter=True)
        case FindKind.SKILL:
            return ShowSkill(find.name, "run")
        case FindKind.PROMPT:
            return ShowServer(find.server, "prompts", find.name)
    return ShowServer(find.server, "resources", find.name)


def server_state(find: Find) -> str:
    """Why its server is not ready; nothing while it runs."""
    if find.kind is FindKind.SKILL or find.status is ServerStatus.READY:
        return ""
    if not find.allowed:
        return "not running; connect it first"
    if find.status is ServerStatus.FAILED:
        return "its server failed"
    return "not running; starts at the first call"


def reason_text(reason: Reason) -> str:
    """Why it was found, with the words of the query in quotes."""
    return _REASONS[reason.at].format(one_line(reason.words, 30))


def _cost(find: Find) -> str:
    if find.size >= 0:
        return size_words(find.size)
    return f"≈ {amount(find.tokens)} tokens" if find.tokens else ""


STRONG = 500
"""Points from which the letters are the beginning of words, not some letters of many."""

_EXACT = 100  # points for a name that was typed whole: "files" is the server of that name before "New file"


class Target(Struct, frozen=True):
    """Something that the palette finds by itself: an action, a server or a saved call."""

    row: Row
    text: str  # what the letters are compared with
    request: Request
    weight: int = 0  # actions before servers, and saved calls last, where all fit equally
    missing: str = ""  # why it cannot be done now


def action_targets(commands: Commands, only: Sequence[str] = ()) -> list[Target]:
    """Every action, or those of these ids; one that cannot be done now says why."""
    found = []
    for entry in ACTIONS:
        if entry.id == "palette.open" or (only and entry.id not in only):
            continue
        missing = commands.disabled_reason(entry.id)
        text = entry.text.removesuffix("…")
        row = Row(
            f"action:{entry.id}",
            text,
            aside=missing or keys_text(entry.keys) or menu_of(entry.id),
            icon=entry.icon or "bolt",
            tone="faint" if missing else "muted",
            faded=bool(missing),
        )
        weight = 0 if missing else 20
        found.append(Target(row, f"{text} {menu_of(entry.id)}", DoAction(entry.id), weight, missing))
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


class LocalMatches(Struct, frozen=True):
    """Actions, servers and saved calls that match, in the order they are listed."""

    named: list[Target] = field(default_factory=list)  # actions whose whole title was typed, unavailable ones included
    strong: list[Target] = field(default_factory=list)  # the letters begin words of it
    unavailable: list[Target] = field(default_factory=list)  # so do they, but it cannot be done now
    weak: list[Target] = field(default_factory=list)


def sort_targets(text: str, targets: Sequence[Target]) -> LocalMatches:
    """Sort by how well the text matches; without text everything matches."""
    matches = LocalMatches()
    for points, target in find_targets(text, targets):
        if isinstance(target.request, DoAction) and is_named(target, text):
            matches.named.append(target)
        elif points >= STRONG or not text:
            (matches.unavailable if target.missing else matches.strong).append(target)
        elif not target.missing:
            matches.weak.append(target)
    return matches


def find_targets(text: str, targets: Sequence[Target]) -> list[tuple[int, Target]]:
    """Best first, with the score of each."""
    scored = [
        (points + target.weight + _title_points(target, text), place, target)
        for place, target in enumerate(targets)
        if (points := score(text, target.text)) is not None
    ]
    scored.sort(key=lambda found: (-found[0], found[1]))
    return [(points, target) for points, _, target in scored]


def _title_points(target: Target, text: str) -> int:
    """Points for words that are in the title itself, not only in the name of its menu."""
    in_title = (score(text, target.row.title) or 0) >= STRONG
    return _EXACT * (in_title + is_named(target, text))


def is_named(target: Target, text: str) -> bool:
    """Whether the text is its whole title."""
    return target.row.title.casefold() == text.strip().casefold()
