"""One field of a form: the line with its name, type and fault, and its editor below."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from workbench.gui.forms.field_editor import ABSENT, Absent, Editor, FieldSpec
from workbench.gui.forms.schema_shapes import Kind
from workbench.gui.forms.simple_editors import RawEditor
from workbench.gui.forms.validation import FieldPath, PathFault, path_text
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump, identical
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import mark
from workbench.records import JsonValue


class FieldHead(QWidget):
    """Name, type, fault and state of a field: not sent, null, or a value."""

    null_wanted = Signal(bool)
    unset_wanted = Signal()
    fold_wanted = Signal(bool)
    """Carries whether to hide the inner fields."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None, *, item: bool = False) -> None:
        super().__init__(parent)
        self._spec = spec
        self._item = item
        self._fault = ""
        self._fold: QToolButton | None = None
        self._null: QToolButton | None = None
        self._unset: QToolButton | None = None
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(spec.theme.unit)
        self._build()

    def add_tool(self, button: QToolButton) -> None:
        """Put a button at the end of the line."""
        self._row.addWidget(button)

    def allow_fold(self, on: bool) -> None:
        """Show or hide the button that folds the inner fields."""
        if self._fold is None and on:
            self._fold = self._button("chevron-down", "Fold {0}")
            self._fold.setCheckable(True)
            self._fold.clicked.connect(self.fold_wanted)
            self._row.insertWidget(0, self._fold)
        if self._fold is not None:
            self._fold.setVisible(on)

    def show_fold(self, folded: bool, summary: str) -> None:
        """Show the value in one line while the inner fields are folded."""
        if self._fold is not None:
            self._fold.setChecked(folded)
            self._fold.setIcon(icon("chevron-right" if folded else "chevron-down", "muted"))
        self._summary.setText(summary)
        self._summary.setVisible(folded)

    def show_state(self, *, sent: bool, null: bool) -> None:
        """Show whether the field is sent, and whether as null."""
        if self._null is not None:
            self._null.setChecked(null)
        if self._item or self._spec.required:
            self._state.setText("null is sent" if null else "")
        else:
            self._state.setText("null is sent" if null else "" if sent else "not sent")
        self._state.setVisible(bool(self._state.full_text()))
        if self._unset is not None:
            self._unset.setVisible(sent)

    def _build(self) -> None:
        spec = self._spec
        name = ForeignLabel(spec.name)
        name.setWordWrap(False)
        mark(name, role="muted" if self._item else "mono")
        self._kind = ForeignLabel(self._kind_text(), elide=True)
        mark(self._kind, role="muted")
        self._summary = ForeignLabel(elide=True)
        mark(self._summary, role="muted")
        self._summary.hide()
        self._state = ForeignLabel()
        self._state.setWordWrap(False)
        mark(self._state, role="faint")
        self._row.addWidget(name)
        self._row.addWidget(self._kind, 1)
        if spec.shape.deprecated:
            self._row.addWidget(self._deprecated())
        self._row.addWidget(self._summary, 2)
        self._row.addWidget(self._state)
        if spec.shape.nullable:
            self._add_null()
        if not self._item and not spec.required:
            self._add_unset()

    def show_fault(self, sentence: str) -> None:
        """Show a fault in place of the type: in a line of its own it would move the fields below it."""
        if self._fault != sentence:
            self._fault = sentence
            self._kind.setText(sentence or self._kind_text())
            mark(self._kind, role="error" if sentence else "muted")

    def fault(self) -> str:
        return self._fault

    def _kind_text(self) -> str:
        text = self._spec.shape.type_text
        return f"{text} · required" if self._spec.required and not self._item else text

    def _deprecated(self) -> QWidget:
        badge = ForeignLabel("deprecated")
        badge.setWordWrap(False)
        badge.setToolTip("The server marks this as deprecated.")
        mark(badge, role="badge", tone="warning")
        return badge

    def _add_null(self) -> None:
        self._null = QToolButton(self)
        self._null.setText("null")
        self._null.setCheckable(True)
        self._null.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._null.setAccessibleName(f"Send null for {visible(self._spec.name)}")
        self._null.setToolTip("Send null instead of a value")
        self._null.clicked.connect(self.null_wanted)
        self._row.addWidget(self._null)

    def _add_unset(self) -> None:
        self._unset = self._button("x", "Do not send {0}")
        self._unset.setToolTip("Do not send this value")
        self._unset.clicked.connect(self.unset_wanted)
        policy = self._unset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that nothing moves during typing
        self._unset.setSizePolicy(policy)
        self._row.addWidget(self._unset)

    def _button(self, symbol: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(symbol, "muted"))
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(name.format(visible(self._spec.name)))
        button.setToolTip(button.accessibleName())
        return button


