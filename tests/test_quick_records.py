"""Quick records are the standard library's in all that can be seen of them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import ClassVar

import pytest

from workbench.quick_records import quick


class Point:
    """A place."""

    across: int
    down: int = 7
    marks: Mapping[str, int] = field(default_factory=dict)
    note: str = field(default="-", repr=False, compare=False)

    def far(self) -> int:
        return self.across + self.down


class Empty:
    """Nothing to tell."""


class One:
    """A single value, which may be a text as long as a name."""

    value: object


OURS, THEIRS = [[make(made) for made in (Point, Empty, One)] for make in (quick, dataclass(frozen=True, slots=True))]
PAIRS = list(zip(OURS, THEIRS, strict=True))
Sent = quick(type("Sent", (), {"__annotations__": {"value": "int"}, "__module__": __name__}))


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_a_class_tells_the_same_of_itself(ours, theirs):
    assert [(f.name, f.type, f.default, f.kw_only) for f in fields(ours)] == [
        (f.name, f.type, f.default, f.kw_only) for f in fields(theirs)
    ]
    for name in ("__slots__", "__match_args__", "__doc__", "__qualname__", "__module__"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert repr(ours.__dataclass_params__) == repr(theirs.__dataclass_params__)
    assert set(vars(theirs)) == set(vars(ours))


@pytest.mark.parametrize("values", [(1,), (1, 2), (1, 2, {"a": 1}), (1, 2, {}, "x")])
def test_what_is_made_of_it_is_shown_and_compared_the_same(values):
    ours, theirs = OURS[0](*values), THEIRS[0](*values)
    assert repr(ours) == repr(theirs)
    assert asdict(ours) == asdict(theirs)
    assert ours == OURS[0](*values) != theirs
    assert (ours == OURS[0](1, 2, {}, "y")) == (theirs == THEIRS[0](1, 2, {}, "y"))
    assert replace(ours, across=5).far() == replace(theirs, across=5).far()
    assert copy.deepcopy(ours) == ours
    with pytest.raises(TypeError, match="unhashable"):
        hash(ours)


def test_hashes_are_those_of_the_values():
    assert hash(OURS[2]("x")) == hash(OURS[2]("x")) != hash(OURS[2]("y"))
    assert OURS[1]() == OURS[1]()
    assert len({OURS[1](), OURS[1]()}) == 1
    nothing = float("nan")
    assert (OURS[2](nothing) == OURS[2](nothing)) == (THEIRS[2](nothing) == THEIRS[2](nothing))


def test_each_record_gets_a_mapping_of_its_own():
    assert OURS[0](1).marks is not OURS[0](1).marks


def test_a_record_cannot_be_changed_and_can_be_sent():
    point = OURS[0](1)
    for change in (
        lambda: setattr(point, "across", 2),
        lambda: delattr(point, "across"),
        lambda: setattr(point, "x", 2),
    ):
        with pytest.raises(FrozenInstanceError):
            change()
    assert pickle.loads(pickle.dumps(Sent(3))) == Sent(3)


def test_wrong_arguments_are_told():
    for wrong in (lambda: OURS[0](), lambda: OURS[0](1, 2, {}, "", 5), lambda: OURS[0](1, up=2)):
        with pytest.raises(TypeError, match=r"__init__\(\)"):
            wrong()


def test_a_shared_default_is_refused():
    with pytest.raises(ValueError, match="mutable default"):
        quick(type("Wrong", (), {"__annotations__": {"marks": "dict"}, "marks": {}}))


def test_a_check_after_making_is_made():
    def checked(self) -> None:
        assert self.value > 0

    Positive = quick(type("Positive", (), {"__annotations__": {"value": "int"}, "__post_init__": checked}))
    assert Positive(1).value == 1
    with pytest.raises(AssertionError):
        Positive(-1)


def test_a_record_goes_on_where_another_ends():
    Longer = quick(type("Longer", (OURS[0],), {"__annotations__": {"up": "int"}, "up": 3}))
    assert (Longer(1).up, Longer(1).far(), Longer.__slots__) == (3, 8, ("up",))
    assert Longer(1) != OURS[0](1)


def test_what_is_not_plain_is_left_to_the_standard_library():
    class Counted:
        """Has a word for all of them."""

        many: ClassVar[int] = 3
        one: int

        def __repr__(self) -> str:
            return "counted"

    class Wished:
        """Asks for what only the standard library does."""

        one: int
        two: int = field(default=2, init=False, hash=False)
        three: int = field(default=3, kw_only=True)

    wished = quick(Wished)
    assert repr(wished(1, three=4)).endswith("(one=1, two=2, three=4)")
    for wrong in (lambda: wished(1, 2), lambda: quick(type("More", (wished,), {}))(1, 2)):
        with pytest.raises(TypeError):
            wrong()

    made = quick(Counted)
    assert (made.many, repr(made(1)), [f.name for f in fields(made)]) == (3, "counted", ["one"])
