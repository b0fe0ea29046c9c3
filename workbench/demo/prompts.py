"""Prompts of the demo server: a reply to a ticket, and a sales review with a table and an image."""

from __future__ import annotations

from typing import Any

from workbench.demo.company import Company
from workbench.demo.resources import CATALOGUE, CHART, UnknownName, read_resource
from workbench.demo.tool import Json
from workbench.demo.trade import PRODUCTS

TONES = ("friendly", "formal", "short")
PROMPTS: list[Json] = [
    {
        "name": "answer_ticket",
        "title": "Answer a ticket",
        "description": "Draft a reply to a customer's ticket.",
        "arguments": [
            {"name": "ticket_id", "description": "A ticket number such as TIC-0007", "required": True},
            {"name": "tone", "description": "How it should sound: friendly, formal or short", "required": False},
        ],
    },
    {
        "name": "review_sales",
        "title": "Review a product's sales",
        "description": "Think about how a product sells, with the numbers and a chart at hand.",
        "arguments": [
            {"name": "product", "description": "What is sold, such as Beacon Lamp", "required": True},
            {"name": "month", "description": "Only this month, such as 2025-03", "required": False},
        ],
    },
]


def get_prompt(company: Company, name: object, given: dict[str, Any]) -> Json:
    """Return a prompt with its arguments filled in. Any: the client's arguments."""
    if name == "answer_ticket":
        return _answer_ticket(company, given)
    if name == "review_sales":
        return _review_sales(company, given)
    raise UnknownName(f"There is no prompt {name}.")


def _answer_ticket(company: Company, given: dict[str, Any]) -> Json:  # Any: the client's arguments
    ticket = company.tickets.get(str(given.get("ticket_id")))
    if ticket is None:
        raise UnknownName(f"There is no ticket {given.get('ticket_id')}.")
    tone = given.get("tone") or TONES[0]
    words = f"Write a {tone} reply to this customer.\n\nSubject: {ticket.subject}\n\n{ticket.body}"
    return {"description": ticket.subject, "messages": [_message("user", words)]}


def _review_sales(company: Company, given: dict[str, Any]) -> Json:  # Any: the client's arguments
    product, month = given.get("product"), str(given.get("month") or "")
    if product not in PRODUCTS:
        raise UnknownName(f"There is no product {product}. Products: {', '.join(PRODUCTS)}.")
    fitting = [one for one in company.orders.values() if one.product == product and one.placed.startswith(month)]
    sold = f"{len(fitting):,} orders, {sum(one.amount for one in fitting):,.2f} EUR"
    (table,) = read_resource(company, CATALOGUE)["contents"]
    (chart,) = read_resource(company, CHART)["contents"]
    picture = {"type": "image", "data": chart["blob"], "mimeType": chart["mimeType"]}
    return {
        "description": f"How {product} sells",
        "messages": [
            _message("user", f"How does {product} sell {f'in {month}' if month else 'this year'}? It had {sold}."),
            {"role": "user", "content": {"type": "resource", "resource": table}},
            {"role": "user", "content": picture},
            _message("assistant", f"Let me compare {product} with the other products first."),
        ],
    }


def _message(role: str, words: str) -> Json:
    return {"role": role, "content": {"type": "text", "text": words}}
