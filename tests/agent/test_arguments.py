"""What an agent gives a tool is read strictly: nothing is passed over in silence."""

from __future__ import annotations

import pytest

from workbench.agent.tool_calls import check, names, seconds, text
from workbench.errors import WorkbenchError


def test_an_argument_that_no_tool_has_is_refused_with_those_it_has():
    check("execute_code", {"code": "", "description": "", "profile": ""})
    check("no_such_tool", {"x": 1})  # whoever calls it is told so elsewhere
    with pytest.raises(WorkbenchError, match=r"has no argument 'querry'\. Its arguments: query, detail_level"):
        check("search_tools", {"querry": "x"})
    with pytest.raises(WorkbenchError, match="Its arguments: none"):
        check("list_skills", {"limit": 5})


def test_a_wrong_kind_of_value_is_refused_with_its_name():
    assert (text({"a": "x"}, "a"), text({}, "a", "y"), names({}, "a")) == ("x", "y", ())
    for read in (lambda: text({"a": 5}, "a"), lambda: text({}, "a"), lambda: names({"a": "x"}, "a")):
        with pytest.raises(WorkbenchError, match="a must be a"):
            read()


def test_null_is_an_argument_that_was_left_out():
    assert (text({"a": None}, "a", "y"), names({"a": None}, "a"), seconds({"a": None}, "a", 2.5)) == ("y", (), 2.5)
    with pytest.raises(WorkbenchError, match="a must be a string"):
        text({"a": None}, "a")


@pytest.mark.parametrize("wish", ["soon", -1, True, float("nan"), float("inf")])
def test_a_time_that_is_no_number_from_zero_on_is_refused(wish):
    assert seconds({"timeout": 0.5}, "timeout") == 0.5
    with pytest.raises(WorkbenchError, match="timeout must be a number of 0 or more"):
        seconds({"timeout": wish}, "timeout")
