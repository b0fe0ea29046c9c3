"""Sends spans of runs and calls to the OpenTelemetry collector that the user configures; without one, sends nothing.

The OpenTelemetry packages are an optional extra. They are loaded on a thread at the first entry after the setting is
changed; entries that come meanwhile are queued.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.events import EntryWritten, Event, Noticed, spawn
from workbench.records import Entry, Fault
from workbench.settings.definitions import is_http_address

if TYPE_CHECKING:
    from workbench.audit.opentelemetry_spans import Spans

log = logging.getLogger(__name__)

WAITING = 2_000  # maximum of entries that are queued while packages are loaded
INSTALL = '.venv/bin/pip install "opentelemetry-sdk>=1.36,<2" "opentelemetry-exporter-otlp-proto-http>=1.36,<2"'


class Telemetry:
    """Exports the spans of one core, whose events are passed to `hear`."""

    hears = (EntryWritten,)

    def __init__(self, endpoint: Callable[[], str], tell: Callable[[Event], None]) -> None:
        self._endpoint = endpoint
        self._tell = tell
        self._to = ""  # the endpoint in use, or the one that could not be used
        self._spans: Spans | None = None
        self._due: deque[Entry] = deque(maxlen=WAITING)
        self._changing: asyncio.Task[None] | None = None

    def hear(self, event: Event) -> None:
        if not isinstance(event, EntryWritten):
            return
        if self._changing is not None:
            self._due.append(event.entry)
        elif self._endpoint() != self._to:
            self._due.append(event.entry)
            self._changing = spawn("telemetry", self._change())
        elif self._spans is not None:
            self._spans.take(event.entry)

    async def close(self) -> None:
        if self._changing is not None:
            await self._changing
        await self._stop()

    async def _change(self) -> None:
        """Switch to the endpoint in the settings, or stop if there is none."""
        try:
            await self._stop()
            self._to = self._endpoint()
            if self._to:
                self._spans = await asyncio.to_thread(_opened, self._to)
            while self._due and self._spans is not None:
                self._spans.take(self._due.popleft())
        except ImportError:
            self._tell(
                Noticed(Fault("OpenTelemetry is turned on, but its packages are not installed.", f"Run: {INSTALL}"))
            )
        except ValueError as fault:
            hint = "Enter an address such as http://127.0.0.1:4318."
            self._tell(Noticed(Fault(f"telemetry.endpoint cannot be used: {fault}.", hint)))
        finally:
            self._due.clear()
            self._changing = None

    async def _stop(self) -> None:
        if self._spans is not None:
            spans, self._spans = self._spans, None
            await asyncio.to_thread(spans.close)


def _opened(endpoint: str) -> Spans:
    if not is_http_address(endpoint):
        raise ValueError("it is not an HTTP address")
    from workbench.audit.opentelemetry_spans import Spans

    logging.getLogger("opentelemetry").setLevel(logging.ERROR)  # no warning each second about an unreachable collector
    spans = Spans(endpoint)
    spans.share()
    return spans
