"""The company's state: made when first asked for, changed only in its own process."""

from __future__ import annotations

from workbench.demo.company import Company


def test_the_same_seed_makes_the_same_company() -> None:
    assert Company(7).orders == Company(7).orders
    assert Company(7).customers != Company(8).customers


def test_every_order_and_ticket_belongs_to_a_customer() -> None:
    company = Company()
    assert {order.customer_id for order in company.orders.values()} <= set(company.customers)
    assert {ticket.customer_id for ticket in company.tickets.values()} <= set(company.customers)


def test_a_deployment_that_takes_no_time_is_complete_at_the_first_look_and_only_once() -> None:
    company = Company(deployment_seconds=0)
    for _ in range(3):
        texts = [message.text for message in company.look("deployments")]
        assert sum("deployment complete" in text for text in texts) == 1


def test_other_channels_know_nothing_of_the_deployment() -> None:
    company = Company(deployment_seconds=0)
    assert not any("deployment complete" in message.text for message in company.look("general"))


def test_messages_of_a_channel_have_different_numbers() -> None:
    company = Company()
    company.post("general", "ines", "one")
    company.post("general", "omar", "two")
    numbers = [message.id for message in company.look("general")]
    assert len(set(numbers)) == len(numbers)
