"""Edits what a held call would send, or an answer that waits."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.gui.forms.form import SchemaForm
from workbench.gui.forms.schema_shapes import shape_of
from workbench.gui.kit.json_text import dump, identical
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.theme import Theme, mark
from workbench.records import JsonObject


class CallEditor(QStackedWidget):
    """Edits what would be sent: as a form, or as JSON that is checked against the tool's schema; an answer, and the
    call of a tool whose schema is not known, as text."""

    edited = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text_box = PlainEdit()
        self.text_box.setAccessibleName("What would be sent, editable")
        self.text_box.setTabChangesFocus(True)
        mark(self.text_box, kind="code")
        self.form = SchemaForm(theme)
        for page in (self.text_box, self.form):
            self.addWidget(page)
        self.text_box.textChanged.connect(self.edited)
        self.form.changed.connect(self.edited)
        self._given = ""
        self._schema: JsonObject | None = None

    @property
    def knows_schema(self) -> bool:
        return self._schema is not None

    def set_schema(self, schema: JsonObject) -> None:
        """Set the schema of the tool's arguments. Without one, they are edited as text."""
        self._schema = schema

    def show_text(self, text: str) -> None:
        """Begin to edit a text."""
        self._given = text
        if self._schema is None:
            self.text_box.setPlainText(text)
            self.setCurrentWidget(self.text_box)
        else:
            self._fill_form(text, self._schema)
            self.setCurrentWidget(self.form)

    def text(self) -> str:
        """What would be sent now, finished or not."""
        if self.currentWidget() is self.text_box:
            return self.text_box.text()
        draft = self.form.draft()
        typed = draft.get("text")
        if isinstance(typed, str):
            return typed
        return self._given if identical(draft["value"], json.loads(self._given)) else dump(draft["value"])

    def has_changes(self) -> bool:
        return self.text() != self._given

    def take_focus(self) -> None:
        if self.currentWidget() is self.text_box:
            self.text_box.setFocus(Qt.FocusReason.OtherFocusReason)
        elif not self.form.take_focus():
            QTimer.singleShot(0, self.form, self.form.focus_path)  # its fields are made when it is shown

    def _fill_form(self, text: str, schema: JsonObject) -> None:
        """Fill the form. What its fields cannot show exactly is shown as JSON."""
        self.form.set_schema(schema)
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        fields = shape_of(schema, schema).properties
        if isinstance(value, dict) and value and value.keys() <= fields.keys():
            self.form.set_value(value)
            if not self.form.json_shown() and identical(self.form.draft().get("value"), value):
                return
        self.form.show_draft({"text": text})
