"""Requests for resources and prompts: read, get, complete, subscribe, and set the server's log level."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from workbench import offload
from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.records import Completion, Fault, JsonObject, Offers, Outcome, PromptAnswer, Resource, ServerLog
from workbench.servers.connection import ServerConnection
from workbench.servers.resources_and_prompts import resource_parsing
from workbench.servers.resources_and_prompts.resource_updates import capabilities
from workbench.servers.server import McpServer
from workbench.servers.server_faults import ServerFault
from workbench.similar_names import did_you_mean

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
SLICE = 1_000  # resources in one answer
_COMPLETION_SECONDS = 10.0  # seconds; a user who types does not wait longer
_CODES = {-32601: "The server does not support this request.", -32002: "Check the server's list; it may have changed."}


class ResourceRequests:
    """Sends requests for resources and prompts. `find` returns a server by its name."""

    def __init__(self, find: Callable[[str], McpServer], seconds: Callable[[], float]) -> None:
        self._find = find
        self._seconds = seconds

    @api
    def offers(self, server: str) -> Offers:
        """Return what a server offers, except the resources themselves; for a stopped server, the last known lists."""
        return self._find(server).offering.offers()

    @api
    def resources(self, server: str, start: int) -> tuple[Resource, ...]:
        """Return up to a thousand resources from this position on."""
        return self._find(server).offering.resources[max(0, start) : max(0, start) + SLICE]

    @api(name="server_log")
    def log(self, server: str, after: int) -> ServerLog:
        """Return the stored log lines with a higher number."""
        return self._find(server).offering.log.after(after)

    async def read(self, call_id: str, server: str, uri: str) -> Outcome:
        """Read a resource; a failure is an outcome."""
        started = time.perf_counter()
        try:
            raw = await self._ask(server, "resources/read", {"uri": uri}, f"read {uri:.200}")
        except WorkbenchError as fault:
            return Outcome(call_id, ok=False, fault=_fault(fault), ms=_since(started))
        size = offload.value_size(raw, offload.ANSWER_CONVERSION.limit)
        return await offload.ANSWER_CONVERSION.run(size, resource_parsing.resource, call_id, raw, _since(started))

    async def prompt(self, server: str, name: str, arguments: Mapping[str, str]) -> PromptAnswer:
        """Get a prompt with its arguments filled in; a failure is part of the answer."""
        started = time.perf_counter()
        params = {"name": name, "arguments": dict(arguments)}
        try:
            raw = await self._ask(server, "prompts/get", params, f"fill in the prompt {name:.100}")
        except WorkbenchError as fault:
            return PromptAnswer(name, fault=self._hinted(server, name, fault), ms=_since(started))
        size = offload.value_size(raw, offload.ANSWER_CONVERSION.limit)
        return await offload.ANSWER_CONVERSION.run(size, resource_parsing.prompt, name, raw, _since(started))

    @api
    async def complete(
        self, server: str, kind: str, name: str, argument: str, value: str, context: Mapping[str, str]
    ) -> Completion:
        """Complete an argument of a prompt, or of a template when `kind` is "resource". Returns no suggestions when the
        server does not support completion. Never starts a server: typing is no request to start one."""
        found = self._find(server)
        if (connection := found.running) is None or "completions" not in capabilities(connection):
            return Completion()
        reference = (
            {"type": "ref/resource", "uri": name} if kind == "resource" else {"type": "ref/prompt", "name": name}
        )
        params: dict[str, object] = {"ref": reference, "argument": {"name": argument, "value": value}}
        if context:
            params["context"] = {"arguments": dict(context)}
        from mcp.shared.exceptions import MCPError

        try:
            async with asyncio.timeout(_COMPLETION_SECONDS):
                return resource_parsing.completion(await found.request("completion/complete", params))
        except (MCPError, ServerFault, TimeoutError):
            return Completion()  # a failed completion only means no suggestions

    async def subscribe(self, server: str, uri: str, *, on: bool) -> None:
        """Start or end a subscription. Raises WorkbenchError when the server refuses."""
        found = self._find(server)
        await self._do(
            found,
            f"{'subscribe to' if on else 'end the subscription to'} {uri:.200}",
            lambda connection: found.offering.subscribe(connection, uri, on=on),
        )

    async def set_log_level(self, server: str, level: str) -> None:
        """Set the server's log level. Raises WorkbenchError when the server refuses."""
        if level not in LEVELS:
            raise WorkbenchError(f"{level!r:.40} is not a log level.", f"Choose one of: {', '.join(LEVELS)}.")
        found = self._find(server)
        await self._do(found, "set the log level", lambda connection: found.offering.set_log_level(connection, level))

    async def _ask(self, server: str, method: str, params: JsonObject, what: str) -> JsonObject:
        found = self._find(server)
        answers: list[JsonObject] = []

        async def ask(connection: ServerConnection) -> None:
            answers.append(await found.request(method, params))

        await self._do(found, what, ask)
        return answers[0]

    async def _do(self, server: McpServer, what: str, work: Callable[[ServerConnection], Awaitable[None]]) -> None:
        """Run a request within the time limit of a call; errors of the SDK become errors for the user."""
        connection = await server.ready()
        from mcp.shared.exceptions import MCPError

        seconds = server.state.config.timeout_seconds or self._seconds()
        try:
            async with server.clocks.running(seconds):
                await work(connection)
        except TimeoutError as fault:
            raise ServerFault(
                f"{server.name} did not {what} within {seconds:g} seconds.",
                "To wait longer, raise the setting server.call_seconds.",
            ) from fault
        except MCPError as fault:
            hint = _CODES.get(fault.code, "")
            message = f"{server.name} refused to {what}: {fault.message:.2000}"
            raise ServerFault(message, hint, f"code {fault.code}") from fault
        finally:
            server.warn()

    def _hinted(self, server: str, name: str, fault: WorkbenchError) -> Fault:
        """Add a hint to a fault: similar prompt names, or the arguments of this prompt."""
        told = _fault(fault)
        prompts = {prompt.name: prompt for prompt in self._find(server).offering.prompts} if not fault.hint else {}
        if name in prompts:
            arguments = ", ".join(f"{one.name}{'' if one.required else '?'}" for one in prompts[name].arguments)
            return Fault(told.message, f"Its arguments: {arguments or 'none'}.", told.detail)
        return Fault(told.message, did_you_mean(name, prompts) if prompts else told.hint, told.detail)


def _fault(fault: WorkbenchError) -> Fault:
    return fault.fault if isinstance(fault, ServerFault) else Fault(fault.message, fault.hint)


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
