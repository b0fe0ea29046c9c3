"""API methods about the workspace: its files, what runs changed, undo, and changes that wait for the user."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from workbench.api.marker import api
from workbench.api_handlers.request_handler import BY, RequestHandler
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import FilesChanged, FilesHeld
from workbench.records import FileChanges, FileInfo, FilePiece, KeptFiles, UndoPlan
from workbench.runs.run_manager import RunManager
from workbench.workspace import file_change_records
from workbench.workspace.file_names import displayed_name
from workbench.workspace.snapshots import Writer
from workbench.workspace.undo import Undoing
from workbench.workspace.workspace_files import export_file, import_files

Answer = TypeVar("Answer")


def _count(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"


class WorkspaceHandler(RequestHandler):
    """Files of the workspace. Every method reads or writes the disk on a thread."""

    def __init__(self, services: Services, run_manager: RunManager) -> None:
        super().__init__(services)
        self._manager = run_manager

    @api(in_thread=True)
    def file_piece(self, path: str, start: int = 0) -> FilePiece:
        """A part of a file's text, starting at this byte."""
        return file_change_records.piece(self._services.workspace_files, path, start)

    # ── what the user changes ────────────────────────────────────────────────────────────────────
    @api(decides=True)
    async def write_file(self, path: str, text: str) -> FileInfo:
        return await self._change_as_user(
            f"wrote {path}", (path,), lambda: self._services.workspace_files.write(path, text)
        )

    @api(decides=True)
    async def make_folder(self, path: str) -> FileInfo:
        return await self._change_as_user(
            f"created the folder {path}", (path,), lambda: self._services.workspace_files.make_folder(path)
        )

    @api(decides=True)
    async def rename_file(self, path: str, to: str) -> FileInfo:
        return await self._change_as_user(
            f"moved {path} to {to}", (path, to), lambda: self._services.workspace_files.rename(path, to)
        )

    @api(decides=True)
    async def remove_files(self, paths: tuple[str, ...]) -> FileChanges:
        words = paths[0] if len(paths) == 1 else f"{len(paths)} files"
        writer = self._writer(f"deleted {words}", paths)

        def remove() -> None:
            for path in paths:
                self._services.workspace_files.remove(path)

        await self._run_change(writer, remove)
        return FileChanges(writer.id, writer.kind, BY, writer.label, 0.0, count=len(writer.files))

    @api(decides=True)
    async def import_files(self, sources: tuple[str, ...], folder: str = "") -> tuple[FileInfo, ...]:
        words = Path(sources[0]).name if len(sources) == 1 else f"{len(sources)} files"
        bring = self._services.workspace_files
        return await self._change_as_user(f"imported {words}", (), lambda: import_files(bring, sources, folder))

    @api(decides=True)
    async def export_file(self, path: str, target: str) -> int:
        size = await asyncio.to_thread(export_file, self._services.workspace_files, path, Path(target))
        self._note("file.copied_out", f"You copied {path} out of the workspace")
        return size

    # ── what runs changed ────────────────────────────────────────────────────────────────────────
    @api(in_thread=True)
    def file_changes(self, most: int = 100) -> tuple[FileChanges, ...]:
        """Changes by runs and by the user, newest first."""
        with self._services.snapshots.opened() as book:
            return (
                tuple(file_change_records.changes_record(*one) for one in book.newest(most)) if book is not None else ()
            )

    @api(in_thread=True)
    def changes_of(self, name: str) -> FileChanges:
        """The changes of one run, or of one action of the user."""
        return file_change_records.changes_record(self._undoing.find(name))

    @api(in_thread=True)
    def changed_text(self, name: str, path: str) -> tuple[str, ...]:
        """A file's text before and after that change."""
        return file_change_records.texts_before_and_after(
            self._services.snapshots.contents, self._undoing.find(name), path
        )

    @api(in_thread=True)
    def undo_plan(self, name: str) -> UndoPlan:
        """What undoing a change would do now, file by file."""
        changes, steps = self._undoing.plan(name)
        return UndoPlan(
            file_change_records.changes_record(changes),
            tuple(map(file_change_records.line, steps[: file_change_records.MOST_TOLD])),
        )

    @api(decides=True)
    async def undo_files(self, name: str, paths: tuple[str, ...]) -> FileChanges:
        undoing, wanted = self._undoing, frozenset(paths)

        def undo() -> FileChanges:
            real = [path for path in undoing.find(name).files if displayed_name(path) in wanted]
            return file_change_records.changes_record(undoing.undo(name, real, BY))

        done = await asyncio.to_thread(undo)
        count = f"{done.count:,} files" if done.count != 1 else "one file"
        self._note("file.changes_undone", f"You undid changes of {count}", run_id=name if not name.count("-") else "")
        self._services.tell(FilesChanged(done.id, done.count))
        return done

    # ── what programs want to change ─────────────────────────────────────────────────────────────
    @api(in_thread=True)
    def held_files(self) -> tuple[FileChanges, ...]:
        """Changes of unapproved programs, newest first; each under the id of its run."""
        return tuple(file_change_records.changes_record(one) for one in self._services.held_files.all())

    @api(in_thread=True)
    def held_plan(self, run_id: str) -> UndoPlan:
        """What allowing all changes of a run would do now, file by file."""
        held = self._services.held_files
        asked = held.requested_changes(run_id)
        _, steps = held.plan(run_id)
        return UndoPlan(
            file_change_records.changes_record(asked),
            tuple(map(file_change_records.held_line, steps[: file_change_records.MOST_TOLD])),
        )

    @api(in_thread=True)
    def held_text(self, run_id: str, path: str) -> tuple[str, ...]:
        """The current content of the file, and the content that the program wants to write."""
        held = self._services.held_files
        now = file_change_records.current(self._services.workspace_files, path)
        return now, file_change_records.proposed(held.contents, held.requested_changes(run_id), path)

    @api(decides=True, consent=True)
    async def decide_files(self, run_id: str, allow: tuple[str, ...], deny: tuple[str, ...]) -> FileChanges:
        """Write the allowed changes and drop the denied ones; changes in neither list stay held."""
        held, terminal = self._services.held_files, self._check_terminal(of_agent=True)

        def decide() -> tuple[FileChanges, tuple[str, ...]]:
            names = {displayed_name(path): path for path in held.requested_changes(run_id).files}
            if unknown := [path for path in (*allow, *deny) if path not in names]:
                raise WorkbenchError(f"No change of {unknown[0]} waits for a decision.", "Reload the list.")
            done = held.decide(run_id, [names[path] for path in allow], [names[path] for path in deny], BY)
            left = next((one.files for one in held.all() if one.id == run_id), {})
            return file_change_records.changes_record(done), tuple(sorted(map(displayed_name, left)))

        done, left = await asyncio.to_thread(decide)
        written = [one.path for one in done.files]
        words = f"{_count(len(written))} written, {_count(len(deny))} left unchanged"
        self._note(
            "file.held_changes_decided",
            f"You decided what a program may change: {words}",
            run_id=run_id,
            terminal=terminal,
        )
        self._manager.update_held_files(run_id, left)
        self._services.tell(FilesHeld(run_id, len(left)))
        if written:
            self._services.tell(FilesChanged(done.id, done.count))
        return done

    @api(in_thread=True)
    def storage_usage(self) -> KeptFiles:
        """How much is stored for undo, and how many answers are cached."""
        count, size = self._services.snapshots.stored_size()
        undo_bytes = self._services.settings().workspace_undo_mb * 1_000_000
        return KeptFiles(count, size, undo_bytes, *self._services.answer_cache.size())

    @api(decides=True)
    async def clear_cache(self, server: str = "") -> int:
        gone = await asyncio.to_thread(self._services.answer_cache.forget, server)
        self._note("cache.cleared", f"You deleted cached answers: {gone}", server=server)
        return gone

    @api(decides=True)
    async def delete_file_history(self) -> None:
        await asyncio.to_thread(self._services.snapshots.forget)
        self._note("file.history_deleted", "You deleted the history of workspace changes")
        self._services.tell(FilesChanged("", 0))

    @property
    def _undoing(self) -> Undoing:
        return Undoing(self._services.snapshots)

    def _writer(self, words: str, paths: tuple[str, ...]) -> Writer:
        """Return the author of a change by the user. Names with escapes are spelled differently on disk; with such
        names, all changes made meanwhile count as the user's."""
        only = () if any("\\" in path for path in paths) else paths
        return Writer(f"you-{secrets.token_hex(6)}", "person", BY, words, only=only)

    async def _change_as_user(self, words: str, paths: tuple[str, ...], work: Callable[[], Answer]) -> Answer:
        return await self._run_change(self._writer(words, paths), work)

    async def _run_change(self, writer: Writer, work: Callable[[], Answer]) -> Answer:
        def change_files() -> Answer:
            with self._services.snapshots.direct_change(writer):
                return work()

        answer = await asyncio.to_thread(change_files)
        self._note("file.changed", f"You {writer.label}")
        self._services.tell(FilesChanged(writer.id, len(writer.files)))
        return answer
