"""Editors for the value of one setting: switch, choice, number, text and list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import GrowingText, editable_text
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.tray import NO_TRAY, has_tray
from workbench.settings import Definition

_NO_EDIT = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
_LONGEST = 1_000_000  # characters of a text; QLineEdit would cut it after 32,767


class SettingEditor(QWidget):
    """Base of the editors. `committed` is emitted when the user has finished a valid change."""

    committed = Signal()
    edited = Signal()
    """What is shown is different now; it may not be valid."""

    def __init__(self, theme: Theme, definition: Definition, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.definition = definition
        self._stored: object = None
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.unit * 2)

    def show_value(self, value: object) -> None:
        """Show a stored value. What the user is typing stays if that value is not new."""
        if value != self._stored or not self.is_edited():
            self._stored = value
            self._write(value)

    def discard(self) -> None:
        """Show the stored value again."""
        self._write(self._stored)

    def is_edited(self) -> bool:
        return self.problem() != "" or self.value() != self._stored

    def value(self) -> Any:  # Any: a value of the setting's type
        """What is shown; only meaningful while there is no problem."""
        raise NotImplementedError

    def problem(self) -> str:
        """Why what is shown is no valid value, as a sentence; empty if it is valid."""
        rule = self.definition.rule_broken_by(self.value())
        return f"This must be {rule}." if rule else ""

    def meaning(self) -> str:
        """What a valid value would do, as sentences, where the description does not say it."""
        return ""

    def _write(self, value: object) -> None:
        raise NotImplementedError

    def _commit(self) -> None:
        if self.is_edited() and not self.problem():
            self.committed.emit()

    def _add(self, field: QWidget, stretch: int = 0) -> None:
        self._name_field(field)
        self._row.addWidget(field, stretch)

    def _name_field(self, field: QWidget) -> None:
        """Make a field the one that is edited, with the setting's name and description for screen readers."""
        field.setAccessibleName(self.definition.name)
        field.setAccessibleDescription(self.definition.description)
        self.setFocusProxy(field)


class SwitchEditor(SettingEditor):
    """Check box for a setting that is on or off."""

    def __init__(self, theme: Theme, definition: Definition, parent: QWidget | None = None) -> None:
        super().__init__(theme, definition, parent)
        self.box = TickBox(theme, "On", self)
        self._add(self.box)
        self._row.addStretch(1)
        self.box.clicked.connect(self._commit)
        self._is_missing = definition.name == "window.tray" and not has_tray()

    def meaning(self) -> str:
        return NO_TRAY if self._is_missing else ""

    def value(self) -> bool:
        return self.box.isChecked()

    def _write(self, value: object) -> None:
        self.box.setChecked(value is True)
        self.box.setEnabled(not self._is_missing or value is True)


class ChoiceEditor(SettingEditor):
    """Combo box with the allowed values. `choices`: what each of them means."""

    def __init__(
        self, theme: Theme, definition: Definition, choices: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, definition, parent)
        self._choices = choices
        self.combo = CalmCombo(self)
        self.combo.addItems(list(choices))
        self.combo.setMinimumContentsLength(16)
        self._add(self.combo)
        self._row.addStretch(1)
        self.combo.currentIndexChanged.connect(self.edited)
        self.combo.activated.connect(self._commit)

    def value(self) -> str:
        return self.combo.currentText()

    def meaning(self) -> str:
        return self._choices.get(self.value(), "")

    def _write(self, value: object) -> None:
        if self.combo.findText(str(value)) < 0:  # a file may name what does not exist
            self.combo.addItem(str(value))
        self.combo.setCurrentText(str(value))


