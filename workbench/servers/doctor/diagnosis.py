"""Runs the checks of one server in order and reports each result as soon as it is known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from workbench.errors import WorkbenchError
from workbench.records import Check, CheckState, ServerConfig
from workbench.servers.doctor.check_results import bad
from workbench.servers.doctor.command_check import Prepare, check_command
from workbench.servers.doctor.http_probe import check_answer, check_sign_in
from workbench.servers.doctor.network_check import check_network, read_address
from workbench.servers.doctor.protocol_check import check_protocol
from workbench.servers.server import McpServer

Tell = Callable[[Check], None]
ReachOf = Callable[[ServerConfig], tuple[str, Mapping[str, str]]]  # URL and headers with all variables expanded


class Diagnosis:
    """One diagnosis of one server. Single use."""

    def __init__(self, server: McpServer, launch_of: Prepare, reach_of: ReachOf, tell: Tell) -> None:
        self._server = server
        self._launch_of = launch_of
        self._reach_of = reach_of
        self._tell = tell
        self._checks: list[Check] = []

    async def make(self) -> tuple[Check, ...]:
        """Run all applicable checks; after a failed check, those that depend on it are skipped."""
        able = await self._remote() if self._server.state.config.url else await self._local()
        if able:
            self._add(await check_protocol(self._server))
        return tuple(self._checks)

    async def _local(self) -> bool:
        checks, launch = await asyncio.to_thread(check_command, self._server.state.config, self._launch_of)
        self._add(checks)
        return launch is not None

    async def _remote(self) -> bool:
        """Check a remote server. The protocol check runs even when the plain request failed, because it can sign in.
        Before the user allowed the server, nothing is resolved or requested: a request to its URL alone could leak a
        secret."""
        if not self._server.state.allowed:
            return True  # the protocol check reports the rest
        try:
            url, headers = await asyncio.to_thread(self._reach_of, self._server.state.config)
        except WorkbenchError as fault:
            self._add((bad("Configuration", fault.message, fault.hint),))
            return False
        check, address = read_address(url)
        self._add((check,))
        if address is None:
            return False
        self._add(await check_network(address))
        if self._failed():
            return False
        check, answer = await check_answer(address, headers)
        self._add((check,))
        if answer is not None and answer.status == 401:
            self._add(await check_sign_in(address, answer))
        return answer is not None

    def _failed(self) -> bool:
        return any(check.state is CheckState.BAD for check in self._checks)

    def _add(self, checks: Sequence[Check]) -> None:
        for check in checks:
            self._checks.append(check)
            self._tell(check)
