"""Converts audit entries to OpenTelemetry spans and exports them. Imported only if telemetry is on: imports are slow.

No content of programs, tools or users is exported: no text, argument, answer or error message, only names of servers
and tools, fixed words, numbers and times. The spans of the mcp SDK pass the same filter.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, Status, StatusCode

from workbench import __version__
from workbench.audit.journal import ENDS
from workbench.records import Entry

NAMED = frozenset({
    "mcp.method.name", "mcp.protocol.version", "jsonrpc.request.id", "gen_ai.operation.name", "gen_ai.tool.name",
    "error.type", "rpc.response.status_code", "mcp.server.name", "workbench.kind", "workbench.risk", "workbench.tokens",
    "workbench.run", "workbench.entry",
})  # fmt: skip
"""The attributes that are sent; all others are removed."""
OPEN = 1_000  # runs whose span is still open
SECONDS = 5  # timeout of an export
CALLS = ("call.done", "call.failed", "call.refused", "call.cancelled")


class AttributeFilter(SpanExporter):  # type: ignore[misc]  # an optional extra, which mypy always skips
    """Removes from each span what could hold personal data, then passes it to the exporter."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([without_content(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return bool(self._exporter.force_flush(timeout_millis))


def without_content(span: ReadableSpan) -> ReadableSpan:
    """A span without events, links, fault descriptions and attributes that are not in `NAMED`."""
    attributes = {name: value for name, value in (span.attributes or {}).items() if name in NAMED}
    return ReadableSpan(
        name=span.name[:200],
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


class Spans:
    """Sends the spans of runs and calls to one collector."""

    def __init__(self, endpoint: str) -> None:
        resource = Resource.create({"service.name": "mcp-workbench", "service.version": __version__})
        exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=SECONDS)
        self.provider = TracerProvider(resource=resource)
        self.provider.add_span_processor(BatchSpanProcessor(AttributeFilter(exporter), schedule_delay_millis=1_000))
        self._tracer = self.provider.get_tracer("mcp-workbench")
        self._runs: OrderedDict[str, Span] = OrderedDict()

    def share(self) -> None:
        """Export the spans of the mcp SDK too. Only the first tracer provider that a process sets takes effect."""
        trace.set_tracer_provider(self.provider)

    def take(self, entry: Entry) -> None:
        """Convert an entry: a run becomes a span from its proposal to its end, a call a span inside the run's span."""
        kind = entry.note.kind
        if kind == "run.proposed":
            self._begin(entry)
        elif kind in ENDS:
            self._end(entry)
        elif kind in CALLS:
            self._call(entry)

    def close(self) -> None:
        """Send the remaining spans and stop."""
        for span in self._runs.values():
            span.end()
        self._runs.clear()
        self.provider.shutdown()

    def _begin(self, entry: Entry) -> None:
        span = self._tracer.start_span("run", kind=SpanKind.INTERNAL, start_time=_nanoseconds(entry.at))
        if isinstance(span, Span):  # otherwise the span is not sampled
            self._runs[entry.note.run_id] = span
        while len(self._runs) > OPEN:
            self._runs.popitem(last=False)[1].end()

    def _end(self, entry: Entry) -> None:
        if (span := self._runs.pop(entry.note.run_id, None)) is not None:
            self._tell(span, entry)
            span.end(_nanoseconds(entry.at))

    def _call(self, entry: Entry) -> None:
        note = entry.note
        run = self._runs.get(note.run_id)
        context = trace.set_span_in_context(run) if run is not None else None
        began = _nanoseconds(entry.at - note.ms / 1000)
        name = f"call {note.server}.{note.tool}"
        span = self._tracer.start_span(name, context, SpanKind.CLIENT, start_time=began)
        self._tell(span, entry)
        span.set_attributes({"mcp.server.name": note.server, "gen_ai.tool.name": note.tool})
        span.end(_nanoseconds(entry.at))

    def _tell(self, span: trace.Span, entry: Entry) -> None:
        note = entry.note
        words = {"workbench.kind": note.kind, "workbench.risk": note.risk, "workbench.run": note.run_id}
        span.set_attributes({name: word for name, word in words.items() if word})
        span.set_attributes({"workbench.tokens": note.tokens, "workbench.entry": entry.seq})
        span.set_status(Status(StatusCode.OK if note.ok else StatusCode.ERROR))


def _nanoseconds(at: float) -> int:
    return int(at * 1_000_000_000)
