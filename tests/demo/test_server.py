"""The demo server speaks the protocol: to raw lines, and to the SDK's own client in both of its ways."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import mcp.types as wire
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters

if TYPE_CHECKING:
    from conftest import Line

# One call of every tool that answers with structured data.
CALLS: dict[str, dict[str, Any]] = {
    "list_customers": {"country": "Germany", "limit": 3},
    "search_customers": {"query": "berlin"},
    "get_customer": {"customer_id": "CUS-0042"},
    "list_orders": {"status": "pending", "limit": 5},
    "get_order": {"order_id": "ORD-00042"},
    "count_orders": {"minimum_amount": 1000},
    "sales_summary": {"by": "product"},
    "export_orders": {"seconds": 0, "status": "refunded"},
    "list_tickets": {"priority": "urgent"},
    "get_ticket": {"ticket_id": "TIC-0007"},
    "create_ticket": {"customer_id": "CUS-0002", "subject": "Lamp", "body": "It is dark."},
    "update_ticket_status": {"ticket_id": "TIC-0007", "status": "solved"},
    "get_channel_history": {"channel": "general"},
    "post_message": {"channel": "general", "text": "hello"},
    "send_email": {"to": "ines@example.com", "subject": "Hi", "body": "There"},
    "list_outbox": {},
    "delete_customer": {"customer_id": "CUS-0003"},
    "list_inbox": {},
    "read_mail": {"mail_id": "IN-0001"},
    "fetch_page": {"url": "https://carrier.example/status"},
    "refund_order": {"order_id": "ORD-00001", "amount": 9.5, "account": "DE89370400440532013000"},
}
OTHERS = {"order_chart", "broken_report", "plan_visit", "write_greeting"}


def test_it_welcomes_and_agrees_on_the_version_asked_for(demo: Line) -> None:
    for version in ("2025-11-25", "2024-11-05"):
        welcome = demo.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "t"})["result"]
        assert welcome["protocolVersion"] == version
    assert welcome["serverInfo"]["name"] == "demo"


def test_an_unknown_version_is_answered_with_a_known_one(demo: Line) -> None:
    assert demo.ask("initialize", protocolVersion="1999-01-01")["result"]["protocolVersion"] == "2025-11-25"


def test_every_definition_is_complete_and_honest(demo: Line) -> None:
    tools = {tool["name"]: tool for tool in demo.ask("tools/list")["result"]["tools"]}
    assert set(tools) == set(CALLS) | OTHERS
    for tool in tools.values():
        Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["description"].endswith(".")
        assert all(part["description"] for part in tool["inputSchema"]["properties"].values())
    writing = {name for name, tool in tools.items() if not tool["annotations"]["readOnlyHint"]}
    adding = {"create_ticket", "update_ticket_status", "post_message", "send_email"}
    assert writing == adding | {"delete_customer", "refund_order"}
    destroying = {name for name, tool in tools.items() if tool["annotations"]["destructiveHint"]}
    assert destroying == {"delete_customer", "refund_order"}
    outside = {name for name, tool in tools.items() if tool["annotations"]["openWorldHint"]}
    assert outside == {"send_email", "get_ticket", "list_inbox", "read_mail", "fetch_page", "refund_order"}


def test_every_answer_fits_the_schema_it_promises(demo: Line) -> None:
    tools = {tool["name"]: tool for tool in demo.ask("tools/list")["result"]["tools"]}
    for name, arguments in CALLS.items():
        Draft202012Validator(tools[name]["inputSchema"]).validate(arguments)
        Draft202012Validator(tools[name]["outputSchema"]).validate(demo.get(name, **arguments))


@pytest.mark.parametrize(
    ("line", "code"),
    [(b"{", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b"7", -32600), (b'{"id": 1}', -32600)],
)
def test_rubbish_is_answered_with_an_error_and_the_conversation_goes_on(demo: Line, line: bytes, code: int) -> None:
    demo.raw(line)
    assert demo.receive()["error"]["code"] == code
    assert demo.ask("ping")["result"] == {}


def test_unknown_methods_tools_resources_and_prompts_are_errors(demo: Line) -> None:
    assert demo.ask("server/discover")["error"]["code"] == -32601
    assert demo.ask("tools/call", name="nothing")["error"]["code"] == -32602
    assert demo.ask("resources/read", uri="file:///etc/passwd")["error"]["code"] == -32602
    assert demo.ask("resources/dance")["error"]["code"] == -32601
    assert demo.ask("prompts/get", name="nothing")["error"]["code"] == -32602


def test_calls_run_side_by_side(demo: Line) -> None:
    slow = demo.start("tools/call", name="export_orders", arguments={"seconds": 1})
    assert demo.ask("ping")["result"] == {}
    assert demo.answer(slow)["result"]["isError"] is False


def test_a_slow_call_reports_progress_to_whoever_asked_for_it(demo: Line) -> None:
    request = demo.start(
        "tools/call", name="export_orders", arguments={"seconds": 0.05}, _meta={"progressToken": "mine"}
    )
    demo.answer(request)
    steps = [notice["params"] for notice in demo.notices if notice["method"] == "notifications/progress"]
    assert [step["progress"] for step in steps] == list(range(1, 11))
    assert {step["progressToken"] for step in steps} == {"mine"}
    demo.notices.clear()
    demo.call("export_orders", seconds=0.05)
    assert [notice["method"] for notice in demo.notices] == ["notifications/message"]


def test_a_cancelled_call_is_never_answered(demo: Line) -> None:
    request = demo.start("tools/call", name="export_orders", arguments={"seconds": 60})
    demo.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request}})
    assert demo.ask("ping")["result"] == {}
    assert demo.notices == []


def test_it_ends_when_stdin_closes_even_in_the_middle_of_a_call(demo: Line) -> None:
    demo.start("tools/call", name="export_orders", arguments={"seconds": 60})
    assert demo.ask("ping")["result"] == {}
    assert demo.close() == 0


def test_large_answers_are_not_sent_twice(demo: Line) -> None:
    answer = demo.call("list_orders", limit=10_000)
    assert "see structuredContent" in answer["content"][0]["text"]
    small = demo.call("get_order", order_id="ORD-00001")
    assert json.loads(small["content"][0]["text"]) == small["structuredContent"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdk_client_understands_all_of_it(mode: Any) -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "workbench.demo", "--deployment", "0"])
    async with Client(command, mode=mode) as client:
        assert client.protocol_version == "2025-11-25"
        assert {tool.name for tool in (await client.list_tools()).tools} == set(CALLS) | OTHERS
        for name, arguments in CALLS.items():
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error
            assert answer.structured_content is not None
        picture = (await client.call_tool("order_chart", {})).content[1]
        assert isinstance(picture, wire.ImageContent)
        assert picture.mime_type == "image/png"
        assert (await client.call_tool("broken_report", {})).is_error
