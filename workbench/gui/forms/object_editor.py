"""Edits an object: one field per property, required ones first, and rows for names that the schema does not list.

A large object shows its optional fields on demand and creates fields when they are first shown, so that a tool with
two hundred parameters opens as fast as one with three.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.forms.field import Field, FieldsEditor, Make
from workbench.gui.forms.field_editor import ABSENT, Editor, FieldSpec, indented_layout, quiet_button
from workbench.gui.forms.schema_shapes import shape_of
from workbench.gui.forms.validation import FieldPath, PathFault
from workbench.gui.kit.icons import icon
from workbench.records import JsonValue
from workbench.records.common_types import count_of

FOLD_FROM = 12
"""An object with more properties than this folds its optional ones."""
_FEW = 3  # so few optional fields are always shown
_AT_ONCE = 16  # fields that are created at once; the next ones follow later, so that the window never stalls


class ObjectEditor(FieldsEditor):
    """One field per property, from top to bottom."""

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._make = make
        required = spec.shape.required
        self._names = sorted(spec.shape.properties, key=lambda name: name not in required)
        self._places = {name: place for place, name in enumerate(self._names)}
        self._fields: dict[str, Field] = {}
        self._order: list[str] = []  # names in the order of the last value that was written
        self._needle = ""
        self._extra: Editor | None = None
        self._optional = len(self._names) - len(required & self._places.keys())
        self._folded = len(self._names) > FOLD_FROM and self._optional > _FEW
        self._layout = indented_layout(self, spec, 3)
        self._parts = (QVBoxLayout(), QVBoxLayout())  # required, optional
        self._fold, fold_row = quiet_button("chevron-right", "", self._toggle)
        self._fold.setVisible(self._folded)
        for part in (self._parts[0], fold_row, self._parts[1]):
            self._layout.addLayout(part)
        self.arrange()
        self._waiting: list[str] = []
        self._batch = QTimer(self, singleShot=True, interval=0)
        self._batch.timeout.connect(self._build_some)
        self._update_visible()
        if spec.shape.extra is not None and spec.shape.extra is not False:
            self._open_extra()

    def arrange(self) -> None:
        """Space the fields for the height that the form has."""
        for part in (self._layout, *self._parts):
            part.setSpacing(self.spec.theme.unit * (1 if self.spec.form.compact else 3))

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
        return (*super().own_faults(), *(self._extra.own_faults() if self._extra is not None else ()))

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        super().show_faults(faults, strict)
        if self._extra is not None:
            self._extra.show_faults([fault for fault in faults if fault[0] and fault[0][0] not in self._fields], strict)

    def path_of(self, widget: QWidget) -> FieldPath:
        extra = self._extra
        return extra.path_of(widget) if extra is not None and extra.isAncestorOf(widget) else super().path_of(widget)

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

    def _entries(self) -> Iterable[tuple[str | int, Field]]:
        return self._fields.items()

    def filter(self, text: str) -> None:
        """Show only fields whose name or description contains the text."""
        self._needle = text.strip().lower()
        self._update_visible()

    def _toggle(self) -> None:
        self._folded = not self._folded
        self._update_visible()

    def _update_visible(self) -> None:
        """Show the fields that are wanted; missing ones are created in portions."""
        wanted = {name for name in self._names if self._is_wanted(name)}
        self._update_fold_button(len(wanted - self.spec.shape.required))
        for name, field in self._fields.items():
            field.setVisible(name in wanted)
        self._waiting = [name for name in self._names if name in wanted and name not in self._fields]
        self._build_some()

    def _update_fold_button(self, shown: int) -> None:
        folded = self._folded and not self._needle
        more = count_of(self._optional - shown, "more optional field" if shown else "optional field")
        self._fold.setText(more if folded else "Hide optional fields")
        self._fold.setIcon(icon("chevron-right" if folded else "chevron-down"))
        self._fold.setEnabled(not self._needle)

    def _is_wanted(self, name: str) -> bool:
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
            above = (one for one in self._fields if (one in shape.required) is required)
            place = sum(self._places[one] < self._places[name] for one in above)
            self._parts[0 if required else 1].insertWidget(place, field)
            self._fields[name] = field
        return self._fields[name]

    def _open_extra(self) -> Editor:
        """The rows for other names, created if the schema allows them or a value contains some."""
        if self._extra is None:
            schema = self.spec.shape.extra if self.spec.shape.extra not in (None, False) else True
            inner = self.spec.child("More values", {"type": "object", "additionalProperties": schema}, required=True)
            self._extra = self._make(inner, self)
            self._extra.changed.connect(self.changed)
            self._layout.addWidget(self._extra)
        return self._extra
