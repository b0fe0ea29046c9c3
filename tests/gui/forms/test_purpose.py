"""A text's purpose is found from format, keywords or name; a page token is no secret."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.gui.forms.field_editor import Brief
from workbench.gui.forms.schema_shapes import shape_of
from workbench.gui.forms.text_purpose import Purpose, purpose_of


@pytest.mark.parametrize(
    ("name", "schema", "purpose"),
    [
        ("when", {"format": "date"}, Purpose.DATE),
        ("when", {"format": "date-time"}, Purpose.MOMENT),
        ("id", {"format": "uuid"}, Purpose.UUID),
        ("login", {"format": "password"}, Purpose.SECRET),
        ("login", {"writeOnly": True}, Purpose.SECRET),
        ("accessToken", {}, Purpose.SECRET),
        ("api_key", {}, Purpose.SECRET),
        ("page_token", {}, Purpose.LINE),
        ("nextToken", {}, Purpose.LINE),
        ("data", {"contentEncoding": "base64"}, Purpose.BYTES),
        ("file_path", {}, Purpose.FILE),
        ("source", {}, Purpose.LINE),
        ("source", {"description": "The file to copy."}, Purpose.FILE),
        ("workingDirectory", {}, Purpose.FOLDER),
        ("directory", {}, Purpose.FOLDER),
        ("body", {}, Purpose.BOX),
        ("body", {"maxLength": 20}, Purpose.LINE),
        ("note", {"maxLength": 900}, Purpose.BOX),
        ("name", {}, Purpose.LINE),
    ],
)
def test_a_text_has_a_purpose(name: str, schema: dict[str, Any], purpose: Purpose) -> None:
    whole = {"type": "string", **schema}
    brief = Brief(name, whole, whole, shape_of(whole, whole), None)  # type: ignore[arg-type]  # no widget is made
    assert purpose_of(brief) is purpose
