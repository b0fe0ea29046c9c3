"""Hears how runs end, and tells the library which skills were used and which forms of programs come again."""

from __future__ import annotations

import time
from typing import Final

from workbench.analysis.parsed_program import ParsedProgram
from workbench.analysis.program_fingerprints import skeleton
from workbench.analysis.used_skills import MARK
from workbench.events import Event, RunChanged
from workbench.records import Run, RunState
from workbench.records.runs import ENDS
from workbench.runs.services import Services

LONGEST: Final = 6_000  # characters of a program whose form is counted: a skill is short, and the loop waits for it
_WENT: Final = frozenset({RunState.DONE, RunState.FAILED, RunState.STOPPED})


class LearningSkills:
    """Of one core."""

    hears = (RunChanged,)

    def __init__(self, services: Services) -> None:
        self._services = services

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged) and event.run.state in ENDS & _WENT and not event.run.proposal.rehearse:
            self._learn(event.run)

    def _learn(self, run: Run) -> None:
        lessons, verdict = self._services.library.lessons, run.verdict
        if verdict is None or not run.started:
            return
        done, saved = run.state is RunState.DONE, run.ledger.direct - run.ledger.actual
        skills = [name.removeprefix(MARK) for name in verdict.definitions if name.startswith(MARK)]
        if verdict.any_skill:
            return  # nobody knows which of them it used
        if skills:
            lessons.used(skills, done=done, saved=saved, at=time.time())
        elif done and run.calls and run.proposal.language == "python" and len(run.proposal.code) <= LONGEST:
            session = self._services.sessions.get(run.proposal.session)
            purpose = session.mask(run.proposal.purpose) if session is not None else ""
            tools = sorted({f"{call.server}.{call.tool}" for call in run.calls})
            if not run.proposal.skill and (key := skeleton(ParsedProgram(run.proposal.code))):
                lessons.ran(key, run.id, purpose, tools[:10], saved=saved, at=time.time())
