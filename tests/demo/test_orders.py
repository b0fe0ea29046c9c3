"""Orders: ten thousand of them, filtered, added up, exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_there_are_ten_thousand_orders_and_they_can_be_read_at_once(demo: Line) -> None:
    page = demo.get("list_orders", limit=10_000)
    assert page["total"] == len({order["id"] for order in page["orders"]}) == 10_000
    assert "next_offset" not in page


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


def test_the_chart_comes_with_words_for_who_cannot_see_it(demo: Line) -> None:
    words, picture = demo.call("order_chart")["content"]
    best = max(demo.get("sales_summary")["groups"], key=lambda group: group["revenue"])
    assert best["group"] in words["text"]
    assert picture["mimeType"] == "image/png"


def test_an_unknown_order_is_told(demo: Line) -> None:
    assert "no order ORD-99999" in demo.refusal("get_order", order_id="ORD-99999")
