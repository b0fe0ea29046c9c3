"""Completion of prompt arguments and template variables: ids found by id or name, and fixed values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from workbench.demo.company import Company
from workbench.demo.prompts import TONES
from workbench.demo.tool import Json
from workbench.demo.trade import ORDER_STATES, PRODUCTS

_MOST = 100  # the protocol's limit
_MONTHS = tuple(f"2025-{month:02d}" for month in range(1, 13))


def complete(company: Company, params: Json) -> Json:
    """Answer `completion/complete`. An unknown argument has no completions."""
    argument = params.get("argument")
    argument = argument if isinstance(argument, Mapping) else {}
    typed = str(argument.get("value", "")).casefold()
    known = _KNOWN.get(str(argument.get("name")), _nothing)
    fitting = [value for value, words in known(company) if typed in words.casefold()]
    fitting.sort(key=lambda value: not value.casefold().startswith(typed))
    return {"completion": {"values": fitting[:_MOST], "total": len(fitting), "hasMore": len(fitting) > _MOST}}


def _nothing(company: Company) -> Iterable[tuple[str, str]]:
    return ()


def _customers(company: Company) -> Iterable[tuple[str, str]]:
    return ((customer.id, f"{customer.id} {customer.name}") for customer in company.customers.values())


def _tickets(company: Company) -> Iterable[tuple[str, str]]:
    return ((ticket.id, f"{ticket.id} {ticket.subject}") for ticket in company.tickets.values())


def _fixed_choices(*values: str) -> Callable[[Company], Iterable[tuple[str, str]]]:
    return lambda company: ((value, value) for value in values)


_KNOWN: Mapping[str, Callable[[Company], Iterable[tuple[str, str]]]] = {
    "customer_id": _customers,
    "ticket_id": _tickets,
    "tone": _fixed_choices(*TONES),
    "product": _fixed_choices(*PRODUCTS),
    "status": _fixed_choices(*ORDER_STATES),
    "month": _fixed_choices(*_MONTHS),
    "limit": _fixed_choices("20", "100", "1000"),
}
