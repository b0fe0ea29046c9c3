"""A form for JSON that a schema describes, such as the arguments of a tool: as fields, or as JSON text."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.forms.editor_factory import make_editor
from workbench.gui.forms.field import Field
from workbench.gui.forms.field_editor import Editor, FieldSpec, FormState
from workbench.gui.forms.object_editor import FOLD_FROM, ObjectEditor
from workbench.gui.forms.schema_shapes import Kind, Shape, shape_of
from workbench.gui.forms.simple_editors import RawEditor
from workbench.gui.forms.validation import MISSING, FieldPath, PathFault, find_faults, path_text
from workbench.gui.kit.json_text import dump, identical, parse
from workbench.gui.kit.layouts import column, row, scroll_area
from workbench.gui.kit.lists import RowsView, label, push_button, search_box
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import Theme
from workbench.records import JsonObject, JsonValue


class FocusPlace(Struct, frozen=True):
    """Where the keyboard is in a form."""

    path: FieldPath
    name: str  # accessible name of the widget, because a field may have several
    cursor: int  # position in the text of a line or box


_VISIBLE_FAULTS = 3  # more are scrolled to
_LONGEST_FAULT = 300


class FaultList(RowsView):
    """The faults that no field shows, one line each; a click or Enter goes to the place. Hidden without faults."""

    place_chosen = Signal(object)
    """Carries the path of a fault."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Faults of the arguments", parent)
        self._theme = theme
        self._faults: tuple[PathFault, ...] = ()
        self._rows = RowsModel(self)
        self.setModel(self._rows)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.chosen.connect(self._go_to)
        self.clicked.connect(self._choose)
        self.hide()

    def show_faults(self, faults: Sequence[PathFault]) -> None:
        """Show these, outermost first; the selected line stays selected if it is still there."""
        if tuple(faults) == self._faults:
            return
        self._faults = tuple(faults)
        texts = [f"{path_text(path)}: {sentence}" if path else sentence for path, sentence in faults]
        self._rows.show_rows(
            [
                Row(f"{number}", one_line(text, _LONGEST_FAULT), icon="alert", tone="danger", tip=text)
                for number, text in enumerate(texts)
            ]
        )
        self.setVisible(bool(faults))
        self.updateGeometry()

    def sentences(self) -> tuple[str, ...]:
        return tuple(str(self._rows.index(row).data()) for row in range(self._rows.rowCount()))

    def sizeHint(self) -> QSize:
        lines = min(len(self._faults), _VISIBLE_FAULTS)
        return QSize(super().sizeHint().width(), self.sizeHintForRow(0) * lines + self._theme.unit * 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.unit * 10, self.sizeHint().height())

    def _go_to(self, key: str) -> None:
        self.place_chosen.emit(self._faults[int(key)][0])


_PAUSE_MS = 120
_FORM, _JSON = 0, 1
_LOW = 14  # lines of height; a lower form shows names beside their editors

_TYPED = (QLineEdit, QComboBox, QPlainTextEdit)


