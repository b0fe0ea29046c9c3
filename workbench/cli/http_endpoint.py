"""`serve --http`: keeps the HTTP endpoint for agents open until the command ends."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from typing import TYPE_CHECKING

from workbench.cli.exit_codes import DONE
from workbench.cli.terminal_output import print_record
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import AgentDoor

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection


def hold_door(given: argparse.Namespace, paths: Paths) -> int:
    """Until Ctrl+C, SIGTERM, or the core's end. The core stays as long as this holds its connection."""
    from workbench.cli.core_requests import talk

    return talk(paths, lambda connection: _hold(given, connection))


async def _hold(given: argparse.Namespace, connection: CoreConnection) -> int:
    from workbench.events import spawn

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    api = connection.api
    settings = await api.settings()
    before = await api.agent_door()
    port = settings.agent_http_port if given.port is None else given.port
    _tell(given, await api.open_agent_door(port, given.new_token))
    ends = [spawn("told to stop", stop.wait()), spawn("the core is gone", connection.closed.wait())]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    for end in ends:
        end.cancel()
    if connection.closed.is_set():
        raise WorkbenchError("The core has ended, and the endpoint with it.", "Run the command again to go on.")
    if not before.url:  # whoever opened it before, keeps it
        await api.close_agent_door()
    return DONE


def _tell(given: argparse.Namespace, door: AgentDoor) -> None:
    if given.output == "json":
        print_record(door)
    else:
        print(f"url    {door.url}\ntoken  {door.token}")
        print("Every request brings: Authorization: Bearer TOKEN. Ctrl+C closes the endpoint.", file=sys.stderr)
    sys.stdout.flush()
