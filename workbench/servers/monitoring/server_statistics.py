"""How servers are doing, put together from their traffic, their calls and their processes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from workbench.records import Vitals
from workbench.servers.monitoring.process_usage import Usage, usages
from workbench.servers.server import Server


async def vitals(servers: Sequence[Server]) -> tuple[Vitals, ...]:
    """One look at each; together they cost one walk through /proc, and none when nothing runs here."""
    groups = frozenset(server.state.pid for server in servers if server.state.pid)
    used = await asyncio.to_thread(usages, groups) if groups else {}
    return tuple(_of(server, used.get(server.state.pid, Usage())) for server in servers)


def _of(server: Server, used: Usage) -> Vitals:
    counts, traffic = server.counts, server.traffic
    return Vitals(
        server=server.name,
        since=server.since if server.state.pid else 0.0,
        memory_mb=used.memory_mb,
        processes=used.processes,
        calls=counts.calls,
        errors=counts.errors,
        typical_ms=counts.typical_ms,
        slowest_ms=counts.slowest_ms,
        last_error=counts.last_error,
        last_error_at=counts.last_error_at,
        sent_bytes=traffic.sent_bytes,
        received_bytes=traffic.received_bytes,
        frames=traffic.kept,
        dropped=traffic.dropped,
    )
