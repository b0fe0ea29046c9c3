"""Programs as files: reading, writing atomically, and the editor's Open, Save, Save as and Rename."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit, QWidget

from workbench.errors import WorkbenchError
from workbench.files import replacing_file
from workbench.gui.editor.drafts import Draft, digest_of, new_key
from workbench.gui.editor.program_tab import ProgramTab
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.plain_edit import is_unchanged_by_edit
from workbench.gui.shell.context import Context
from workbench.records import Fault

MAX_BYTES = 2_000_000
LANGUAGES = {".py": "python", ".ts": "typescript", ".json": "json", ".md": "markdown", ".toml": "toml"}
_BYTE_ORDER_MARK = "\ufeff"


class FileText(Struct, frozen=True):
    """The text of a file, with newlines as line ends."""

    text: str
    line_ends: str  # as in the file
    exact: bool  # whether saving the text again gives the same file


def read_text(path: Path) -> FileText:
    """Read a UTF-8 file of at most 2 MB."""
    try:
        if not path.is_file():
            raise WorkbenchError(f"{path.name} is not a file.", "Choose a file that contains a program.")
        if path.stat().st_size > MAX_BYTES:
            raise WorkbenchError(f"{path.name} is larger than 2 MB.", "Let a program read it from the workspace.")
        raw = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as fault:
        raise WorkbenchError(f"{path.name} is not UTF-8 text.", "Convert it to UTF-8 first.") from fault
    except OSError as fault:
        raise WorkbenchError(f"{path.name} cannot be read: {fault.strerror}.") from fault
    text = raw.removeprefix(_BYTE_ORDER_MARK)
    breaks = text.count("\r\n")
    plain = text.replace("\r\n", "\n")
    mixed = bool(breaks) and breaks != plain.count("\n")
    return FileText(plain, "\r\n" if breaks else "\n", is_unchanged_by_edit(plain) and not mixed and text == raw)


def write_text(path: Path, text: str, line_ends: str) -> None:
    """Replace a file atomically. A symbolic link and the file's permissions stay."""
    target, data = Path(os.path.realpath(path)), text.replace("\n", line_ends).encode("utf-8")
    hint = "Save it somewhere else; the editor still has the text."
    with replacing_file(target, mode=0o644, keep_mode=True, durable=False, name=path.name, hint=hint) as file:
        file.write(data)


def language_of(path: Path) -> str:
    return LANGUAGES.get(path.suffix.lower(), "markdown" if path.suffix.lower() == ".txt" else "python")


def suffix_of(language: str) -> str:
    return next((suffix for suffix, name in LANGUAGES.items() if name == language), ".py")


class ProgramFiles(QObject):
    """Opens files in tabs and saves tabs; asks before it overwrites what another program changed."""

    opened = Signal(object)
    """Carries the Draft to show in a tab."""
    changed = Signal()
    """The name or file of a tab changed."""

    def __init__(self, context: Context, question: Notice, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._question = question
        self._pane = parent

    def ask_open(self) -> None:
        dialog = self._dialog("Open a program", QFileDialog.AcceptMode.AcceptOpen)
        dialog.fileSelected.connect(self.open)
        dialog.open()

    def open(self, name: str) -> Fault | None:
        """Show a file in a tab; returns why that is not possible."""
        path = Path(name)
        try:
            held = read_text(path)
        except WorkbenchError as error:
            fault = Fault(error.message, error.hint)
            self._context.tasks.failed.emit(fault)
            return fault
        if not held.exact:
            reason = "contains characters or line ends that the editor cannot save unchanged"
            self._context.say(f"{path.name} {reason}. A copy is open instead.")
        file = str(path) if held.exact else ""
        draft = Draft(new_key(), path.name, held.text, language=language_of(path), file=file, line_ends=held.line_ends)
        self.opened.emit(draft)
        return None

    def save(self, tab: ProgramTab) -> None:
        """Write the tab to its file; without one, ask for a file name."""
        if not tab.file:
            self.ask_save(tab)
            return
        path = Path(tab.file)
        try:
            changed_elsewhere = digest_of(read_text(path).text) != tab.saved
        except WorkbenchError:
            changed_elsewhere = path.exists()
        if not changed_elsewhere:
            self._write(tab, path)
            return
        sentence = f"{path.name} was changed by another program since you opened it. Overwrite it?"
        hint = "“Compare with…” shows the difference."
        self._question.ask("warning", sentence, hint, "Overwrite", partial(self._write, tab, path))

    def ask_save(self, tab: ProgramTab) -> None:
        dialog = self._dialog("Save the program", QFileDialog.AcceptMode.AcceptSave)
        name = Path(tab.file).name if tab.file else f"{Path(tab.title).stem or 'program'}{suffix_of(tab.language)}"
        dialog.setDefaultSuffix(suffix_of(tab.language).removeprefix("."))
        dialog.selectFile(name)
        dialog.fileSelected.connect(partial(self.save_to, tab))
        dialog.open()

    def save_to(self, tab: ProgramTab, name: str) -> None:
        self._write(tab, Path(name))

    def ask_name(self, tab: ProgramTab) -> None:
        """Ask for a new name of the tab; its file is renamed with it."""
        dialog = QInputDialog(self._pane)
        dialog.setWindowTitle("Rename")
        dialog.setLabelText("Name of this program:")
        dialog.setTextValue(tab.title)
        for field in dialog.findChildren(QLineEdit):
            field.setAccessibleName("Name of this program")
        dialog.textValueSelected.connect(partial(self.rename, tab))
        dialog.open()

    def rename(self, tab: ProgramTab, name: str) -> None:
        name = " ".join(name.split())
        if not name or name == tab.title:
            return
        try:
            if tab.file:
                tab.file = str(_rename_file(Path(tab.file), name))
        except WorkbenchError as fault:
            tab.show_fault(fault)
            return
        tab.title = name
        tab.keep()
        self.changed.emit()

    def _write(self, tab: ProgramTab, path: Path) -> None:
        text = tab.text()
        try:
            write_text(path, text, tab.line_ends)
        except WorkbenchError as fault:
            tab.show_fault(fault)
            return
        tab.file, tab.title = str(path), path.name
        tab.mark_saved(text)
        self._context.say(f"Saved {path.name}.")
        self.changed.emit()

    def _dialog(self, title: str, mode: QFileDialog.AcceptMode) -> QFileDialog:
        dialog = QFileDialog(self._pane, title, str(self._context.paths.project))
        dialog.setAcceptMode(mode)
        opening = mode == QFileDialog.AcceptMode.AcceptOpen
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile if opening else QFileDialog.FileMode.AnyFile)
        dialog.setNameFilters(["Programs and texts (*.py *.ts *.json *.md *.toml *.txt)", "All files (*)"])
        return dialog


def _rename_file(path: Path, name: str) -> Path:
    if name in (".", "..") or "/" in name or "\0" in name:
        raise WorkbenchError(f"{name} is not a valid file name.", "Leave out slashes.")
    target = path.with_name(name)
    if target.exists():
        raise WorkbenchError(f"A file named {name} already exists.", "Choose another name.")
    try:
        os.rename(path, target)
    except OSError as fault:
        raise WorkbenchError(f"{path.name} could not be renamed: {fault.strerror}.") from fault
    return target
