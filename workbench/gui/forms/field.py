"""One named value of the form: its label, whether it is sent, its editor, its description, its fault.

A field that nobody touched is not sent, which is something else than null or an empty text. Editors with fields of
their own are made when the field is first set, so a schema that contains itself costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from workbench.gui.forms.brief import ABSENT, Absent, Brief
from workbench.gui.forms.check import PathFault, written
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.json_text import identical
from workbench.gui.forms.raw_editor import RawEditor
from workbench.gui.forms.shape import Kind
from workbench.gui.icons import icon
from workbench.gui.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.theme import mark
from workbench.records import JsonValue

Make: TypeAlias = Callable[[Brief, QWidget | None], Editor]

_NESTED = (Kind.OBJECT, Kind.MAP, Kind.ARRAY, Kind.CHOICE)
_SHORT = 160  # characters of a description under its field; the whole is in the tooltip


class Field(QWidget):
    """A row of the form."""

    changed = Signal()

    def __init__(self, brief: Brief, make: Make, parent: QWidget | None = None, *, item: bool = False) -> None:
        super().__init__(parent)
        self.brief = brief
        self._make = make
        self._item = item  # an entry of a list or map is always sent
        self._state: Absent | str | None = "value" if item else ABSENT
        self._editor: Editor | None = None
        self._fault: ForeignLabel | None = None
        self._opener: QPushButton | None = None
        self._null: QToolButton | None = None
        self._unset: QToolButton | None = None
        self._build()
        self._prefill()
        self._show_state()

    def read(self) -> JsonValue | Absent:
        if self._state is ABSENT:
            return ABSENT
        if self._state is None:
            return None
        return self._open().read()

    def write(self, value: JsonValue | Absent) -> None:
        """Take a value whatever it is: what the editor cannot hold unchanged is shown as JSON."""
        if value is ABSENT:
            self._forget()
        elif value is None and self.brief.shape.nullable:
            self._state = None
        else:
            self._state = "value"
            self._take(value)
        self._show_state()

    def own_faults(self) -> tuple[PathFault, ...]:
        return self._open().own_faults() if self._state == "value" else ()

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        """Show the first fault of this very value, hand the deeper ones on. An untouched field is not scolded yet."""
        own = [sentence for path, sentence in faults if not path]
        deeper = [fault for fault in faults if fault[0]]
        untouched = self._state is ABSENT and not strict
        nested = self._editor is not None and self._state == "value" and not isinstance(self._editor, RawEditor)
        if deeper and not nested:
            own.append(f"{written(deeper[0][0])} {deeper[0][1]}")
        self._say("" if untouched or not own else own[0])
        if self._editor is not None:
            self._editor.show_faults(deeper, strict)

    def matches(self, words: str) -> bool:
        """Whether a filter text occurs in the name or the description."""
        return words in self.brief.name.lower() or words in self.brief.shape.description.lower()

    def add_tool(self, button: QToolButton) -> None:
        """Put a button at the end of the header line."""
        self._header.addWidget(button)

    def reach(self) -> None:
        """Put the keyboard into this field."""
        (self._editor or self._opener or self).setFocus(Qt.FocusReason.OtherFocusReason)

    def _build(self) -> None:
        unit = self.brief.theme.unit
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(max(1, unit // 2))
        self._header = QHBoxLayout()
        self._header.setSpacing(unit)
        name = ForeignLabel(self.brief.name, elide=False)
        name.setWordWrap(False)
        mark(name, role="mono" if not self._item else "muted")
        kind = ForeignLabel(self._kind_words())
        kind.setWordWrap(False)
        mark(kind, role="muted")
        self._header.addWidget(name)
        self._header.addWidget(kind)
        self._header.addStretch(1)
        self._layout.addLayout(self._header)
        if self.brief.shape.nullable:
            self._add_null()
        if self._item or (self.brief.required and self.brief.shape.kind in _NESTED):
            self._state = "value"
            self._open()
        elif self.brief.shape.kind in _NESTED:
            self._add_opener()
        else:
            self._open()
        self._describe()

    def _kind_words(self) -> str:
        words = self.brief.shape.type_word
        return self.tr("{0} · required").format(words) if self.brief.required and not self._item else words

    def _describe(self) -> None:
        words = self.brief.shape.description
        if not words or self._item:
            return
        label = ForeignLabel(one_line(words, _SHORT))
        label.setToolTip(plain_tip(words) if len(words) > _SHORT else "")
        mark(label, role="muted")
        self._layout.addWidget(label)

    def _prefill(self) -> None:
        """Required fields start with their default or first example; optional ones start unsent and only hint at it."""
        shape = self.brief.shape
        if self._item or not self.brief.required:
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
        """The editor, made when it is first needed."""
        if self._editor is None:
            self._set_editor(self._make(self.brief, self))
        assert self._editor is not None
        return self._editor

    def _set_editor(self, editor: Editor) -> None:
        if self._editor is not None:
            self._layout.removeWidget(self._editor)
            self._editor.deleteLater()
        if self._opener is not None:
            self._opener.hide()
        self._editor = editor
        self._layout.insertWidget(1, editor)
        editor.changed.connect(self._edited)

    def _take(self, value: JsonValue) -> None:
        if isinstance(self._editor, RawEditor) and self.brief.shape.kind is not Kind.RAW:
            self._set_editor(self._make(self.brief, self))
        editor = self._open()
        fits = editor.write(value)
        if fits and self.brief.shape.kind not in _NESTED:
            fits = identical(editor.read(), value)
        if not fits:
            raw = RawEditor(self.brief, self)
            raw.write(value)
            self._set_editor(raw)

    def _forget(self) -> None:
        self._state = ABSENT
        if self.brief.shape.kind in _NESTED or isinstance(self._editor, RawEditor):
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
        if self.brief.shape.kind in _NESTED:
            self._add_opener()
        else:
            self._open()

    def _add_opener(self) -> None:
        if self._opener is None:
            self._opener = QPushButton(icon("plus", "muted"), self.tr("Add {0}").format(one_line(self.brief.name, 40)))
            mark(self._opener, kind="quiet")
            self._opener.clicked.connect(self._set_by_person)
            row = QHBoxLayout()
            row.addWidget(self._opener)
            row.addStretch(1)
            self._layout.insertLayout(1, row)
        self._opener.show()

    def _set_by_person(self) -> None:
        self._state = "value"
        self._open()
        self._show_state()
        self.changed.emit()
        self.reach()

    def _add_null(self) -> None:
        self._null = QToolButton(self)
        self._null.setText("null")
        self._null.setCheckable(True)
        self._null.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._null.setAccessibleName(self.tr("Send null for {0}").format(visible(self.brief.name)))
        self._null.setToolTip(self.tr("Send null instead of a value"))
        self._null.clicked.connect(self._toggle_null)
        self._header.addWidget(self._null)

    def _toggle_null(self, on: bool) -> None:
        if on:
            self._state = None
        else:
            self._state = "value" if self._item else ABSENT
        self._show_state()
        self.changed.emit()

    def _unset_by_person(self) -> None:
        self.write(ABSENT)
        self.changed.emit()
        self.reach()

    def _edited(self) -> None:
        if self._state != "value":
            self._state = "value"
            self._show_state()
        self.changed.emit()

    def _show_state(self) -> None:
        if self._null is not None:
            self._null.setChecked(self._state is None)
        if self._editor is not None:
            self._editor.setVisible(not (self._state is None and self.brief.shape.kind in _NESTED))
        sent = self._state is not ABSENT
        if not self._item and not self.brief.required and self._unset is None:
            self._add_unset()
        if self._unset is not None:
            self._unset.setVisible(sent)

    def _add_unset(self) -> None:
        self._unset = QToolButton(self)
        self._unset.setIcon(icon("x", "muted"))
        self._unset.setAutoRaise(True)
        self._unset.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._unset.setAccessibleName(self.tr("Do not send {0}").format(visible(self.brief.name)))
        self._unset.setToolTip(self.tr("Do not send this value"))
        self._unset.clicked.connect(self._unset_by_person)
        policy = self._unset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that nothing moves while one types
        self._unset.setSizePolicy(policy)
        self._header.addWidget(self._unset)

    def _say(self, sentence: str) -> None:
        if self._fault is None:
            if not sentence:
                return
            self._fault = ForeignLabel()
            mark(self._fault, role="error")
            self._layout.addWidget(self._fault)
        if self._fault.full_text() != sentence:
            self._fault.setText(sentence)
        self._fault.setVisible(bool(sentence))
