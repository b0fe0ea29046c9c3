"""Functions that open files, archives and databases, or make a path: which place they mean."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce

from workbench.policy import folding
from workbench.policy.effects import note, note_file
from workbench.policy.invocation import Arguments
from workbench.policy.paths import Place
from workbench.policy.reader import Reader
from workbench.policy.special import Special, every
from workbench.policy.tables.deeds import Deed
from workbench.policy.value import HOLE, NOTHING, Source, Value, each, join, known, shown, text_of


def _open(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    target = arguments.get(0, "file", "path", "filename")
    if isinstance(target.const, int):
        return NOTHING  # a descriptor that is open already
    mode = arguments.get(1, "mode")
    text = known(mode) if mode is not NOTHING else "r"
    deed = Deed.READ if text is not None and not set(text) & set("wax+") else Deed.WRITE
    return _opened(reader, node, deed, target, arguments)


def _open_low(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    flags = ast.unparse(node.args[1]) if len(node.args) > 1 else ""
    writing = any(flag in flags for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"))
    return _opened(reader, node, Deed.WRITE if writing else Deed.READ, arguments.get(0), arguments)


def _opened(reader: Reader, node: ast.Call, deed: Deed, target: Value, arguments: Arguments) -> Value:
    place = note_file(reader, deed, node, target)
    if place is Place.SENSITIVE and deed is Deed.READ:
        source = Source("private", f"the file {shown(target)}", reader.span(node).line)
        return Value(kind="file", taint=arguments.taint | {source})
    return Value(kind="file", taint=arguments.taint)


def _archive(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    mode = known(arguments.get(1, "mode")) or "r"
    place = arguments.get(0, "name", "file")
    if not place.kind.startswith("io."):
        note_file(reader, Deed.WRITE if set(mode) & set("wax") else Deed.READ, node, place)
    return Value(kind="zipfile.ZipFile", taint=arguments.taint)


def _database(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    place = arguments.get(0, "database")
    if known(place) in (":memory:", ""):
        return Value(kind="sqlite3.memory")
    text = text_of(place)
    bare = replace(place, const=text.removeprefix("file:").partition("?")[0]) if text.startswith("file:") else place
    note_file(reader, Deed.READ, node, bare)  # what is done to it, its statements tell
    reader.report.fact("database", reader.span(node))
    return Value(kind="sqlite3.Connection")


def _path(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Value(const=".", kind="pathlib.Path")
    first, *rest = arguments.positional
    starts = [Value(const=text_of(choice), kind="pathlib.Path", taint=first.taint) for choice in each(first)]
    return folding.join_path(reduce(join, starts), *rest) if rest else reduce(join, starts)


def _join_path(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    parts = arguments.positional or (NOTHING,)
    starts = [Value(const=text_of(choice), taint=parts[0].taint) for choice in each(parts[0])]
    return replace(folding.join_path(reduce(join, starts), *parts[1:]), kind="")


def _same_path(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return replace(arguments.get(0), taint=arguments.taint)


def _folder(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    path = arguments.get(0)
    text = text_of(path)
    folder = text.rpartition("/")[0] or ("/" if text.startswith("/") else HOLE if HOLE in text else "")
    return replace(path, const=folder, taint=arguments.taint)


def _here(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(const=".", kind="pathlib.Path" if ref.startswith("pathlib") else "")


def _home(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return Value(const="~", kind="pathlib.Path")


def _move(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    reader.report.fact("moved", reader.span(node))
    return NOTHING


def _numpy_load(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    if "allow_pickle" in arguments.named and not _is_false(node, "allow_pickle"):
        note(reader, Deed.UNPACK, node, "numpy.load with allow_pickle")
    note_file(reader, Deed.READ, node, arguments.get(0, "file"))
    return Value(taint=arguments.taint)


def _is_false(node: ast.Call, name: str) -> bool:
    given = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
    return isinstance(given, ast.Constant) and given.value is False


FILE_CALLS: dict[str, Special] = {
    **every("builtins.open", _open),
    **every("os.open", _open_low),
    **every("zipfile.ZipFile tarfile.open tarfile.TarFile", _archive),
    **every("sqlite3.connect sqlite3.Connection", _database),
    **every("pathlib.Path pathlib.PurePath pathlib.PosixPath pathlib.PurePosixPath", _path),
    **every("os.path.join", _join_path),
    **every("os.path.expanduser os.path.abspath os.path.realpath os.path.normpath os.fspath", _same_path),
    **every("os.path.dirname", _folder),
    **every("pathlib.Path.cwd os.getcwd", _here),
    **every("pathlib.Path.home", _home),
    **every("os.chdir", _move),
    **every("numpy.load", _numpy_load),
}
