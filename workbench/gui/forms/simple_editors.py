"""Editors for booleans, choices, constants, numbers, Base64 and raw JSON."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.forms.field_editor import Editor, FieldSpec
from workbench.gui.forms.schema_shapes import Kind, hint_of, number_bounds, number_keyword
from workbench.gui.forms.validation import PathFault
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.json_colours import JsonColours
from workbench.gui.kit.json_text import dump, dump_to_edit, identical, is_number, parse
from workbench.gui.kit.layouts import row
from workbench.gui.kit.lists import push_button
from workbench.gui.kit.plain_edit import GrowingText, editable_text
from workbench.gui.kit.text import ForeignLabel, has_hidden, one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.shell.long_text import size_words
from workbench.records import JsonValue


class BooleanEditor(Editor):
    """A boolean: two buttons of which one or none is checked."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._group = QButtonGroup(self)
        row(self, self._button(True), self._button(False), None, spacing=spec.theme.unit)
        self.setFocusProxy(self._group.button(1))
        self._group.idClicked.connect(self.changed)

    def read(self) -> JsonValue:
        chosen = self._group.checkedId()
        return None if chosen < 0 else bool(chosen)

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, bool):
            return False
        self._group.button(int(value)).setChecked(True)
        return True

    def clear(self) -> None:
        self._group.setExclusive(False)
        for button in self._group.buttons():
            button.setChecked(False)
        self._group.setExclusive(True)

    def _button(self, value: bool) -> QPushButton:
        word = "true" if value else "false"
        text = f"{word} · default" if self.spec.shape.default is value else word
        button = push_button(text, kind="chip", checkable=True)
        button.setAccessibleName(f"{self.spec.name}: {word}")
        self._group.addButton(button, int(value))
        return button


class ConstEditor(Editor):
    """A constant, shown as a label; also for values that can only be null."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._value: JsonValue = spec.shape.choices[0] if spec.shape.choices else None
        label = ForeignLabel(dump(self._value, indent=None))
        mark(label, role="mono")
        self.set_content(label)

    def read(self) -> JsonValue:
        return self._value

    def write(self, value: JsonValue) -> bool:
        return identical(value, self._value)

    def clear(self) -> None:
        """A constant cannot be cleared."""


class EnumEditor(Editor):
    """An enum as a combo box; another value is edited as raw JSON."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._choices = spec.shape.choices
        self._box = CalmCombo(self)
        labels = spec.shape.labels or ("",) * len(self._choices)
        self._box.addItems([_label(choice, name) for choice, name in zip(self._choices, labels, strict=True)])
        self._box.setPlaceholderText(hint_of(spec.shape) or "choose…")
        self._box.setCurrentIndex(-1)
        self._box.setAccessibleName(spec.name)
        self.set_content(self._box)
        self._box.currentIndexChanged.connect(self.changed)

    def read(self) -> JsonValue:
        number = self._box.currentIndex()
        return self._choices[number] if number >= 0 else None

    def write(self, value: JsonValue) -> bool:
        number = next((number for number, choice in enumerate(self._choices) if identical(choice, value)), -1)
        self._box.setCurrentIndex(number)
        return number >= 0

    def clear(self) -> None:
        self._box.setCurrentIndex(-1)


def _label(choice: JsonValue, name: str) -> str:
    """The name of the value in the schema, followed by the value if it differs."""
    plain = (one_line(choice, 120) or "“”") if isinstance(choice, str) else one_line(dump(choice, indent=None), 120)
    return f"{one_line(name, 120)}  ·  {plain}" if name and name != plain else plain


_LONGEST = 400  # digits; Python itself refuses to read numbers far beyond


