"""API methods about elicitation and sampling requests: what servers ask of the user, and the answers."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.broker.elicitation_audit import given_fields
from workbench.errors import WorkbenchError
from workbench.records import Ask


class ElicitationHandler(RequestHandler):
    """Requests of servers that wait for the user."""

    @api(decides=True, consent=True)
    async def answer_ask(self, ask_id: str, action: str, content: str) -> Ask:
        """Accept, decline or cancel; content is JSON text: a form's values, a model's message, a reason."""
        ask = next((one for one in self._catalog.asks.all() if one.id == ask_id), None)
        if ask is None:
            raise WorkbenchError("This question is not open any more.", "Its server or its call has ended.")
        answered = self._catalog.asks.answer(ask_id, action, self._context.askings.restored(ask, content))
        if action == "accept" and ask.kind == "form":
            fields = given_fields(content) or "nothing"
            self._note(
                "elicitation.values_sent", f"You gave {ask.server}: {fields}", server=ask.server, run_id=ask.run_id
            )
        return answered

    @api
    async def attend(self, approvals_only: bool = False) -> None:
        """Be there for approval requests and, unless `approvals_only`, for what servers ask. It does not end by itself:
        who asked it lets go of it."""
        servers = nullcontext() if approvals_only else self._catalog.asks.attending()
        with self._context.run_manager.approvals.attending(), servers:
            await asyncio.Event().wait()
