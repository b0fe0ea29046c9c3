"""Computes statistics of the audit for a time range, and figures about the user's decisions.

SQLite does the work, so that no Python code runs per entry and the event loop is not blocked. Details are read as JSON;
a damaged detail counts as empty.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Any, Final

from msgspec import Struct

from workbench.audit.audit_search import AuditSearch
from workbench.audit.journal import ENDS
from workbench.audit.search_queries import is_one_of, numbers_where
from workbench.records import (
    DayFigures,
    Entry,
    Figures,
    Note,
    PredictionAccuracy,
    ReviewFigures,
    RunTally,
    ServerFigures,
    Tally,
    TokenReleaseCount,
    ToolFigures,
)

DECIDED: Final = "run.decided"  # prefix of the kinds of all decisions
HASTY: Final = 1.5  # seconds; the button is disabled for half of that, so a faster approval was not read
NEWEST: Final = 1000  # decisions that the figures cover
VIOLATIONS = (
    "connection.blocked", "connection.volume_exceeded", "call.refused", "run.unpredicted_effect", "definition.changed",
    "audit.gap",
)  # fmt: skip
ANSWERED = ("call.done", "call.failed")
SHOWN = 500  # rows of each list
_ANSWERED = ", ".join(f"'{kind}'" for kind in ANSWERED)
_WHERE = "seq BETWEEN :low AND :high AND at >= :since AND at < :until"
_OF_ENDS = numbers_where("kind", is_one_of(ENDS))
_OF_ENDS_AND_LEAVING = numbers_where("kind", is_one_of((*ENDS, "agent.disconnected")))
_OF_DECISIONS = numbers_where("kind", f"value >= '{DECIDED}' AND value < '{DECIDED}/'")
_OF_CHECKS = numbers_where("kind", "value = 'run.checked'")
_OF_VIOLATIONS = numbers_where("kind", is_one_of(VIOLATIONS))
_DETAIL = "CASE WHEN json_valid(detail) THEN detail ELSE '{}' END"

_RUNS = f"""
SELECT risk, substr(kind, 5), count(*), sum(ms), sum(ms > 0), sum(tokens) FROM entries
WHERE {_OF_ENDS} AND {_WHERE} GROUP BY risk, kind
"""
_DAYS = f"""
SELECT date(at, 'unixepoch', 'localtime') AS day, count(*), sum(kind != 'run.done'),
    sum(coalesce(json_extract({_DETAIL}, '$.direct'), 0)), sum(coalesce(json_extract({_DETAIL}, '$.actual'), 0))
FROM entries WHERE {_OF_ENDS} AND {_WHERE} GROUP BY day ORDER BY day
"""
_SERVERS = f"""
SELECT server, max(calls), max(failed), max(CASE WHEN place = (calls + 1) / 2 THEN ms END),
    max(CASE WHEN place = (calls * 95 + 99) / 100 THEN ms END)
FROM (
    SELECT server, ms, row_number() OVER (PARTITION BY server ORDER BY ms) AS place,
        count(*) OVER (PARTITION BY server) AS calls, sum(ok = 0) OVER (PARTITION BY server) AS failed
    FROM entries WHERE kind IN ({_ANSWERED}) AND {_WHERE}
) GROUP BY server ORDER BY max(calls) DESC LIMIT {SHOWN}
"""
_TOOLS = f"""
SELECT server, tool, risk, sum(kind IN ({_ANSWERED})), sum(kind = 'call.failed'), sum(kind = 'call.refused')
FROM entries WHERE kind IN ({_ANSWERED}, 'call.refused') AND {_WHERE}
GROUP BY server, tool, risk ORDER BY count(*) DESC LIMIT {SHOWN}
"""
_MADE = f"""
SELECT made.key, sum(made.value) FROM entries, json_each({_DETAIL}, '$.tokens_made') AS made
WHERE {_OF_ENDS_AND_LEAVING} AND {_WHERE} GROUP BY made.key ORDER BY 2 DESC
"""
_MADE_FOR = f"""
SELECT actor, sum(made.value) FROM entries, json_each({_DETAIL}, '$.tokens_made') AS made
WHERE {_OF_ENDS_AND_LEAVING} AND {_WHERE} GROUP BY actor ORDER BY 2 DESC LIMIT {SHOWN}
"""
_GIVEN = f"""
SELECT json_extract(given.value, '$.kind'), json_extract(given.value, '$.of'), json_extract(given.value, '$.to'),
    sum(json_extract(given.value, '$.count'))