class NumberEditor(Editor):
    """A number as text, so that its spelling stays; Up and Down step it within the bounds of the schema."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._line = QLineEdit(self)
        self._line.setAccessibleName(spec.name)
        self._line.setPlaceholderText(hint_of(spec.shape))
        self._line.setMaxLength(_LONGEST)
        self._line.setInputMethodHints(Qt.InputMethodHint.ImhPreferNumbers)
        self.set_content(self._line)
        self._line.textChanged.connect(self.changed)

    def read(self) -> JsonValue:
        text = self._line.text().strip()
        number = _parse_number(text)
        return text if number is None else number

    def write(self, value: JsonValue) -> bool:
        if isinstance(value, str) and _parse_number(value) is None and len(value) < _LONGEST and value == value.strip():
            text = value
        elif is_number(value):
            text = dump(value)
        else:
            return False
        self._line.setText(text)
        return len(text) <= _LONGEST

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()), 0)
        if plain and step:
            self._step(step)
        else:
            super().keyPressEvent(event)

    def _step(self, direction: int) -> None:
        shape = self.spec.shape
        least, most, _, _ = number_bounds(shape.schema)
        value = _parse_number(self._line.text().strip())
        if value is None:
            value = shape.default if is_number(shape.default) else least or 0
        else:
            step = number_keyword(shape.schema, "multipleOf")
            moved = value + direction * (step if step is not None and step > 0 else 1)
            value = round(moved, 10) if isinstance(moved, float) else moved  # 0.1 + 0.2 is shown as 0.3
        value = value if least is None else max(value, least)
        value = value if most is None else min(value, most)
        is_whole = shape.kind is Kind.INTEGER and isinstance(value, float) and value.is_integer()
        self._line.setText(dump(int(value) if is_whole else value))


def _parse_number(text: str) -> int | float | None:
    """Parse a number and keep its spelling; None if the text is no number."""
    try:
        value = parse(text)
    except WorkbenchError:
        return None
    return value if is_number(value) else None


_SHOWN = 400  # characters that are still shown as text
_LARGEST = 20_000_000  # bytes of a file; a call's arguments travel in one frame


class BytesEditor(Editor):
    """Base64 data: typed as text, or loaded from a file."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._text = ""
        self._file = ""
        self._refused = ""
        self._line = QLineEdit(self)
        self._line.setMaxLength(_SHOWN)
        self._line.setAccessibleName(spec.name)
        self._line.setPlaceholderText(hint_of(spec.shape) or "base64, or load a file")
        self._size = ForeignLabel(elide=True)
        load = push_button("Load a file…", self._pick, symbol="file")
        load.setAccessibleName(f"Load a file into {visible(spec.name)}")
        row(self, self._line, self._size, load, spacing=spec.theme.unit * 2)
        self._load = load
        self._line.textEdited.connect(self._typed)
        self._draw()

    def read(self) -> JsonValue:
        return self._text

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, str) or (len(value) <= _SHOWN and (has_hidden(value) or "\n" in value)):
            return False
        self._text, self._file, self._refused = value, "", ""
        self._draw()
        return True

    def own_faults(self) -> tuple[PathFault, ...]:
        return (((), self._refused),) if self._refused else ()

    def load(self, path: str) -> None:
        """Use the content of a file."""
        self._refused = ""
        try:
            if Path(path).stat().st_size > _LARGEST:
                self._refused = f"takes files up to {size_words(_LARGEST)} only."
            else:
                self._text = base64.b64encode(Path(path).read_bytes()).decode("ascii")
                self._file = Path(path).name
        except OSError as fault:
            self._refused = f"was not loaded: {fault.strerror}."
        self._draw()
        self.changed.emit()

    def _pick(self) -> None:
        dialog = QFileDialog(self, self._load.accessibleName())
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.load)
        dialog.open()

    def _typed(self, text: str) -> None:
        self._text, self._file, self._refused = text, "", ""
        self.changed.emit()

    def _draw(self) -> None:
        long = len(self._text) > _SHOWN or bool(self._file)
        self._line.setVisible(not long)
        self._size.setVisible(long)
        self.setFocusProxy(self._load if long else self._line)
        if long:
            self._size.setText(" · ".join(part for part in (self._file, self._weight()) if part))
        elif self._line.text() != self._text:
            self._line.setText(self._text)

    def _weight(self) -> str:
        try:
            size = len(base64.b64decode(self._text, validate=True))
        except (binascii.Error, ValueError):
            return f"{len(self._text):,} characters that are not base64"
        return f"{size_words(size)}, as {len(self._text):,} characters of base64"


class RawEditor(Editor):
    """JSON as text, with colours; the fault names the line and column where it is not JSON."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None, *, tall: bool = False) -> None:
        super().__init__(spec, parent)
        self._known: tuple[str, JsonValue, str] | None = None
        self._edit = GrowingText(least=2, most=14)
        if tall:
            self._edit.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._edit.setFont(spec.theme.mono())
        self._edit.setAccessibleName(f"{spec.name} as JSON")
        self._edit.setPlaceholderText('any JSON, for example "text"')
        mark(self._edit, kind="code")
        self.set_content(self._edit)
        self._edit.textChanged.connect(self.changed)
        self._colours = JsonColours(self._edit, spec.theme)

    def read(self) -> JsonValue:
        """The value; text that is not JSON is returned as it is, and `own_faults` reports it."""
        text, value, fault = self._parsed()
        return text if fault else value

    def _parsed(self) -> tuple[str, JsonValue, str]:
        """The text, its value and its fault; parsed once for each change, because 10 MB take half a second."""
        text = self._edit.text()
        if self._known is None or self._known[0] is not text:
            try:
                self._known = (text, parse(text), "")
            except WorkbenchError as fault:
                self._known = (text, None, fault.message)
        return self._known

    def write(self, value: JsonValue) -> bool:
        self.show_text(dump_to_edit(value))
        return True

    def show_text(self, text: str) -> None:
        """Show text unchanged, JSON or not."""
        self._edit.setPlainText(editable_text(text))

    def text(self) -> str:
        """The text unchanged, JSON or not."""
        return self._edit.text()

    def clear(self) -> None:
        self._edit.clear()

    def own_faults(self) -> tuple[PathFault, ...]:
        fault = self._parsed()[2]
        return (((), fault),) if fault else ()
