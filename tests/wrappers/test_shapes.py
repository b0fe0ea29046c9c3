"""Unions of shapes."""

from __future__ import annotations

from workbench.wrappers.shapes import MOST_MEMBERS, Anything, Choice, Nothing, Scalar, Union, union


def test_one_member_stands_alone_and_repetitions_count_once() -> None:
    assert union([Scalar("str"), Scalar("str")]) == Scalar("str")


def test_anything_swallows_the_others() -> None:
    assert union([Scalar("str"), Anything()]) == Anything()


def test_unions_within_unions_are_flat() -> None:
    text, number, none = Scalar("str"), Scalar("int"), Scalar("None")
    assert union([union([text, number]), none]) == Union((text, number, none))


def test_nothing_adds_nothing() -> None:
    assert union([Nothing(), Scalar("str")]) == Scalar("str")
    assert union([Nothing()]) == Nothing()


def test_one_and_true_are_different_choices() -> None:
    assert union([Choice((1,)), Choice((True,))]) == Union((Choice((1,)), Choice((True,))))


def test_a_union_nobody_can_read_is_anything() -> None:
    assert union([Choice((number,)) for number in range(MOST_MEMBERS + 1)]) == Anything()
