"""Names of tools, parameters and servers become Python names."""

from __future__ import annotations

import builtins
import keyword

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.identifiers import LONGEST, package_name, parameter_names, python_names, type_name

HOSTILE = [
    "__init__",
    "../../x",
    "CON",
    "class",
    "from",
    "a b",
    "3d-render",
    "",
    "_",
    "é\u0301",
    "查询",
    "x" * 5000,
    "\0",
    "a\nb",
]


def test_an_identifier_keeps_its_name() -> None:
    names = ["create_issue", "createIssue", "CON", "_hidden"]
    assert python_names(names) == {name: name for name in names}


def test_the_exact_name_wins_and_the_other_gets_a_suffix() -> None:
    found = python_names(["a-b", "a_b"])
    assert found["a_b"] == "a_b"
    assert found["a-b"].startswith("a_b_")


def test_without_an_exact_name_nobody_gets_the_plain_one_so_that_none_can_lose_it_to_another() -> None:
    alone, together = python_names(["a-b"]), python_names(["a-b", "a.b"])
    assert alone["a-b"] == "a_b"
    assert "a_b" not in together.values()


def test_a_suffix_does_not_depend_on_order_or_on_other_tools() -> None:
    first = python_names(["a-b", "a.b", "a_b"])
    second = python_names(["zebra", "a_b", "a.b", "a/b", "a-b"])
    assert all(second[name] == first[name] for name in first)


def test_keywords_and_builtins_are_not_shadowed_by_tools() -> None:
    assert python_names(["class", "list", "delete"]) == {"class": "class_", "list": "list_", "delete": "delete"}


def test_parameters_keep_builtin_names_but_not_keywords() -> None:
    assert parameter_names(["id", "type", "from", "x-api-key"]) == {
        "id": "id",
        "type": "type",
        "from": "from_",
        "x-api-key": "x_api_key",
    }


@pytest.mark.parametrize(
    ("server", "package"), [("google-drive", "google_drive"), ("GitHub", "GitHub"), ("1st", "_1st")]
)
def test_a_server_becomes_a_package(server: str, package: str) -> None:
    assert package_name(server) == package


def test_a_type_is_named_in_capitals_and_never_like_a_builtin() -> None:
    assert type_name("line-item") == "LineItem"
    assert type_name("exception") == "Exception_"
    assert type_name("none") == "None_"


@settings(deadline=None)
@given(st.lists(st.text() | st.sampled_from(HOSTILE)))
def test_any_names_become_different_usable_identifiers(names: list[str]) -> None:
    found = python_names(names)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(found)
    for name in found.values():
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
        assert not hasattr(builtins, name)
        assert not name.startswith("__")
        assert len(name.encode()) <= LONGEST + 70


@settings(deadline=None)
@given(st.lists(st.text() | st.sampled_from(HOSTILE)))
def test_any_keys_become_parameters_that_python_accepts(keys: list[str]) -> None:
    parameters = parameter_names(keys)
    compile(f"def f(*, {', '.join(parameters.values())}): pass" if parameters else "pass", "f", "exec")
