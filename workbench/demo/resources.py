"""Resources of the demo server: a few fixed resources of each kind, and URI templates for the others."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from workbench.demo.chart import bar_chart
from workbench.demo.company import Company
from workbench.demo.tool import Json
from workbench.demo.trade import ORDER_STATES, PRODUCTS

ABOUT = "demo://company/about"
CHART = "demo://company/orders.png"
CATALOGUE = "demo://company/products"
VISITORS = "demo://company/visitors"
GENERAL = "demo://channels/general"

RESOURCES: list[Json] = [
    {
        "uri": ABOUT,
        "name": "about",
        "title": "About the company",
        "description": "What this made-up company sells and how much of it.",
        "mimeType": "text/markdown",
    },
    {
        "uri": CATALOGUE,
        "name": "products",
        "title": "Products",
        "description": "What is sold, and how many orders there were for it.",
        "mimeType": "application/json",
    },
    {
        "uri": CHART,
        "name": "orders.png",
        "title": "Orders a month",
        "description": "A bar chart of the year's orders.",
        "mimeType": "image/png",
    },
    {
        "uri": VISITORS,
        "name": "visitors",
        "title": "Visitors of the shop, live",
        "description": "Changes every few seconds while somebody has subscribed to it.",
        "mimeType": "application/json",
    },
    {
        "uri": GENERAL,
        "name": "general",
        "title": "Channel “general”",
        "description": "Subscribe, then call post_message: the server reports the change.",
        "mimeType": "text/markdown",
    },
]
TEMPLATES: list[Json] = [
    {
        "uriTemplate": "demo://customers/{customer_id}",
        "name": "customer",
        "title": "A customer",
        "description": "One customer by number, such as CUS-0042. Type a name and the number is proposed.",
        "mimeType": "application/json",
    },
    {
        "uriTemplate": "demo://tickets/{ticket_id}",
        "name": "ticket",
        "title": "A support ticket",
        "description": "One ticket as it was written.",
        "mimeType": "text/markdown",
    },
    {
        "uriTemplate": "demo://orders{?status,product,limit}",
        "name": "orders",
        "title": "Orders",
        "description": "The newest orders. Leave a field empty to include all.",
        "mimeType": "application/json",
    },
]
_ONE = re.compile(r"demo://(customers|tickets|channels)/([^/?#]+)\Z")
_LIMIT = 20


class UnknownName(Exception):
    """Raised for an unknown resource, prompt or ticket."""


def read_resource(company: Company, uri: object) -> Json:
    """Return the contents of a resource."""
    found = _read(company, uri) if isinstance(uri, str) else None
    if found is None:
        raise UnknownName(f"There is no resource {uri}.")
    return {"contents": [{"uri": uri, **found}]}


def _read(company: Company, uri: str) -> Json | None:
    if (plain := _PLAIN.get(uri)) is not None:
        return plain(company)
    if match := _ONE.match(uri):
        return _read_one(company, match[1], unquote(match[2]))
    parts = urlsplit(uri)
    if (parts.scheme, parts.netloc, parts.path) == ("demo", "orders", ""):
        return _orders(company, {key: values[0] for key, values in parse_qs(parts.query).items()})
    return None


def _read_one(company: Company, kind: str, key: str) -> Json | None:
    if kind == "customers" and (customer := company.customers.get(key)):
        return _json(asdict(customer))
    if kind == "tickets" and (ticket := company.tickets.get(key)):
        return _markdown(f"# {ticket.subject}\n\n*{ticket.id}, {ticket.priority}, {ticket.status}*\n\n{ticket.body}\n")
    if kind == "channels" and key in company.channels:
        lines = (f"- **{message.author}**: {message.text}" for message in company.look(key))
        return _markdown(f"# {key}\n\n" + "\n".join(lines) + "\n")
    return None


def _orders(company: Company, given: Mapping[str, str]) -> Json:
    status, product, limit = given.get("status"), given.get("product"), given.get("limit", "")
    if status not in (None, *ORDER_STATES) or product not in (None, *PRODUCTS):
        raise UnknownName(f"There are no orders with the state {status} and the product {product}.")
    most = int(limit) if limit.isascii() and limit.isdigit() else _LIMIT
    newest = reversed(company.orders.values())
    fitting = [order for order in newest if status in (None, order.status) and product in (None, order.product)]
    return _json([asdict(order) for order in fitting[: min(most, 1_000)]])


def _about(company: Company) -> Json:
    return _markdown(
        "# The demo company\n\nIt sells six products to "
        f"{len(company.customers)} customers, took {len(company.orders):,} orders in 2025 and has "
        f"{len(company.tickets)} support tickets. All of it is made up.\n\n"
        "| What | How many |\n| --- | ---: |\n"
        f"| Customers | {len(company.customers)} |\n| Orders | {len(company.orders):,} |\n"
        f"| Tickets | {len(company.tickets)} |\n"
    )


def _products(company: Company) -> Json:
    sold = Counter(order.product for order in company.orders.values())
    return _json([{"product": product, "orders": sold[product]} for product in PRODUCTS])


def _chart(company: Company) -> Json:
    months = Counter(order.placed[5:7] for order in company.orders.values())
    picture = bar_chart([(month, months[month]) for month in sorted(months)])
    return {"mimeType": "image/png", "blob": base64.b64encode(picture).decode("ascii")}


def _visitors(company: Company) -> Json:
    return _json({"visitors": 40 + company.pulse * 7 % 23, "beat": company.pulse})


def _general(company: Company) -> Json | None:
    return _read_one(company, "channels", "general")


def _markdown(words: str) -> Json:
    return {"mimeType": "text/markdown", "text": words}


def _json(value: Any) -> Json:  # Any: JSON
    return {"mimeType": "application/json", "text": json.dumps(value, ensure_ascii=False, indent=2)}


_PLAIN: dict[str, Callable[[Company], Json | None]] = {
    ABOUT: _about,
    CATALOGUE: _products,
    CHART: _chart,
    VISITORS: _visitors,
    GENERAL: _general,
}
