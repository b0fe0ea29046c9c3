"""One field of a form: the line with its name, type and fault, and its editor below."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QToolButton, QWidget

from workbench.gui.forms.field_editor import ABSENT, Absent, Editor, FieldSpec, quiet_button
from workbench.gui.forms.schema_shapes import Kind
from workbench.gui.forms.simple_editors import RawEditor
from workbench.gui.forms.validation import FieldPath, PathFault, path_text
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump, identical
from workbench.gui.kit.layouts import row
from workbench.gui.kit.lists import tool_button
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import mark
from workbench.records import JsonValue

Make: TypeAlias = Callable[[FieldSpec, QWidget | None], Editor]
_NESTED = (Kind.OBJECT, Kind.MAP, Kind.ARRAY, Kind.CHOICE)
_LONGEST_DESCRIPTION = 160  # characters under a field; the tooltip has all of it
_LONGEST_SUMMARY = 120  # characters of a folded value


def repeats_name(description: str, name: str) -> bool:
    """Whether a description says no more than the name: `repo_path`, “Repo Path” or “The repo path.”"""
    letters = [re.sub(r"[\W_]", "", text[:400]).casefold() for text in (description, name)]
    return letters[0] in (letters[1], f"the{letters[1]}", f"a{letters[1]}")


class Field(QWidget):
    """A row of the form: one property, or one entry of a list or map."""

    changed = Signal()

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None, *, item: bool = False) -> None:
        super().__init__(parent)
        self.spec = spec
        self._make = make
        self._item = item  # an entry of a list or map is always sent
        self._optional = not item and not spec.required
        self._nested = spec.shape.kind in _NESTED
        self._state: Absent | str | None = "value" if item else ABSENT
        self._editor: Editor | None = None
        self._folded = False
        self._fault = ""
        self._layout = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addLayout(self._make_head(), 2)
        self._description = self._make_description()
        if self._description is not None:  # of a simple field, the editor comes between the two
            self._layout.addWidget(self._description)
        if self._nested:
            self._opener, opener_row = quiet_button("plus", f"Add {one_line(spec.name, 40)}", self._add_value)
            self._layout.addLayout(opener_row)
        if item or (self._nested and spec.required and spec.form.spend(spec.depth)):
            self._state = "value"
        if self._state == "value" or not self._nested:
            self._open()
        self.arrange()
        self._prefill()
        self._show_state()

    @property
    def sent(self) -> bool:
        """Whether this field is part of the value."""
        return self._state is not ABSENT

    def read(self) -> JsonValue | Absent:
        return self._open().read() if self._state == "value" else self._state

    def write(self, value: JsonValue | Absent) -> None:
        """Show any value: one that the editor cannot hold unchanged is shown as JSON."""
        if value is ABSENT:
            self._clear()
        elif value is None and self.spec.shape.nullable:
            self._state = None
        else:
            self._state = "value"
            self._write_value(value)
        self._show_state()

    def own_faults(self) -> tuple[PathFault, ...]:
        return self._open().own_faults() if self._state == "value" else ()

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        """Show the first fault of this value and pass on those of inner fields. An untouched field shows none
        unless `strict`."""
        own = [sentence for path, sentence in faults if not path]
        deeper = [fault for fault in faults if fault[0]]
        has_fields = self._editor is not None and self._state == "value" and not isinstance(self._editor, RawEditor)
        if deeper and (not has_fields or self._folded):
            own.append(f"{path_text(deeper[0][0])} {deeper[0][1]}")
        self._show_fault(own[0] if own and (self.sent or strict) else "")
        if self._editor is not None:
            self._editor.show_faults(deeper, strict)

    def fault(self) -> str:
        """The fault that the header line shows."""
        return self._fault

    def summary(self) -> str:
        """The value in one line while the field is folded."""
        return self._summary.full_text() if self._folded else ""

    def add_tool(self, button: QToolButton) -> None:
        """Put a button at the end of the header line."""
        self._head.addWidget(button)

    def put_above(self, widget: QWidget) -> None:
        """Put a widget above the header line."""
        self._layout.insertWidget(0, widget, 2)

    def path_of(self, widget: QWidget) -> FieldPath:
        """The path, from this field on, of the inner field that this widget is in."""
        return self._editor.path_of(widget) if self._editor is not None else ()

    def focus_path(self, path: FieldPath = ()) -> None:
        """Put the keyboard into this field, or into the inner one at this path."""
        self.fold(False)
        if path and self._state is ABSENT and self._nested:
            self._add_value()
        if self._editor is not None:
            self._editor.focus_path(path)
        else:
            self._opener.setFocus(Qt.FocusReason.OtherFocusReason)

    def fold(self, on: bool) -> None:
        """Hide the inner fields and show their value in one line, or show them again."""
        if on and self._can_fold():
            self._summary.setText(one_line(dump(self.read(), indent=None), _LONGEST_SUMMARY))
        self._folded = on
        self._show_state()

    def arrange(self) -> None:
        """Lay the field out for the height that the form has."""
        compact = self.spec.form.compact
        self._beside = compact and not self._nested  # there is no room for the text "not sent"
        directions = QBoxLayout.Direction
        self._layout.setDirection(directions.LeftToRight if self._beside else directions.TopToBottom)
        self._layout.setSpacing(max(1, self.spec.theme.unit // 2))
        if self._description is not None:
            self._description.setVisible(not compact)
        self._show_state()

    # head

    def _make_head(self) -> QHBoxLayout:
        spec, theme = self.spec, self.spec.theme
        name = visible(spec.name)
        self._kind = _head_label(self._type_text(), "muted", elide=True)
        self._state_label = _head_label("", "faint")
        name_label = _head_label(spec.name, "muted" if self._item else "mono")
        self._head = row(None, name_label, self._kind, spacing=theme.unit, grows=self._kind)
        if spec.shape.deprecated:
            badge = _head_label("deprecated", "badge")
            badge.setToolTip("The server marks this as deprecated.")
            mark(badge, tone="warning")
            self._head.addWidget(badge)
        if self._nested:
            self._fold = tool_button("chevron-down", f"Fold {name}", theme, self.fold)
            self._fold.setCheckable(True)
            self._head.insertWidget(0, self._fold)
            self._summary = _head_label("", "muted", elide=True)
            self._head.addWidget(self._summary, 2)
        self._head.addWidget(self._state_label)
        if spec.shape.nullable:
            self._null = tool_button("", f"Send null for {name}", theme, self._toggle_null)
            self._null.setText("null")
            self._null.setCheckable(True)
            self._null.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            self._null.setToolTip("Send null instead of a value")
            self._head.addWidget(self._null)
        if self._optional:
            self._unset = tool_button("x", f"Do not send {name}", theme, self._unset_value)
            self._unset.setToolTip("Do not send this value")
            policy = self._unset.sizePolicy()
            policy.setRetainSizeWhenHidden(True)  # so that nothing moves during typing
            self._unset.setSizePolicy(policy)
            self._head.addWidget(self._unset)
        return self._head

    def _type_text(self) -> str:
        required = self.spec.required and not self._item
        return f"{self.spec.shape.type_text} · required" if required else self.spec.shape.type_text

    def _show_fault(self, sentence: str) -> None:
        """Show a fault in place of the type: in a line of its own it would move the fields below it."""
        if sentence != self._fault:
            self._fault = sentence
            self._kind.setText(sentence or self._type_text())
            mark(self._kind, role="error" if sentence else "muted")

    def _make_description(self) -> ForeignLabel | None:
        text = self.spec.shape.description
        if not text or self._item or repeats_name(text, self.spec.name):
            return None
        description = ForeignLabel(one_line(text, _LONGEST_DESCRIPTION))
        description.setToolTip(plain_tip(text) if len(text) > _LONGEST_DESCRIPTION else "")
        mark(description, role="muted")
        return description

    def _can_fold(self) -> bool:
        return self._nested and self._state == "value" and self._editor is not None

    def _show_state(self) -> None:
        null = self._state is None
        self._folded = self._folded and self._can_fold()
        unsent = self._optional and not self.sent and not self._beside
        self._state_label.setText("null is sent" if null else "not sent" if unsent else "")
        self._state_label.setVisible(bool(self._state_label.full_text()))
        if self.spec.shape.nullable:
            self._null.setChecked(null)
        if self._optional:
            self._unset.setVisible(self.sent)
        if self._nested:
            self._fold.setVisible(self._can_fold())
            self._fold.setChecked(self._folded)
            self._fold.setIcon(icon("chevron-right" if self._folded else "chevron-down"))
            self._summary.setVisible(self._folded)
            self._opener.setVisible(self._editor is None and not null)
        if self._editor is not None:
            self._editor.setVisible(not self._folded and not (null and self._nested))

    # value

    def _prefill(self) -> None:
        """Give a required field its default or first example; an optional one is not sent and shows it as a hint."""
        if self._item or self._optional:
            return
        shape = self.spec.shape
        value = shape.example if shape.default is None else shape.default
        if value is None and len(shape.choices) == 1:
            value = shape.choices[0]
        if value is not None:
            self.write(value)
        elif shape.kind in (Kind.CONST, Kind.NULL):
            self._state = "value"

    def _open(self) -> Editor:
        """The editor, created when it is first needed."""
        return self._editor or self._set_editor(self._make(self.spec, self))

    def _set_editor(self, editor: Editor) -> Editor:
        self._drop_editor()
        self._editor = editor
        below_head = self._layout.indexOf(self._head) + 1
        self._layout.insertWidget(-1 if self._nested else below_head, editor, 3)
        editor.changed.connect(self._edited)
        return editor

    def _drop_editor(self) -> None:
        if self._editor is not None:
            self._layout.removeWidget(self._editor)
            self._editor.hide()
            self._editor.deleteLater()
            self._editor = None

    def _write_value(self, value: JsonValue) -> None:
        if isinstance(self._editor, RawEditor) and self.spec.shape.kind is not Kind.RAW:
            self._drop_editor()
        editor = self._open()
        if not editor.write(value) or not (self._nested or identical(editor.read(), value)):
            raw = RawEditor(self.spec, self)
            raw.write(value)
            self._set_editor(raw)

    def _clear(self) -> None:
        self._state = ABSENT
        if self._nested:
            self._drop_editor()
        elif isinstance(self._editor, RawEditor):
            self._set_editor(self._make(self.spec, self))
        elif self._editor is not None:
            with QSignalBlocker(self._editor):
                self._editor.clear()

    def _add_value(self) -> None:
        self._state = "value"
        self._open()
        self._show_state()
        self.changed.emit()
        self.focus_path()

    def _toggle_null(self, on: bool) -> None:
        self._state = None if on else ABSENT if self._optional else "value"
        self._show_state()
        self.changed.emit()

    def _unset_value(self, _checked: bool = False) -> None:
        self.write(ABSENT)
        self.changed.emit()
        self.focus_path()

    def _edited(self) -> None:
        if self._state != "value":
            self._state = "value"
            self._show_state()
        self.changed.emit()


class FieldsEditor(Editor):
    """An editor of a value with fields inside."""

    def _entries(self) -> Iterable[tuple[str | int, Field]]:
        """The fields with the steps of a path that lead to them."""
        raise NotImplementedError

    def path_of(self, widget: QWidget) -> FieldPath:
        inside = ((key, *field.path_of(widget)) for key, field in self._entries() if field.isAncestorOf(widget))
        return next(inside, ())

    def own_faults(self) -> tuple[PathFault, ...]:
        return tuple(
            ((key, *path), sentence) for key, field in self._entries() for path, sentence in field.own_faults()
        )

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        for key, field in self._entries():
            field.show_faults([(path[1:], sentence) for path, sentence in faults if path and path[0] == key], strict)


def _head_label(text: str, role: str, *, elide: bool = False) -> ForeignLabel:
    label = ForeignLabel(text, elide=elide)
    label.setWordWrap(False)
    mark(label, role=role)
    return label
