"""What is wrong with the arguments, one line each; a press or Enter goes to the field."""

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
from workbench.gui.forms.field_editor import Brief, Editor
from workbench.gui.forms.object_editor import FOLD_FROM, ObjectEditor
from workbench.gui.forms.schema_shapes import Kind, Shape, shape_of
from workbench.gui.forms.simple_editors import RawEditor
from workbench.gui.forms.validation import MISSING, FieldPath, PathFault, faults_of, written
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump, identical, parse
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.records import JsonObject, JsonValue

_ROWS = 3  # lines that are seen at once; more are scrolled to
_LONGEST = 300


class FaultList(QListWidget):
    """Hidden while nothing is wrong."""

    wanted = Signal(object)
    """Carries the path of the field somebody wants to go to."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._faults: tuple[PathFault, ...] = ()
        self.setAccessibleName("What is wrong with the arguments")
        self.setUniformItemSizes(True)
        self.setIconSize(QSize(theme.unit * 3, theme.unit * 3))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.itemActivated.connect(self._chosen)
        self.itemClicked.connect(self._chosen)
        self.hide()

    def show_faults(self, faults: Sequence[PathFault]) -> None:
        """Show these, outermost first; the chosen line stays chosen as far as it is still there."""
        if tuple(faults) == self._faults:
            return
        row = self.currentRow()
        self._faults = tuple(faults)
        self.clear()
        for path, sentence in faults:
            words = f"{written(path)}: {sentence}" if path else sentence
            item = QListWidgetItem(icon("alert", "danger"), one_line(words, _LONGEST))
            item.setToolTip(plain_tip(words))
            self.addItem(item)
        self.setCurrentRow(min(row, len(faults) - 1))
        self.setVisible(bool(faults))
        self.updateGeometry()

    def sentences(self) -> tuple[str, ...]:
        """The lines as they stand there."""
        return tuple(self.item(row).text() for row in range(self.count()))

    def sizeHint(self) -> QSize:
        line = self.sizeHintForRow(0) if self.count() else 0
        return QSize(super().sizeHint().width(), line * min(self.count(), _ROWS) + self._theme.unit * 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.unit * 10, self.sizeHint().height())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.updateGeometry()

    def _chosen(self, item: QListWidgetItem) -> None:
        path: FieldPath = self._faults[self.row(item)][0]
        self.wanted.emit(path)


_PAUSE_MS = 120
_FORM, _JSON = 0, 1

_TYPED = (QLineEdit, QComboBox, QPlainTextEdit)


class SchemaForm(QWidget):
    """Edits the arguments of one call."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._schema: JsonObject = {}
        self._editor: Editor | None = None
        self._strict = False
        self._took = 0  # milliseconds that the last check took: after 10 MB it waits for a longer pause in typing
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._check)
        self._settle = QTimer(self, singleShot=True, interval=0)  # a field that was just made has no place yet
        self._settle.timeout.connect(self._bring_into_view)
        self._build()
        self.set_schema({})

    def set_schema(self, schema: Mapping[str, Any]) -> None:  # Any: foreign JSON
        """Show fields for another schema; what was entered is gone."""
        schema = _arguments(schema)
        self._schema = schema
        self._strict = False
        brief = Brief("Arguments", schema, schema, shape_of(schema, schema), self._theme)
        self._editor = make_editor(brief)
        self._editor.changed.connect(self._edited)
        self._fields.setWidget(self._framed(self._editor, brief.shape))
        self._raw.write(self._editor.read())
        self._choose(_FORM)
        many = isinstance(self._editor, ObjectEditor) and len(brief.shape.properties) > FOLD_FROM
        self._filter.setVisible(many)
        self._filter.clear()
        if many:
            self._filter.setPlaceholderText(f"Filter {len(brief.shape.properties)} fields")
        self._check()

    def value(self) -> dict[str, Any]:  # Any: JSON
        """What would be sent; fields that nobody touched are not in it. Raises where the text is not a JSON object."""
        if fault := self.no_object():
            raise WorkbenchError(fault, 'Tool arguments are one JSON object, such as {"limit": 20}.')
        found = self._current().read()
        assert isinstance(found, Mapping)
        return dict(found)

    def no_object(self) -> str:
        """Why what is shown cannot be sent at all; "" when it is a JSON object, right or wrong for the schema."""
        current = self._current()
        if isinstance(current.read(), Mapping):
            return ""
        own = current.own_faults()
        return own[0][1] if own else "The arguments must be one JSON object."

    def draft(self) -> JsonObject:
        """What is shown, finished or not, for `show_draft`: a text that is JSON or not, or the value of the fields."""
        if self.json_shown():
            return {"text": self._raw.text()}
        return {"value": self._current().read()}

    def show_draft(self, draft: Mapping[str, JsonValue]) -> None:
        """Show again what `draft` answered; what no longer fits the schema stays visible as JSON inside its field."""
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
        """Show this value; what the fields cannot hold stays visible as JSON inside its field."""
        self._keep_text(dict(value))
        if self._editor is None or not self._editor.write(dict(value)):
            self._choose(_JSON)
        self._check()

    def first_field(self) -> QWidget | None:
        """What a user who comes by key types into first: a field, not the filter above the fields."""
        fields = (one for one in self._fields.findChildren(QWidget) if isinstance(one, _TYPED))
        return next((field for field in fields if field.isVisibleTo(self)), None)

    def reset(self) -> None:
        """Back to what the schema proposes."""
        self.set_schema(self._schema)
        self.changed.emit()

    def paste(self, text: str) -> None:
        """Take arguments from JSON text, also out of a whole `tools/call` request. Text that is none is kept to be
        mended."""
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
        """Everything that is wrong, as path and sentence."""
        return tuple((written(path), sentence) for path, sentence in self._faults())

    def scold(self) -> None:
        """Also say what is missing in fields nobody touched; asked when the person wants to send."""
        self._strict = True
        self._check()

    def reach(self, path: FieldPath = ()) -> None:
        """Put the keyboard into the field at that place and bring it into view."""
        if self.json_shown() or self._editor is None:
            self._raw.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self._filter.clear()
        self._editor.reach(path)
        self._settle.start()

    def json_shown(self) -> bool:
        return self._pages.currentIndex() == _JSON

    def show_json(self, on: bool) -> None:
        """Switch between fields and JSON, carrying the value over; text that is not JSON yet stays where it is."""
        if on == self.json_shown():
            return
        if on:
            self._keep_text(self._current().read())
            self._choose(_JSON)
        elif not self._raw.own_faults() and self._editor is not None and self._editor.write(self._raw.read()):
            self._choose(_FORM)
        self._check()

    def _keep_text(self, value: JsonValue) -> None:
        """Write the JSON text anew only where it means something else: its layout belongs to whoever typed it."""
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
        self.fault_list.wanted.connect(self.reach)
        layout.addWidget(self.fault_list)

    def _head(self, unit: int) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        head.setSpacing(unit)
        self._filter = QLineEdit(self)
        self._filter.setClearButtonEnabled(True)
        self._filter.setAccessibleName("Filter fields")
        self._filter.textChanged.connect(self._filtered)
        head.addWidget(self._filter, 1)
        head.addStretch(0)
        self._modes = QButtonGroup(self)
        for number, words, tip in (
            (_FORM, "Form", "Edit the arguments as fields"),
            (_JSON, "JSON", "Edit the arguments as JSON text"),
        ):
            button = QPushButton(words, self)
            button.setCheckable(True)
            button.setToolTip(tip)
            mark(button, kind="chip")
            self._modes.addButton(button, number)
            head.addWidget(button)
        self._modes.idClicked.connect(self._mode_clicked)
        return head

    def _raw_page(self, unit: int) -> QWidget:
        brief = Brief("Arguments", {}, {}, Shape(Kind.RAW, {}), self._theme)
        self._raw = RawEditor(brief, tall=True)
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
        if (shape.kind is Kind.OBJECT and not shape.properties) or (shape.kind is Kind.MAP and not self._schema):
            note = ForeignLabel("This tool takes no arguments.")
            mark(note, role="muted")
            layout.insertWidget(0, note)
        layout.addStretch(1)
        return page

    def _choose(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self._modes.button(page).setChecked(True)

    def _mode_clicked(self, number: int) -> None:
        self.show_json(number == _JSON)
        self._modes.button(self._pages.currentIndex()).setChecked(True)

    def _filtered(self, words: str) -> None:
        if isinstance(self._editor, ObjectEditor):
            self._editor.filter(words)

    def _edited(self) -> None:
        self._pause.start(max(_PAUSE_MS, self._took * 4))
        self.changed.emit()

    def _faults(self) -> tuple[PathFault, ...]:
        current = self._current()
        own = current.own_faults()
        value = current.read()
        if not isinstance(value, Mapping):
            return own or (((), self.no_object()),)
        broken = {path for path, _ in own}
        checked = (fault for fault in faults_of(value, self._schema, self._schema) if fault[0] not in broken)
        return (*own, *checked)

    def _check(self) -> None:
        began = time.monotonic()
        faults = self._faults()
        self._took = round((time.monotonic() - began) * 1000)
        if self._editor is not None and not self.json_shown():
            self._editor.show_faults(faults, self._strict)
        told = [fault for fault in faults if self._strict or self.json_shown() or fault[1] != MISSING]
        self.fault_list.show_faults(told)

    def _bring_into_view(self) -> None:
        focus = self._fields.focusWidget()
        inside = self._fields.widget()
        if focus is not None and inside is not None and inside.isAncestorOf(focus):
            self._fields.ensureWidgetVisible(focus, self._theme.unit * 4, self._theme.unit * 12)


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
