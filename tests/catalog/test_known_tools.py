"""The list of all tools is made once, and anew when a server's own list is another one."""

from __future__ import annotations

from workbench.catalog.known_tools import KnownTools
from workbench.records import Tool

ONE, TWO = Tool("a", "one"), Tool("b", "two")


def test_the_same_lists_give_the_same_tuple():
    known, first, second = KnownTools(), {"one": ONE}, {"two": TWO}
    assert known.of([first, second]) == (ONE, TWO)
    assert known.of([first, second]) is known.of([first, second])


def test_a_list_that_was_replaced_or_left_is_noticed():
    known, first, second = KnownTools(), {"one": ONE}, {"two": TWO}
    known.of([first, second])
    assert known.of([first, {"one": TWO}]) == (ONE, TWO)
    assert known.of([first]) == (ONE,)
    assert known.of([]) == ()
