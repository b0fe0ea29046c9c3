"""Customers: what can be found, and what deleting takes along."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_a_deleted_customer_is_gone_with_all_orders(demo: Line) -> None:
    orders = demo.get("count_orders", customer_id="CUS-0005")["result"]
    assert demo.get("delete_customer", customer_id="CUS-0005") == {"deleted": "CUS-0005", "orders_deleted": orders}
    assert demo.get("count_orders", customer_id="CUS-0005") == {"result": 0}
    assert "no customer CUS-0005" in demo.refusal("get_customer", customer_id="CUS-0005")


def test_filters_and_pages_agree_with_the_total(demo: Line) -> None:
    whole = demo.get("list_customers", country="Sweden", limit=500)
    assert whole["total"] == len(whole["customers"]) > 0
    assert {one["country"] for one in whole["customers"]} == {"Sweden"}
    part = demo.get("list_customers", country="Sweden", limit=2, offset=1)
    assert part["customers"] == whole["customers"][1:3]


def test_all_words_of_a_search_must_appear(demo: Line) -> None:
    customer = demo.get("get_customer", customer_id="CUS-0042")
    found = demo.get("search_customers", query=f"{customer['name'].upper()} {customer['city']}")
    assert customer in found["customers"]
    assert demo.get("search_customers", query=f"{customer['name']} nowhere") == {"customers": [], "total": 0}
