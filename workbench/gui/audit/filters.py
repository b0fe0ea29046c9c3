"""What the audit is filtered by: typed as `server:demo`, shown as chips, kept as text."""

from __future__ import annotations

from msgspec import Struct

from workbench.api.client_texts import parse_time
from workbench.gui.text import one_line
from workbench.records import EntryQuery, Risk
from workbench.records.audit import current_kind

FIELDS = ("since", "until", "actor", "session", "run", "server", "tool", "risk", "outcome", "kind")
"""In the order in which chips stand; these are the words that can be typed before a colon."""
_NAMES = {"run": "run_id"}  # of EntryQuery, where they differ


class Filter(Struct, frozen=True):
    """One chip."""

    field: str
    value: str  # as it was typed or chosen: of a time `7d`, `today`, `2026-11-05`, `2026-11-05T14:00`


Filters = tuple[Filter, ...]


def typed(text: str) -> tuple[str, Filters]:
    """The words of a line, and the filters that stand among them as `field:value`; what cannot be one stays a word."""
    words, found = [], list[Filter]()
    for word in text.split():
        field, colon, value = word.partition(":")
        one = Filter(field.casefold(), value)
        if colon and value and usable(one):
            found.append(one)
        else:
            words.append(word)
    return " ".join(words), tuple(found)


def usable(one: Filter) -> bool:
    if one.field in ("since", "until"):
        return parse_time(one.value) is not None
    if one.field == "risk":
        return one.value in set(Risk)
    return one.field in FIELDS and (one.field != "outcome" or one.value in ("ok", "failed"))


def put(filters: Filters, new: Filter) -> Filters:
    """With this one, in the place of another of its field."""
    kept = [one for one in filters if one.field != new.field]
    return tuple(sorted((*kept, new), key=lambda one: FIELDS.index(one.field)))


def query_of(text: str, filters: Filters, now: float | None = None) -> EntryQuery:
    """What the core is asked; spans of time count from now."""
    words, times = dict[str, str](), dict[str, float]()
    for one in filters:
        if one.field in ("since", "until"):
            times[one.field] = parse_time(one.value, now) or 0.0
        else:
            words[_NAMES.get(one.field, one.field)] = current_kind(one.value) if one.field == "kind" else one.value
    return EntryQuery(text=text.strip(), **words, **times)  # type: ignore[arg-type]  # texts and times, by their names


def told(one: Filter) -> str:
    """A chip's words."""
    names = {
        "since": "Since",
        "until": "Until",
        "actor": "Who",
        "session": "Session",
        "run": "Run",
        "server": "Server",
        "tool": "Tool",
        "risk": "Risk",
        "outcome": "Outcome",
        "kind": "Kind",
    }
    return f"{names[one.field]}: {one_line(spoken(one), 40)}"


def spoken(one: Filter) -> str:
    """A value in words."""
    spans = {
        "1h": "an hour ago",
        "today": "today",
        "7d": "7 days ago",
        "30d": "30 days ago",
        "ok": "worked",
        "failed": "did not work",
    }
    return spans.get(one.value, one.value) if one.field in ("since", "until", "outcome") else one.value


def line(text: str, filters: Filters) -> str:
    """One line that `typed` reads back, where no value holds a blank; with a tab between, so that any value may."""
    return "\t".join((*(f"{one.field}:{one.value}" for one in filters), text))


def read(kept: str) -> tuple[str, Filters]:
    """What `line` made; of a newer version's filters those that are known here."""
    *parts, text = kept.split("\t")
    found = (Filter(*part.split(":", 1)) for part in parts if ":" in part)
    return text, tuple(one for one in found if usable(one))
