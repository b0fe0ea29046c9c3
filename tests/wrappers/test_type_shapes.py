"""Unions of shapes."""

from __future__ import annotations

from workbench.wrappers.type_shapes import (
    MOST_MEMBERS,
    AnyShape,
    ChoiceShape,
    NothingShape,
    ScalarShape,
    UnionShape,
    union,
)


def test_one_member_stands_alone_and_repetitions_count_once() -> None:
    assert union([ScalarShape("str"), ScalarShape("str")]) == ScalarShape("str")


def test_anything_swallows_the_others() -> None:
    assert union([ScalarShape("str"), AnyShape()]) == AnyShape()


def test_unions_within_unions_are_flat() -> None:
    text, number, none = ScalarShape("str"), ScalarShape("int"), ScalarShape("None")
    assert union([union([text, number]), none]) == UnionShape((text, number, none))


def test_nothing_adds_nothing() -> None:
    assert union([NothingShape(), ScalarShape("str")]) == ScalarShape("str")
    assert union([NothingShape()]) == NothingShape()


def test_one_and_true_are_different_choices() -> None:
    assert union([ChoiceShape((1,)), ChoiceShape((True,))]) == UnionShape((ChoiceShape((1,)), ChoiceShape((True,))))


def test_a_union_nobody_can_read_is_anything() -> None:
    assert union([ChoiceShape((number,)) for number in range(MOST_MEMBERS + 1)]) == AnyShape()
