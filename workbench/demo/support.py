"""Demo tools for support tickets: read free text that contains personal data, open a ticket, change its state."""

from __future__ import annotations

from dataclasses import asdict

from workbench.demo.company import Company
from workbench.demo.customers import CUSTOMER_ID, find_customer
from workbench.demo.tool import (
    ADDS,
    CHANGES,
    OUTSIDE,
    READS,
    DemoAnswer,
    DemoTool,
    Json,
    Progress,
    Refused,
    listing,
    record,
    text,
)
from workbench.demo.tool import integer as whole_number
from workbench.demo.trade import FIRST_DAY, PRIORITIES, TICKET_STATES, Ticket, in_state

TICKET_ID = text("A ticket number such as TIC-0007", pattern="^TIC-[0-9]{4,}$")

_SHORT: dict[str, Json] = {
    "id": TICKET_ID,
    "customer_id": CUSTOMER_ID,
    "subject": text("What it is about"),
    "status": text("State of the ticket", enum=list(TICKET_STATES)),
    "priority": text("How urgent it is", enum=list(PRIORITIES)),
    "opened": text("Day it was opened", format="date"),
}
_TICKET = record({**_SHORT, "body": text("What the customer wrote")})


def _find(company: Company, ticket_id: str) -> Ticket:
    found = company.tickets.get(ticket_id)
    if found is None:
        raise Refused(f"There is no ticket {ticket_id}. list_tickets shows all of them.")
    return found


def _list(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    fitting = [
        ticket
        for ticket in company.tickets.values()
        if given.get("status") in (None, ticket.status) and given.get("priority") in (None, ticket.priority)
    ]
    rows = [{key: value for key, value in asdict(ticket).items() if key != "body"} for ticket in fitting]
    return DemoAnswer({"tickets": rows[: given.get("limit", 50)], "total": len(rows)})


def _get(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    return DemoAnswer(asdict(_find(company, given["ticket_id"])))


def _create(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    find_customer(company, given["customer_id"])
    made = Ticket(
        id=f"TIC-{len(company.tickets) + 1:04d}",
        customer_id=given["customer_id"],
        subject=given["subject"],
        body=given["body"],
        status="open",
        priority=given.get("priority", "normal"),
        opened=str(FIRST_DAY.replace(month=12, day=31)),
    )
    company.tickets[made.id] = made
    return DemoAnswer(asdict(made))


def _update(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    changed = in_state(_find(company, given["ticket_id"]), given["status"])
    company.tickets[changed.id] = changed
    return DemoAnswer(asdict(changed))


TOOLS = (
    DemoTool(
        name="list_tickets",
        title="List tickets",
        description="List support tickets without their text, filtered by status or priority.",
        properties={
            "status": text("Only tickets in this state", enum=list(TICKET_STATES)),
            "priority": text("Only tickets of this priority", enum=list(PRIORITIES)),
            "limit": whole_number("How many to return", minimum=1, maximum=1_000, default=50),
        },
        work=_list,
        hints=READS,
        output=record({"tickets": listing(record(_SHORT)), "total": whole_number("How many match in all")}),
    ),
    DemoTool(
        name="get_ticket",
        title="Get a ticket",
        description="Read one ticket with the text the customer wrote; such text often holds personal data.",
        properties={"ticket_id": TICKET_ID},
        required=("ticket_id",),
        work=_get,
        hints=OUTSIDE,
        output=_TICKET,
    ),
    DemoTool(
        name="create_ticket",
        title="Create a ticket",
        description="Open a new support ticket for a customer.",
        properties={
            "customer_id": CUSTOMER_ID,
            "subject": text("What it is about", minLength=1, maxLength=200),
            "body": text("What should be written in it"),
            "priority": text("How urgent it is", enum=list(PRIORITIES), default="normal"),
        },
        required=("customer_id", "subject", "body"),
        work=_create,
        hints=ADDS,
        output=_TICKET,
    ),
    DemoTool(
        name="update_ticket_status",
        title="Move a ticket on",
        description="Set the status of a ticket.",
        properties={"ticket_id": TICKET_ID, "status": text("The new state", enum=list(TICKET_STATES))},
        required=("ticket_id", "status"),
        work=_update,
        hints=CHANGES,
        output=_TICKET,
    ),
)
