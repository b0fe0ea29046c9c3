"""Which views a result offers, the best one first."""

from __future__ import annotations

import json

import pytest

from workbench.gui.results.contents import of_json, of_outcome
from workbench.gui.results.tree_page import find_places
from workbench.records import Content, Outcome

TEXT, IMAGE, LINK = Content("text", "words"), Content("image", data="AA=="), Content("link", uri="https://a.b")
RECORDS = json.dumps([{"a": 1}, {"a": 2}])


@pytest.mark.parametrize(
    ("blocks", "structured", "views"),
    [
        ((TEXT,), "", ("Text", "Raw")),
        ((TEXT,), '{"a": 1}', ("Tree", "JSON", "Text", "Raw")),
        ((Content("text", '{ "a":1}'),), '{"a": 1}', ("Tree", "JSON", "Raw")),
        ((Content("text", '{"a": 2}'),), '{"a": 1}', ("Tree", "JSON", "Text", "Raw")),
        ((TEXT,), RECORDS, ("Table", "Tree", "JSON", "Text", "Raw")),
        ((Content("text", RECORDS),), "", ("Table", "Tree", "JSON", "Raw")),
        ((Content("text", "# A\n\n* b"),), "", ("Prose", "Text", "Raw")),
        ((IMAGE,), "", ("Image", "Raw")),
        ((TEXT, IMAGE), "", ("Parts", "Image", "Text", "Raw")),
        ((IMAGE, IMAGE), "", ("Image", "Parts", "Raw")),
        ((LINK,), "", ("Parts", "Text", "Raw")),
        ((TEXT, TEXT), '{"a": 1}', ("Tree", "JSON", "Parts", "Text", "Raw")),
        ((), "", ("Text", "Raw")),
    ],
)
def test_the_best_view_comes_first(blocks: tuple[Content, ...], structured: str, views: tuple[str, ...]) -> None:
    assert of_outcome(Outcome("c", True, blocks, structured)).views == views


def test_json_nested_beyond_reading_is_text() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    contents = of_outcome(Outcome("c", True, (Content("text", deep),), deep))
    assert contents.views == ("Text", "Raw")
    assert contents.text() == deep
    assert json.loads(contents.raw()) == {"content": [{"type": "text", "text": deep}]}


def test_json_nested_some_hundred_levels_is_written() -> None:
    deep = "[" * 700 + "]" * 700
    contents = of_json(deep)
    assert contents.text().replace(" ", "").replace("\n", "") == deep
    assert of_outcome(Outcome("c", True, (), deep)).raw()


def test_places_are_found_in_names_and_values_from_the_top() -> None:
    value = {"Lamp": 1, "list": ["x", {"y": "a lamp"}], "n": None}
    assert find_places(value, "lamp") == [(0,), (1, 1, 0)]
    assert find_places(value, "null") == [(2,)]
    assert find_places([True, 12], "12") == [(1,)]
