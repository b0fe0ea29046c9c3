"""What the palette finds by itself, by letters: actions, servers and saved calls. All else the core finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from workbench.gui.actions import ACTIONS
from workbench.gui.commands import Commands, keys_text
from workbench.gui.fuzzy import score
from workbench.gui.rows import Row
from workbench.gui.text import one_line
from workbench.gui.wishes import Act, ShowCall, ShowTool, Wish
from workbench.records import SavedCalls, ServerState

STRONG = 500
"""Points from which the letters are the beginning of words, not some letters of many."""

_EXACT = 100  # points for a name that was typed whole: "files" is the server of that name before "New file"


class Target(Struct, frozen=True):
    """Something the palette can go to."""

    row: Row
    words: str  # what the letters are compared with
    wish: Wish
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
        found.append(Target(row, f"{text} {entry.category}", Act(entry.id), weight, missing))
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
        if isinstance(target.wish, Act) and is_named(target, text):
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
