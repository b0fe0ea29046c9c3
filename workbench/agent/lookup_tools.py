"""Agent tools that run no program: search, definitions, statistics, and masking of a text."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Final, TypeVar

from workbench import offload
from workbench.agent import tool_calls as given
from workbench.agent.direct_tools import kind_of
from workbench.agent.program_tools import ProgramTools
from workbench.agent.tool_calls import ToolAnswer
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import LedgerChanged
from workbench.privacy.pii_tokens import find_tokens
from workbench.privacy.text_kinds import TextKind
from workbench.records import JsonObject, Ledger, RunState
from workbench.runs.answer_view import cut
from workbench.runs.program_execution import depth_of, limit_of
from workbench.runs.run_manager import RunManager
from workbench.servers.server_catalog import one_tool
from workbench.tokens import count, counter

FRESH_SECONDS: Final = 5.0  # for which a count of skills is cached

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class LookupTools:
    """Lookup tools of one agent; their cost in model tokens is counted in the session's ledger."""

    def __init__(self, services: Services, run_manager: RunManager, session: Session, programs: ProgramTools) -> None:
        self._services = services
        self._run_manager = run_manager
        self._session = session
        self._programs = programs
        self._skills, self._counted = 0, -FRESH_SECONDS

    async def search(self, arguments: JsonObject) -> ToolAnswer:
        """Answers `search_tools`."""
        await self._services.catalog.learn()
        answer = self._services.catalog.search(
            given.text(arguments, "query", ""),
            depth_of(given.text(arguments, "detail_level", "description")),
            limit_of(arguments.get("limit")),
            given.text(arguments, "server", ""),
            given.text(arguments, "category", ""),
        )
        self._session.add_search(given.text(arguments, "query", ""), answer.matches)
        self._spend(answer.tokens)
        text = _plain(answer.text)
        return ToolAnswer(text, kind=self._kind_of(text, arguments))

    async def definition(self, arguments: JsonObject) -> ToolAnswer:
        """Answers `get_tool_definition`, with the import line of the tool; a program can read definitions that are
        too long for one answer."""
        await self._services.catalog.learn()
        found = one_tool(self._services.catalog, given.text(arguments, "name"), given.text(arguments, "category", ""))
        fields = self._services.rules.rules_for(found.tool).sealed_fields(self._services.settings().privacy_sealed)
        what = ", ".join(filter(None, fields)) or "all personal data"
        sealed = f"# in its answers, programs get tokens in place of {what}\n" if fields else ""
        text = _plain(f"{found.import_line}\n{sealed}{json.dumps(dict(found.tool.raw), ensure_ascii=False)}")
        pointer = "get_tool_definition(name) in a program returns the complete definition"
        kind = kind_of(self._services.catalog, found.tool)
        text = self._session.mask_part(text, kind)  # masked before it is cut, because a cut must not split a value
        text = cut(text, self._services.settings().run_answer_tokens, pointer)
        self._spend(count(text))
        return ToolAnswer(text, kind=kind)

    def _kind_of(self, text: str, arguments: JsonObject) -> TextKind:
        """Return the kind of a search answer: fixed, unless it shows a definition that the user has not seen, or
        repeats a query that contains a known value."""
        asked = " ".join(one for one in arguments.values() if isinstance(one, str))
        repeats = self._session.mask_known(asked) != asked
        shown = any(name in text for name in self._services.catalog.unseen())
        return TextKind.PUBLIC if repeats or shown else TextKind.FIXED

    async def stats(self) -> ToolAnswer:
        """Answers `get_execution_stats`."""
        catalog, slots, ledger = self._services.catalog, self._run_manager.slots, self._session.ledger
        facts: JsonObject = {
            "servers": len(catalog.states()),
            "tools": len(catalog.tools()),
            "skills": await self._count_skills(),
            "runs": self._programs.proposed,
            "succeeded": self._programs.succeeded,
            "active_tasks": self._run_manager.count_runs(RunState.RUNNING),
            "queued": slots.waiting,
            "waiting": self._run_manager.count_runs(RunState.WAITING),
            "max_concurrent_tasks": slots.limit,
            "tokens_used": ledger.actual,
            "tokens_saved": max(0, ledger.direct - ledger.actual),
        }
        return ToolAnswer("\n".join(f"{name}: {value}" for name, value in facts.items()), facts, kind=TextKind.FIXED)

    async def _count_skills(self) -> int:
        """Count the skills; the count is cached, because counting reads all skills."""
        if time.monotonic() > self._counted + FRESH_SECONDS:
            self._skills = len(await asyncio.to_thread(self._services.library.usable))
            self._counted = time.monotonic()
        return self._skills

    def _spend(self, tokens: int) -> None:
        self._session.spend(Ledger(direct=0, actual=tokens, counter=counter()))
        self._services.tell(LedgerChanged(self._services.sessions.total()))


def _plain(text: str) -> str:
    """Remove control characters and characters that change the text direction from a server's text."""
    return _CONTROLS.sub("", text)


LONGEST: Final = 400_000  # characters of a text
_NAMED: Final = 20  # unknown tokens that one answer names
_CALLS: Final = "Tokens are not replaced here: pass them to a tool, and its server gets the values that it may have."


async def sanitize(session: Session, text: str) -> str:
    """Return the text as the model may see it."""
    if not session.masks_personal_data:
        raise WorkbenchError("The user has switched off the masking of personal data.", "Use the text unchanged.")
    return await _search_tokens(session.mask, text)


async def describe_tokens(session: Session, text: str) -> ToolAnswer:
    """Return the text with its tokens, and a note about which of them are valid; an agent never gets a value."""
    shown, note = await _search_tokens(partial(_describe_tokens, session), text)
    return ToolAnswer(shown, note=note, kind=TextKind.PUBLIC)


_Searched = TypeVar("_Searched")


async def _search_tokens(look: Callable[[str], _Searched], text: str) -> _Searched:
    if len(text) > LONGEST:
        raise WorkbenchError(f"The text is longer than {LONGEST:,} characters.", "Send it in parts.")
    return await offload.MASKING.run(len(text), look, text)


def _describe_tokens(session: Session, text: str) -> tuple[str, str]:
    """Return a text as the agent may see it, and a note about its tokens. Tokens that are none of this session are
    named as the agent wrote them."""
    tokens = dict.fromkeys(match.group() for match in find_tokens(text))
    unknown = {token: why for token in tokens if (why := session.vault.why_unknown(token))}
    words = ["", "", _CALLS if tokens else "The text contains no tokens."]
    if unknown:
        words.append(f"Tokens that do not belong to this session and will be refused: {len(unknown)} of {len(tokens)}.")
        words += islice(unknown.values(), _NAMED)
    shown = session.vault.restore_literals(session.mask(text), unknown)
    return shown, "\n".join(words)
