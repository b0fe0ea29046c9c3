"""The form of a tool: fields or raw JSON, the same value in both, checked while it is typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.forms.brief import Brief
from workbench.gui.forms.check import PathFault, faults_of, written
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.factory import make_editor
from workbench.gui.forms.object_editor import ObjectEditor
from workbench.gui.forms.raw_editor import RawEditor
from workbench.gui.forms.shape import Kind, Shape, shape_of
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.records import JsonObject, JsonValue

_FILTER_FROM = 12  # more fields than this get a filter box
_PAUSE_MS = 120
_FORM, _JSON = 0, 1


class SchemaForm(QWidget):
    """Edits the arguments of one call."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._schema: JsonObject = {}
        self._editor: Editor | None = None
        self._strict = False
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._check)
        self._build()
        self.set_schema({})

    def set_schema(self, schema: Mapping[str, Any]) -> None:  # Any: foreign JSON
        """Show fields for another schema; what was entered is gone."""
        schema = _arguments(schema)
        self._schema = schema
        self._strict = False
        brief = Brief(self.tr("Arguments"), schema, schema, shape_of(schema, schema), self._theme)
        self._editor = make_editor(brief)
        self._editor.changed.connect(self._edited)
        self._fields.setWidget(self._framed(self._editor, brief.shape))
        self._raw.write(self._editor.read() if self._editor is not None else {})
        self._choose(_FORM)
        many = isinstance(self._editor, ObjectEditor) and len(brief.shape.properties) > _FILTER_FROM
        self._filter.setVisible(many)
        self._filter.clear()
        if many:
            self._filter.setPlaceholderText(self.tr("Filter {0} fields").format(len(brief.shape.properties)))
        self._check()

    def value(self) -> dict[str, Any]:  # Any: JSON
        """What would be sent; fields that nobody touched are not in it."""
        found = self._current().read()
        return dict(found) if isinstance(found, Mapping) else {}

    def set_value(self, value: Mapping[str, JsonValue]) -> None:
        """Show this value; what the fields cannot hold stays visible as JSON inside its field."""
        if self._editor is None or not self._editor.write(dict(value)):
            self._raw.write(dict(value))
            self._choose(_JSON)
        else:
            self._raw.write(dict(value))
        self._check()

    def faults(self) -> tuple[tuple[str, str], ...]:
        """Everything that is wrong, as path and sentence."""
        return tuple((written(path), sentence) for path, sentence in self._faults())

    def scold(self) -> None:
        """Also say what is missing in fields nobody touched; asked when the person wants to send."""
        self._strict = True
        self._check()

    def json_shown(self) -> bool:
        return self._pages.currentIndex() == _JSON

    def show_json(self, on: bool) -> None:
        """Switch between fields and JSON, carrying the value over; text that is not JSON yet stays where it is."""
        if on == self.json_shown():
            return
        if on:
            self._raw.write(self._current().read())
            self._choose(_JSON)
        elif not self._raw.own_faults() and self._editor is not None and self._editor.write(self._raw.read()):
            self._choose(_FORM)
        self._check()

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
        layout.addWidget(self._pages, 1)
        self._summary = ForeignLabel()
        self._summary.setContentsMargins(unit * 3, unit, unit * 3, unit)
        mark(self._summary, role="error")
        layout.addWidget(self._summary)

    def _head(self, unit: int) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        head.setSpacing(unit)
        self._filter = QLineEdit(self)
        self._filter.setClearButtonEnabled(True)
        self._filter.setAccessibleName(self.tr("Filter fields"))
        self._filter.textChanged.connect(self._filtered)
        head.addWidget(self._filter, 1)
        head.addStretch(0)
        self._modes = QButtonGroup(self)
        for number, words, tip in (
            (_FORM, self.tr("Form"), self.tr("Edit the arguments as fields")),
            (_JSON, self.tr("JSON"), self.tr("Edit the arguments as JSON text")),
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
        brief = Brief(self.tr("Arguments"), {}, {}, Shape(Kind.RAW, {}), self._theme)
        self._raw = RawEditor(brief)
        self._raw.changed.connect(self._edited)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(unit * 3, unit, unit * 3, unit * 2)
        layout.addWidget(self._raw)
        layout.addStretch(1)
        return page

    def _framed(self, editor: Editor, shape: Shape) -> QWidget:
        unit = self._theme.unit
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(unit * 3, unit, unit * 3, unit * 3)
        layout.addWidget(editor)
        if (shape.kind is Kind.OBJECT and not shape.properties) or (shape.kind is Kind.MAP and not self._schema):
            note = ForeignLabel(self.tr("This tool takes no arguments."))
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
        self._pause.start()
        self.changed.emit()

    def _faults(self) -> tuple[PathFault, ...]:
        current = self._current()
        own = current.own_faults()
        value = current.read()
        if not isinstance(value, Mapping):
            return own or (((), self.tr("The arguments must be an object.")),)
        broken = {path for path, _ in own}
        checked = (fault for fault in faults_of(value, self._schema, self._schema) if fault[0] not in broken)
        return (*own, *checked)

    def _check(self) -> None:
        faults = self._faults()
        if self._editor is not None and not self.json_shown():
            self._editor.show_faults(faults, self._strict)
        loose = [fault for fault in faults if self.json_shown() or not fault[0]]
        self._summary.setText("\n".join(_sentence(path, words) for path, words in loose[:4]))
        self._summary.setVisible(bool(loose) and (self._strict or self.json_shown()))


def _arguments(schema: Mapping[str, Any]) -> JsonObject:  # Any: foreign JSON
    """Arguments are always an object, also where a schema forgets to say so."""
    if shape_of(schema, schema).kind in (Kind.OBJECT, Kind.MAP, Kind.CHOICE):
        return schema
    return {**schema, "type": "object"}


def _sentence(path: tuple[str | int, ...], words: str) -> str:
    return f"{written(path)} {words}" if path else words
