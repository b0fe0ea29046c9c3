"""The reading itself: scopes, readings, caps."""

from __future__ import annotations

import ast

import pytest

from workbench.policy.assess import SYNTAX
from workbench.policy.reader import MAX_WORK, OverCap, Reader
from workbench.policy.toolbook import Toolbook
from workbench.policy.value import NOTHING, Source, Value
from workbench.records import Span


def reader(text: str = "") -> Reader:
    return Reader(text, Toolbook(()), SYNTAX)


def test_a_name_is_looked_up_from_the_inside_out() -> None:
    reading = reader()
    reading.bind("x", Value(const=1))
    with reading.scope({"y": Value(const=2)}):
        assert reading.look("x") is not None
        reading.bind("x", Value(const=3))
        inner = reading.look("x")
        assert inner is not None
        assert inner.const == 3
    outer = reading.look("x")
    assert outer is not None
    assert outer.const == 1
    assert reading.look("y") is None


def test_inside_a_branch_the_old_value_stays_possible() -> None:
    reading = reader()
    reading.bind("f", Value(refs=("os.system",)))
    with reading.branch(loop=True):
        assert reading.loops == 1
        reading.bind("f", Value(refs=("builtins.print",)))
    found = reading.look("f")
    assert found is not None
    assert found.refs == ("os.system", "builtins.print")
    assert (reading.loops, reading.branches) == (0, 0)


def test_foreign_content_that_decides_is_remembered_inside_its_branch() -> None:
    reading = reader()
    source = Source("untrusted", "a page", 1)
    with reading.branch(Value(taint=frozenset({source}))):
        assert reading.control == [source]
    assert reading.control == []


def test_everything_inside_executed_text_is_told_at_one_place() -> None:
    reading = reader("x\ny")
    node = ast.parse("x\ny").body[1]
    with reading.told_at(Span(7)):
        assert reading.span(node) == Span(7)
    assert reading.span(node).line == 2


def test_reading_stops_at_the_cap() -> None:
    reading = reader()
    reading.work = MAX_WORK
    with pytest.raises(OverCap):
        reading.value(ast.Name("x"))


def test_what_a_function_learned_from_a_later_caller_counts() -> None:
    text = "def f(g):\n    g('id')\nimport os\nf(os.system)\n"
    reading = reader(text)
    reading.read(ast.parse(text))
    assert "process" in {note.finding.rule for note in reading.report.notes.values()}
    assert reading.value(None) is NOTHING
