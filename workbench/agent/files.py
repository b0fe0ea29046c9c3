"""The workspace and long answers, for an agent: in slices, without personal data, and never past what a person decides.

A program that replaces a file waits for a person, so the tools that stand beside it do no more: they write new files of
plain data, and those that this agent wrote itself.
"""

from __future__ import annotations

import asyncio
from typing import Final

from workbench.agent import arguments as given
from workbench.agent.answer import Answer, sliced
from workbench.errors import WorkbenchError
from workbench.policy.mild import is_data
from workbench.records import FileInfo, JsonObject, Note
from workbench.runs.conveyor import Conveyor
from workbench.runs.files_in import learn_file
from workbench.runs.provenance import UNTRUSTED, Read
from workbench.runs.rooms import Rooms
from workbench.runs.sessions import Session
from workbench.runs.spills import FOLDER
from workbench.workspace.names import parts_of

LARGEST: Final = 1_000_000  # bytes that one call writes
MOST_READ: Final = 2_000_000  # bytes of a file that is read here; more is not looked through for personal data
MOST_LISTED: Final = 200  # files of one answer


class Files:
    """As one agent sees them."""

    def __init__(self, rooms: Rooms, conveyor: Conveyor, session: Session) -> None:
        self._rooms = rooms
        self._conveyor = conveyor
        self._session = session
        self._written: dict[str, FileInfo] = {}
        self._read: tuple[FileInfo, str] | None = None  # the last file, masked: its next slice costs nothing

    async def write(self, arguments: JsonObject) -> Answer:
        """`write_workspace_file`."""
        path = "/".join(parts_of(_within(given.text(arguments, "path"))))
        content = given.text(arguments, "content")
        if len(content.encode("utf-8", "replace")) > LARGEST:
            raise WorkbenchError("The text is longer than 1 MB.", "A program can write more: open() in execute_code.")
        self._check_profile("write")
        info = await asyncio.to_thread(self._put, path, content)
        summary = f"{self._session.author} wrote {path} in the workspace"
        self._note("file.written", summary, {"path": path, "bytes": info.size})
        return Answer(f"{path} is written: {info.size:,} bytes.", {"path": path, "size": info.size})

    async def read(self, arguments: JsonObject) -> Answer:
        """`read_workspace_file`."""
        path = "/".join(parts_of(_within(given.text(arguments, "path"))))
        self._check_profile("read")
        text = await asyncio.to_thread(self._masked, path)
        return self._slice(text, arguments, f"read_workspace_file({path!r})")

    async def list(self, arguments: JsonObject) -> Answer:
        """`list_workspace_files`."""
        folder = _within(given.text(arguments, "folder", "")).strip("/")
        self._check_profile("read")
        found = [info for info in await asyncio.to_thread(self._rooms.store.list) if _below(info.path, folder)]
        shown = sorted(found, key=lambda info: -info.changed)[:MOST_LISTED]
        lines = [f"{info.path}  {info.size:,} bytes" for info in shown]
        if len(found) > len(shown):
            lines.append(f"[the newest {len(shown)} of {len(found)} files; name a folder to see fewer]")
        text = "\n".join(lines) or "There are no files here yet."
        return Answer(text, {"files": [{"path": info.path, "size": info.size} for info in shown]})

    async def result(self, arguments: JsonObject) -> Answer:
        """`get_run`: more of an answer that was cut, for the agent whose run it was."""
        run_id = given.text(arguments, "run_id")
        run = next((run for run in self._conveyor.runs() if run.id == run_id), None)
        if run is None or run.proposal.session != self._session.id:
            raise WorkbenchError(f"There is no run {run_id[:80]!r} of yours.", "execute_code names its run.")
        try:
            text = await asyncio.to_thread(self._masked, f"{FOLDER}/{run.id}.txt")
        except WorkbenchError:  # it was short, or is not kept
            text = run.model_view
        return self._slice(text, arguments, f"get_run({run.id!r})")

    def _slice(self, text: str, arguments: JsonObject, how: str) -> Answer:
        offset = arguments.get("offset") or 0
        if not isinstance(offset, int | float) or offset < 0:
            raise WorkbenchError("offset must be a number of characters.", "0 is the beginning.")
        return sliced(text, int(min(offset, len(text))), self._rooms.settings().run_answer_tokens, how)

    def _masked(self, path: str) -> str:
        """On a thread. Masked as a whole before anything is cut."""
        info = self._known(path)
        if info is not None and self._read is not None and self._read[0] == info:
            return self._read[1]
        if info is not None and info.size > MOST_READ:
            hint = "A program can read it in pieces: open() in execute_code."
            raise WorkbenchError(f"{path} is larger than {MOST_READ // 1_000_000} MB.", hint)
        if info is not None:
            learn_file(self._rooms.store, self._session, path)
        text = self._rooms.store.read(path)
        if info is not None and self._written.get(path) != info and not path.startswith(f"{FOLDER}/"):
            read = Read("", "", "workspace", path, frozenset({UNTRUSTED}), (text,))
            self._session.provenance.learn(read)  # nobody knows who wrote it
        text = self._session.mask_output(text)
        if info is not None:
            self._read = (info, text)
        return text

    def _put(self, path: str, content: str) -> FileInfo:
        """On a thread."""
        known = self._known(path)
        if known is not None and self._written.get(path) != known:
            hint = "Choose another name; a program that replaces it asks a person."
            raise WorkbenchError(f"{path} is there already, and is not what you wrote.", hint)
        if not is_data(path):
            hint = "Write .txt, .md, .csv, .json or the like; a program that writes others asks a person."
            raise WorkbenchError(f"{path} is no file of plain data.", hint)
        self._written[path] = info = self._rooms.store.write(path, content)
        return info

    def _known(self, path: str) -> FileInfo | None:
        folder = path.rpartition("/")[0]
        found = self._rooms.store.inside(folder) if folder and "/" not in folder else self._rooms.store.list()
        return next((info for info in found if info.path == path), None)

    def _check_profile(self, deed: str) -> None:
        """What a program that names no profile may do, this may."""
        profile = self._rooms.bounds.find("")
        if profile.workspace == "none" or (deed == "write" and profile.workspace != "write"):
            verb = "write" if deed == "write" else "read"
            raise WorkbenchError(f"The user's profile {profile.name} does not {verb} the workspace.", profile.sentence)

    def _note(self, kind: str, summary: str, detail: dict[str, object]) -> None:
        session = self._session
        self._rooms.journal.append(
            Note(kind=kind, summary=session.mask(summary), actor=session.author, session=session.id,
                 detail={key: session.mask(one) if isinstance(one, str) else one for key, one in detail.items()})
        )  # fmt: skip


def _within(path: str) -> str:
    """Programs write workspace/a.txt, and so do models."""
    return path.removeprefix("./").removeprefix("workspace/")


def _below(path: str, folder: str) -> bool:
    return not folder or folder == "workspace" or path.startswith(f"{folder}/")
