"""Answers what a person asks about tokens: spent, saved, and whether programs pay with this catalogue."""

from __future__ import annotations

import asyncio

from workbench.agent.tools import INSTRUCTIONS, TOOLS, listed
from workbench.api.marker import api
from workbench.desk.factors import factors
from workbench.desk.seat import Seat
from workbench.records import Depth, ModeAdvice, SessionTokens, TokenReport
from workbench.tokens import count, counter

_LISTED = 10  # matches of a usual search
_READ = 2  # signatures a usual task needs


class ThriftDesk(Seat):
    """Tokens of conversations and of the catalogue."""

    @api
    async def token_report(self) -> TokenReport:
        """Of all conversations of this core, and which way of working the catalogue calls for."""
        sessions = self._services.sessions
        some = (
            *(SessionTokens(*one) for one in sessions.released),
            *(
                SessionTokens(one.id, one.author, one.origin, one.ledger)
                for one in sessions.all()
                if one.ledger.direct or one.ledger.actual
            ),
        )
        advice = self._advice(await asyncio.to_thread(own_tokens))
        more = await asyncio.to_thread(factors, [tool.raw for tool in self._catalog.tools()])
        return TokenReport(sessions.total(), some, advice, self._services.settings().tokens_cents_per_million, more)

    def _advice(self, entry: int) -> ModeAdvice:
        """Programs pay when the workbench's own tools (`entry`) and one search cost less than all definitions. On the
        loop: the catalogue and its index belong to it."""
        tools = self._catalog.tools()
        definitions = sum(tool.definition_tokens for tool in tools)
        finding = 0
        if tools:
            finding = self._catalog.search("", Depth.DESCRIPTION, _LISTED).tokens
            finding += self._catalog.search("", Depth.FULL, _READ).tokens
        searches = max(0, definitions - entry) // finding if finding else 0
        return ModeAdvice(
            "code" if searches else "direct", len(tools), definitions, entry, finding, searches, counter()
        )


def own_tokens() -> int:
    """What the workbench's own tools and instructions cost a model, once a conversation."""
    return count(INSTRUCTIONS) + sum(count(listed(tool)) for tool in TOOLS)
