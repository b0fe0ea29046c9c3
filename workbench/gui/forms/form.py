"""A form for JSON that a schema describes, such as the arguments of a tool: as fields, or as JSON text."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.forms.editor_factory import make_editor
from workbench.gui.forms.field_editor import Editor, FieldSpec
from workbench.gui.forms.object_editor import FOLD_FROM, ObjectEditor
from workbench.gui.forms.schema_shapes import Kind, Shape, shape_of
from workbench.gui.forms.simple_editors import RawEditor
from workbench.gui.forms.validation import MISSING, FieldPath, PathFault, find_faults, path_text
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump, identical, parse
from workbench.gui.kit.lists import label, search_box
from workbench.gui.kit.text import one_line, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.records import JsonObject, JsonValue

_ROWS = 3  # lines that are seen at once; more are scrolled to
_LONGEST = 300


class FaultList(QListWidget):
    """The faults that no field shows, one line each; a click or Enter goes to the place. Hidden without faults."""

    chosen = Signal(object)
    """Carries the path of a fault."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._faults: tuple[PathFault, ...] = ()
        self.setAccessibleName("Faults of the arguments")
        self.setUniformItemSizes(True)
        self.setIconSize(QSize(theme.unit * 3, theme.unit * 3))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.itemActivated.connect(self._choose)
        self.itemClicked.connect(self._choose)
        self.hide()

    def show_faults(self, faults: Sequence[PathFault]) -> None:
        """Show these, outermost first; the selected line stays selected if it is still there."""
        if tuple(faults) == self._faults:
            return
        row = self.currentRow()
        self._faults = tuple(faults)
        self.clear()
        for path, sentence in faults:
            text = f"{path_text(path)}: {sentence}" if path else sentence
            item = QListWidgetItem(icon("alert", "danger"), one_line(text, _LONGEST))
            item.setToolTip(plain_tip(text))
            self.addItem(item)
        self.setCurrentRow(min(row, len(faults) - 1))
        self.setVisible(bool(faults))
        self.updateGeometry()

    def sentences(self) -> tuple[str, ...]:
        return tuple(self.item(row).text() for row in range(self.count()))

    def sizeHint(self) -> QSize:
        line = self.sizeHintForRow(0) if self.count() else 0
        return QSize(super().sizeHint().width(), line * min(self.count(), _ROWS) + self._theme.unit * 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.unit * 10, self.sizeHint().height())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.updateGeometry()

    def _choose(self, item: QListWidgetItem) -> None:
        path: FieldPath = self._faults[self.row(item)][0]
        self.chosen.emit(path)


_PAUSE_MS = 120
_FORM, _JSON = 0, 1

_TYPED = (QLineEdit, QComboBox, QPlainTextEdit)


