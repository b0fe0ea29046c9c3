"""An object: one field per property, required ones first, and room for names the schema does not list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.forms.brief import ABSENT, Brief
from workbench.gui.forms.check import PathFault
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.field import Field, Make
from workbench.gui.forms.nest import nest
from workbench.gui.forms.shape import Kind, Shape
from workbench.records import JsonValue

_AT_ONCE = 16  # fields made in one go: a tool with two hundred must not stall the window


class ObjectEditor(Editor):
    """Fields below each other; nested ones are set in behind a line. Far-down fields are made a little later."""

    def __init__(self, brief: Brief, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._make = make
        self._fields: dict[str, Field] = {}
        self._extra: Editor | None = None
        self._layout: QVBoxLayout = nest(self, brief)
        self._waiting = _order(brief.shape)
        self._batch = QTimer(self, singleShot=True, interval=0)
        self._batch.timeout.connect(self._build_some)
        self._build_some()
        if brief.shape.extra is not None and brief.shape.extra is not False:
            self._open_extra()

    @property
    def fields(self) -> Mapping[str, Field]:
        """All fields by name."""
        self._finish()
        return self._fields

    def read(self) -> JsonValue:
        while self._waiting and self._waiting[0] in self.brief.shape.required:
            self._add(self._waiting.pop(0))
        found: dict[str, Any] = {}  # Any: JSON
        for name, field in self._fields.items():
            value = field.read()
            if value is not ABSENT:
                found[name] = value
        if self._extra is not None:
            found.update(self._extra.read())
        return found

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, Mapping):
            return False
        for name in [name for name in self._waiting if name in value]:
            self._waiting.remove(name)
            self._add(name)
        for name, field in self._fields.items():
            field.write(value.get(name, ABSENT))
        rest = {name: part for name, part in value.items() if name not in self._fields}
        if rest or self._extra is not None:
            self._open_extra().write(rest)
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

    def filter(self, words: str) -> int:
        """Show only fields that match; answers how many do."""
        self._finish()
        wanted = words.strip().lower()
        shown = 0
        for field in self._fields.values():
            fits = not wanted or field.matches(wanted)
            field.setVisible(fits)
            shown += fits
        return shown

    def _add(self, name: str) -> None:
        shape = self.brief.shape
        field = Field(self.brief.inner(name, shape.properties[name], required=name in shape.required), self._make, self)
        field.changed.connect(self.changed)
        self._fields[name] = field
        place = len(self._fields) - 1
        self._layout.insertWidget(place, field)

    def _build_some(self) -> None:
        for name in self._waiting[:_AT_ONCE]:
            self._waiting.remove(name)
            self._add(name)
        if self._waiting:
            self._batch.start()

    def _finish(self) -> None:
        while self._waiting:
            self._add(self._waiting.pop(0))

    def _open_extra(self) -> Editor:
        """The rows for other names; made at once where the schema offers them, else when a value brings some."""
        if self._extra is None:
            schema = self.brief.shape.extra if self.brief.shape.extra not in (None, False) else True
            inner = self.brief.inner(
                self.tr("More values"), {"type": "object", "additionalProperties": schema}, required=True
            )
            assert inner.shape.kind is Kind.MAP
            self._extra = self._make(inner, self)
            self._extra.changed.connect(self.changed)
            self._layout.addWidget(self._extra)
        return self._extra


def _order(shape: Shape) -> list[str]:
    """As the schema lists them, required ones first."""
    return sorted(shape.properties, key=lambda name: name not in shape.required)
