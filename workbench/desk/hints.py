"""Answers what the editor asks of a program that is being written."""

from __future__ import annotations

import asyncio

from workbench.desk.seat import Seat
from workbench.records import CallShape, Candidate, Explanation, Finding
from workbench.wrappers.check import check, doubts


class HintsDesk(Seat):
    """Completion, signatures, explanations."""

    async def complete_code(self, code: str, line: int, column: int) -> tuple[Candidate, ...]:
        return await self._house.hints.complete(code, line, column)

    async def call_shapes(self, code: str, line: int, column: int) -> tuple[CallShape, ...]:
        return await self._house.hints.shapes(code, line, column)

    async def check_code(self, code: str) -> tuple[Finding, ...]:
        tools = self._catalog.tools()
        servers = [state.config.name for state in self._catalog.states()]
        sure = await asyncio.to_thread(check, code, tools, servers)
        return (*sure, *await asyncio.to_thread(doubts, code, tools))

    async def explain_code(self, code: str, line: int, column: int) -> Explanation:
        return await self._house.hints.explain(code, line, column)
