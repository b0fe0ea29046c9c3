"""Whatever a message is, what leaves for the agent was looked through as a whole."""

from __future__ import annotations

import base64
import json

import pytest

from workbench import offload
from workbench.agent.egress_filter import EgressFilter
from workbench.agent.tool_definitions import INSTRUCTIONS, TOOLS
from workbench.broker.agent_sessions import Sessions

MAIL = "ines.novak@example.org"
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def session():
    return Sessions(lambda: True).open("test agent")


async def left(session, message):
    return json.loads(await EgressFilter(session).encode({"jsonrpc": "2.0", **message}))


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "result": {"content": [{"type": "text", "text": f"to {MAIL}"}]}},
        {"id": 1, "result": {"structuredContent": {MAIL: [{"deep": [MAIL]}]}}},
        {"id": 1, "error": {"code": -32603, "message": f"no {MAIL}", "data": {"trace": [MAIL]}}},
        {"method": "notifications/message", "params": {"level": "info", "data": {"line": MAIL}}},
        {"method": "notifications/progress", "params": {"progress": 1, "message": MAIL}},
        {"id": 1, "result": {"resources": [{"uri": f"a://{MAIL}", "name": MAIL}], "_meta": {"x": MAIL}}},
        {"id": 1, "result": {"content": [{"type": "image", "data": "no base64 " + MAIL, "mimeType": "image/png"}]}},
        {"id": 1, "result": MAIL},
    ],
)
async def test_every_text_and_every_key_of_every_message_is_masked(session, message):
    for padding in ("", "word " * offload.MASKING.limit):  # read at once, and on a thread
        whole = json.dumps(await left(session, {**message, "more": padding}))
        assert "ines" not in whole
        assert "EMAIL_1." in whole


async def test_the_agents_own_numbers_come_back_as_they_were(session):
    said = await left(session, {"id": MAIL, "result": {}})
    told = await left(session, {"method": "notifications/progress", "params": {"progressToken": MAIL, "progress": 1}})
    assert (said["id"], told["params"]["progressToken"]) == (MAIL, MAIL)


async def test_a_picture_goes_byte_for_byte_unless_a_known_value_stands_in_it(session):
    session.keep(json.dumps({"email": MAIL}), "crm")
    for data, whole in ((PNG + bytes(range(256)) * 9, True), (PNG + MAIL.encode(), False)):
        block = {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": "image/png"}
        (sent,) = (await left(session, {"id": 1, "result": {"content": [block]}}))["result"]["content"]
        assert sent == block if whole else (sent["type"], sent["text"][:9]) == ("text", "A picture")


async def test_our_own_words_are_no_personal_data(session):
    listed = [{"name": tool.name, "description": tool.description, "inputSchema": tool.schema} for tool in TOOLS]
    result = {"tools": listed, "instructions": INSTRUCTIONS}
    assert (await left(session, {"id": 1, "result": result}))["result"] == result


async def test_what_cannot_be_looked_through_does_not_leave(session, monkeypatch):
    def broken(text):
        raise RuntimeError("no masking today")

    monkeypatch.setattr(session, "mask", broken)
    said = await left(session, {"id": 7, "result": {"content": [{"type": "text", "text": MAIL}]}})
    assert (said["id"], "it is withheld" in said["error"]["message"], "result" in said) == (7, True, False)
    assert await EgressFilter(session).encode({"jsonrpc": "2.0", "method": "x", "params": {"data": MAIL}}) == b""


async def test_half_of_a_pair_of_characters_ends_no_connection(session):
    assert (await left(session, {"id": 1, "result": {"text": "a\ud83d"}}))["result"] == {"text": "a?"}