def repeats_name(description: str, name: str) -> bool:
    """Whether a description says no more than the name: `repo_path`, “Repo Path” or “The repo path.”"""
    letters = [re.sub(r"[\W_]", "", text[:400]).casefold() for text in (description, name)]
    return letters[0] in (letters[1], f"the{letters[1]}", f"a{letters[1]}")


Make: TypeAlias = Callable[[FieldSpec, QWidget | None], Editor]

_NESTED = (Kind.OBJECT, Kind.MAP, Kind.ARRAY, Kind.CHOICE)
_SHORT = 160  # characters of a description under its field; the whole is in the tooltip
_SUMMARY = 120  # characters of a folded value


class Field(QWidget):
    """A row of the form: one property, or one entry of a list or map."""

    changed = Signal()

    def __init__(self, spec: FieldSpec, make: Make, parent: QWidget | None = None, *, item: bool = False) -> None:
        super().__init__(parent)
        self.spec = spec
        self._make = make
        self._item = item  # an entry of a list or map is always sent
        self._state: Absent | str | None = "value" if item else ABSENT
        self._editor: Editor | None = None
        self._opener: QPushButton | None = None
        self._folded = False
        self._head = FieldHead(spec, self, item=item)
        self._build()
        self._prefill()
        self._show_state()

    @property
    def sent(self) -> bool:
        """Whether this field is part of the value."""
        return self._state is not ABSENT

    def read(self) -> JsonValue | Absent:
        if self._state is ABSENT:
            return ABSENT
        if self._state is None:
            return None
        return self._open().read()

    def write(self, value: JsonValue | Absent) -> None:
        """Show any value: one that the editor cannot hold unchanged is shown as JSON."""
        if value is ABSENT:
            self._forget()
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
        untouched = self._state is ABSENT and not strict
        nested = self._editor is not None and self._state == "value" and not isinstance(self._editor, RawEditor)
        if deeper and (not nested or self._folded):
            own.append(f"{path_text(deeper[0][0])} {deeper[0][1]}")
        self._head.show_fault("" if untouched or not own else own[0])
        if self._editor is not None:
            self._editor.show_faults(deeper, strict)

    def fault(self) -> str:
        """The fault that is shown."""
        return self._head.fault()

    def add_tool(self, button: QToolButton) -> None:
        """Put a button at the end of the header line."""
        self._head.add_tool(button)

    def focus_path(self, path: FieldPath = ()) -> None:
        """Put the keyboard into this field, or into the inner one at this path."""
        self.fold(False)
        if path and self._state is ABSENT and self.spec.shape.kind in _NESTED:
            self._add_value()
        if path and self._editor is not None:
            self._editor.focus_path(path)
        else:
            (self._editor or self._opener or self).setFocus(Qt.FocusReason.OtherFocusReason)

    def fold(self, on: bool) -> None:
        """Hide the inner fields and show their value in one line, or show them again."""
        self._folded = on and self._nested_open()
        summary = one_line(dump(self.read(), indent=None), _SUMMARY) if self._folded else ""
        self._head.show_fold(self._folded, summary)
        self._show_state()

    def _build(self) -> None:
        unit = self.spec.theme.unit
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(max(1, unit // 2))
        self._layout.addWidget(self._head)
        self._head.null_wanted.connect(self._toggle_null)
        self._head.unset_wanted.connect(self._remove_value)
        self._head.fold_wanted.connect(self.fold)
        nested = self.spec.shape.kind in _NESTED
        if nested:  # the description of a group is above its fields, that of one field below it
            self._describe()
        self._place = self._layout.count()
        if self._item or (self.spec.required and nested and self.spec.budget.spend(self.spec.depth)):
            self._state = "value"
            self._open()
        elif nested:
            self._add_opener()
        else:
            self._open()
        if not nested:
            self._describe()

    def _describe(self) -> None:
        text = self.spec.shape.description
        if not text or self._item or repeats_name(text, self.spec.name):
            return
        description = ForeignLabel(one_line(text, _SHORT))
        description.setToolTip(plain_tip(text) if len(text) > _SHORT else "")
        mark(description, role="muted")
        self._layout.addWidget(description)

    def _prefill(self) -> None:
        """Give a required field its default or first example; an optional one is not sent and shows it as a hint."""
        shape = self.spec.shape
        if self._item or not self.spec.required:
            return
        for key in ("default", "examples", "example"):
            value = shape.schema.get(key)
            if key == "examples":
                value = value[0] if isinstance(value, list) and value else None
            if value is not None:
                self.write(value)
                return
        if shape.kind in (Kind.CONST, Kind.NULL):
            self._state = "value"
        elif shape.kind is Kind.ENUM and len(shape.choices) == 1:
            self.write(shape.choices[0])

    def _open(self) -> Editor:
        """The editor, created when it is first needed."""
        if self._editor is None:
            self._set_editor(self._make(self.spec, self))
        assert self._editor is not None
        return self._editor

    def _set_editor(self, editor: Editor) -> None:
        if self._editor is not None:
            self._layout.removeWidget(self._editor)
            self._editor.hide()
            self._editor.deleteLater()
        if self._opener is not None:
            self._opener.hide()
        self._editor = editor
        self._layout.insertWidget(self._place, editor)
        editor.changed.connect(self._edited)

    def _write_value(self, value: JsonValue) -> None:
        if isinstance(self._editor, RawEditor) and self.spec.shape.kind is not Kind.RAW:
            self._set_editor(self._make(self.spec, self))
        editor = self._open()
        fits = editor.write(value)
        if fits and self.spec.shape.kind not in _NESTED:
            fits = identical(editor.read(), value)
        if not fits:
            raw = RawEditor(self.spec, self)
            raw.write(value)
            self._set_editor(raw)

    def _forget(self) -> None:
        self._state = ABSENT
        if self.spec.shape.kind in _NESTED or isinstance(self._editor, RawEditor):
            self._drop_editor()
        elif self._editor is not None:
            self._editor.blockSignals(True)
            self._editor.clear()
            self._editor.blockSignals(False)

    def _drop_editor(self) -> None:
        if self._editor is not None:
            self._layout.removeWidget(self._editor)
            self._editor.hide()
            self._editor.deleteLater()
            self._editor = None
        if self.spec.shape.kind in _NESTED:
            self._add_opener()
        else:
            self._open()

    def _add_opener(self) -> None:
        if self._opener is None:
            self._opener = QPushButton(icon("plus", "muted"), f"Add {one_line(self.spec.name, 40)}")
            mark(self._opener, kind="quiet")
            self._opener.clicked.connect(self._add_value)
            row = QHBoxLayout()
            row.addWidget(self._opener)
            row.addStretch(1)
            self._layout.insertLayout(self._place, row)
        self._opener.show()

    def _add_value(self) -> None:
        self._state = "value"
        self._open()
        self._show_state()
        self.changed.emit()
        self.focus_path()

    def _toggle_null(self, on: bool) -> None:
        if on:
            self._state = None
        else:
            self._state = "value" if self._item or self.spec.required else ABSENT
        self._show_state()
        self.changed.emit()

    def _remove_value(self) -> None:
        self.write(ABSENT)
        self.changed.emit()
        self.focus_path()

    def _edited(self) -> None:
        if self._state != "value":
            self._state = "value"
            self._show_state()
        self.changed.emit()

    def _nested_open(self) -> bool:
        return self._state == "value" and self._editor is not None and self.spec.shape.kind in _NESTED

    def _show_state(self) -> None:
        null = self._state is None
        self._head.show_state(sent=self._state is not ABSENT, null=null)
        self._head.allow_fold(self._nested_open())
        if not self._nested_open() and self._folded:
            self._folded = False
            self._head.show_fold(False, "")
        if self._editor is not None:
            self._editor.setVisible(not self._folded and not (null and self.spec.shape.kind in _NESTED))
        if self._opener is not None:
            self._opener.setVisible(self._editor is None and not null)
