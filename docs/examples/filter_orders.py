"""Reads every order where it is cheap, and hands back only what somebody asked for."""

from servers.demo import list_orders

page = await list_orders(limit=10_000)
pending = [order for order in page["orders"] if order["status"] == "pending"]
largest = sorted(pending, key=lambda order: order["amount"], reverse=True)[:5]
result = {
    "read": len(page["orders"]),
    "pending": len(pending),
    "largest": [f"{order['id']}: {order['amount']}" for order in largest],
}
