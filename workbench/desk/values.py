"""What is known of a session's values, a page at a time: lists without values, and one value when a person asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workbench.errors import WorkbenchError
from workbench.privacy.value_index import fold
from workbench.privacy.value_store import StoredValue
from workbench.records import HiddenValue, KindCount, PrivacyQuery, PrivacyReport, PrivacySession, Revealed
from workbench.runs.sessions import Session


def report_of(session: Session, told: PrivacySession, query: PrivacyQuery, enabled: bool) -> PrivacyReport:
    """A page of its values and its figures; reads up to tens of thousands, so a thread asks."""
    issued = session.vault.issued()
    fitting = _fitting(session, issued, query)
    counts = Counter(held.kind for _, held in issued)
    kinds = tuple(KindCount(kind, count) for kind, count in sorted(counts.items()))
    shown = fitting[query.after : query.after + query.limit]
    return PrivacyReport(told, tuple(_told(session, *one) for one in shown), len(fitting), kinds, enabled)


def all_of(session: Session) -> tuple[HiddenValue, ...]:
    """Every value of a session, without the value."""
    return tuple(_told(session, token, held) for token, held in session.vault.issued())


def revealed(session: Session, token: str) -> Revealed:
    """The value behind a token of this session, however a model spelled it."""
    held = session.vault.held(token)
    if held is None:
        hint = "Values are kept in memory only, as long as their session lasts or until you have them forgotten."
        raise WorkbenchError("What this stood for is not known any more.", hint)
    told = _told(session, session.vault.canonical(token), held)
    return Revealed(told.token, told.kind, held.text, told.sources, told.came, told.went, told.times)


def _fitting(
    session: Session, issued: Sequence[tuple[str, StoredValue]], query: PrivacyQuery
) -> list[tuple[str, StoredValue]]:
    words = fold(query.text.strip())
    return [
        (token, held)
        for token, held in issued
        if (not query.kind or held.kind == query.kind) and (not words or _fits(session, token, held, words))
    ]


def _fits(session: Session, token: str, held: StoredValue, words: str) -> bool:
    """By what a list shows of it; by its value only as a whole, or a search would spell it out letter by letter."""
    if words in token.lower() or fold(held.text) == words or any(words in source.lower() for source in held.sources):
        return True
    places = (*session.vault.came(held.text), *session.trail.of(token).went.values())
    return any(words in f"{place.server}.{place.tool}".lower() or words in place.run_id for place in places)


def _told(session: Session, token: str, held: StoredValue) -> HiddenValue:
    steps = session.trail.of(token)
    came, went = session.vault.came(held.text), tuple(reversed(steps.went.values()))
    return HiddenValue(token, held.kind, steps.times, tuple(sorted(held.sources)), came, went, tuple(steps.runs))
