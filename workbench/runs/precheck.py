"""Checks before the user is asked whether a program's calls can work at all.

The user should not be asked about a program that is certain to fail, and its author learns at once which parameters
there are. The catalog's definitions may be old, so the servers concerned are started before anything is held against a
program; a server that does not start counts for nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from workbench.analysis.certain_failures import WAITING, find_certain_failures
from workbench.analysis.reading import Reading
from workbench.errors import WorkbenchError
from workbench.identifiers import fold
from workbench.records import Fault, Finding, ServerStatus, Tool
from workbench.servers.server_catalog import ServerCatalog
from workbench.servers.tool_definitions.tool_error_messages import not_allowed, waiting_line

_TOLD = 10  # findings in one answer


def servers_to_allow(readings: Sequence[Reading], catalog: ServerCatalog) -> tuple[Finding, ...]:
    """Servers that wait to be allowed and that these texts, of the skills a program uses, certainly need."""
    waiting = not_allowed(catalog.states())
    found = [one for reading in readings for one in find_certain_failures(reading, (), (), waiting)] if waiting else []
    return tuple(one for one in found if one.rule == WAITING)


async def certain_failures(reading: Reading, catalog: ServerCatalog) -> tuple[Finding, ...]:
    """What is certain to fail, by definitions that are fresh; nothing is certain of servers that do not run."""
    if not reading.servers:
        return ()
    servers, waiting = [state.config.name for state in catalog.states()], not_allowed(catalog.states())
    if not await asyncio.to_thread(find_certain_failures, reading, catalog.tools(), servers, waiting):
        return ()
    await _wake(reading, catalog)
    return await asyncio.to_thread(find_certain_failures, reading, _fresh(catalog), servers, waiting)


def explain_failures(findings: Sequence[Finding]) -> Fault:
    """What the author of the program reads."""
    waiting = list(dict.fromkeys(finding.subject for finding in findings if finding.rule == WAITING))
    if waiting and all(finding.rule == WAITING for finding in findings):
        words, one = waiting_line(waiting), len(waiting) == 1
        hint = f"Ask them to allow {'it' if one else 'them'}, then propose the program again; nothing has happened yet."
        return Fault(words, hint, ours=True)
    lines = "\n".join(f"line {finding.span.line}: {finding.message}" for finding in findings[:_TOLD])
    more = len(findings) - _TOLD
    return Fault(
        "Some of its calls cannot work.",
        "Correct these lines and propose it again; nothing has happened yet.",
        f"{lines}\n… and {more} more." if more > 0 else lines,
        ours=True,
    )


async def _wake(reading: Reading, catalog: ServerCatalog) -> None:
    """Start those stopped servers that the program may mean, as its calls would."""
    named = set(map(fold, reading.servers))
    asleep = [
        state.config.name
        for state in catalog.states()
        if state.status is ServerStatus.STOPPED and state.allowed and not state.config.disabled
    ]
    await asyncio.gather(*(_start(name, catalog) for name in asleep if fold(name) in named))


async def _start(name: str, catalog: ServerCatalog) -> None:
    with contextlib.suppress(WorkbenchError):  # its state says why; the program's own call will too
        await catalog.server(name).start()


def _fresh(catalog: ServerCatalog) -> list[Tool]:
    ready = {state.config.name for state in catalog.states() if state.status is ServerStatus.READY}
    return [tool for tool in catalog.tools() if tool.server in ready]
