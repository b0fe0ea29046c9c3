"""Audits elicitations of servers and their ends, and registers the personal data in them.

What the user typed into a form is never stored, not even masked: only which fields were filled in, and for which
server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.events import AskArrived, AskSettled, Event
from workbench.privacy.vault import Vault
from workbench.records import Ask, JsonObject, JsonValue, Note

_MOST_SEARCHED = 20_000  # characters of a request that are searched for personal data on the event loop
_SHOWN = 300  # characters of a request in the summary of the audit entry
_KINDS = {"form": "form input", "url": "a visit to a page", "sampling": "a completion (sampling)"}
_ENDINGS = {  # end of an elicitation → kind and summary of the audit entry
    "accept": ("elicitation.accepted", "You answered the request of {0}"),
    "decline": ("elicitation.declined", "You declined the request of {0}"),
    "cancel": ("elicitation.dismissed", "You dismissed the request of {0}"),
    "timed out": ("elicitation.timed_out", "The request of {0} was not answered in time"),
    "withdrawn": ("elicitation.withdrawn", "The request of {0} ended with its call"),
}


class ElicitationAudit:
    """Audits elicitations from the events about them."""

    hears = (AskArrived, AskSettled)

    def __init__(self, services: Services) -> None:
        self._services = services

    def hear(self, event: Event) -> None:
        match event:
            case AskArrived(ask=ask) if not ask.opened:
                session = self.session(ask)
                _register_request(session.vault, ask)
                words = session.mask_start(ask.message or _last_message(ask), _SHOWN)
                self._note(ask, "elicitation.requested", f"{ask.server} asks for {_KINDS[ask.kind]}: {words}")
            case AskArrived(ask=ask):
                self._note(ask, "elicitation.page_opened", f"You opened {ask.host} for {ask.server}")
            case AskSettled(ask=ask, ending=ending):
                kind, summary = _ENDINGS[ending]
                self._note(ask, kind, summary.format(ask.server), ok=ending == "accept")

    def session(self, ask: Ask) -> Session:
        """Return the session of the call that caused the elicitation; the user's session if no call did."""
        sessions = self._services.sessions
        return sessions.get(ask.session) or sessions.person

    def unmask_answer(self, ask: Ask, content: str) -> str:
        """Return the user's answer with real values in place of tokens, as in any call; its personal data is
        registered."""
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            return content  # empty or not JSON; the code that parses the answer reports it
        session = self.session(ask)
        value = session.vault.restore_json(value, ask.server)
        session.vault.register(value, ask.server)
        return json.dumps(value, ensure_ascii=False)

    def _note(self, ask: Ask, kind: str, summary: str, *, ok: bool = True) -> None:
        session = self.session(ask)
        detail: JsonObject = {"ask": ask.id, "call": ask.call_id, "fields": _fields(ask), "host": ask.host}
        self._services.journal.append(
            Note(
                kind=kind,
                summary=session.mask(summary),
                actor=ask.server if kind == "elicitation.requested" else "you",
                session=session.id,
                run_id=ask.run_id,
                server=ask.server,
                tool=ask.tool,
                ok=ok,
                detail={key: value for key, value in detail.items() if value},
            )
        )


def given_fields(content: str) -> str:
    """Return the names of the fields that an answer fills in; the values are not stored."""
    value: JsonValue = json.loads(content) if content else {}
    return ", ".join(sorted(str(name)[:60] for name in value)) if isinstance(value, Mapping) else ""


def _fields(ask: Ask) -> list[str]:
    return [str(name)[:60] for name in json.loads(ask.schema).get("properties", {})] if ask.schema else []


def _register_request(vault: Vault, ask: Ask) -> None:
    """Register what a server shows the user, because it may occur in the server's answer to the agent."""
    vault.register(ask.message, ask.server)
    if ask.schema:
        vault.register(json.loads(ask.schema), ask.server)
    vault.register(ask.request[:_MOST_SEARCHED], ask.server)


def _last_message(ask: Ask) -> str:
    """Return the last message of a sampling request, for the summary of the audit entry."""
    messages = json.loads(ask.request).get("messages", []) if ask.request else []
    content = messages[-1].get("content") if messages else ""
    block = content[-1] if isinstance(content, list) and content else content
    return str(block.get("text", block.get("type", ""))) if isinstance(block, Mapping) else ""
