"""One of several shapes (`anyOf`, `oneOf`, a list of types): a switch and the editor of the chosen shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.calm_combo import CalmCombo
from workbench.gui.forms.brief import Brief
from workbench.gui.forms.check import FieldPath, PathFault, faults_of
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.field import Make
from workbench.gui.forms.json_text import identical
from workbench.gui.forms.shape import Kind, shape_of
from workbench.gui.text import one_line
from workbench.records import JsonObject, JsonValue

_PLACES = 2_000  # schemas looked at to rank one shape; a wrong rank costs nothing, a long look does


class EitherEditor(Editor):
    """What was entered in one shape is kept while another is looked at."""

    def __init__(self, brief: Brief, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._make = make
        self._branches = brief.shape.branches
        self._made: dict[int, Editor] = {}
        self._switch = CalmCombo(self)
        self._switch.addItems([_label(branch, brief.root) for branch in self._branches])
        self._switch.setAccessibleName(f"Shape of {brief.name}")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(brief.theme.unit)
        self._layout.addWidget(self._switch)
        self.setFocusProxy(self._switch)
        self._show(0)
        self._switch.currentIndexChanged.connect(self._switched)

    def read(self) -> JsonValue:
        return self._current().read()

    def write(self, value: JsonValue) -> bool:
        """The branch with the fewest faults that gives the value back unchanged."""
        root = self.brief.root
        ranked = sorted(
            range(len(self._branches)), key=lambda row: len(faults_of(value, self._branches[row], root, _PLACES))
        )
        for row in ranked:
            editor = self._editor(row)
            if editor.write(value) and identical(editor.read(), value):
                self._switch.blockSignals(True)
                self._switch.setCurrentIndex(row)
                self._switch.blockSignals(False)
                self._show(row)
                return True
        return False

    def clear(self) -> None:
        for editor in self._made.values():
            editor.clear()

    def own_faults(self) -> tuple[PathFault, ...]:
        return self._current().own_faults()

    def show_faults(self, faults: Sequence[PathFault], strict: bool) -> None:
        self._current().show_faults(faults, strict)

    def reach(self, path: FieldPath) -> None:
        if path:
            self._current().reach(path)
        else:
            super().reach(path)

    def _current(self) -> Editor:
        return self._editor(max(self._switch.currentIndex(), 0))

    def _editor(self, row: int) -> Editor:
        if row not in self._made:
            editor = self._make(self.brief.branch(self._branches[row]), self)
            editor.changed.connect(self.changed)
            self._layout.addWidget(editor)
            self._made[row] = editor
        return self._made[row]

    def _switched(self, row: int) -> None:
        self._show(row)
        self.changed.emit()

    def _show(self, row: int) -> None:
        chosen = self._editor(row)
        for editor in self._made.values():
            editor.setVisible(editor is chosen)


def _label(branch: JsonObject, root: JsonObject) -> str:
    """What a branch is called: its title, the value that marks it, or its type and fields."""
    if isinstance(branch.get("title"), str):
        return one_line(branch["title"], 60)
    shape = shape_of(branch, root)
    for name, part in shape.properties.items():
        if isinstance(part, Mapping) and isinstance(part.get("const"), str):
            return one_line(f"{name}: {part['const']}", 60)
    if shape.kind is Kind.OBJECT and shape.properties:
        names = ", ".join(sorted(shape.required) or list(shape.properties))
        return one_line(f"{shape.kind} with {names}", 60)
    if shape.kind is Kind.ARRAY:
        return one_line(f"list of {shape_of(shape.items, root).type_word}", 60)
    if shape.kind is Kind.ENUM:
        return one_line(" | ".join(map(str, shape.choices)), 60)
    return shape.type_word
