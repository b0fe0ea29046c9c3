"""Fictional orders, support tickets and channel messages."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from workbench.demo.people import Customer

ORDERS = 10_000
TICKETS = 120
FIRST_DAY, DAYS = date(2025, 1, 1), 365

ORDER_STATES = ("pending", "paid", "shipped", "delivered", "cancelled", "refunded")
TICKET_STATES = ("open", "waiting", "solved")
PRIORITIES = ("low", "normal", "high", "urgent")
PRODUCTS = ("Atlas Desk", "Beacon Lamp", "Cedar Shelf", "Drift Chair", "Ember Kettle", "Fjord Blanket")

_SUBJECTS = ("Parcel has not arrived", "Wrong item delivered", "Please change my address", "Invoice shows old name")
_BODIES = (
    "Hello, my parcel should have come on Tuesday. You can reach me at {email} or on {phone}. Regards, {name}",
    "I ordered a lamp and got a kettle. Please call {phone} after five, I am at {address} all week. — {name}",
    "We moved! The new address is {address}. Confirm to {email}, not to the old mailbox please. {name}",
    "My invoice names somebody else. I was born on {birth}, if you need it to find me; write to {email}. {name}",
)


@dataclass(frozen=True, slots=True)
class DemoOrder:
    id: str
    customer_id: str
    placed: str
    status: str
    product: str
    quantity: int
    amount: float
    currency: str = "EUR"


@dataclass(frozen=True, slots=True)
class Ticket:
    """A customer's request in free text."""

    id: str
    customer_id: str
    subject: str
    body: str
    status: str
    priority: str
    opened: str


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """A message in a channel."""

    id: str
    channel: str
    author: str
    text: str


def make_orders(chance: random.Random, customers: Sequence[str]) -> list[DemoOrder]:
    """Generate a year of orders, sorted by date."""
    days = sorted(chance.randrange(DAYS) for _ in range(ORDERS))
    return [_order(chance, number, day, customers) for number, day in enumerate(days, 1)]


def _order(chance: random.Random, number: int, day: int, customers: Sequence[str]) -> DemoOrder:
    quantity = chance.choice((1, 1, 1, 2, 2, 3, 5, 8))
    return DemoOrder(
        id=f"ORD-{number:05d}",
        customer_id=chance.choice(customers),
        placed=str(FIRST_DAY + timedelta(days=day)),
        status=chance.choices(ORDER_STATES, (9, 14, 17, 50, 6, 4))[0],
        product=chance.choice(PRODUCTS),
        quantity=quantity,
        amount=round(quantity * chance.uniform(18, 420), 2),
    )


def make_tickets(chance: random.Random, customers: Sequence[Customer]) -> list[Ticket]:
    """Generate tickets whose text contains personal data."""
    return [_ticket(chance, number, chance.choice(customers)) for number in range(1, TICKETS + 1)]


def _ticket(chance: random.Random, number: int, customer: Customer) -> Ticket:
    kind = chance.randrange(len(_BODIES))
    body = _BODIES[kind].format(
        email=customer.email,
        phone=customer.phone,
        name=customer.name,
        address=customer.address,
        birth=customer.date_of_birth,
    )
    return Ticket(
        id=f"TIC-{number:04d}",
        customer_id=customer.id,
        subject=_SUBJECTS[kind],
        body=body,
        status=chance.choice(TICKET_STATES),
        priority=chance.choice(PRIORITIES),
        opened=str(FIRST_DAY + timedelta(days=chance.randrange(DAYS))),
    )


def in_state(ticket: Ticket, status: str) -> Ticket:
    return replace(ticket, status=status)


def make_messages() -> dict[str, list[ChannelMessage]]:
    """Create the channels with their initial messages."""
    texts = {
        "deployments": (("deploy-bot", "deployment started: release 4.2.0"), ("deploy-bot", "canary is healthy")),
        "general": (("ines", "Good morning! Stand-up moves to ten."), ("omar", "Fine with me.")),
        "support": (("omar", "Many parcels are late in Lyon today."), ("ines", "I told the carrier.")),
    }
    return {
        channel: [
            ChannelMessage(f"{channel}-{at}", channel, author, words) for at, (author, words) in enumerate(lines, 1)
        ]
        for channel, lines in texts.items()
    }
