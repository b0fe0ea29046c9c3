"""The list of known tools is made anew only when a server's list is replaced."""

from __future__ import annotations

from workbench.records import Tool
from workbench.servers.tool_definitions.server_tools import KnownTools

ONE, TWO = Tool("one", "a"), Tool("two", "b")


def test_the_same_lists_give_the_same_tools_and_names() -> None:
    first, second = {"a": ONE}, {"b": TWO}
    known = KnownTools({}).updated({"one": first, "two": second})
    assert known.tools == (ONE, TWO)
    assert known.updated({"one": first, "two": second}) is known
    assert known.names.find("one", "a") is ONE


def test_a_replaced_a_new_and_a_missing_list_give_new_ones() -> None:
    first, second = {"a": ONE}, {"b": TWO}
    known = KnownTools({}).updated({"one": first, "two": second})
    assert known.updated({"one": {}, "two": second}).tools == (TWO,)
    assert known.updated({"one": first}).tools == (ONE,)
    assert known.updated({"one": first, "other": second}).names.server("other") == "other"
