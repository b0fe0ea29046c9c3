"""What can be read besides tools: each resource, and what the templates lead to."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def read(demo: Line, uri: str) -> dict:
    (content,) = demo.ask("resources/read", uri=uri)["result"]["contents"]
    assert content["uri"] == uri
    return content


def test_everything_listed_can_be_read_and_is_what_it_says(demo: Line) -> None:
    listed = demo.ask("resources/list")["result"]["resources"]
    for resource in listed:
        assert read(demo, resource["uri"])["mimeType"] == resource["mimeType"]
    assert "10,000" in read(demo, "demo://company/about")["text"]
    assert base64.b64decode(read(demo, "demo://company/orders.png")["blob"]).startswith(b"\x89PNG")


def test_templates_lead_to_single_customers_tickets_and_some_orders(demo: Line) -> None:
    templates = {
        one["name"]: one["uriTemplate"] for one in demo.ask("resources/templates/list")["result"]["resourceTemplates"]
    }
    assert templates["orders"] == "demo://orders{?status,product,limit}"
    assert json.loads(read(demo, "demo://customers/CUS-0042")["text"])["id"] == "CUS-0042"
    assert read(demo, "demo://tickets/TIC-0007")["text"].startswith("# ")
    orders = json.loads(read(demo, "demo://orders?status=paid&product=Beacon%20Lamp&limit=3")["text"])
    assert [(order["status"], order["product"]) for order in orders] == [("paid", "Beacon Lamp")] * 3
    assert len(json.loads(read(demo, "demo://orders")["text"])) == 20


def test_what_is_not_there_is_an_error(demo: Line) -> None:
    for uri in ("demo://customers/CUS-9999", "demo://orders?status=lost", "demo://orders/x", "file:///etc/passwd", 7):
        assert demo.ask("resources/read", uri=uri)["error"]["code"] == -32602
