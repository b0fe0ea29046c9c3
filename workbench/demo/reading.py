"""What can be read besides tools: one resource about the company, one prompt about a ticket."""

from __future__ import annotations

from typing import Any

from workbench.demo.company import Company
from workbench.demo.tool import Json

ABOUT = "demo://company/about"

RESOURCES: list[Json] = [
    {
        "uri": ABOUT,
        "name": "about",
        "title": "About the company",
        "description": "What this made-up company sells and how much of it.",
        "mimeType": "text/markdown",
    }
]
PROMPTS: list[Json] = [
    {
        "name": "answer_ticket",
        "title": "Answer a ticket",
        "description": "Draft a reply to a customer's ticket.",
        "arguments": [{"name": "ticket_id", "description": "A ticket number such as TIC-0007", "required": True}],
    }
]


class UnknownName(Exception):
    """There is no such resource, prompt or ticket."""


def read_resource(company: Company, uri: object) -> Json:
    """The text of a resource."""
    if uri != ABOUT:
        raise UnknownName(f"There is no resource {uri}.")
    words = (
        "# The demo company\n\nIt sells six products to "
        f"{len(company.customers)} customers, took {len(company.orders):,} orders in 2025 and has "
        f"{len(company.tickets)} support tickets. All of it is made up.\n"
    )
    return {"contents": [{"uri": ABOUT, "mimeType": "text/markdown", "text": words}]}


def get_prompt(company: Company, name: object, given: dict[str, Any]) -> Json:
    """A prompt with its blanks filled. Any: the client's arguments."""
    if name != "answer_ticket":
        raise UnknownName(f"There is no prompt {name}.")
    ticket = company.tickets.get(str(given.get("ticket_id")))
    if ticket is None:
        raise UnknownName(f"There is no ticket {given.get('ticket_id')}.")
    words = f"Write a short, friendly reply to this customer.\n\nSubject: {ticket.subject}\n\n{ticket.body}"
    return {"description": ticket.subject, "messages": [{"role": "user", "content": {"type": "text", "text": words}}]}
