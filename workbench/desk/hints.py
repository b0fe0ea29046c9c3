"""Answers what the editor asks of a program that is being written."""

from __future__ import annotations

import asyncio

from workbench.analysis.call_checks import check_draft
from workbench.analysis.parsed_program import ParsedProgram
from workbench.api.marker import api
from workbench.desk.seat import Seat
from workbench.records import Finding


class HintsDesk(Seat):
    """Completion, signatures, explanations."""

    @api
    async def check_code(self, code: str) -> tuple[Finding, ...]:
        """The calls of a program in Python that cannot work, by the definitions that are known."""
        tools = self._catalog.tools()
        servers = [state.config.name for state in self._catalog.states()]
        return await asyncio.to_thread(lambda: check_draft(ParsedProgram(code), tools, servers))
