"""The interceptor server over stdio, with the SDK's client: discovery, masking, unmasking, reports and errors."""

from __future__ import annotations

import os
import sys
from base64 import b64decode, b64encode
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp.types as T
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter

from workbench.text_masking.interceptor_server import EXTENSION

EMAIL = "rosa.lund@example.com"
RESULT = {
    "content": [
        {"type": "text", "text": f"Write to {EMAIL}."},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    ],
    "structuredContent": {"customer": {"name": "Rosa Lund", "phone": 2025550143}, "id": "ORD-00001"},
    "isError": False,
}


@pytest.fixture
def gateway(tmp_path: Path):
    @asynccontextmanager
    async def connect(*options: str, mode: str = "auto"):
        environment = {**os.environ, "MCP_WORKBENCH_HOME": str(tmp_path)}
        command = ["-m", "workbench", "interceptor", *options]
        server = StdioServerParameters(command=sys.executable, args=command, env=environment)
        async with Client(server, mode=mode) as client:
            yield client

    return connect


async def ask(client: Client, method: str, **params: Any) -> dict[str, Any]:
    request = T.Request[dict[str, Any], str](method=method, params=params)
    return await client.session.send_request(request, TypeAdapter(dict[str, Any]))


async def invoke(client: Client, name: str, phase: str, payload: Any, **more: Any) -> dict[str, Any]:
    given = {"name": name, "event": "tools/call", "phase": phase, "payload": payload, **more}
    return await ask(client, "interceptor/invoke", **given)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_interceptors_are_announced_and_listed(gateway, mode) -> None:
    async with gateway(mode=mode) as client:
        capabilities = client.server_capabilities
        announced = (capabilities.extensions or {}) | (capabilities.experimental or {})
        assert "tools/call" in announced[EXTENSION]["supportedEvents"]
        listed = (await ask(client, "interceptors/list"))["interceptors"]
        assert [(one["name"], one["type"]) for one in listed] == [
            ("mask-personal-data", "mutation"),
            ("report-personal-data", "validation"),
        ]
        assert all(one["mode"] == "active" and one["failOpen"] is False for one in listed)
        assert listed[0]["hooks"][0] == {"events": ["tools/call"], "phase": "request"}
        assert (await ask(client, "interceptors/list", event="tools/call"))["interceptors"] == listed
        assert (await ask(client, "interceptors/list", event="roots/list"))["interceptors"] == []


async def test_options_are_declared_as_defaults(gateway) -> None:
    async with gateway("--mode", "audit", "--fail-open", "--severity", "error") as client:
        mask, report = (await ask(client, "interceptors/list"))["interceptors"]
        assert (mask["mode"], mask["failOpen"]) == ("audit", True)
        assert report["configSchema"]["properties"]["severity"]["default"] == "error"
        found = await invoke(client, "report-personal-data", "response", RESULT)
        assert (found["valid"], found["severity"]) == (False, "error")


async def test_a_result_is_masked_and_a_call_gets_the_values(gateway) -> None:
    async with gateway() as client:
        masked = await invoke(client, "mask-personal-data", "response", RESULT)
        assert (masked["type"], masked["phase"], masked["modified"]) == ("mutation", "response", True)
        assert masked["info"] == {"masked": {"EMAIL": 1, "NAME": 1, "PHONE": 1}}
        text, image = masked["payload"]["content"]
        assert EMAIL not in text["text"]
        assert image == RESULT["content"][1]
        customer = masked["payload"]["structuredContent"]["customer"]
        assert "Rosa" not in customer["name"]
        assert masked["payload"]["structuredContent"]["id"] == "ORD-00001"
        assert masked["payload"]["isError"] is False

        token = text["text"].removeprefix("Write to ").removesuffix(".")
        arguments = {"to": token, "phone": customer["phone"], "text": f"Dear {customer['name']}"}
        call = {"method": "tools/call", "params": {"name": "send", "arguments": arguments}}
        restored = await invoke(client, "mask-personal-data", "request", call)
        assert restored["modified"] is True
        assert restored["payload"] == {
            "method": "tools/call",
            "params": {"name": "send", "arguments": {"to": EMAIL, "phone": 2025550143, "text": "Dear Rosa Lund"}},
        }
        bare = await invoke(client, "mask-personal-data", "request", {"name": "send", "arguments": {"to": token}})
        assert bare["payload"]["arguments"] == {"to": EMAIL}
        off = await invoke(client, "mask-personal-data", "request", call, config={"unmask": False})
        assert (off["modified"], off["payload"]) == (False, call)


