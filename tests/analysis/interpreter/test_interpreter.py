"""The reading itself: scopes, readings, caps."""

from __future__ import annotations

import ast

import pytest

from workbench.analysis.interpreter.interpreter import MAX_WORK, Interpreter, WorkLimitExceeded
from workbench.analysis.interpreter.tool_lookup import ToolLookup
from workbench.analysis.interpreter.values import NOTHING, Value, ValueSource
from workbench.analysis.parsed_program import ParsedProgram
from workbench.analysis.reading import SYNTAX
from workbench.records import Span


def reader(text: str = "") -> Interpreter:
    return Interpreter(ParsedProgram(text), ToolLookup(()), SYNTAX)


def test_a_name_is_looked_up_from_the_inside_out() -> None:
    reading = reader()
    reading.bind("x", Value(const=1))
    with reading.scope({"y": Value(const=2)}):
        assert reading.find_name("x") is not None
        reading.bind("x", Value(const=3))
        inner = reading.find_name("x")
        assert inner is not None
        assert inner.const == 3
    outer = reading.find_name("x")
    assert outer is not None
    assert outer.const == 1
    assert reading.find_name("y") is None


def test_inside_a_branch_the_old_value_stays_possible() -> None:
    reading = reader()
    reading.bind("f", Value(refs=("os.system",)))
    with reading.branch(loop=True):
        assert reading.loops == 1
        reading.bind("f", Value(refs=("builtins.print",)))
    found = reading.find_name("f")
    assert found is not None
    assert found.refs == ("os.system", "builtins.print")
    assert (reading.loops, reading.branches) == (0, 0)


def test_foreign_content_that_decides_is_remembered_inside_its_branch() -> None:
    reading = reader()
    source = ValueSource("untrusted", "a page", 1)
    with reading.branch(Value(taint=frozenset({source}))):
        assert reading.control == [source]
    assert reading.control == []


def test_everything_inside_executed_text_is_told_at_one_place() -> None:
    reading = reader("x\ny")
    node = ast.parse("x\ny").body[1]
    with reading.report_at(Span(7)):
        assert reading.span(node) == Span(7)
    assert reading.span(node).line == 2


def test_reading_stops_at_the_cap() -> None:
    reading = reader()
    reading.work = MAX_WORK
    with pytest.raises(WorkLimitExceeded):
        reading.value(ast.Name("x"))


def test_what_a_function_gives_back_counts_before_its_body_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import os\ndef pick():\n    return os.system\npick()('id')\npick()('ls')\n"
    reading, begun = reader(text), []
    begin = Interpreter._begin
    monkeypatch.setattr(Interpreter, "_begin", lambda self, node: (begun.append(node), begin(self, node)))
    reading.read()
    assert [note.finding.subject for note in reading.report.notes.values()] == ["id", "ls", "os.system"]
    assert len(begun) == 3  # the text, the body for its answer, the body for what it does


def test_only_bodies_that_would_tell_more_are_read_again() -> None:
    text = "import os\ndef late():\n    early('rm x')\ndef early(word):\n    os.system(word)\nlate()\n"
    reading = reader(text)
    reading.read()
    assert [note.finding.subject for note in reading.report.notes.values()] == ["rm x"]


def test_functions_that_call_each_other_end() -> None:
    text = "def f(x):\n    return g(x)\ndef g(x):\n    return f([x])\nf(1)\n"
    reading = reader(text)
    reading.read()
    assert not reading.report.notes


def test_past_the_cap_what_was_found_is_kept() -> None:
    text = "import os\nos.system('id')\ndef f():\n    return 1\nf()\n"
    reading = reader(text)
    reading.work = MAX_WORK - 4
    with pytest.raises(WorkLimitExceeded):
        reading.read()
    assert [note.finding.subject for note in reading.report.notes.values()] == ["id"]


def test_reading_stops_when_its_time_is_over() -> None:
    reading = Interpreter(ParsedProgram("x = 1\n" * 100), ToolLookup(()), SYNTAX, deadline=1e-9)
    with pytest.raises(WorkLimitExceeded):
        reading.read()


def test_what_a_function_learned_from_a_later_caller_counts() -> None:
    text = "def f(g):\n    g('id')\nimport os\nf(os.system)\n"
    reading = reader(text)
    reading.read()
    assert "process" in {note.finding.rule for note in reading.report.notes.values()}
    assert reading.value(None) is NOTHING