class SchemaForm(QWidget):
    """Edits one JSON object. `show_json` switches between fields and text."""

    changed = Signal()
    faults_changed = Signal(int)
    """Carries the number of faults that are shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._strict = False
        self._check_ms = 0  # duration of the last check: with 10 MB the next one waits for a longer pause in typing
        self._shown: tuple[PathFault, ...] = ()  # faults that are shown
        self._state = FormState()
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._check)
        self._scroll_soon = QTimer(self, singleShot=True, interval=0)  # a new field has no place yet
        self._scroll_soon.timeout.connect(self._bring_into_view)
        self._build()
        self.set_schema({})

    def set_schema(self, schema: Mapping[str, Any]) -> None:  # Any: foreign JSON
        """Show fields for another schema, with its default values."""
        self._schema = schema = _arguments_schema(schema)
        self._strict = False
        compact, self._state = self._state.compact, FormState()
        self._state.compact = compact
        spec = FieldSpec("Arguments", schema, schema, shape_of(schema, schema), self._theme, form=self._state)
        self._editor = make_editor(spec)
        self._editor.changed.connect(self._edited)
        self._fields.setWidget(self._make_page(spec.shape))
        self._arrange()
        self._raw.write(self._editor.read())
        self._choose(_FORM)
        self._many = isinstance(self._editor, ObjectEditor) and len(spec.shape.properties) > FOLD_FROM
        self._filter.setVisible(self._many)
        self._filter.clear()
        self._filter.setPlaceholderText(f"Filter {len(spec.shape.properties):,} fields")
        self._check()

    def value(self) -> dict[str, Any]:  # Any: JSON
        """What would be sent, without untouched optional fields. Raises WorkbenchError if the text is not an object."""
        if fault := self.object_fault():
            raise WorkbenchError(fault, 'Arguments are one JSON object, such as {"limit": 20}.')
        found = self._current().read()
        assert isinstance(found, Mapping)
        return dict(found)

    def object_fault(self) -> str:
        """Why the content is no JSON object and so cannot be sent at all; "" if it is one, valid or not."""
        current = self._current()
        if isinstance(current.read(), Mapping):
            return ""
        own = current.own_faults()
        return own[0][1] if own else "The arguments must be one JSON object."

    def draft(self) -> JsonObject:
        """The content for `show_draft`, finished or not: the JSON text as typed, or the value of the fields."""
        if self.json_shown():
            return {"text": self._raw.text()}
        return {"value": self._current().read()}

    def show_draft(self, draft: Mapping[str, JsonValue]) -> None:
        """Show what `draft` returned; a value that no longer fits the schema is shown as JSON inside its field."""
        text, value = draft.get("text"), draft.get("value")
        if isinstance(text, str):
            self._show_text(text)
        elif isinstance(value, Mapping):
            self.set_value(value)
        elif value is not None:
            self._show_text(value if isinstance(value, str) else dump(value))

    def set_value(self, value: Mapping[str, JsonValue]) -> None:
        """Show this value; what a field cannot hold is shown as JSON inside the field."""
        self._keep_text(dict(value))
        if not self._editor.write(dict(value)):
            self._choose(_JSON)
        self._check()

    def first_field(self) -> QWidget | None:
        """The widget that gets the keyboard first: a field, not the filter above the fields, or the text of JSON."""
        if self.json_shown():
            return self._raw.focusProxy()
        fields = (widget for widget in self._fields.findChildren(QWidget) if isinstance(widget, _TYPED))
        return next((field for field in fields if field.isVisibleTo(self)), None)

    def take_focus(self) -> bool:
        """Put the keyboard into the field that had it last, else into the first one, and scroll to it. Returns whether
        there is a field."""
        last = None if self.json_shown() else self._fields.focusWidget()
        field = last if last is not None and last.isVisibleTo(self) else self.first_field()
        if field is not None:
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            self._scroll_soon.start()
        return field is not None

    def focus_place(self) -> FocusPlace | None:
        """Where the keyboard is, for `restore_focus`; None if it is not in a field."""
        widget = QApplication.focusWidget()
        if widget is None or not self._pages.isAncestorOf(widget):
            return None
        cursor = 0
        if isinstance(widget, QLineEdit):
            cursor = widget.cursorPosition()
        elif isinstance(widget, QPlainTextEdit):
            cursor = widget.textCursor().position()
        return FocusPlace(self._current().path_of(widget), widget.accessibleName(), cursor)

    def restore_focus(self, place: FocusPlace) -> None:
        """Put the keyboard back to a place that `focus_place` returned, also of an earlier form with these fields."""
        self.focus_path(place.path)
        parts = (part for part in self._pages.findChildren(QWidget) if part.focusPolicy() & Qt.FocusPolicy.TabFocus)
        named = (part for part in parts if part.accessibleName() == place.name and part.isVisibleTo(self))
        widget = next((part for part in named if self._current().path_of(part) == place.path), self.focusWidget())
        if widget is not None:
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
        if isinstance(widget, QLineEdit):
            widget.setCursorPosition(place.cursor)
        elif isinstance(widget, QPlainTextEdit):
            cursor = widget.textCursor()
            cursor.setPosition(min(place.cursor, widget.document().characterCount() - 1))
            widget.setTextCursor(cursor)

    def reset(self) -> None:
        """Show the default values of the schema."""
        self.set_schema(self._schema)
        self.changed.emit()

    def paste(self, text: str) -> None:
        """Take arguments from JSON text, also from a complete `tools/call` request. Other text is shown to be
        corrected."""
        try:
            value = _arguments_in(parse(text))
        except WorkbenchError:
            value = None
        if isinstance(value, Mapping):
            self.set_value(value)
        else:
            self._show_text(text)
        self.changed.emit()

    def faults(self) -> tuple[tuple[str, str], ...]:
        """All faults, as path and sentence."""
        return tuple((path_text(path), sentence) for path, sentence in self._faults())

    def validate(self) -> tuple[tuple[str, str], ...]:
        """Show and return all faults, from now on also of required fields that were not touched."""
        self._strict = True
        self._check()
        return tuple((path_text(path), sentence) for path, sentence in self._shown)

    def show_first_fault(self) -> None:
        """Put the keyboard into the first field that is not valid."""
        if self._shown:
            self.focus_path(self._shown[0][0])

    def focus_path(self, path: FieldPath = ()) -> None:
        """Put the keyboard into the field at this path and scroll to it."""
        if self.json_shown():
            self._raw.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self._filter.clear()
        self._editor.focus_path(path)
        self._scroll_soon.start()

    def json_shown(self) -> bool:
        return self._pages.currentIndex() == _JSON

    def show_json(self, on: bool) -> None:
        """Switch between fields and JSON text; text that is not valid JSON stays."""
        if on == self.json_shown():
            return
        if on:
            self._keep_text(self._current().read())
            self._choose(_JSON)
        elif not self._raw.own_faults() and self._editor.write(self._raw.read()):
            self._choose(_FORM)
        self._check()

    def add_button(self, button: QWidget) -> None:
        """Put a button beside the switch between form and JSON."""
        self._head.insertWidget(self._head.count() - 2, button)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._scroll_soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        compact = self.height() < self.fontMetrics().lineSpacing() * _LOW
        if compact != self._state.compact:
            self._state.compact = compact
            self._arrange()

    def _show_text(self, text: str) -> None:
        """Show JSON text, valid or not."""
        self._raw.show_text(text)
        self._choose(_JSON)
        self._check()

    def _keep_text(self, value: JsonValue) -> None:
        """Replace the JSON text only if its value differs, so that text keeps the layout in which it was typed."""
        if self._raw.own_faults() or not identical(self._raw.read(), value):
            self._raw.write(value)

    def _current(self) -> Editor:
        return self._raw if self.json_shown() else self._editor

    def _build(self) -> None:
        self._fields = scroll_area(QWidget())
        self._raw = RawEditor(FieldSpec("Arguments", {}, {}, Shape(Kind.RAW, {}), self._theme), tall=True)
        self._raw.changed.connect(self._edited)
        unit = self._theme.unit
        self._raw.setContentsMargins(unit * 3, unit, unit * 3, unit * 2)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._fields)
        self._pages.addWidget(self._raw)
        self._pages.setMinimumHeight((self.fontMetrics().lineSpacing() + unit * 4) * 2)  # two fields; more scroll
        self.fault_list = FaultList(self._theme, self)
        self.fault_list.place_chosen.connect(self.focus_path)
        column(self, self._make_head(), self._pages, self.fault_list, grows=self._pages)

    def _make_head(self) -> QHBoxLayout:
        self._many = False
        self._filter = search_box("", "Filter fields")
        self._filter.textChanged.connect(self._filter_fields)
        self._head = row(None, self._filter, spacing=self._theme.unit, grows=self._filter)
        self._head.addStretch(0)
        self._modes = QButtonGroup(self)
        for number, text, tip in (
            (_FORM, "Form", "Edit the arguments as fields"),
            (_JSON, "JSON", "Edit the arguments as JSON text (Ctrl+J)"),
        ):
            button = push_button(text, kind="chip", tip=tip, checkable=True)
            self._modes.addButton(button, number)
            self._head.addWidget(button)
        self._modes.idClicked.connect(self._choose_mode)
        return self._head

    def _make_page(self, shape: Shape) -> QWidget:
        page = QWidget()
        self._no_arguments = label("This tool takes no arguments.", "muted") if _takes_nothing(shape) else None
        notes = () if self._no_arguments is None else (self._no_arguments,)
        self._page_layout = column(page, *notes, self._editor, None)
        return page

    def _arrange(self) -> None:
        """Leave as much of a low form as possible to the fields."""
        unit, compact = self._theme.unit, self._state.compact
        self._head.setContentsMargins(unit * 3, 0 if compact else unit * 2, unit * 3, 0 if compact else unit)
        self._page_layout.setContentsMargins(unit * 3, 0 if compact else unit, unit * 3, 0 if compact else unit * 3)
        for editor in self._fields.findChildren(ObjectEditor):
            editor.arrange()
        for field in self._fields.findChildren(Field):
            field.arrange()

    def _choose(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self._modes.button(page).setChecked(True)
        self._filter.setVisible(self._many and page == _FORM)

    def _choose_mode(self, number: int) -> None:
        self.show_json(number == _JSON)
        self._modes.button(self._pages.currentIndex()).setChecked(True)

    def _filter_fields(self, text: str) -> None:
        if isinstance(self._editor, ObjectEditor):
            self._editor.filter(text)

    def _edited(self) -> None:
        self._pause.start(max(_PAUSE_MS, self._check_ms * 4))
        self.changed.emit()

    def _faults(self) -> tuple[PathFault, ...]:
        current = self._current()
        own = current.own_faults()
        value = current.read()
        if not isinstance(value, Mapping):
            return own or (((), self.object_fault()),)
        broken = {path for path, _ in own}
        checked = (fault for fault in find_faults(value, self._schema, self._schema) if fault[0] not in broken)
        return (*own, *checked)

    def _check(self) -> None:
        began = time.monotonic()
        faults = self._faults()
        self._check_ms = round((time.monotonic() - began) * 1000)
        if not self.json_shown():
            self._editor.show_faults(faults, self._strict)
            if self._no_arguments is not None:  # an earlier call may have had some
                self._editor.setVisible(bool(self._editor.read()))
        self._shown = tuple(fault for fault in faults if self._strict or self.json_shown() or fault[1] != MISSING)
        self.fault_list.show_faults([fault for fault in self._shown if self.json_shown() or not fault[0]])
        self.faults_changed.emit(len(self._shown))

    def _bring_into_view(self) -> None:
        """Scroll to the field that has the keyboard, if one has it."""
        focus = self.window().focusWidget()
        inside = self._fields.widget()
        if focus is not None and inside is not None and inside.isAncestorOf(focus):
            self._fields.ensureWidgetVisible(focus, self._theme.unit * 4, self._theme.unit * 12)


def _takes_nothing(shape: Shape) -> bool:
    """Whether the schema describes no property: neither by name nor what additional ones look like."""
    extra = shape.schema.get("additionalProperties")
    described = isinstance(extra, Mapping) or "patternProperties" in shape.schema or "propertyNames" in shape.schema
    return shape.kind in (Kind.OBJECT, Kind.MAP) and not shape.properties and extra is not True and not described


def _arguments_schema(schema: Mapping[str, Any]) -> JsonObject:  # Any: foreign JSON
    """Arguments are always an object, also where a schema forgets to say so."""
    if shape_of(schema, schema).kind in (Kind.OBJECT, Kind.MAP, Kind.CHOICE):
        return schema
    return {**schema, "type": "object"}


def _arguments_in(value: JsonValue) -> JsonValue:
    """The arguments themselves, where a whole request or its parameters were pasted."""
    for key in ("params", "arguments"):
        outer = isinstance(value, Mapping) and {"jsonrpc", "method", "name"} & value.keys()
        if outer and isinstance(value.get(key), Mapping):
            value = value[key]
    return value
