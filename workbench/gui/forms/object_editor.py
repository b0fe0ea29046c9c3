"""Edits an object: one field per property, required ones first, and rows for names that the schema does not list.

A large object shows its optional fields on demand and creates fields when they are first shown, so that a tool with
two hundred parameters opens as fast as one with three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.forms.field import Field, Make
from workbench.gui.forms.field_editor import ABSENT, Editor, FieldSpec, indented_layout
from workbench.gui.forms.schema_shapes import Kind, shape_of
from workbench.gui.forms.validation import FieldPath, PathFault
from workbench.gui.kit.icons import icon
from workbench.gui.kit.theme import mark
from workbench.records import JsonValue
from workbench.records.common_types import count_of

FOLD_FROM = 12
"""An object with more properties than this folds its optional ones."""
_FEW = 3  # so few optional fields are always shown
_AT_ONCE = 16  # fields that are created at once; the next ones follow later, so that the window never stalls


class ObjectEditor(Editor):
    """One field per property, from top to bottom."""

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._make = make
        self._names = sorted(spec.shape.properties, key=lambda name: name not in spec.shape.required)
        self._places = {name: place for place, name in enumerate(self._names)}
        self._fields: dict[str, Field] = {}
        self._order: list[str] = []  # names in the order of the last value that was written
        self._needle = ""
        self._extra: Editor | None = None
        self._layout: QVBoxLayout = indented_layout(self, spec)
        self._parts = (QVBoxLayout(), QVBoxLayout())  # required, optional
        optional = len(self._names) - len(spec.shape.required & self._places.keys())
        self._folded = len(self._names) > FOLD_FROM and optional > _FEW
        self._lay_out(optional)
        self._waiting: list[str] = []
        self._batch = QTimer(self, singleShot=True, interval=0)
        self._batch.timeout.connect(self._build_some)
        self._update_visible()
        if spec.shape.extra is not None and spec.shape.extra is not False:
            self._open_extra()

    def read(self) -> JsonValue:
        found: dict[str, Any] = {}  # Any: JSON
        for name in self._names:
            if name in self._fields or name in self.spec.shape.required:
                value = self._field(name).read()
                if value is not ABSENT:
                    found[name] = value
        if self._extra is not None:
            found.update(self._extra.read())
        ordered = {name: found[name] for name in self._order if name in found}
        return {**ordered, **found}

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, Mapping):
            return False
        self._order = list(value)
        for name in self._names:
            if name in value or name in self._fields:
                self._field(name).write(value.get(name, ABSENT))
        rest = {name: part for name, part in value.items() if name not in self._places}
        if (rest or self._extra is not None) and not self._open_extra().write(rest):
            return False
        self._update_visible()
        return True

    def clear(self) -> None:
        self.write({})

    def own_faults(self) -> tuple[PathFault, ...]:
        inner = [
            ((name, *path), sentence) for name, field in self._fields.items() for path, sentence in field.own_faults()
        ]
        return (*inner, *(self._extra.own_faults() if self._extra is not None else ()))

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        for name, field in self._fields.items():
            field.show_faults([(path[1:], words) for path, words in faults if path and path[0] == name], strict)
        if self._extra is not None:
            rest = [(path, words) for path, words in faults if path and path[0] not in self._fields]
            self._extra.show_faults(rest, strict)

    def focus_path(self, path: FieldPath) -> None:
        name = path[0] if path else next(iter(self._names), "")
        if isinstance(name, str) and name in self._places:
            field = self._field(name)
            field.show()
            field.focus_path(path[1:])
        elif self._extra is not None:
            self._extra.focus_path(path)
        else:
            super().focus_path(path)

    def filter(self, words: str) -> None:
        """Show only fields whose name or description contains the text."""
        self._needle = words.strip().lower()
        self._update_visible()

    def _lay_out(self, optional: int) -> None:
        for part in self._parts:
            part.setContentsMargins(0, 0, 0, 0)
            part.setSpacing(self._layout.spacing())
        self._fold = QPushButton(self)
        self._optional = optional
        self._fold.setVisible(self._folded)
        mark(self._fold, kind="quiet")
        self._fold.clicked.connect(self._toggle)
        row = QHBoxLayout()
        row.addWidget(self._fold)
        row.addStretch(1)
        self._layout.addLayout(self._parts[0])
        self._layout.addLayout(row)
        self._layout.addLayout(self._parts[1])

    def _toggle(self) -> None:
        self._folded = not self._folded
        self._update_visible()

    def _update_fold_button(self, wanted: set[str]) -> None:
        shown = len(wanted - self.spec.shape.required)
        folded = self._folded and not self._needle
        more = count_of(self._optional - shown, "more optional field" if shown else "optional field")
        self._fold.setText(more if folded else "Hide optional fields")
        self._fold.setIcon(icon("chevron-right" if folded else "chevron-down", "muted"))
        self._fold.setEnabled(not self._needle)

    def _update_visible(self) -> None:
        """Show the fields that are wanted; missing ones are created in portions."""
        wanted = {name for name in self._names if self._wanted(name)}
        self._update_fold_button(wanted)
        for name, field in self._fields.items():
            field.setVisible(name in wanted)
        self._waiting = [name for name in self._names if name in wanted and name not in self._fields]
        self._build_some()

    def _wanted(self, name: str) -> bool:
        if self._needle:
            shape = shape_of(self.spec.shape.properties[name], self.spec.root)
            return self._needle in name.lower() or self._needle in shape.description.lower()
        field = self._fields.get(name)
        return not self._folded or name in self.spec.shape.required or (field is not None and field.sent)

    def _build_some(self) -> None:
        for name in self._waiting[:_AT_ONCE]:
            self._field(name).show()
        self._waiting = self._waiting[_AT_ONCE:]
        if self._waiting:
            self._batch.start()

    def _field(self, name: str) -> Field:
        """The field of this name, created when it is first needed."""
        if name not in self._fields:
            shape = self.spec.shape
            required = name in shape.required
            field = Field(self.spec.child(name, shape.properties[name], required=required), self._make, self)
            field.changed.connect(self.changed)
            part = self._parts[0 if required else 1]
            before = [one for one in self._fields if (one in shape.required) is required]
            part.insertWidget(sum(1 for one in before if self._places[one] < self._places[name]), field)
            self._fields[name] = field
        return self._fields[name]

    def _open_extra(self) -> Editor:
        """The rows for other names, created if the schema allows them or a value contains some."""
        if self._extra is None:
            schema = self.spec.shape.extra if self.spec.shape.extra not in (None, False) else True
            inner = self.spec.child("More values", {"type": "object", "additionalProperties": schema}, required=True)
            assert inner.shape.kind is Kind.MAP
            self._extra = self._make(inner, self)
            self._extra.changed.connect(self.changed)
            self._layout.addWidget(self._extra)
        return self._extra