class SchemaForm(QWidget):
    """Edits one JSON object. `show_json` switches between fields and text."""

    changed = Signal()
    faults_changed = Signal(int)
    """Carries the number of faults that are shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._schema: JsonObject = {}
        self._editor: Editor | None = None
        self._no_arguments: QLabel | None = None
        self._strict = False
        self._check_ms = 0  # duration of the last check: with 10 MB the next one waits for a longer pause in typing
        self._shown: tuple[PathFault, ...] = ()  # faults that are shown
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._check)
        self._scroll_soon = QTimer(self, singleShot=True, interval=0)  # a new field has no place yet
        self._scroll_soon.timeout.connect(self._bring_into_view)
        self._build()
        self.set_schema({})

    def set_schema(self, schema: Mapping[str, Any]) -> None:  # Any: foreign JSON
        """Show fields for another schema, with its default values."""
        schema = _arguments(schema)
        self._schema = schema
        self._strict = False
        spec = FieldSpec("Arguments", schema, schema, shape_of(schema, schema), self._theme)
        self._editor = make_editor(spec)
        self._editor.changed.connect(self._edited)
        self._fields.setWidget(self._framed(self._editor, spec.shape))
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
            self._raw.show_text(text)
            self._choose(_JSON)
            self._check()
        elif isinstance(value, Mapping):
            self.set_value(value)
        elif value is not None:
            self.show_draft({"text": value if isinstance(value, str) else dump(value)})

    def set_value(self, value: Mapping[str, JsonValue]) -> None:
        """Show this value; what a field cannot hold is shown as JSON inside the field."""
        self._keep_text(dict(value))
        if self._editor is None or not self._editor.write(dict(value)):
            self._choose(_JSON)
        self._check()

    def first_field(self) -> QWidget | None:
        """The widget that gets the keyboard first: a field, not the filter above the fields."""
        fields = (widget for widget in self._fields.findChildren(QWidget) if isinstance(widget, _TYPED))
        return next((field for field in fields if field.isVisibleTo(self)), None)

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
            self._raw.show_text(text)
            self._choose(_JSON)
            self._check()
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
        if self.json_shown() or self._editor is None:
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
        elif not self._raw.own_faults() and self._editor is not None and self._editor.write(self._raw.read()):
            self._choose(_FORM)
        self._check()

    def _keep_text(self, value: JsonValue) -> None:
        """Replace the JSON text only if its value differs, so that text keeps the layout in which it was typed."""
        if self._raw.own_faults() or not identical(self._raw.read(), value):
            self._raw.write(value)

    def _current(self) -> Editor:
        return self._raw if self.json_shown() or self._editor is None else self._editor

    def _build(self) -> None:
        unit = self._theme.unit
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._head(unit))
        self._pages = QStackedWidget(self)
        self._fields = QScrollArea()
        self._fields.setWidgetResizable(True)
        self._fields.setFrameShape(QFrame.Shape.NoFrame)
        self._fields.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._pages.addWidget(self._fields)
        self._pages.addWidget(self._raw_page(unit))
        self._pages.setMinimumHeight(1)  # it scrolls; in a low window a question below it keeps its height
        layout.addWidget(self._pages, 1)
        self.fault_list = FaultList(self._theme, self)
        self.fault_list.chosen.connect(self.focus_path)
        layout.addWidget(self.fault_list)

    def add_button(self, button: QWidget) -> None:
        """Put a button beside the switch between form and JSON."""
        self._head_row.insertWidget(self._head_row.count() - 2, button)

    def _head(self, unit: int) -> QHBoxLayout:
        self._head_row = head = QHBoxLayout()
        head.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        head.setSpacing(unit)
        self._many = False
        self._filter = search_box("", "Filter fields")
        self._filter.textChanged.connect(self._filtered)
        head.addWidget(self._filter, 1)
        head.addStretch(0)
        self._modes = QButtonGroup(self)
        for number, text, tip in (
            (_FORM, "Form", "Edit the arguments as fields"),
            (_JSON, "JSON", "Edit the arguments as JSON text (Ctrl+J)"),
        ):
            button = QPushButton(text, self)
            button.setCheckable(True)
            button.setToolTip(tip)
            mark(button, kind="chip")
            self._modes.addButton(button, number)
            head.addWidget(button)
        self._modes.idClicked.connect(self._mode_clicked)
        return head

    def _raw_page(self, unit: int) -> QWidget:
        spec = FieldSpec("Arguments", {}, {}, Shape(Kind.RAW, {}), self._theme)
        self._raw = RawEditor(spec, tall=True)
        self._raw.changed.connect(self._edited)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(unit * 3, unit, unit * 3, unit * 2)
        layout.addWidget(self._raw)
        return page

    def _framed(self, editor: Editor, shape: Shape) -> QWidget:
        unit = self._theme.unit
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(unit * 3, unit, unit * 3, unit * 3)
        layout.addWidget(editor)
        self._no_arguments = label("This tool takes no arguments.", "muted") if _takes_nothing(shape) else None
        if self._no_arguments is not None:
            layout.insertWidget(0, self._no_arguments)
        layout.addStretch(1)
        return page

    def _choose(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self._modes.button(page).setChecked(True)
        self._filter.setVisible(self._many and page == _FORM)

    def _mode_clicked(self, number: int) -> None:
        self.show_json(number == _JSON)
        self._modes.button(self._pages.currentIndex()).setChecked(True)

    def _filtered(self, text: str) -> None:
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
        if self._editor is not None and not self.json_shown():
            self._editor.show_faults(faults, self._strict)
            if self._no_arguments is not None:  # a call from elsewhere may bring some all the same
                self._editor.setVisible(bool(self._editor.read()))
        self._shown = tuple(fault for fault in faults if self._strict or self.json_shown() or fault[1] != MISSING)
        self.fault_list.show_faults([fault for fault in self._shown if self.json_shown() or not fault[0]])
        self.faults_changed.emit(len(self._shown))

    def _bring_into_view(self) -> None:
        focus = self._fields.focusWidget()
        inside = self._fields.widget()
        if focus is not None and inside is not None and inside.isAncestorOf(focus):
            self._fields.ensureWidgetVisible(focus, self._theme.unit * 4, self._theme.unit * 12)


def _takes_nothing(shape: Shape) -> bool:
    """Whether the schema describes no property: neither by name nor what additional ones look like."""
    extra = shape.schema.get("additionalProperties")
    described = isinstance(extra, Mapping) or "patternProperties" in shape.schema or "propertyNames" in shape.schema
    return shape.kind in (Kind.OBJECT, Kind.MAP) and not shape.properties and extra is not True and not described


def _arguments(schema: Mapping[str, Any]) -> JsonObject:  # Any: foreign JSON
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
