"""Pictures are found in what a program returned, whatever holds them."""

from __future__ import annotations

import json

from workbench.gui.results.contents import of_json, parts_in
from workbench.records import Content

PICTURE = {"type": "image", "mimeType": "image/png", "data": "AA=="}
LINK = {"type": "resource_link", "uri": "https://a.b", "name": "n"}
FILE = {"type": "resource", "resource": {"uri": "file:///a", "text": "words"}}
IMAGE = Content("image", mime="image/png", data="AA==")


def test_a_list_of_parts_is_shown_part_by_part() -> None:
    assert parts_in([{"type": "text", "text": "a"}, PICTURE, LINK, FILE]) == (
        Content("text", "a"),
        IMAGE,
        Content("link", "n", uri="https://a.b"),
        Content("resource", "words", uri="file:///a"),
    )


def test_pictures_are_found_inside_other_values() -> None:
    assert parts_in({"a": [{"b": PICTURE}], "n": 1}) == (IMAGE,)
    assert parts_in({"type": "image", "data": 5}) == ()
    assert parts_in([[PICTURE] * 100]) == (IMAGE,) * 60
    assert parts_in([{"type": "text", "text": "a"}, 5]) == ()


def test_a_result_with_a_picture_opens_as_a_picture() -> None:
    assert of_json(json.dumps(PICTURE)).views[0] == "Image"
    assert of_json(json.dumps({"chart": PICTURE, "n": 1})).views[0] == "Image"
    assert of_json(json.dumps({"n": 1})).views == ("Tree", "JSON", "Raw")
