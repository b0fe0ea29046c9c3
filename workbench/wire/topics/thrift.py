"""What a person asks about tokens."""

from __future__ import annotations

from typing import Protocol

from workbench.records import TokenReport


class ThriftQuestions(Protocol):
    """Tokens spent and saved."""

    async def token_report(self) -> TokenReport:
        """Of all conversations of this core, and which way of working the catalogue calls for."""
        ...
