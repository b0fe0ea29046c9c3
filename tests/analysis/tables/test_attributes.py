"""Special attributes."""

from __future__ import annotations

from workbench.analysis.tables.attributes import FORBIDDEN_WRITES, SOFT, SPECIAL, WALKS


def test_an_attribute_is_soft_or_a_walk_and_not_both() -> None:
    assert WALKS.isdisjoint(SOFT)
    assert SPECIAL == WALKS | SOFT


def test_the_steps_of_known_escapes_are_walks() -> None:
    assert {"__subclasses__", "__globals__", "f_back", "tb_frame", "gi_frame", "__code__"} <= WALKS
    assert "__class__" in FORBIDDEN_WRITES


def test_names_of_honest_classes_are_not_special() -> None:
    assert SPECIAL.isdisjoint({"__init__", "__name__", "__class__", "__doc__", "__repr__", "__len__"})
