"""Wrong arguments are answered with what would fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_wrong_arguments_are_told_with_what_would_fit(demo: Line) -> None:
    assert "Did you mean order_id?" in demo.refusal("get_order", orderid="ORD-00001")
    assert "needs order_id" in demo.refusal("get_order")
    assert "type integer" in demo.refusal("list_orders", limit="5")
    assert "type integer" in demo.refusal("list_orders", limit=True)
    assert "at most 10000" in demo.refusal("list_orders", limit=10_001)
    assert "one of pending" in demo.refusal("list_orders", status="lost")
    assert "must look like" in demo.refusal("get_order", order_id="1")
    assert "at least 1 characters" in demo.refusal("search_customers", query="")
