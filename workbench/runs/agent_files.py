"""Workspace file tools for agents: listing, reading, and the program that writes a file.

Writing is submitted as a program, so the same approval, audit and undo apply: `writing` returns the program's text and
the agent endpoint submits it. File names are masked as file contents are.
"""

from __future__ import annotations

import asyncio
from fnmatch import fnmatchcase
from typing import Final

from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import FileInfo
from workbench.runs.answer_view import cut
from workbench.tokens import count
from workbench.workspace.file_names import parts_of
from workbench.workspace.workspace_files import WorkspaceFiles, is_text

MOST_LISTED: Final = 200
LONGEST_TEXT: Final = 300_000  # characters of one written file; its program has a size limit too
_WHOLE: Final = 2_000_000  # bytes of a file that is read completely; of a larger one only around the requested lines
_WINDOW, _MARGIN = 400_000, 4_000  # bytes read around the requested lines
_PIECE: Final = 1 << 20
_BY_PROGRAM: Final = "Use execute_code, which asks the user for approval."


async def list_files(services: Services, session: Session, folder: str = "", pattern: str = "") -> str:
    """Answers `list_workspace_files`: one line per file with name and bytes, newest first; names hold PII tokens."""
    _check_may_read(services)
    return await asyncio.to_thread(
        _list_files, services.workspace_files, session, session.vault.restore(folder).strip("/"), pattern
    )


async def read_lines(services: Services, session: Session, path: str, first_line: int = 1, lines: int = 0) -> str:
    """Answers `read_workspace_file`: as many lines as fit from the first requested one; the first line of the answer
    says where to continue."""
    _check_may_read(services)
    budget = services.settings().run_answer_tokens
    real = _relative_path(session.vault.restore(path))
    return await asyncio.to_thread(
        _read_lines, services.workspace_files, session, real, max(1, first_line), max(0, lines), budget
    )


def writing_program(session: Session, path: str, text: str) -> str:
    """Return the program for `write_workspace_file`, which writes the complete file. PII tokens in the text stay
    tokens, as in programs; tokens in the name are restored, because the file list masked the name."""
    if len(text) > LONGEST_TEXT:
        raise WorkbenchError(
            f"The text is longer than {LONGEST_TEXT:,} characters.", "Generate the file with a program."
        )
    name = "/".join(parts_of(_relative_path(session.vault.restore(path))))
    return f"result = write_file({name!r}, {text!r})"


def _check_may_read(services: Services) -> None:
    """Refuse what a program could not do without approval."""
    if services.run_profiles.find("").workspace == "none":
        raise WorkbenchError(
            "The user's default profile has no workspace.", "Use execute_code with a profile that has one."
        )
    if not services.settings().approval_auto_low:
        raise WorkbenchError("The user's settings require approval before files are read.", _BY_PROGRAM)


def _relative_path(path: str) -> str:
    """Remove the prefix `workspace/` that programs use; the file store has names without it."""
    return path.removeprefix("/").removeprefix("./").removeprefix("workspace/")


def _list_files(store: WorkspaceFiles, session: Session, folder: str, pattern: str) -> str:
    folder = _relative_path(f"{folder}/").strip("/") if folder else ""
    begin = f"{'/'.join(parts_of(folder))}/" if folder else ""
    found = [one for one in store.list() if one.path.startswith(begin) and _fits(one, pattern)]
    if not found:
        return f"There are no files{f' in {folder}' if folder else ''}{f' that match {pattern}' if pattern else ''}."
    newest = sorted(found, key=lambda one: -one.changed)
    lines = [f"{one.path}  {one.size:,} bytes" for one in newest[:MOST_LISTED]]
    if len(found) > MOST_LISTED:
        lines.append(f"… and {len(found) - MOST_LISTED:,} more; set folder to list fewer")
    return session.mask("\n".join(lines))


def _fits(info: FileInfo, pattern: str) -> bool:
    return not pattern or fnmatchcase(info.path, pattern) or fnmatchcase(info.path.rpartition("/")[2], pattern)


def _read_lines(store: WorkspaceFiles, session: Session, path: str, first: int, lines: int, budget: int) -> str:
    start, before, size = _line_starts(store, path, first)
    whole = size <= _WHOLE
    low, length = (0, _WHOLE) if whole else (max(0, start - _MARGIN), _WINDOW + 2 * _MARGIN)
    data, _ = store.read_bytes(path, low, length)
    if not is_text(data if low == 0 else data.lstrip(b"\x80\x81\x82\x83")):
        raise WorkbenchError(f"{session.mask(path)} is not text.", "Read it as bytes in a program.")
    text = data.decode("utf-8", "ignore")
    session.keep(text, "")
    over = not whole and before < first - 1  # the file ends before the first requested line
    skipped = first - 1 if whole else len(text) if over else data[: start - low].count(b"\n")
    return _format_lines(session, path, session.mask(text).split("\n")[skipped:], first, lines, size, budget)


def _line_starts(store: WorkspaceFiles, path: str, first: int) -> tuple[int, int, int]:
    """Return where a line of a large file begins, the number of lines before it, and the size of the file."""
    _, size = store.read_bytes(path, 0, 0)
    at = seen = 0
    while size > _WHOLE and at < size and seen < first - 1:
        piece, _ = store.read_bytes(path, at, _PIECE)
        if not piece:
            break
        found = piece.count(b"\n")
        if seen + found >= first - 1:
            inner = -1
            for _ in range(first - 1 - seen):
                inner = piece.index(b"\n", inner + 1)
            return at + inner + 1, first - 1, size
        seen, at = seen + found, at + len(piece)
    return at, seen if size > _WHOLE else first - 1, size


def _format_lines(session: Session, path: str, rest: list[str], first: int, lines: int, size: int, budget: int) -> str:
    """Format as many of the lines as fit, and say where the next lines begin."""
    taken: list[str] = []
    left = budget
    for line in rest[: lines or None]:
        if (left := left - count(line) - 1) < 0 and taken:
            break
        taken.append(line)
    last, more = first + len(taken) - 1, len(rest) > len(taken)
    name = session.mask(path)
    if not any(taken) and not more:
        return f"{name} {'is empty' if size == 0 else f'ends before line {first:,}'} ({size:,} bytes)."
    head = f"{name}, lines {first:,} to {last:,}, {size:,} bytes in all" + (
        f"; continues at line {last + 1:,}" if more else ""
    )
    return f"{head}\n" + cut("\n".join(taken), budget, "a program can read the rest of a long line")
