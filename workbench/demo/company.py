"""Data of the fictional company, generated from a seed on first use and stored in memory."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from functools import cached_property

from workbench.demo.outside import Letter, make_letters
from workbench.demo.people import Customer, make_customers
from workbench.demo.trade import ChannelMessage, DemoOrder, Ticket, make_messages, make_orders, make_tickets


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in the outbox. No mail ever leaves the process."""

    id: str
    to: str
    subject: str
    body: str


@dataclass
class Company:
    """State of one server process; each start generates it again from the seed."""

    seed: int = 7
    deployment_seconds: float = 3.0  # from the first read of the channel until it contains "deployment complete"
    beat_seconds: float = 3.0  # between two changes of the live resource
    pulse: int = 0  # number of changes of the live resource
    outbox: list[Mail] = field(default_factory=list)
    refunds: list[dict[str, object]] = field(default_factory=list)
    _first_look: float = 0.0
    _deployed: bool = False

    @cached_property
    def customers(self) -> dict[str, Customer]:
        return {customer.id: customer for customer in make_customers(random.Random(self.seed))}

    @cached_property
    def orders(self) -> dict[str, DemoOrder]:
        made = make_orders(random.Random(self.seed + 1), list(self.customers))
        return {order.id: order for order in made}

    @cached_property
    def tickets(self) -> dict[str, Ticket]:
        made = make_tickets(random.Random(self.seed + 2), list(self.customers.values()))
        return {ticket.id: ticket for ticket in made}

    @cached_property
    def inbox(self) -> dict[str, Letter]:
        return make_letters()

    @cached_property
    def channels(self) -> dict[str, list[ChannelMessage]]:
        return make_messages()

    def look(self, channel: str) -> list[ChannelMessage]:
        """Return a channel's messages. The deployment completes a fixed time after its channel was first read."""
        if channel == "deployments" and not self._deployed:
            self._first_look = self._first_look or time.monotonic()
            if time.monotonic() - self._first_look >= self.deployment_seconds:
                self._deployed = True
                self.post(channel, "deploy-bot", "deployment complete: release 4.2.0 is live in all regions")
        return self.channels[channel]

    def post(self, channel: str, author: str, words: str) -> ChannelMessage:
        """Add a message to a channel."""
        messages = self.channels[channel]
        message = ChannelMessage(f"{channel}-{len(messages) + 1}", channel, author, words)
        messages.append(message)
        return message
