"""Templates are filled as RFC 6570 says; the examples are the RFC's own."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from workbench.records.resources_and_prompts import expand, optional, variables

VALUES = {
    "var": "value",
    "hello": "Hello World!",
    "path": "/foo/bar",
    "x": "1024",
    "y": "768",
    "empty": "",
    "half": "50%",
}


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{+hello}", "Hello%20World!"),
        ("{+path}/here", "/foo/bar/here"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"),
        ("X{.var}", "X.value"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{;x,y}", ";x=1024;y=768"),
        ("{?x,y}", "?x=1024&y=768"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{var:3}", "val"),
        ("{half}", "50%25"),
        ("{+half}", "50%25"),
        ("{?x,missing}", "?x=1024"),
        ("a{?missing}", "a"),
        ("a{/empty}b", "ab"),
    ],
)
def test_the_examples_of_the_rfc(template: str, uri: str) -> None:
    assert expand(template, VALUES) == uri


def test_several_parts_stand_where_a_blank_is_exploded() -> None:
    assert expand("file://{/path*}", {"path": "home/me/a b.txt"}) == "file:///home/me/a%20b.txt"
    assert expand("search{?tag*}", {"tag": "new,old"}) == "search?tag=new&tag=old"


def test_what_is_escaped_already_stays_so() -> None:
    assert expand("{+path}", {"path": "a%20b c"}) == "a%20b%20c"


def test_blanks_are_told_once_and_in_order() -> None:
    template = "repo://{owner}/{repo}/contents{/path*}{?ref,owner}"
    assert variables(template) == ("owner", "repo", "path", "ref")
    assert optional(template) == {"ref", "owner"}


@pytest.mark.parametrize("odd", ["{", "}", "{}", "{a b}", "{!x}", "{a,}", "plain", "{" * 5000])
def test_what_is_no_expression_stays_as_it_is(odd: str) -> None:
    assert variables(odd) == ()
    assert expand(odd, {"a": "1", "x": "2"}) == odd


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(some.text(max_size=200), some.dictionaries(some.text(max_size=5), some.text(max_size=50), max_size=4))
def test_no_template_and_no_value_breaks_it(template: str, values: dict[str, str]) -> None:
    expand(template, values)
    assert optional(template) <= set(variables(template))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(some.text(max_size=100))
def test_a_plain_blank_never_changes_the_shape_of_the_uri(value: str) -> None:
    filled = expand("demo://a/{one}/b", {"one": value})
    assert filled.count("/") == 4
    assert filled.isascii()
