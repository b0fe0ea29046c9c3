"""Saves a call as a file of the project: its name, its collection, and what is expected of its answer."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtWidgets import QLineEdit, QWidget

from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.dialogs import FormDialog
from workbench.gui.kit.text import one_line, visible
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import ShowSavedCall
from workbench.records import Outcome, SavedCall, SavedCalls
from workbench.records.common_types import count_of

CURRENT, SHAPE, EXACT, SUCCESS = "current", "shape", "exact", "success"
"""Expectations: the ones the call has, types and counts of the last answer, the complete last answer, or no error."""


class SaveCallDialog(FormDialog):
    """Stays open with its content if the core refuses the call, for example because the name is taken."""

    def __init__(
        self, context: Context, call: SavedCall, outcome: Outcome | None, parent: QWidget | None = None
    ) -> None:
        title = "Edit saved call" if call.file else "Save call"
        intro = "Writes a file into the project's folder “calls” that a team can share, without secret arguments."
        super().__init__(context.theme, title, intro, parent)
        self._context = context
        self._call = call
        self._outcome = outcome
        self.setMinimumWidth(context.theme.unit * 120)
        self.name = QLineEdit(call.name or one_line(call.tool, 60))
        self.collection = CalmCombo()
        self.collection.setEditable(True)
        self.collection.setEditText(call.collection if call.file else call.collection or one_line(call.server, 60))
        self.note = QLineEdit(call.note)
        self.tags = QLineEdit(", ".join(call.tags))
        self.tags.setPlaceholderText("smoke, slow")
        self.expect = CalmCombo()
        for text, choice in self._expectations():
            self.expect.addItem(text, choice)
        self.add_row("Name", self.name)
        self.add_row("Collection", self.collection)
        self.add_row("Note", self.note)
        self.add_row("Tags", self.tags)
        self.add_row("Expected answer", self.expect)
        self.add_submit("Save", self.save)
        context.tasks.run("saved calls", context.api.saved_calls(), self._show_collections)
        self.name.setFocus()
        self.name.selectAll()

    def save(self) -> None:
        """Write the file and close; a fault is shown in the dialog."""
        self.run(self._context.tasks, "save a call", self._save(), closes=True)

    def call(self) -> SavedCall:
        """The call with what the user entered."""
        return replace(
            self._call,
            name=self.name.text().strip(),
            collection=self.collection.currentText().strip(),
            note=self.note.text().strip(),
            tags=tuple(tag.strip() for tag in self.tags.text().split(",") if tag.strip()),
        )

    async def _save(self) -> None:
        api, choice, call = self._context.api, self.expect.currentData(), self.call()
        if choice == SUCCESS:
            call = replace(call, expectations=(), kept=None)
        elif choice in (SHAPE, EXACT) and self._outcome is not None:
            call = await api.expect_this(call, self._outcome, choice == EXACT)
        saved = await api.save_call(call, self._call.file)
        self._context.say(f"Saved as {saved.file}.", show=ShowSavedCall(saved.file))

    def _expectations(self) -> list[tuple[str, str]]:
        choices = [("No error", SUCCESS)]
        if self._outcome is not None:
            choices.insert(0, ("Same values as the last answer, except times and ids", EXACT))
            choices.insert(0, ("Same types and counts as the last answer", SHAPE))
        if count := len(self._call.expectations):
            choices.insert(0, (f"Keep the {count_of(count, 'expectation')} of the saved call", CURRENT))
        return choices

    def _show_collections(self, saved: SavedCalls) -> None:
        typed = self.collection.currentText()
        for name in dict.fromkeys(call.collection for call in saved.calls if call.collection):
            self.collection.addItem(visible(name))
        self.collection.setEditText(typed)
