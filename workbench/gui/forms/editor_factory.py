"""Chooses the editor for a place of the form; imports the editors here so that they need not know each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from PySide6.QtWidgets import QWidget

from workbench.gui.forms.container_editors import ArrayEditor, EitherEditor, MapEditor
from workbench.gui.forms.field_editor import DEEPEST, Brief, Editor
from workbench.gui.forms.object_editor import ObjectEditor
from workbench.gui.forms.schema_shapes import Kind
from workbench.gui.forms.simple_editors import (
    BooleanEditor,
    BytesEditor,
    ConstEditor,
    EnumEditor,
    NumberEditor,
    RawEditor,
)
from workbench.gui.forms.text_editor import TextEditor
from workbench.gui.forms.text_purpose import Purpose, purpose_of

_MOST_FIELDS: Final = 400  # properties; the largest real tool seen has 205
_MOST_CHOICES: Final = 2_000  # values of an enum
_SIMPLE: Final[Mapping[Kind, Callable[[Brief, QWidget | None], Editor]]] = {
    Kind.STRING: TextEditor,
    Kind.INTEGER: NumberEditor,
    Kind.NUMBER: NumberEditor,
    Kind.BOOLEAN: BooleanEditor,
    Kind.ENUM: EnumEditor,
    Kind.CONST: ConstEditor,
    Kind.NULL: ConstEditor,
    Kind.RAW: RawEditor,
}
_NESTED: Final = {
    Kind.OBJECT: ObjectEditor,
    Kind.MAP: MapEditor,
    Kind.ARRAY: ArrayEditor,
    Kind.CHOICE: EitherEditor,
}


def make_editor(brief: Brief, parent: QWidget | None = None) -> Editor:
    """The editor that fits; raw JSON where fields would be too many or nested too deeply to be read."""
    kind = brief.shape.kind
    if kind is Kind.STRING and purpose_of(brief) is Purpose.BYTES:
        return BytesEditor(brief, parent)
    if len(brief.shape.choices) > _MOST_CHOICES:
        return RawEditor(brief, parent)
    if kind in _SIMPLE:
        return _SIMPLE[kind](brief, parent)
    if brief.depth > DEEPEST or len(brief.shape.properties) > _MOST_FIELDS:
        return RawEditor(brief, parent)
    return _NESTED[kind](brief, make_editor, parent)
