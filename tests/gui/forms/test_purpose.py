"""A text's purpose is found from format, keywords or name; a page token is no secret."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.gui.forms.field_editor import FieldSpec
from workbench.gui.forms.schema_shapes import shape_of
from workbench.gui.forms.text_purpose import TextPurpose, purpose_of


@pytest.mark.parametrize(
    ("name", "schema", "purpose"),
    [
        ("when", {"format": "date"}, TextPurpose.DATE),
        ("when", {"format": "date-time"}, TextPurpose.MOMENT),
        ("id", {"format": "uuid"}, TextPurpose.UUID),
        ("login", {"format": "password"}, TextPurpose.SECRET),
        ("login", {"writeOnly": True}, TextPurpose.SECRET),
        ("accessToken", {}, TextPurpose.SECRET),
        ("api_key", {}, TextPurpose.SECRET),
        ("page_token", {}, TextPurpose.LINE),
        ("nextToken", {}, TextPurpose.LINE),
        ("data", {"contentEncoding": "base64"}, TextPurpose.BYTES),
        ("file_path", {}, TextPurpose.FILE),
        ("source", {}, TextPurpose.LINE),
        ("source", {"description": "The file to copy."}, TextPurpose.FILE),
        ("workingDirectory", {}, TextPurpose.FOLDER),
        ("directory", {}, TextPurpose.FOLDER),
        ("body", {}, TextPurpose.BOX),
        ("body", {"maxLength": 20}, TextPurpose.LINE),
        ("note", {"maxLength": 900}, TextPurpose.BOX),
        ("name", {}, TextPurpose.LINE),
    ],
)
def test_a_text_has_a_purpose(name: str, schema: dict[str, Any], purpose: TextPurpose) -> None:
    whole = {"type": "string", **schema}
    spec = FieldSpec(name, whole, whole, shape_of(whole, whole), None)  # type: ignore[arg-type]  # no widget is made
    assert purpose_of(spec) is purpose
