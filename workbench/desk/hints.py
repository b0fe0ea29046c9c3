"""Answers what the editor asks of a program that is being written."""

from __future__ import annotations

import asyncio

from workbench.api.marker import api
from workbench.desk.seat import Seat
from workbench.policy.call_checks import check_draft
from workbench.policy.program import Program
from workbench.records import CallShape, Candidate, Explanation, Finding


class HintsDesk(Seat):
    """Completion, signatures, explanations."""

    @api
    async def complete_code(self, code: str, line: int, column: int) -> tuple[Candidate, ...]:
        """What may stand at this place of a program in Python, the likeliest first; lines from 1, columns from 0 in
        Python code points."""
        return await self._house.hints.complete(code, line, column)

    @api
    async def call_shapes(self, code: str, line: int, column: int) -> tuple[CallShape, ...]:
        """The parameters of the call that is being written at this place."""
        return await self._house.hints.shapes(code, line, column)

    @api
    async def check_code(self, code: str) -> tuple[Finding, ...]:
        """The calls of a program in Python that cannot work, by the definitions that are known."""
        tools = self._catalog.tools()
        servers = [state.config.name for state in self._catalog.states()]
        return await asyncio.to_thread(lambda: check_draft(Program(code), tools, servers))

    @api
    async def explain_code(self, code: str, line: int, column: int) -> Explanation:
        """What the name at this place stands for."""
        return await self._house.hints.explain(code, line, column)
