"""`files`: lists and reads the workspace's files, compares what a run changed, and undoes it."""

from __future__ import annotations

import argparse
import base64
import difflib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.cli.common_options import BROKEN, DONE, Parser, add_common, ask, talk
from workbench.cli.terminal_output import format_time, print_part, print_record, visible
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import FileChange, UndoPlan
from workbench.records.files import OUTSIDE

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

_MARKS = {"added": "+", "changed": "~", "deleted": "-", "rights": "%"}


def arrange_files(parser: Parser) -> None:
    """Add the subcommands and their options."""
    commands = parser.add_subparsers(required=True, metavar="list|read|changes|diff|undo")
    add_common(commands.add_parser("list", help="list all files with size, time and path"), _list)
    read = commands.add_parser("read", help="print a file unchanged")
    add_common(read, _read, data=False)
    read.add_argument("path", help="path inside the workspace")
    changes = commands.add_parser("changes", help="list the changes that runs and you made, newest first")
    add_common(changes, _changes)
    changes.add_argument("--limit", type=int, default=20, help="maximum number of changes (default: 20)")
    diff = commands.add_parser("diff", help="print what a run changed, as a unified diff")
    add_common(diff, _diff)
    diff.add_argument("id", help="a run, or the id that `changes` prints")
    diff.add_argument("path", nargs="*", help="only these files")
    undo = commands.add_parser("undo", help="show what undoing the changes would do; --yes undoes them")
    add_common(undo, _undo)
    undo.add_argument("id", help="a run, or the id that `changes` prints")
    undo.add_argument("path", nargs="*", help="only these files; a file that has changed since must be named")
    undo.add_argument("--yes", action="store_true", help="undo the changes")


def _list(given: argparse.Namespace, paths: Paths) -> int:
    found = ask(paths, lambda api: api.files())
    if given.output == "json":
        print_record(found)
        return DONE
    for info in found:
        print(visible(f"{info.size:>12,}  {format_time(info.changed)}  {info.path}"))
    if not found:
        print("The workspace contains no files.", file=sys.stderr)
    return DONE


def _read(given: argparse.Namespace, paths: Paths) -> int:
    """Print text unchanged and a picture as bytes. Other files can be read completely only by a program in the
    sandbox.
    """

    async def print_all(connection: CoreConnection) -> int:
        start = 0
        while True:
            piece = await connection.api.file_piece(given.path, start)
            text = await connection.fetch_full_text(piece.text)
            if piece.kind == "image":
                sys.stdout.buffer.write(base64.b64decode(text))
                return DONE
            if piece.kind == "binary":
                raise WorkbenchError(f"{given.path} is not a text file.", f"Open it from {paths.workspace}.")
            print_part(text)
            start = piece.end
            if start >= piece.size:
                return DONE

    return talk(paths, print_all)


def _changes(given: argparse.Namespace, paths: Paths) -> int:
    found = ask(paths, lambda api: api.file_changes(given.limit))
    if given.output == "json":
        print_record(found)
        return DONE
    for one in found:
        undone = (
            f"  ({one.undone} of {one.count} undone)" if 0 < one.undone < one.count else "  (undone)" * (one.undone > 0)
        )
        files = "1 file " if one.count == 1 else f"{one.count} files"
        print(visible(f"{one.id:<18}  {format_time(one.at)}  {files:>11}  {one.actor}: {one.label}{undone}"))
    if not found:
        print("There are no changes yet.", file=sys.stderr)
    return DONE


def _diff(given: argparse.Namespace, paths: Paths) -> int:
    changes = ask(paths, lambda api: api.changes_of(given.id))
    if given.output == "json":
        print_record(changes)
        return DONE
    wanted = [one for one in changes.files if not given.path or one.path in given.path]
    texts = talk(paths, lambda connection: _texts(connection, given.id, wanted))
    for one, both in zip(wanted, texts, strict=True):
        others = ["a program of yours or a server" if name == OUTSIDE else name for name in one.shared]
        shared = f"  may also have been changed by {', '.join(others)}" if others else ""
        print(visible(f"{_MARKS.get(one.deed, '?')} {one.path}{shared}"))
        for line in _unified(one, both):
            print(visible(line))
        if one.warning:
            print(visible(f"{one.path}: outside the sandbox, {one.warning}"), file=sys.stderr)
    return DONE


async def _texts(connection: CoreConnection, name: str, files: list[FileChange]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for one in files:
        try:
            both = await connection.api.changed_text(name, one.path)
            found.append(tuple([await connection.fetch_full_text(text) for text in both]))
        except WorkbenchError as fault:
            found.append((fault.message,))
    return found


def _unified(one: FileChange, both: tuple[str, ...]) -> Iterator[str]:
    if len(both) < 2:
        yield f"  {both[0]}"
        return
    before, after = (text.splitlines() for text in both)
    yield from difflib.unified_diff(before, after, f"a/{one.path}", f"b/{one.path}", lineterm="")


def _undo(given: argparse.Namespace, paths: Paths) -> int:
    plan = ask(paths, lambda api: api.undo_plan(given.id))
    named = set(given.path)
    todo = [line for line in plan.lines if (line.path in named if named else line.state == "ready")]
    if not given.yes:
        return _say_plan(given, plan, {line.path for line in todo})
    doable = tuple(line.path for line in todo if line.state in ("ready", "shared", "conflict"))
    if not doable:
        raise WorkbenchError("There is nothing to undo.", "Run the command without --yes to see why.")
    done = ask(paths, lambda api: api.undo_files(given.id, doable))
    if given.output == "json":
        print_record(done)
    else:
        back = "1 file was restored" if done.count == 1 else f"{done.count} files were restored"
        print(f"{back}. To reverse this: mcp-workbench files undo {done.id} --yes")
    if done.note:
        print(visible(done.note), file=sys.stderr)
    return BROKEN if done.note else DONE


def _say_plan(given: argparse.Namespace, plan: UndoPlan, chosen: set[str]) -> int:
    if given.output == "json":
        print_record(plan)
        return DONE
    for line in plan.lines:
        print(visible(f"{'x' if line.path in chosen else ' '} {line.path}: {line.words}"))
    print("Nothing was undone. With --yes, the changes marked x are undone.", file=sys.stderr)
    return DONE
