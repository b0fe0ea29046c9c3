"""What a person does with files, each asked for in words where something could be lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from workbench.gui.kit.faults import Question
from workbench.gui.kit.text import one_line, visible
from workbench.gui.shell.context import Context


class FileDeeds(QObject):
    """Of one pane; the core tells what became of it."""

    done = Signal(str)
    """Carries the path of what is there now, or nothing."""

    def __init__(self, context: Context, owner: QWidget) -> None:
        super().__init__(owner)
        self._context, self._owner = context, owner

    async def new_file(self, folder: str) -> None:
        path = await self._ask_name("New file", "A text file of the workspace.", _begin(folder))
        if path:
            await self._context.api.write_file(path, "")
            self.done.emit(path)

    async def new_folder(self, folder: str) -> None:
        path = await self._ask_name("New folder", "A folder of the workspace.", _begin(folder))
        if path:
            await self._context.api.make_folder(path)
            self.done.emit(path)

    async def rename(self, path: str) -> None:
        words = "The path below the workspace; another folder moves it. Nothing is replaced by it."
        to = await self._ask_name("Rename or move", words, path, "Rename")
        if to and to != path:
            await self._context.api.rename_file(path, to)
            self.done.emit(to)

    async def remove(self, paths: tuple[str, ...]) -> None:
        many = f"Delete {len(paths)} files and folders?"
        title = many if len(paths) > 1 else f"Delete {one_line(paths[0], 80)}?"
        words = "A folder goes with all that is in it. “Changes” brings back what is kept."
        question = Question(self._context.theme, title, words, self._owner.window())
        question.show_text("\n".join(paths[:500]), "What is deleted")
        if await question.ask("Delete", danger=True):
            await self._context.api.remove_files(paths)
            self._context.say("Deleted. Undo it under “Changes”.")
            self.done.emit("")

    def bring(self, folder: str) -> None:
        """Ask for files, then copy them in."""
        dialog = QFileDialog(self._owner.window(), "Bring files into the workspace")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda paths: self.brought(tuple(paths), folder))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def brought(self, paths: tuple[str, ...], folder: str) -> None:
        """Copy these in."""
        self._context.tasks.run("bring files in", self._bring(paths, folder))

    async def _bring(self, paths: tuple[str, ...], folder: str) -> None:
        found = await self._context.api.import_files(paths, folder)
        one = f"{one_line(found[0].path, 80)} is in the workspace now." if found else ""
        self._context.say(one if len(found) == 1 else f"{len(found)} files were copied.")
        self.done.emit(found[0].path if found else "")

    def take(self, path: str) -> None:
        """Ask where to, then copy it there."""
        dialog = QFileDialog(self._owner.window(), "Save a copy")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(path.rpartition("/")[2])
        dialog.fileSelected.connect(lambda target: self._take(path, target))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take(self, path: str, target: str) -> None:
        done: Callable[[int], None] = lambda size: self._context.say(f"Copied to {target}.")  # noqa: E731
        self._context.tasks.run("copy a file out", self._context.api.export_file(path, target), done)

    def copy_path(self, path: str) -> None:
        QGuiApplication.clipboard().setText(str(self._context.paths.workspace / path))
        self._context.say("The path was copied.")

    def show_outside(self, path: str) -> None:
        """The folder, never the file: opening a file could run it."""
        place = (self._context.paths.workspace / path).parent if path else self._context.paths.workspace
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(place))):
            self._context.say(f"No file manager answered. The folder is {place}.")

    async def forget(self) -> None:
        words = "The changes so far cannot be undone any more. The files stay as they are."
        question = Question(self._context.theme, "Forget earlier states?", words, self._owner.window())
        if await question.ask("Forget", danger=True):
            await self._context.api.delete_file_history()

    async def clear_cache(self) -> None:
        gone = await self._context.api.clear_cache()
        self._context.say(f"{gone} kept answers were forgotten.")
        self.done.emit("")

    async def _ask_name(self, title: str, words: str, begin: str, yes: str = "") -> str:
        question = Question(self._context.theme, title, words, self._owner.window())
        field = QLineEdit(visible(begin))
        field.setAccessibleName("Path below the workspace")
        typed = [field.text()]
        field.textChanged.connect(typed.append)  # the field is gone when the answer is there
        question.add(field)
        name = begin.rpartition("/")[2]
        field.setSelection(len(begin) - len(name), len(Path(name).stem) if name else 0)
        agreed = await question.ask(yes or "Make")
        return typed[-1].strip() if agreed else ""


def _begin(folder: str) -> str:
    return f"{folder}/" if folder else ""
