"""Actions on files of the workspace. The user is asked before anything is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from workbench.gui.kit.dialogs import Question, ask_target
from workbench.gui.kit.text import one_line, visible
from workbench.gui.shell.context import Context
from workbench.records.common_types import count_of


class FileCommands(QObject):
    """Binds the file actions. `folder` is where something new goes, `paths` are the selected files and folders."""

    done = Signal(str)
    """Carries the path of what was created or moved, or nothing."""

    def __init__(
        self, context: Context, owner: QWidget, folder: Callable[[], str], paths: Callable[[], tuple[str, ...]]
    ) -> None:
        super().__init__(owner)
        self._context, self._owner = context, owner
        self._folder, self._paths = folder, paths
        for action, work in (
            ("files.new", self._new_file),
            ("files.folder", self._new_folder),
            ("files.rename", self._rename),
            ("files.remove", self._remove),
            ("files.bring", self._choose_import),
            ("files.take", self._choose_export),
            ("files.copy_path", self._copy_path),
            ("files.outside", self._show_in_file_manager),
            ("files.forget", self._delete_history),
            ("cache.clear", self._clear_cache),
        ):
            context.commands.bind(action, work)

    def import_files(self, paths: tuple[str, ...], folder: str) -> None:
        """Copy files into a folder of the workspace."""
        self._context.tasks.run("import files", self._import(paths, folder))

    async def _new_file(self) -> None:
        if path := await self._ask_path("New file", "An empty text file in the workspace.", self._start(), "Create"):
            await self._context.api.write_file(path, "")
            self.done.emit(path)

    async def _new_folder(self) -> None:
        if path := await self._ask_path("New folder", "A folder in the workspace.", self._start(), "Create"):
            await self._context.api.make_folder(path)
            self.done.emit(path)

    async def _rename(self) -> None:
        old = self._paths()[0]
        sentence = "The path in the workspace. A different folder moves the file. Existing files are not replaced."
        new = await self._ask_path("Rename or move", sentence, old, "Rename")
        if new and new != old:
            await self._context.api.rename_file(old, new)
            self.done.emit(new)

    async def _remove(self) -> None:
        paths = self._paths()
        subject = one_line(paths[0], 80) if len(paths) == 1 else f"{len(paths):,} files and folders"
        sentence = "A folder is deleted with everything in it. To restore it, undo this under Changes."
        text = "\n".join(paths[:500])
        window = self._owner.window()
        if await self._context.ask(f"Delete {subject}?", sentence, "Delete", danger=True, text=text, parent=window):
            await self._context.api.remove_files(paths)
            self._context.say("Deleted. You can undo this under Changes.")
            self.done.emit("")

    def _choose_import(self) -> None:
        folder = self._folder()
        dialog = QFileDialog(self._owner.window(), "Import files into the workspace")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda paths: self.import_files(tuple(paths), folder))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    async def _import(self, paths: tuple[str, ...], folder: str) -> None:
        files = await self._context.api.import_files(paths, folder)
        what = one_line(files[0].path, 80) if len(files) == 1 else count_of(len(files), "file")
        self._context.say(f"Imported {what}.")
        self.done.emit(files[0].path if files else "")

    def _choose_export(self) -> None:
        path = self._paths()[0]
        ask_target(
            self._owner.window(), "Save a copy", path.rpartition("/")[2],
            lambda target: self._context.tasks.run("copy a file", self._export(path, target)),
        )  # fmt: skip

    async def _export(self, path: str, target: str) -> None:
        await self._context.api.export_file(path, target)
        self._context.say(f"Copied to {target}.")

    def _copy_path(self) -> None:
        QGuiApplication.clipboard().setText(str(self._context.paths.workspace / self._paths()[0]))
        self._context.say("Path copied.")

    def _show_in_file_manager(self) -> None:
        """Opens the folder, never the file, because opening a file could execute it."""
        paths, workspace = self._paths(), self._context.paths.workspace
        folder = (workspace / paths[0]).parent if paths else workspace
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._context.say(f"No file manager could be opened. The folder is {folder}.")

    async def _delete_history(self) -> None:
        sentence = "Changes made so far can no longer be undone. The files stay as they are."
        window = self._owner.window()
        if await self._context.ask("Delete earlier states?", sentence, "Delete", danger=True, parent=window):
            await self._context.api.delete_file_history()

    async def _clear_cache(self) -> None:
        number = await self._context.api.clear_cache()
        self._context.say(f"Cleared {count_of(number, 'cached answer')}.")
        self.done.emit("")

    async def _ask_path(self, title: str, sentence: str, start: str, yes: str) -> str:
        question = Question(self._context.theme, title, sentence, self._owner.window())
        field = QLineEdit(visible(start))
        field.setAccessibleName("Path in the workspace")
        name = start.rpartition("/")[2]
        field.setSelection(len(start) - len(name), len(Path(name).stem) if name else 0)
        return await question.ask_text(field, yes) or ""

    def _start(self) -> str:
        folder = self._folder()
        return f"{folder}/" if folder else ""