class NumberEditor(SettingEditor):
    """A whole number with its unit. Commas, spaces and underscores between digits are accepted."""

    def __init__(self, theme: Theme, definition: Definition, parent: QWidget | None = None) -> None:
        super().__init__(theme, definition, parent)
        self.line = QLineEdit(self)
        self.line.setFixedWidth(theme.unit * 36)
        self._add(self.line)
        if definition.unit:
            self._row.addWidget(label(definition.unit, "muted"))
        self._row.addStretch(1)
        self.line.textEdited.connect(self.edited)
        self.line.editingFinished.connect(self._commit)

    def value(self) -> int:
        return int(self._digits())

    def problem(self) -> str:
        digits, definition = self._digits(), self.definition
        valid = digits.isascii() and digits.isdigit() and len(digits) <= len(str(definition.maximum))
        if valid and definition.minimum <= int(digits) <= definition.maximum:
            return ""
        return f"Enter a whole number: {definition.bounds}."

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows count up and down."""
        step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()), 0)
        if not step or self.problem():
            super().keyPressEvent(event)
            return
        definition = self.definition
        self.line.setText(f"{min(max(self.value() + step, definition.minimum), definition.maximum):,}")
        self.edited.emit()

    def _digits(self) -> str:
        return self.line.text().translate({ord(letter): None for letter in " ,_\u00a0\u202f"})

    def _write(self, value: object) -> None:
        self.line.setText(f"{value:,}" if type(value) is int else "")


class TextEditor(SettingEditor):
    """One line of text; it may be empty."""

    def __init__(self, theme: Theme, definition: Definition, parent: QWidget | None = None) -> None:
        super().__init__(theme, definition, parent)
        self.line = QLineEdit(self)
        self.line.setMaxLength(_LONGEST)
        self.line.setPlaceholderText("Empty")
        self._add(self.line, 1)
        self.line.textEdited.connect(self.edited)
        self.line.editingFinished.connect(self._commit)

    def value(self) -> str:
        return self.line.text().strip()

    def meaning(self) -> str:
        """What is sent to an address."""
        if self.definition.name != "telemetry.endpoint":
            return ""
        if not self.value():
            return "Nothing is sent."
        return (
            f"Sent to {self.value().rstrip('/')}/v1/traces after each run and call: names of servers and tools, risk,"
            " numbers and times. Programs, arguments, answers and error messages are never sent."
        )

    def _write(self, value: object) -> None:
        self.line.setText(value if isinstance(value, str) else "")


class ListEditor(SettingEditor):
    """Entries, one on each line. They are stored with spaces between them."""

    def __init__(self, theme: Theme, definition: Definition, parent: QWidget | None = None) -> None:
        super().__init__(theme, definition, parent)
        self.box = _ListBox(parent=self)
        self.box.setFont(theme.mono())
        mark(self.box, kind="code")
        self.box.setPlaceholderText("No entries")
        column = QVBoxLayout()
        column.addWidget(self.box)
        column.addWidget(label("One entry on each line. Ctrl+Return saves.", "muted"))
        self._name_field(self.box)
        self._row.addLayout(column, 1)
        self.box.textChanged.connect(self.edited)
        self.box.left.connect(self._commit)

    def value(self) -> str:
        return " ".join(self.box.text().split())

    def _write(self, value: object) -> None:
        text = editable_text("\n".join(value.split()) if isinstance(value, str) else "")
        if text != self.box.text():
            self.box.setPlainText(text)


class _ListBox(GrowingText):
    left = Signal()
    """The keyboard went to another widget of the window, or Ctrl+Return was pressed."""

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in _NO_EDIT:
            self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def make_editor(theme: Theme, definition: Definition, choices: Mapping[str, str] | None = None) -> SettingEditor:
    """The editor for a setting's type. `choices`: values that only the project knows, such as its profiles."""
    if choices or definition.choices:
        return ChoiceEditor(theme, definition, choices or dict.fromkeys(definition.choices, ""))
    if definition.type == "str":
        return (ListEditor if definition.is_list else TextEditor)(theme, definition)
    return (SwitchEditor if definition.type == "bool" else NumberEditor)(theme, definition)
