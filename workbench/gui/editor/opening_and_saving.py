"""Opens programs from files and saves them, asking before it overwrites what another program changed."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.editor.drafts import Draft, new_key, print_of
from workbench.gui.editor.program_files import ending_of, language_of, read_text, write_text
from workbench.gui.editor.program_tab import Sheet
from workbench.gui.kit.faults import QuestionBar
from workbench.gui.shell.context import Context
from workbench.records import Fault


class Filing(QObject):
    """Belongs to the pane of programs."""

    opened = Signal(object)
    """Carries a Draft to be shown."""
    changed = Signal(object)
    """Carries a Sheet whose name or file changed."""

    def __init__(self, context: Context, ask: QuestionBar, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._ask = ask
        self._pane = parent

    def ask_open(self) -> None:
        dialog = self._dialog("Open a program", QFileDialog.AcceptMode.AcceptOpen)
        dialog.fileSelected.connect(self.open)
        dialog.open()

    def open(self, name: str) -> Fault | None:
        """Show a file in a tab; answers why not."""
        path = Path(name)
        try:
            held = read_text(path)
        except WorkbenchError as fault:
            self._context.tasks.failed.emit(Fault(fault.message, fault.hint))
            return Fault(fault.message, fault.hint)
        file = str(path) if held.whole else ""
        if not held.whole:
            words = "{0} holds characters or line ends that are shown, but not saved as they were: a copy is open."
            self._context.say(words.format(path.name))
        self.opened.emit(Draft(new_key(), path.name, held.text, "", 0, language_of(path), file, ends=held.ends))
        return None

    def save(self, sheet: Sheet) -> None:
        """To its file; without one, a person says where."""
        if not sheet.file:
            self.save_as(sheet)
            return
        try:
            elsewhere = print_of(read_text(Path(sheet.file)).text) != sheet.saved
        except WorkbenchError:
            elsewhere = os.path.exists(sheet.file)
        if not elsewhere:
            self._write(sheet, Path(sheet.file))
            return
        words = "{0} was changed by somebody else since you opened it. Write over it?"
        hint = "Compare with… shows what is different."
        name = Path(sheet.file).name
        act = partial(self._write, sheet, Path(sheet.file))
        self._ask.ask("alert", "warning", words.format(name), hint, "Write over it", act)

    def save_as(self, sheet: Sheet) -> None:
        dialog = self._dialog("Save the program", QFileDialog.AcceptMode.AcceptSave)
        name = (
            Path(sheet.file).name if sheet.file else f"{Path(sheet.title).stem or 'program'}{ending_of(sheet.language)}"
        )
        dialog.selectFile(name)
        dialog.fileSelected.connect(partial(self.save_to, sheet))
        dialog.open()

    def save_to(self, sheet: Sheet, name: str) -> None:
        self._write(sheet, Path(name))

    def ask_name(self, sheet: Sheet) -> None:
        """Another name for the tab; a file is renamed with it."""
        dialog = QInputDialog(self._pane)
        dialog.setWindowTitle("Rename")
        dialog.setLabelText("Name of this program:")
        dialog.setTextValue(sheet.title)
        for field in dialog.findChildren(QLineEdit):
            field.setAccessibleName("Name of this program")
        dialog.textValueSelected.connect(partial(self.rename, sheet))
        dialog.open()

    def rename(self, sheet: Sheet, name: str) -> None:
        name = " ".join(name.split())
        if not name or name == sheet.title:
            return
        try:
            if sheet.file:
                sheet.file = str(_moved(Path(sheet.file), name))
        except WorkbenchError as fault:
            sheet.fault.show_fault(Fault(fault.message, fault.hint))
            return
        sheet.title = name
        sheet.keep()
        self.changed.emit(sheet)

    def _write(self, sheet: Sheet, path: Path) -> None:
        text = sheet.text()
        try:
            write_text(path, text, sheet.ends)
        except WorkbenchError as fault:
            sheet.fault.show_fault(Fault(fault.message, fault.hint))
            return
        sheet.fault.show_fault(None)
        sheet.file, sheet.title, sheet.saved, sheet.original = str(path), path.name, print_of(text), text
        sheet.keep()
        self._context.say(f"Saved {path.name}.")
        self.changed.emit(sheet)

    def _dialog(self, title: str, mode: QFileDialog.AcceptMode) -> QFileDialog:
        dialog = QFileDialog(self._pane, title, str(self._context.paths.project))
        dialog.setAcceptMode(mode)
        opening = mode == QFileDialog.AcceptMode.AcceptOpen
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile if opening else QFileDialog.FileMode.AnyFile)
        dialog.setNameFilters(["Programs and texts (*.py *.ts *.json *.md *.toml *.txt)", "All files (*)"])
        return dialog


def _moved(path: Path, name: str) -> Path:
    target = path.with_name(name) if name not in (".", "..") and "/" not in name and "\0" not in name else None
    if target is None:
        raise WorkbenchError(f"{name} is no name of a file.", "Leave out slashes.")
    if target.exists():
        raise WorkbenchError(f"There is a {name} already.", "Choose another name.")
    try:
        os.rename(path, target)
    except OSError as fault:
        raise WorkbenchError(f"{path.name} could not be renamed: {fault.strerror}.") from fault
    return target
