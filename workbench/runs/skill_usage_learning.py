"""Tells the library after a run which skills its program used, and which forms of programs come again."""

from __future__ import annotations

import time
from typing import Final

from workbench.analysis.program_fingerprints import skeleton
from workbench.analysis.used_skills import MARK
from workbench.records import RunState
from workbench.runs.program_languages import PYTHON
from workbench.runs.run import ProgramRun

LONGEST: Final = 6_000  # characters of a program whose form is counted: a skill is short, and the loop waits for it
_RAN: Final = frozenset({RunState.DONE, RunState.FAILED, RunState.STOPPED})


def learn_from_run(run: ProgramRun) -> None:
    """Count a finished run for the skills that it used, or for the form of its program."""
    record, services = run.record, run.services
    proposal, verdict, usage = record.proposal, record.verdict, services.library.usage
    if record.state not in _RAN or proposal.dry_run or verdict is None or not record.started or verdict.any_skill:
        return  # of `any_skill`, nobody knows which of them it used
    done, saved = record.state is RunState.DONE, record.ledger.direct - record.ledger.actual
    skills = [name.removeprefix(MARK) for name in verdict.definitions if name.startswith(MARK)]
    if skills:
        usage.used(skills, done=done, saved=saved, at=time.time())
        return
    if not done or not record.calls or proposal.skill or proposal.language != PYTHON or run.reading is None:
        return
    if len(proposal.code) <= LONGEST and (key := skeleton(run.reading.program)):
        tools = sorted({f"{call.server}.{call.tool}" for call in record.calls})
        usage.ran(key, record.id, run.session.mask(proposal.purpose), tools[:10], saved=saved, at=time.time())
