"""What the company's tools know and do."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_there_are_ten_thousand_orders_and_they_can_be_read_at_once(demo: Line) -> None:
    page = demo.get("list_orders", limit=10_000)
    assert page["total"] == len({order["id"] for order in page["orders"]}) == 10_000
    assert "next_offset" not in page


def test_large_answers_are_not_sent_twice(demo: Line) -> None:
    answer = demo.call("list_orders", limit=10_000)
    assert "see structuredContent" in answer["content"][0]["text"]
    small = demo.call("get_order", order_id="ORD-00001")
    assert json.loads(small["content"][0]["text"]) == small["structuredContent"]


def test_pages_follow_each_other_without_gap(demo: Line) -> None:
    first = demo.get("list_orders", status="refunded", limit=7)
    second = demo.get("list_orders", status="refunded", limit=7, offset=first["next_offset"])
    whole = demo.get("list_orders", status="refunded", limit=14)
    assert first["orders"] + second["orders"] == whole["orders"]


def test_filters_join(demo: Line) -> None:
    given = {"status": "paid", "placed_from": "2025-03-01", "placed_to": "2025-03-31", "minimum_amount": 500}
    orders = demo.get("list_orders", limit=10_000, **given)["orders"]
    assert orders
    assert all(o["status"] == "paid" and o["placed"][:7] == "2025-03" and o["amount"] >= 500 for o in orders)
    assert demo.get("count_orders", **given) == {"result": len(orders)}


def test_the_summary_adds_up_to_the_orders(demo: Line) -> None:
    orders = demo.get("list_orders", limit=10_000)["orders"]
    counted = [order["amount"] for order in orders if order["status"] not in ("cancelled", "refunded")]
    groups = demo.get("sales_summary", by="month")["groups"]
    assert sum(group["orders"] for group in groups) == len(counted)
    assert abs(sum(group["revenue"] for group in groups) - sum(counted)) < 0.1


def test_an_export_is_a_table_of_the_matching_orders(demo: Line) -> None:
    table = demo.get("export_orders", status="pending", seconds=0)
    lines = table["csv"].splitlines()
    assert lines[0].startswith("id,customer_id,placed")
    assert len(lines) == table["rows"] + 1 == demo.get("count_orders", status="pending")["result"] + 1


def test_the_message_appears_a_while_after_the_first_look_and_stays(demo: Line) -> None:
    def seen() -> bool:
        return any(
            "deployment complete" in one["text"]
            for one in demo.get("get_channel_history", channel="deployments")["result"]
        )

    assert not seen()
    end = time.monotonic() + 20
    while not seen():
        assert time.monotonic() < end
        time.sleep(0.05)
    assert seen()


def test_a_mail_waits_in_the_outbox(demo: Line) -> None:
    assert demo.get("list_outbox") == {"result": []}
    sent = demo.get("send_email", to="ines@example.com", subject="Hi", body="There")
    (mail,) = demo.get("list_outbox")["result"]
    assert mail == {"id": sent["id"], "to": "ines@example.com", "subject": "Hi", "body": "There"}
    assert "not a mail address" in demo.refusal("send_email", to="ines", subject="Hi", body="There")


def test_a_deleted_customer_is_gone_with_all_orders(demo: Line) -> None:
    orders = demo.get("count_orders", customer_id="CUS-0005")["result"]
    assert demo.get("delete_customer", customer_id="CUS-0005") == {"deleted": "CUS-0005", "orders_deleted": orders}
    assert demo.get("count_orders", customer_id="CUS-0005") == {"result": 0}
    assert "no customer CUS-0005" in demo.refusal("get_customer", customer_id="CUS-0005")


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


def test_a_failing_report_says_what_to_do_instead(demo: Line) -> None:
    assert "sales_summary" in demo.refusal("broken_report", quarter="2025-Q3")


def test_wrong_arguments_are_told_with_what_would_fit(demo: Line) -> None:
    assert "Did you mean order_id?" in demo.refusal("get_order", orderid="ORD-00001")
    assert "needs order_id" in demo.refusal("get_order")
    assert "type integer" in demo.refusal("list_orders", limit="5")
    assert "type integer" in demo.refusal("list_orders", limit=True)
    assert "at most 10000" in demo.refusal("list_orders", limit=10_001)
    assert "one of pending" in demo.refusal("list_orders", status="lost")
    assert "must look like" in demo.refusal("get_order", order_id="1")
    assert "at least 1 characters" in demo.refusal("search_customers", query="")
