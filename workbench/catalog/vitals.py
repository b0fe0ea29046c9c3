"""How a server is doing, put together from its traffic, its calls and its processes."""

from __future__ import annotations

import asyncio

from workbench.catalog.server import Server
from workbench.catalog.usage import Usage, usage
from workbench.records import Vitals


async def vitals(server: Server) -> Vitals:
    """One look; it costs a walk through /proc when the server runs here."""
    pid, counts, traffic = server.state.pid, server.counts, server.traffic
    used = await asyncio.to_thread(usage, pid) if pid else Usage()
    return Vitals(
        server=server.name,
        since=server.since if pid else 0.0,
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