async def test_only_pictures_and_files_that_are_no_text_are_not_searched(gateway) -> None:
    async with gateway() as client:
        for payload in (
            {"structuredContent": {"blob": EMAIL, "data": EMAIL}},
            {"structuredContent": {"blob": {"email": EMAIL}}},
            {"content": [{"type": "image", "data": {"email": EMAIL}}, {"type": "audio", "data": f"to {EMAIL}"}]},
        ):
            masked = await invoke(client, "mask-personal-data", "response", payload)
            assert EMAIL not in str(masked["payload"]), payload
        files = [f"to {EMAIL}".encode(), b"\xff\x00", b"nobody"]
        contents = [{"uri": f"crm://{at}", "blob": b64encode(data).decode()} for at, data in enumerate(files)]
        masked = await invoke(client, "mask-personal-data", "response", {"contents": contents}, event="resources/read")
        letter, *others = masked["payload"]["contents"]
        assert b64decode(letter["blob"]).startswith(b"to [EMAIL_1.")
        assert others == contents[1:]


async def test_files_in_base64_are_masked_as_far_as_they_are_text(gateway) -> None:
    table = b64encode(f"name,email\nRosa Lund,{EMAIL}\n".encode()).decode()
    payload = {
        "content": [{"type": "resource", "resource": {"uri": "file:///a.csv", "blob": table}}],
        "structuredContent": {"blob": EMAIL, "drawing": {"type": "image", "data": f"of {EMAIL}"}},
    }
    async with gateway() as client:
        masked = (await invoke(client, "mask-personal-data", "response", payload))["payload"]
        report = await invoke(client, "report-personal-data", "response", payload)
    assert EMAIL not in str(masked)
    rows = b64decode(masked["content"][0]["resource"]["blob"]).decode().splitlines()
    assert rows[0] == "name,email"
    assert rows[1].startswith("[NAME_1.")
    assert rows[1].partition(",")[2] == masked["structuredContent"]["blob"]
    assert "content[0].resource.blob" in {one["path"] for one in report["messages"]}


async def test_what_has_no_personal_data_is_not_modified(gateway) -> None:
    async with gateway() as client:
        for phase, payload in (
            ("request", {"name": "now", "arguments": {"zone": "UTC"}}),
            ("response", {"content": []}),
        ):
            answer = await invoke(client, "mask-personal-data", phase, payload)
            assert (answer["modified"], answer["payload"]) == (False, payload)


async def test_tokens_of_one_session_mean_nothing_in_another(gateway) -> None:
    async with gateway() as client:
        first = {"sessionId": "a", "timestamp": "2026-11-20T00:00:00Z"}
        masked = await invoke(client, "mask-personal-data", "response", EMAIL, context=first)
        call = {"name": "send", "arguments": {"to": masked["payload"]}}
        with pytest.raises(MCPError) as caught:
            await invoke(client, "mask-personal-data", "request", call, context={"sessionId": "b"})
        assert caught.value.code == -32603
        assert caught.value.data["interceptor"] == "mask-personal-data"
        restored = await invoke(client, "mask-personal-data", "request", call, context=first)
        assert restored["payload"]["arguments"]["to"] == EMAIL


async def test_a_report_names_kind_and_place_but_no_value(gateway) -> None:
    async with gateway() as client:
        report = await invoke(client, "report-personal-data", "response", RESULT)
        assert (report["valid"], report["severity"], report["type"]) == (False, "warn", "validation")
        assert report["info"] == {"found": {"EMAIL": 1, "NAME": 1, "PHONE": 1}}
        assert {one["path"] for one in report["messages"]} == {
            "content[0].text",
            "structuredContent.customer.name",
            "structuredContent.customer.phone",
        }
        assert EMAIL not in str(report)
        assert "payload" not in report
        clean = await invoke(client, "report-personal-data", "request", {"name": "now", "arguments": {}})
        assert clean["valid"] is True
        strict = await invoke(client, "report-personal-data", "response", EMAIL, config={"severity": "error"})
        assert strict["severity"] == "error"


FAILURES: list[tuple[dict[str, Any], int]] = [
    ({"name": "other"}, -32602),
    ({"event": "roots/list"}, -32602),
    ({"event": "resources/read", "phase": "request"}, -32602),
    ({"phase": "both"}, -32602),
    ({"config": {"unmask": "no"}}, -32602),
    ({"config": {"other": 1}}, -32602),
    ({"payload": {"name": "x", "arguments": {"to": "[EMAIL_1.aaaa]"}}}, -32603),
    ({"phase": "response", "payload": f"{EMAIL} " * 30_000, "timeoutMs": 1}, -32000),
]


async def test_failures_are_errors_that_an_invoker_can_route(gateway) -> None:
    async with gateway() as client:
        for changes, code in FAILURES:
            given = {"name": "mask-personal-data", "event": "tools/call", "phase": "request", "payload": {}, **changes}
            with pytest.raises(MCPError) as caught:
                await ask(client, "interceptor/invoke", **given)
            assert caught.value.code == code, changes
            assert EMAIL not in str(caught.value.data)
        after = await invoke(client, "mask-personal-data", "response", EMAIL)  # the server goes on
        assert after["modified"] is True


async def test_nesting_that_is_too_deep_is_an_error_and_not_a_crash(gateway) -> None:
    deep: Any = EMAIL
    for _ in range(150):
        deep = [deep]
    async with gateway() as client:
        answer = await invoke(client, "mask-personal-data", "response", deep)
        assert EMAIL not in str(answer["payload"])
