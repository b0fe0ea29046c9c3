"""Tickets: free text full of personal data, made and moved on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_tickets_are_made_and_moved_on(demo: Line) -> None:
    made = demo.get("create_ticket", customer_id="CUS-0002", subject="Lamp", body="It is dark.", priority="high")
    demo.get("update_ticket_status", ticket_id=made["id"], status="waiting")
    assert demo.get("get_ticket", ticket_id=made["id"]) == {**made, "status": "waiting"}


def test_tickets_quote_personal_data_of_their_customer(demo: Line) -> None:
    ticket = demo.get("get_ticket", ticket_id="TIC-0001")
    customer = demo.get("get_customer", customer_id=ticket["customer_id"])
    assert customer["name"] in ticket["body"]
    bodies = " ".join(demo.get("get_ticket", ticket_id=f"TIC-{n:04d}")["body"] for n in range(1, 20))
    assert re.search(r"@\S*example", bodies)
    assert re.search(r"\+\d\d? \d", bodies)


def test_the_list_leaves_out_what_the_customer_wrote(demo: Line) -> None:
    page = demo.get("list_tickets", status="open")
    assert page["tickets"]
    assert all("body" not in ticket and ticket["status"] == "open" for ticket in page["tickets"])


def test_a_ticket_needs_a_customer_who_exists(demo: Line) -> None:
    assert "no customer" in demo.refusal("create_ticket", customer_id="CUS-9999", subject="x", body="y")
    assert "no ticket" in demo.refusal("get_ticket", ticket_id="TIC-9999")
