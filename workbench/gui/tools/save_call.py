"""Saves a call as a file of the project: its name, its collection, and what is expected of the answer from now on."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.records import Outcome, SavedCall, SavedCalls

AS_IT_IS, VALUES, WHOLE, NOTHING = "as it is", "values", "whole", "nothing"


class SaveCallDialog(QDialog):
    """It stays open, with everything typed, when the core refuses."""

    kept = Signal(object)
    """Carries the SavedCall."""

    def __init__(
        self, context: Context, call: SavedCall, outcome: Outcome | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._call = call
        self._outcome = outcome
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Change the saved call" if call.file else "Save the call")
        self.setMinimumWidth(context.theme.unit * 120)
        self.name = self._field("Name", call.name or one_line(call.tool, 60))
        self.collection = CalmCombo()
        self.collection.setEditable(True)
        self.collection.setAccessibleName("Collection")
        self.collection.setEditText(call.collection if call.file else call.collection or one_line(call.server, 60))
        self.note = self._field("Note", call.note)
        self.tags = self._field("Tags", ", ".join(call.tags))
        self.expect = CalmCombo()
        self.expect.setAccessibleName("What is expected")
        self.fault = label("", "error")
        self.fault.setWordWrap(True)
        self.fault.hide()
        self._offer()
        self._lay_out(context.theme.unit)
        context.tasks.run("saved calls", context.api.saved_calls(), self._collections)
        self.name.selectAll()

    def save(self) -> None:
        """Write it; a fault is shown here."""
        self._save.setEnabled(False)
        self._context.tasks.run("save a call", self._keep())

    def call(self) -> SavedCall:
        """The call as it was typed."""
        tags = tuple(word.strip() for word in self.tags.text().split(",") if word.strip())
        return replace(
            self._call,
            name=self.name.text().strip(),
            collection=self.collection.currentText().strip(),
            note=self.note.text().strip(),
            tags=tags,
        )

    async def _keep(self) -> None:
        api, choice = self._context.api, self.expect.currentData()
        try:
            call = self.call()
            if choice == NOTHING:
                call = replace(call, expectations=(), kept=None)
            elif choice in (VALUES, WHOLE) and self._outcome is not None:
                call = await api.expect_this(call, self._outcome, choice == WHOLE)
            kept = await api.save_call(call, self._call.file)
        except WorkbenchError as fault:
            self.fault.setText(visible(f"{fault.message} {fault.hint}"))
            self.fault.show()
            self._save.setEnabled(True)
            return
        self.kept.emit(kept)
        self.accept()

    def _offer(self) -> None:
        if self._call.expectations:
            count = len(self._call.expectations)
            self.expect.addItem(f"What is expected already ({count})", AS_IT_IS)
        if self._outcome is not None:
            self.expect.addItem("What I just got: types and counts of its values", VALUES)
            self.expect.addItem("What I just got, word for word, apart from times and ids", WHOLE)
        self.expect.addItem("Only that it answers without an error", NOTHING)

    def _collections(self, saved: SavedCalls) -> None:
        typed = self.collection.currentText()
        for name in dict.fromkeys(call.collection for call in saved.calls if call.collection):
            self.collection.addItem(visible(name))
        self.collection.setEditText(typed)

    def _field(self, name: str, text: str) -> QLineEdit:
        field = QLineEdit(text)
        field.setAccessibleName(name)
        return field

    def _lay_out(self, unit: int) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(unit * 4)
        form.setVerticalSpacing(unit * 2)
        for words, field in (
            ("Name", self.name),
            ("Collection", self.collection),
            ("Note", self.note),
            ("Tags", self.tags),
            ("Expect", self.expect),
        ):
            form.addRow(label(words), field)
        self.tags.setPlaceholderText("smoke, slow")
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(label(self.windowTitle(), "heading"))
        where = "A file in the project's folder calls, for a team to share. Secret arguments are not written."
        about = label(where, "muted")
        about.setWordWrap(True)
        column.addWidget(about)
        column.addLayout(form)
        column.addWidget(self.fault)
        column.addLayout(self._buttons())

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addStretch(1)
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.reject)
        self._save = QPushButton("Save")
        self._save.setDefault(True)
        self._save.clicked.connect(self.save)
        mark(self._save, kind="primary")
        row.addWidget(cancel)
        row.addWidget(self._save)
        return row
