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
from workbench.policy.tables.names import names
from workbench.policy.value import HOLE, NOTHING, Source, Value, each, join, known, shown, text_of
from workbench.records import Risk


def _open(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    target = arguments.get(0, "file", "path", "filename")
    if isinstance(target.const, int):
        return _descriptor(reader, node, ref, arguments)
    return _opened(reader, node, opening(arguments.get(1, "mode")), target, arguments)


def _descriptor(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """A descriptor that is open already: the program's own streams, or what its sandbox speaks to the core by."""
    number = arguments.get(0, "file", "fd").const
    if isinstance(number, int) and number > 2:
        note(reader, Deed.INTERNALS, node, ref, risk=Risk.MEDIUM)
    return NOTHING


def opening(mode: Value) -> Deed:
    """Whether a file that is opened like this may be written."""
    texts = ["r"] if mode is NOTHING else [known(choice) for choice in each(mode)]
    kinds = (None if text is None else text.partition(":")[0] for text in texts)  # `r:xz` of an archive reads
    return Deed.READ if all(kind is not None and not set(kind) & set("wax+") for kind in kinds) else Deed.WRITE


def _open_low(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    flags = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "flags"), None)
    reading = flags is not None and all(map(_only_reads, ast.walk(flags)))
    return _opened(reader, node, Deed.READ if reading else Deed.WRITE, arguments.get(0, "path"), arguments)


def _only_reads(part: ast.AST) -> bool:
    """Whether this part of the flags of `os.open` opens nothing for writing."""
    match part:
        case ast.Attribute(attr=name):
            return name in _READING_FLAGS
        case ast.Name(id=name):
            return name in _READING_FLAGS or name == "os"
        case ast.Constant(value=value):
            return type(value) is int and value == 0
    return isinstance(part, ast.BinOp | ast.operator | ast.expr_context)


def _open_path(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`Path.open(path, mode)`."""
    return _opened(reader, node, opening(arguments.get(1, "mode")), arguments.get(0, "self"), arguments)


def _opened(reader: Reader, node: ast.Call, deed: Deed, target: Value, arguments: Arguments) -> Value:
    place = note_file(reader, deed, node, target)
    if place is Place.SENSITIVE and deed is Deed.READ:
        source = Source("private", f"the file {shown(target)}", reader.span(node).line)
        return Value(kind="file", taint=arguments.taint | {source})
    return Value(kind="file", taint=arguments.taint)


def _archive(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    place = arguments.get(0, "name", "file")
    if not place.kind.startswith("io."):
        note_file(reader, opening(arguments.get(1, "mode")), node, place)
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
    pickles = arguments.get(2, "allow_pickle")
    if pickles is not NOTHING and pickles.const is not False:
        note(reader, Deed.UNPACK, node, "numpy.load with allow_pickle")
    note_file(reader, Deed.READ, node, arguments.get(0, "file"))
    return Value(taint=arguments.taint)


_READING_FLAGS = names("O_RDONLY O_CLOEXEC O_NOFOLLOW O_NONBLOCK O_DIRECTORY O_NOATIME O_PATH")
FILE_CALLS: dict[str, Special] = {
    **every("builtins.open", _open),
    **every("os.open", _open_low),
    **every("os.write", _descriptor),
    **every("pathlib.Path.open pathlib.PosixPath.open", _open_path),
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
