"""Made-up orders and tickets."""

from __future__ import annotations

import random

from workbench.demo.people import make_customers
from workbench.demo.trade import ORDER_STATES, ORDERS, make_orders, make_tickets


def test_orders_are_numbered_in_the_order_they_were_placed() -> None:
    orders = make_orders(random.Random(1), ["CUS-0001"])
    assert len(orders) == ORDERS
    assert [order.placed for order in orders] == sorted(order.placed for order in orders)
    assert {order.status for order in orders} == set(ORDER_STATES)


def test_the_same_chance_makes_the_same_trade() -> None:
    people = make_customers(random.Random(1))
    assert make_tickets(random.Random(2), people) == make_tickets(random.Random(2), people)
