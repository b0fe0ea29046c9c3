"""What a person is asked by servers, and answers."""

from __future__ import annotations

from typing import Protocol

from workbench.records import Ask


class AskQuestions(Protocol):
    """Questions of servers."""

    async def asks(self) -> tuple[Ask, ...]:
        """What servers ask right now, oldest first."""

    async def answer_ask(self, ask_id: str, action: str, content: str) -> Ask:
        """Accept, decline or cancel; content is JSON text: a form's values, a model's message, a reason."""

    async def attend(self, approvals_only: bool = False) -> None:
        """Be there for approval requests and, unless `approvals_only`, for what servers ask. It does not end by itself:
        who asked it lets go of it."""
