"""What is known of a value, and of one that may be either of two."""

from __future__ import annotations

from workbench.analysis.interpreter.values import (
    HOLE,
    NOTHING,
    UNKNOWN,
    UNSAID,
    Arguments,
    Value,
    ValueSource,
    each,
    join,
    known,
    readable,
    tainted,
    text_of,
)

WEB = ValueSource("untrusted", "the network", 3)


def test_either_of_two_keeps_all_names_and_origins() -> None:
    both = join(Value(refs=("os.system",)), Value(refs=("os.popen",), taint=frozenset({WEB})))
    assert both.refs == ("os.system", "os.popen")
    assert both.taint == {WEB}


def test_one_of_two_texts_is_either_and_neither_is_lost() -> None:
    both = join(join(Value(const="a"), Value(const="b")), Value(const="a"))
    assert both.const is UNKNOWN
    assert [choice.const for choice in each(both)] == ["a", "b"]
    assert readable(both) == "a or b"
    assert each(NOTHING) == (NOTHING,)


def test_too_many_texts_are_unknown() -> None:
    value = Value(const="0")
    for number in range(1, 20):
        value = join(value, Value(const=str(number)))
    assert known(value) is None
    assert len(each(value)) == 8
    assert known(each(value)[-1]) is None


def test_what_was_not_said_adds_nothing_and_what_is_not_known_may_be_anything() -> None:
    value = Value(const="a")
    assert join(value, UNSAID) is value
    assert join(UNSAID, value) is value
    assert join(value, NOTHING).choices == ("a", HOLE)
    assert join(Value(const=1), NOTHING).const is UNKNOWN


def test_text_is_known_only_without_holes() -> None:
    assert known(Value(const="a")) == "a"
    assert known(Value(const=f"a{HOLE}")) is None
    assert known(NOTHING) is None
    assert text_of(Value(const=b"\xc3\xa9")) == "é"
    assert text_of(Value(const=5)) == HOLE


def test_a_value_is_shown_with_dots_for_what_is_unknown() -> None:
    assert readable(Value(const=f"rm {HOLE}")) == "rm …"
    assert readable(Value(items=(Value(const="ls"), Value(const="-l"), NOTHING))) == "ls -l"
    assert readable(NOTHING) == ""
    assert readable(Value(const=7)) == "7"


def test_an_origin_is_added_once() -> None:
    value = tainted(NOTHING, frozenset({WEB}))
    assert value.taint == {WEB}
    assert tainted(value, frozenset({WEB})) is value
    assert repr(UNKNOWN) == "?"


FIRST, SECOND = Value(const=1), Value(const=2, taint=frozenset({ValueSource("private", "x", 1)}))


def test_a_position_wins_and_names_follow() -> None:
    given = Arguments((FIRST,), {"url": SECOND})
    assert given.get(0, "url") is FIRST
    assert given.get(1, "host", "url") is SECOND
    assert given.get(2, "host") is NOTHING


def test_origins_of_all_arguments_are_joined() -> None:
    assert Arguments((FIRST,), {"to": SECOND}).taint == SECOND.taint


def test_entries_of_a_dict_count_as_names() -> None:
    assert dict(Arguments((), {"a": FIRST}, {"b": SECOND}).by_name()) == {"a": FIRST, "b": SECOND}
