"""API methods about calls: the user's own calls, saved calls and their checks, and the history of calls."""

from __future__ import annotations

import asyncio
import uuid

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.broker.broker import Broker
from workbench.broker.services import Services
from workbench.calls.saved_call_files import CallStore
from workbench.events import SavedCallsChanged
from workbench.identifiers import python_names
from workbench.recordings.live_checks import LiveChecks
from workbench.recordings.suggested_expectations import keep_answer, suggest_expectations
from workbench.records import (
    CheckResult,
    Fault,
    JsonObject,
    Origin,
    Outcome,
    SavedCall,
    SavedCalls,
    Tool,
    ToolCall,
)
from workbench.wrappers.argument_redaction import without_secrets
from workbench.wrappers.call_snippets import call_text
from workbench.wrappers.python_source import call_source, wrapper_source


class CallHandler(RequestHandler):
    """Calls of tools by the user."""

    def __init__(self, services: Services, broker: Broker) -> None:
        super().__init__(services)
        self._broker = broker
        self._calls: dict[str, asyncio.Task[Outcome]] = {}
        self._cancelled: set[str] = set()  # calls that the user cancelled

    @api
    async def wrapper(self, server: str, name: str) -> str:
        """The Python source that an agent imports for this tool."""
        tool = self._catalog.tool(server, name)
        return wrapper_source(tool, self._function(tool))

    @api
    async def call(self, call: ToolCall) -> Outcome:
        """Make a call for the user; origin and session are set by the core, whatever the client sends."""
        session = self._services.sessions.person
        call = replace(call, id=call.id or uuid.uuid4().hex[:12], origin=Origin.PERSON, session=session.id, run_id="")
        task = asyncio.current_task()
        assert task is not None
        self._calls[call.id] = task
        try:
            return await self._broker.call(call, progress=self._broker.progress(call.id))
        except asyncio.CancelledError:
            if call.id not in self._cancelled:
                raise  # the connection is lost
            task.uncancel()  # this request continues: its answer says that the call was cancelled
            fault = Fault("The call was cancelled.", "What the server had already done is not undone.")
            return Outcome(call.id, ok=False, fault=fault)
        finally:
            self._calls.pop(call.id, None)
            self._cancelled.discard(call.id)

    @api(decides=True)
    async def cancel_call(self, call_id: str) -> None:
        if (task := self._calls.get(call_id)) and not task.cancelling():
            self._cancelled.add(call_id)
            task.cancel()

    @api
    async def call_as_code(self, server: str, tool: str, arguments: JsonObject) -> str:
        """The program that makes the same call."""
        found = self._catalog.tool(server, tool)
        return call_source(found, self._function(found), arguments)

    @api
    async def call_as_text(self, form: str, server: str, tool: str, arguments: JsonObject) -> str:
        """The call as text to copy: `json-rpc`, `curl` or `command`."""
        state = self._catalog.server(server).state
        return call_text(form, state, self._catalog.tool(server, tool), arguments, self._services.paths.project)

    def _function(self, tool: Tool) -> str:
        names = [other.name for other in self._catalog.tools() if other.server == tool.server]
        return python_names(names)[tool.name]


class SavedCallsHandler(RequestHandler):
    """Saved calls and their checks. A check is a call by the user, so it goes through `CallHandler.call`."""

    def __init__(self, services: Services, checks: LiveChecks) -> None:
        super().__init__(services)
        self._checks = checks

    @api
    async def saved_calls(self) -> SavedCalls:
        return await asyncio.to_thread(self._saved.list)

    @api(decides=True)
    async def save_call(self, call: SavedCall, instead_of: str) -> SavedCall:
        """Write a call into the project, without values that its tool's schema marks as secret. `instead_of`: the
        file that the call came from; empty for a new call, which replaces no file."""
        tool = self._checks.find_tool(call)
        arguments, withheld = without_secrets(call.arguments, tool.input_schema if tool else {})
        secrets = tuple(dict.fromkeys((*call.withheld, *withheld)))
        call = replace(call, arguments=arguments, withheld=secrets)
        kept = await asyncio.to_thread(self._saved.save, call, instead_of)
        self._note("call.saved", f"You saved a call as {kept.file}", server=kept.server)
        self._services.tell(SavedCallsChanged(kept.file))
        return kept

    @api(decides=True)
    async def remove_saved(self, file: str) -> str:
        """Remove a file; returns its text, so that it can be restored."""
        text = await asyncio.to_thread(self._saved.remove, file)
        self._note("call.removed", f"You removed the saved call {file}")
        self._services.tell(SavedCallsChanged(file))
        return text

    @api(decides=True)
    async def restore_saved(self, file: str, text: str) -> None:
        await asyncio.to_thread(self._saved.restore, file, text)
        self._note("call.restored", f"You restored the saved call {file}")
        self._services.tell(SavedCallsChanged(file))

    @api
    async def check_saved(self, file: str, confirmed: bool, attended: bool = False) -> CheckResult:
        """Make the call and compare its answer with the expectations. `attended`: the user selected this single
        call; otherwise it is one of many, from files that others may have written."""
        saved = await asyncio.to_thread(self._saved.get, file)
        return await self._checks.check_saved_call(saved, confirmed=confirmed, attended=attended)

    @api
    async def expect_this(self, call: SavedCall, outcome: Outcome, whole: bool) -> SavedCall:
        """The call with expectations made from an answer; with `whole`, the answer itself is stored and expected."""
        tool = self._checks.find_tool(call)
        has_schema = tool is not None and tool.output_schema is not None
        expected = await asyncio.to_thread(suggest_expectations, outcome, has_schema=has_schema)
        if not whole:
            return replace(call, expectations=expected, kept=None)
        kept, expectation = await asyncio.to_thread(keep_answer, outcome)
        return replace(call, expectations=(*expected[:1], expectation), kept=kept)

    @property
    def _saved(self) -> CallStore:
        return CallStore(self._services.paths.project)


class CallHistoryHandler(RequestHandler):
    """Deletes from the history of calls."""

    @api(decides=True)
    async def delete_calls(self, numbers: tuple[int, ...]) -> None:
        """Delete individual calls from the history."""
        await self._services.history.forget(numbers)
        self._note("history.calls_deleted", f"You deleted calls from the history: {len(numbers)}")

    @api(decides=True)
    async def clear_history(self) -> None:
        """Delete the complete history of calls."""
        await self._services.history.clear()
        self._note("history.cleared", "You cleared the history of calls")
