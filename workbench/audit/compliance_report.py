"""The compliance report: all figures of a stretch of time, what stands behind them, and the state of the chain."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec import Struct

from workbench import __version__
from workbench.audit.audit_search import Finder
from workbench.audit.run_summaries import executions
from workbench.audit.search_queries import is_one_of, numbers_where
from workbench.audit.statistics import VIOLATIONS, figures
from workbench.records import ChainReport, Incident, Report

EXECUTIONS = 5_000  # runs that a report lists; its figures count all
INCIDENTS = 1_000  # of each list
_WHERE = "at >= :since AND at < :until ORDER BY seq DESC LIMIT :most"
_COLUMNS = "seq, at, kind, summary, actor, run_id, risk"
_RULE_KINDS = """
value LIKE 'rule.%' OR value LIKE 'definition.approved%' OR value IN ('server.trusted', 'server.trust_withdrawn',
    'server.allowed', 'profile.accepted', 'profile.withdrawn', 'tool.annotation_changed')
"""
_BROKEN = f"SELECT {_COLUMNS} FROM entries WHERE {numbers_where('kind', is_one_of(VIOLATIONS))} AND {_WHERE}"
_RULES = f"SELECT {_COLUMNS} FROM entries WHERE {numbers_where('kind', _RULE_KINDS)} AND {_WHERE}"


class Frame(Struct, frozen=True):
    """What a report says beside what is in the audit."""

    project: Path
    chain: ChainReport
    void: tuple[str, ...] = ()
    cents: int = 0


def make(finder: Finder, since: float, until: float, frame: Frame) -> Report:
    """Of everything from `since` to before `until`."""
    runs = tuple(executions(finder, since, until, EXECUTIONS))
    with finder.stretch(since, until) as (store, low, high):
        where = {"low": low, "high": high, "since": since, "until": until, "most": INCIDENTS}
        broken = tuple(Incident(*row) for row in store.execute(_BROKEN, where))
        rules = tuple(Incident(*row) for row in store.execute(_RULES, where))
    return Report(
        made=time.time(),
        version=__version__,
        project=str(frame.project),
        figures=figures(finder, since, until, frame.cents),
        chain=frame.chain,
        executions=runs,
        incidents=broken,
        permissions=rules,
        void=frame.void,
        definitions=tuple(sorted({one for run in runs for one in run.definitions})),
        profiles=tuple(sorted({run.profile for run in runs if run.profile})),
    )
