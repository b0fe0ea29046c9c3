"""Reads every order inside the sandbox and hands back a summary of a few lines."""

from typing import Any

from servers.demo import list_orders


async def pending_orders_summary(minimum_amount: float = 1000, show: int = 5, most: int = 10_000) -> dict[str, Any]:
    """Count pending orders of at least an amount, add them up per product, and show the largest."""
    page = await list_orders(limit=most)
    pending = [order for order in page["orders"] if order["status"] == "pending" and order["amount"] >= minimum_amount]
    per_product: dict[str, float] = {}
    for order in pending:
        per_product[order["product"]] = round(per_product.get(order["product"], 0) + order["amount"], 2)
    largest = sorted(pending, key=lambda order: order["amount"], reverse=True)[:show]
    return {
        "read": len(page["orders"]),
        "pending": len(pending),
        "amount": round(sum(order["amount"] for order in pending), 2),
        "per_product": dict(sorted(per_product.items())),
        "largest": [{"id": order["id"], "amount": order["amount"]} for order in largest],
    }
