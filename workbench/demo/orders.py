"""Demo tools for the ten thousand orders: filter, read, aggregate, export slowly, draw a chart."""

from __future__ import annotations

import asyncio
import base64
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict

from workbench.demo.chart import bar_chart
from workbench.demo.company import Company
from workbench.demo.customers import CUSTOMER_ID
from workbench.demo.tool import (
    READS,
    DemoAnswer,
    DemoTool,
    Json,
    Progress,
    Refused,
    integer,
    listing,
    number,
    record,
    text,
)
from workbench.demo.trade import ORDER_STATES, PRODUCTS, DemoOrder

ORDER_ID = text("An order number such as ORD-00042", pattern="^ORD-[0-9]{5}$")
STATUS = text("State of the order", enum=list(ORDER_STATES))
STEPS = 10  # progress notifications of an export

_ORDER = record(
    {
        "id": ORDER_ID,
        "customer_id": CUSTOMER_ID,
        "placed": text("Day the order was placed", format="date"),
        "status": STATUS,
        "product": text("What was ordered", enum=list(PRODUCTS)),
        "quantity": integer("How many pieces"),
        "amount": number("Total in the order's currency"),
        "currency": text("Currency code"),
    }
)
_FILTERS: dict[str, Json] = {
    "status": text("Only orders in this state", enum=list(ORDER_STATES)),
    "customer_id": text("Only orders of this customer, e.g. CUS-0042", pattern="^CUS-[0-9]{4}$"),
    "placed_from": text("Only orders placed on this day or later, e.g. 2025-06-01", format="date"),
    "placed_to": text("Only orders placed on this day or earlier", format="date"),
    "minimum_amount": number("Only orders of at least this total", minimum=0),
}


def _fitting(company: Company, given: Json) -> Iterator[DemoOrder]:
    for order in company.orders.values():
        if (
            given.get("status") in (None, order.status)
            and given.get("customer_id") in (None, order.customer_id)
            and given.get("placed_from", "") <= order.placed <= given.get("placed_to", "9")
            and order.amount >= given.get("minimum_amount", 0)
        ):
            yield order


def _list(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    fitting = list(_fitting(company, given))
    start = given.get("offset", 0)
    end = start + given.get("limit", 50)
    page: Json = {"orders": [asdict(order) for order in fitting[start:end]], "total": len(fitting)}
    return DemoAnswer({**page, "next_offset": end} if end < len(fitting) else page)


def _get(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    order = company.orders.get(given["order_id"])
    if order is None:
        raise Refused(f"There is no order {given['order_id']}. Numbers run from ORD-00001 to ORD-10000.")
    return DemoAnswer(asdict(order))


def _count(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    return DemoAnswer({"result": sum(1 for _ in _fitting(company, given))})


def _summary(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    by = given.get("by", "month")
    sums: dict[str, list[float]] = defaultdict(list)
    for order in company.orders.values():
        if order.status not in ("cancelled", "refunded"):
            sums[order.placed[:7] if by == "month" else getattr(order, by)].append(order.amount)
    groups = [{"group": key, "orders": len(found), "revenue": round(sum(found), 2)} for key, found in sums.items()]
    return DemoAnswer({"groups": sorted(groups, key=lambda group: str(group["group"])), "currency": "EUR"})


async def _export(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    rows = list(_fitting(company, given))
    for step in range(1, STEPS + 1):
        await asyncio.sleep(given.get("seconds", 5) / STEPS)
        progress(step, STEPS, f"{len(rows) * step // STEPS} of {len(rows)} orders written")
    columns = ("id", "customer_id", "placed", "status", "product", "quantity", "amount")
    lines = [",".join(columns), *(",".join(str(getattr(row, name)) for name in columns) for row in rows)]
    return DemoAnswer({"csv": "\n".join(lines) + "\n", "rows": len(rows)})


def _chart(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    groups = (_summary(company, {"by": "month"}, progress).structured or {})["groups"]
    image = bar_chart([(group["group"][5:], group["revenue"]) for group in groups])
    best = max(groups, key=lambda group: float(group["revenue"]))
    words = f"Revenue per month in EUR; the best month was {best['group']} with {best['revenue']:,.2f}."
    data = base64.b64encode(image).decode()
    return DemoAnswer(
        content=({"type": "text", "text": words}, {"type": "image", "data": data, "mimeType": "image/png"})
    )


TOOLS = (
    DemoTool(
        name="list_orders",
        title="List orders",
        description=(
            "List orders, oldest first, filtered and a page at a time. There are 10,000; a program can read them all "
            "in one page and return only what matters."
        ),
        properties={
            **_FILTERS,
            "limit": integer("How many to return", minimum=1, maximum=10_000, default=50),
            "offset": integer("How many to skip", minimum=0, default=0),
        },
        work=_list,
        hints=READS,
        output=record(
            {
                "orders": listing(_ORDER),
                "total": integer("How many match in all"),
                "next_offset": integer("Where the next page starts; missing on the last"),
            },
            optional=("next_offset",),
        ),
    ),
    DemoTool(
        name="get_order",
        title="Get an order",
        description="Read one order.",
        properties={"order_id": ORDER_ID},
        required=("order_id",),
        work=_get,
        hints=READS,
        output=_ORDER,
    ),
    DemoTool(
        name="count_orders",
        title="Count orders",
        description="Say how many orders match, without listing them.",
        properties=_FILTERS,
        work=_count,
        hints=READS,
        output=record({"result": integer("How many match")}),
    ),
    DemoTool(
        name="sales_summary",
        title="Sales summary",
        description="Add up orders and revenue per month, product or status, without cancelled and refunded orders.",
        properties={"by": text("What to group by", enum=["month", "product", "status"], default="month")},
        work=_summary,
        hints=READS,
        output=record(
            {
                "groups": listing(
                    record(
                        {
                            "group": text("Month, product or status"),
                            "orders": integer("How many orders"),
                            "revenue": number("Their total"),
                        }
                    )
                ),
                "currency": text("Currency code"),
            }
        ),
    ),
    DemoTool(
        name="export_orders",
        title="Export orders",
        description="Write the matching orders as CSV. Takes some seconds and reports progress; it can be cancelled.",
        properties={**_FILTERS, "seconds": number("How long to take", minimum=0, maximum=120, default=5)},
        work=_export,
        hints=READS,
        output=record({"csv": text("The table, with a header line"), "rows": integer("Lines after the header")}),
    ),
    DemoTool(
        name="order_chart",
        title="Chart of orders",
        description="Draw revenue per month as a bar chart, a PNG image.",
        properties={},
        work=_chart,
        hints=READS,
    ),
)
