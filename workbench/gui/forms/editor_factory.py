"""Chooses the editor for a field. Only this module imports all editors, so that they need not import each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from PySide6.QtWidgets import QWidget

from workbench.gui.forms.container_editors import ArrayEditor, MapEditor, ShapeChoiceEditor
from workbench.gui.forms.field_editor import DEEPEST, Editor, FieldSpec
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
from workbench.gui.forms.text_purpose import TextPurpose, purpose_of

_MOST_FIELDS: Final = 400  # properties; the largest real tool seen has 205
_MOST_CHOICES: Final = 2_000  # values of an enum
_SIMPLE: Final[Mapping[Kind, Callable[[FieldSpec, QWidget | None], Editor]]] = {
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
    Kind.CHOICE: ShapeChoiceEditor,
}


def make_editor(spec: FieldSpec, parent: QWidget | None = None) -> Editor:
    """Create the editor for a field; raw JSON if there would be too many fields or levels to read."""
    shape = spec.shape
    too_many = len(shape.choices) > _MOST_CHOICES or len(shape.properties) > _MOST_FIELDS
    if too_many or (shape.kind in _NESTED and spec.depth > DEEPEST):
        return RawEditor(spec, parent)
    if shape.kind in _NESTED:
        return _NESTED[shape.kind](spec, make_editor, parent)
    if shape.kind is Kind.STRING and purpose_of(spec) is TextPurpose.BYTES:
        return BytesEditor(spec, parent)
    return _SIMPLE[shape.kind](spec, parent)
