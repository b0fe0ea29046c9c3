"""The paper project's workspace: a real store and real snapshots in a folder of its own, made when somebody asks."""

from __future__ import annotations

import asyncio
import inspect
import shutil
import tempfile
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from workbench.api_handlers.workspace_files import WorkspaceHandler
from workbench.events import FilesChanged, FilesHeld, RunChanged
from workbench.settings import Settings
from workbench.workspace.answer_cache import AnswerCache
from workbench.workspace.held_files import HeldFiles
from workbench.workspace.snapshots import Snapshots, Writer
from workbench.workspace.workspace_copies import Settling, Stages
from workbench.workspace.workspace_files import WorkspaceFiles

CSV = "id,name,amount\n" + "".join(f"{n},Order {n},{n * 12.5}\n" for n in range(1, 60))
JSON = '{"orders": [{"id": 1, "open": true}, {"id": 2, "open": false}], "total": 2}'
CODE = """import json


def total(rows: list[dict]) -> float:
    # one number of many
    return sum(row["amount"] for row in rows)
"""


class _Desk(WorkspaceHandler):
    """Asked by a window; the wire of these tests says that it is one of tests."""

    def _check_terminal(self, *, of_agent: bool) -> str:
        return ""


class PaperFiles:
    """`file_home` is the workspace; tests may change it behind the window's back."""

    _desk: WorkspaceHandler | None = None

    @property
    def file_desk(self: Any) -> WorkspaceHandler:
        if self._desk is None:
            place = Path(tempfile.mkdtemp(prefix="paper-files-"))
            store = WorkspaceFiles(place / "workspace", lambda: 1024)
            snapshots = Snapshots(store.confined, place / "undo", Settings)
            held = HeldFiles(snapshots, place / "held")
            weakref.finalize(self, _end, snapshots, held, place)
            services: Any = SimpleNamespace(
                workspace_files=store,
                snapshots=snapshots,
                held_files=held,
                answer_cache=AnswerCache(place / "answers", Settings),
                settings=Settings,
                tell=self.bus.tell,
                journal=SimpleNamespace(append=lambda note: self.note("noted", note.kind, note.summary)),
                sessions=SimpleNamespace(person=SimpleNamespace(mask=str)),
            )
            run_manager: Any = SimpleNamespace(update_held_files=self.update_held_files)
            self._desk = _Desk(services, run_manager)
        return self._desk

    @property
    def file_home(self: Any) -> Path:
        home: Path = self.file_desk._services.workspace_files.confined.root
        home.mkdir(exist_ok=True)
        return home

    def put_files(self: Any, files: dict[str, str]) -> None:
        for name, text in files.items():
            self.file_desk._services.workspace_files.write(name, text)

    def run_writes(self: Any, name: str, files: dict[str, str | None], label: str = "Write the report") -> None:
        """As a run of an agent would; None deletes."""
        snapshots, store = self.file_desk._services.snapshots, self.file_desk._services.workspace_files
        snapshots.begin(Writer(name, "run", "Claude Code", label))
        for path, text in files.items():
            store.remove(path) if text is None else store.write(path, text)
        self.bus.tell(FilesChanged(name, len(snapshots.end(name).files)))

    def run_wants(self: Any, name: str, files: dict[str, str | None], label: str = "Tidy the report") -> None:
        """As a run that nobody approved would; None deletes."""
        services = self.file_desk._services
        stage = Stages(
            services.workspace_files.confined, services.workspace_files.confined.root.parent / "stages"
        ).take()
        stage.refresh()
        for path, text in files.items():
            (stage.folder / path).unlink() if text is None else (stage.folder / path).write_text(text)
        writer = Writer(name, "run", "Claude Code", label)
        bounds = {"room": 1 << 30, "files": 1_000}
        Settling(services.snapshots, services.held_files).settle(stage, writer, {}, name=name, approved=False, **bounds)
        stage.remove()
        self.bus.tell(FilesHeld(name, len(files)))

    def update_held_files(self: Any, run_id: str, left: tuple[str, ...]) -> None:
        run = self.run_list.get(run_id)
        if run is not None:
            self.bus.tell(RunChanged(replace(run, held=left)))

    async def files(self: Any) -> Any:
        return self.file_desk._services.workspace_files.list()

    async def file_level(self: Any, folder: str = "") -> Any:
        return self.file_desk._services.workspace_files.level(folder)

    async def file_room(self: Any) -> Any:
        return self.file_desk._services.workspace_files.workspace_usage()


def _end(snapshots: Snapshots, held: HeldFiles, place: Path) -> None:
    held.close()
    snapshots.close()
    shutil.rmtree(place, ignore_errors=True)


_NOTED = {"write", "make", "rename", "remove", "import", "export", "undo", "delete", "clear", "decide"}


def _passed_on(name: str) -> Any:
    async def ask(self: Any, *words: Any, **more: Any) -> Any:
        if name.split("_")[0] in _NOTED:
            self.note(name, *words)
        method = getattr(self.file_desk, name)
        if not inspect.iscoroutinefunction(method):
            return await asyncio.to_thread(method, *words, **more)
        return await method(*words, **more)

    return ask


for _name in [name for name in vars(WorkspaceHandler) if not name.startswith("_")]:
    setattr(PaperFiles, _name, _passed_on(_name))
