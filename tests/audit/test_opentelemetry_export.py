"""Spans reach a real receiver on this machine, hold nobody's words, and nothing is sent where nobody asked for it."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from workbench.audit import opentelemetry_export
from workbench.audit.opentelemetry_export import Telemetry
from workbench.audit.opentelemetry_spans import AttributeFilter, Spans
from workbench.events import EntryWritten, Noticed
from workbench.records import Entry, Note

SECRET = "ada@example.org"


class Receiver(ThreadingHTTPServer):
    """Takes what an exporter posts."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.spans: list[Any] = []
        self.bodies = b""
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
        request = ExportTraceServiceRequest.FromString(body)
        self.server.bodies += body
        self.server.paths.append(self.path)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                self.server.spans += scope.spans
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words: object) -> None:
        """Quiet."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """The process keeps no provider: other tests have spans of their own."""
    monkeypatch.setattr(Spans, "share", lambda self: None)


def entry(seq: int, kind: str, run_id: str = "r1", **fields: Any) -> EntryWritten:
    words = f"{SECRET} did it"
    return EntryWritten(Entry(seq, 1_700_000_000.0 + seq, Note(kind, words, SECRET, "s", run_id, **fields), "", ""))


RUN = [
    entry(1, "run.proposed", detail={"code": SECRET}),
    entry(2, "call.done", server="demo", tool="send", risk="high", ms=500.0, detail={"arguments": SECRET}),
    entry(3, "call.refused", server="demo", tool="delete", ok=False, detail={"fault": SECRET}),
    entry(4, "run.done", risk="high", tokens=42),
    entry(5, "call.done", run_id="", server="demo", tool="alone"),
]


async def test_a_run_and_its_calls_arrive_as_spans_without_anybodys_words(receiver):
    told: list[Any] = []
    sender = Telemetry(lambda: receiver.url, told.append)
    for one in RUN:
        sender.hear(one)
    await sender.close()
    spans = {span.name: span for span in receiver.spans}
    assert set(spans) == {"run", "call demo.send", "call demo.delete", "call demo.alone"}
    run, call = spans["run"], spans["call demo.send"]
    assert (call.trace_id, call.parent_span_id) == (run.trace_id, run.span_id)
    assert spans["call demo.alone"].trace_id != run.trace_id
    assert call.end_time_unix_nano - call.start_time_unix_nano == pytest.approx(500_000_000, abs=1_000_000)
    assert run.end_time_unix_nano - run.start_time_unix_nano == pytest.approx(3_000_000_000, abs=1_000_000)
    found = {one.key: one.value.string_value or one.value.int_value for one in run.attributes}
    assert found == {"workbench.kind": "run.done", "workbench.risk": "high", "workbench.run": "r1",
                     "workbench.tokens": 42, "workbench.entry": 4}  # fmt: skip
    assert spans["call demo.delete"].status.code == 2
    assert receiver.paths[0] == "/v1/traces"
    assert SECRET.encode() not in receiver.bodies
    assert not told


async def test_nothing_is_loaded_or_sent_while_no_place_is_named(receiver, monkeypatch):
    monkeypatch.setattr(opentelemetry_export, "_opened", lambda endpoint: pytest.fail("it was loaded"))
    sender = Telemetry(lambda: "", lambda event: None)
    for one in RUN:
        sender.hear(one)
    await sender.close()
    assert not receiver.spans


async def test_switched_on_and_off_again(receiver):
    place = [""]
    sender = Telemetry(lambda: place[0], lambda event: None)
    sender.hear(RUN[4])
    place[0] = receiver.url
    sender.hear(RUN[4])
    while sender._changing is not None:
        await asyncio.sleep(0.01)
    place[0] = ""
    sender.hear(RUN[4])
    await sender.close()
    assert [span.name for span in receiver.spans] == ["call demo.alone"]


@pytest.mark.parametrize("missing", [True, False])
async def test_missing_packages_and_a_wrong_place_are_said_once(monkeypatch, missing):
    if missing:
        monkeypatch.setitem(__import__("sys").modules, "workbench.audit.opentelemetry_spans", None)
    told: list[Any] = []
    sender = Telemetry(lambda: "http://127.0.0.1:1" if missing else "collector", told.append)
    for one in RUN:
        sender.hear(one)
    await sender.close()
    for one in RUN:
        sender.hear(one)
    (notice,) = told
    assert isinstance(notice, Noticed)
    words = f"{notice.fault.message} {notice.fault.hint}"
    assert ("pip install" in words) is missing
    assert ("telemetry.endpoint cannot be used" in words) is not missing


class Kept(SpanExporter):
    """What would be sent."""

    def __init__(self) -> None:
        self.spans: list[Any] = []

    def export(self, spans: Any) -> SpanExportResult:
        self.spans += spans
        return SpanExportResult.SUCCESS


def test_spans_of_the_sdk_lose_what_could_hold_data():
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.trace import Status, StatusCode

    kept, provider = Kept(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(AttributeFilter(kept)))
    with provider.get_tracer("mcp-python-sdk").start_as_current_span("MCP send tools/call send") as span:
        span.set_attributes({"mcp.method.name": "tools/call", "mcp.resource.uri": SECRET})
        span.record_exception(ValueError(SECRET))
        span.set_status(Status(StatusCode.ERROR, SECRET))
    provider.shutdown()
    (sent,) = kept.spans
    assert dict(sent.attributes) == {"mcp.method.name": "tools/call"}
    assert (sent.events, sent.status.status_code, sent.status.description) == ((), StatusCode.ERROR, None)