FROM entries, json_each({_DETAIL}, '$.restored') AS given
WHERE kind IN ({_ANSWERED}) AND {_WHERE} GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT {SHOWN}
"""
_DECISIONS = f"""
SELECT {_DETAIL} FROM entries WHERE {_OF_DECISIONS} AND {_WHERE}
ORDER BY seq DESC LIMIT {NEWEST}
"""
_SEEN = f"""
SELECT sum(seen AND foretold = 1), sum(NOT seen AND foretold = 1), sum(seen AND foretold = 0), sum(foretold IS NULL)
FROM (
    SELECT json_extract(one.value, '$.predicted') AS foretold,
        json_extract(one.value, '$.times') + json_extract(one.value, '$.refused') > 0 AS seen
    FROM entries, json_each({_DETAIL}, '$.observed') AS one WHERE {_OF_ENDS} AND {_WHERE}
)
"""
_FLOWS = f"""
SELECT flow.value, count(*) FROM entries, json_each({_DETAIL}, '$.flows') AS flow
WHERE {_OF_CHECKS} AND {_WHERE} GROUP BY flow.value ORDER BY 2 DESC LIMIT {SHOWN}
"""
_TRIFECTA = f"""
SELECT session FROM entries, json_each({_DETAIL}, '$.read') AS kind_of
WHERE {_OF_ENDS} AND {_WHERE} GROUP BY session
HAVING count(DISTINCT CASE WHEN kind_of.value IN ('private', 'untrusted', 'sends') THEN kind_of.value END) = 3
ORDER BY max(seq) DESC LIMIT {SHOWN}
"""
_BROKEN = f"SELECT kind, count(*) FROM entries WHERE {_OF_VIOLATIONS} AND {_WHERE} GROUP BY kind ORDER BY 2 DESC"
_ENTRIES = f"SELECT count(*) FROM entries WHERE {_WHERE}"


class _TimeRange(Struct, frozen=True):
    """A connection and the time range of its queries."""

    store: sqlite3.Connection
    where: dict[str, float]

    def rows(self, statement: str) -> Iterator[tuple[Any, ...]]:  # Any: columns
        return self.store.execute(statement, self.where)


def figures(finder: AuditSearch, since: float, until: float, cents: int = 0) -> Figures:
    """Statistics from `since` to before `until`. Any thread may call it."""
    with finder.time_range(since, until) as (store, low, high):
        ask = _TimeRange(store, {"low": low, "high": high, "since": since, "until": until})
        runs = list(ask.rows(_RUNS))
        days = tuple(DayFigures(*row) for row in ask.rows(_DAYS))
        decisions = [json.loads(detail) for (detail,) in ask.rows(_DECISIONS)]
        (entries,) = next(ask.rows(_ENTRIES))
        timed = sum(row[4] for row in runs)
        return Figures(
            since=since,
            until=until,
            entries=entries,
            runs=tuple(RunTally(*row[:3]) for row in runs),
            average_ms=sum(row[3] for row in runs) / timed if timed else 0.0,
            tokens=sum(row[5] for row in runs),
            direct=sum(day.direct for day in days),
            days=days,
            servers=tuple(ServerFigures(*row) for row in ask.rows(_SERVERS)),
            tools=tuple(ToolFigures(*row) for row in ask.rows(_TOOLS)),
            hidden=_tallies(ask, _MADE),
            hidden_for=_tallies(ask, _MADE_FOR),
            given=tuple(
                TokenReleaseCount(str(row[0]), str(row[1]), str(row[2]), int(row[3] or 0)) for row in ask.rows(_GIVEN)
            ),
            review=_review(decisions),
            deciders=_deciders(decisions),
            foretold=PredictionAccuracy(*(int(number or 0) for number in next(ask.rows(_SEEN)))),
            flows=_tallies(ask, _FLOWS),
            trifecta=tuple(str(row[0]) for row in ask.rows(_TRIFECTA)),
            violations=_tallies(ask, _BROKEN),
            cents_per_million=cents,
        )


def _tallies(ask: _TimeRange, statement: str) -> tuple[Tally, ...]:
    return tuple(Tally(str(name), int(number or 0)) for name, number in ask.rows(statement))


def _review(decisions: list[dict[str, Any]]) -> ReviewFigures:  # Any: JSON
    return review_figures(Entry(0, 0.0, Note(DECIDED, "", detail=detail), "", "") for detail in decisions)


def _deciders(decisions: list[dict[str, Any]]) -> tuple[Tally, ...]:  # Any: JSON
    """How often each decider allowed something."""
    allowed = [str(detail.get("by", "you")) for detail in decisions if detail.get("allow") is True]
    return tuple(Tally(name, allowed.count(name)) for name in sorted(set(allowed)))


def review_figures(decisions: Iterable[Entry]) -> ReviewFigures:
    """Figures about decisions, from entries of the kinds `DECIDED`, without decisions made together with another."""
    looked = [entry.note.detail for entry in decisions if _seconds(entry.note.detail.get("seconds")) > 0]
    allowed = [detail for detail in looked if detail.get("allow") is True]
    times = [_seconds(detail.get("seconds")) for detail in looked]
    hasty = sum(_seconds(detail.get("seconds")) < HASTY for detail in allowed)
    return ReviewFigures(len(looked), len(allowed), round(median(times), 1) if times else 0.0, hasty)


def is_hasty(allow: bool, seconds: float) -> bool:
    """Whether something was allowed faster than it can be read. Zero seconds: decided together with another request."""
    return allow and 0 < seconds < HASTY


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
