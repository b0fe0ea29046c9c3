"""Blanks are completed while they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Line


def complete(demo: Line, name: str, value: str) -> Any:  # Any: JSON
    reference = {"type": "ref/resource", "uri": "demo://customers/{customer_id}"}
    argument = {"name": name, "value": value}
    return demo.ask("completion/complete", ref=reference, argument=argument)["result"]["completion"]


def test_numbers_are_found_by_their_beginning_and_by_a_name(demo: Line) -> None:
    assert complete(demo, "customer_id", "cus-004")["values"] == [f"CUS-004{digit}" for digit in range(10)]
    named = complete(demo, "customer_id", "novák")
    assert 0 < named["total"] < 40


def test_no_more_than_the_protocol_allows(demo: Line) -> None:
    found = complete(demo, "customer_id", "")
    assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 240, True)


def test_what_begins_with_the_letters_comes_first(demo: Line) -> None:
    assert complete(demo, "status", "p")["values"][:2] == ["pending", "paid"]
    assert complete(demo, "product", "lamp")["values"] == ["Beacon Lamp"]
    assert complete(demo, "nothing", "")["values"] == []
