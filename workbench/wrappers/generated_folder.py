"""Keeps a folder of generated functions in step with a server's tools: one module each, rewritten only on change.

Files are replaced whole, the package's index after the functions it names, and functions of removed tools last: a
program that imports meanwhile sees the old package or the new one, never a mixture.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from workbench.files import write_file
from workbench.records import JsonValue, Tool

INDEX = ".index.json"  # what stands in the folder: the server, and each tool's function, file and definition hash

_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))))
WRITE_SECONDS = 5.0  # for the functions of one server; those whose turn comes later take anything
_UNUSABLE = (ValueError, TypeError, RecursionError, SyntaxError, MemoryError, UnicodeError)


class GeneratedModule(Struct, frozen=True):
    """Where a tool's function stands."""

    function: str
    stem: str  # the file's name without its ending
    hash: str


class FolderStyle(Struct, frozen=True):
    """How one language writes a folder."""

    format: str  # changed when the generator writes differently, so that every file is written anew
    place: str  # how a program names the folders of all servers: "servers."
    endings: tuple[str, ...]  # the files of one tool
    names: Callable[[Sequence[str]], dict[str, str]]
    stems: frozenset[str]  # file names that are not for tools
    module: Callable[[Tool, str, str], tuple[str, ...]]  # tool, function, time → one text for each ending
    index_files: Callable[
        [str, Mapping[str, GeneratedModule], str], dict[str, str]
    ]  # server, entries, time → text by file name


def write_folder(
    server: str, tools: Sequence[Tool], folder: Path, style: FolderStyle, *, clock: Callable[[], float] = time.monotonic
) -> tuple[str, ...]:
    """Bring a folder in step with the tools; returns a warning for each tool that is not quite as wished."""
    deadline, late = clock() + WRITE_SECONDS, 0
    folder.mkdir(parents=True, exist_ok=True)
    before = read_index(folder)
    if (owner := before.get("server", server)) != server and folder.name == owner:
        return (f"{server} and {owner} would both be {style.place}{folder.name}; rename one of them to use both.",)
    warnings = [f"{server} lists {name} twice; its first definition is used." for name in _repeated(tools)]
    entries = _entries(tools, style)
    same = before.get("format") == style.format and before.get("server") == server
    known = before["tools"] if same else {}
    plain = {name: [entry.function, entry.stem, entry.hash] for name, entry in entries.items()}
    written = str(before.get("written", "")) if known == plain else ""
    written = written or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for tool in {tool.name: tool for tool in reversed(tools)}.values():
        stem = entries[tool.name].stem
        targets = [folder / f"{stem}{ending}" for ending in style.endings]
        if known.get(tool.name) != plain[tool.name] or not all(target.is_file() for target in targets):
            if clock() > deadline:
                late += 1
                _write_plain(tool, entries[tool.name].function, targets, style, written)
                plain[tool.name][2] = ""  # so that it is written as defined when there is more time
            else:
                warnings.extend(_write_module(tool, entries[tool.name].function, targets, style, written))
    if late:
        warnings.append(f"{late} tools take anything: writing the functions took longer than {WRITE_SECONDS:.0f} s.")
    index = {"format": style.format, "server": server, "written": written, "tools": plain}
    indexes = {**style.index_files(server, entries, written), INDEX: json.dumps(index)}
    for name, text in indexes.items():
        replace_file(folder / name, text)
    _remove_others(folder, {f"{entry.stem}{end}" for entry in entries.values() for end in style.endings} | {*indexes})
    return tuple(warnings)


def read_index(folder: Path) -> dict[str, JsonValue]:
    """What was written before; an unreadable index only means that everything is written again."""
    try:
        found = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("tools"), dict) else {}


def definition_hash(tool: Tool) -> str:
    """The tool's own hash, or one made from what a function depends on."""
    if tool.hash:
        return tool.hash
    whole = [tool.name, tool.title, tool.description, tool.input_schema, tool.output_schema, str(tool.hints)]
    return hashlib.sha256(json.dumps(whole, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()


def replace_file(target: Path, text: str) -> None:
    """The whole file or nothing; a file that is already so stays untouched."""
    data = text.encode("utf-8", "backslashreplace")
    if target.is_file() and target.read_bytes() == data:
        return
    write_file(target, data, mode=0o644, durable=False)


def _write_module(tool: Tool, function: str, targets: list[Path], style: FolderStyle, written: str) -> list[str]:
    """A tool's files. What cannot be written as defined is written without its schemas: callable all the same."""
    warnings = []
    try:
        texts = style.module(tool, function, written)
    except _UNUSABLE as fault:
        reason = f"{type(fault).__name__}: {fault}"[:200]
        warnings.append(f"{tool.name} takes anything: its definition is unusable ({reason}).")
        _write_plain(tool, function, targets, style, written)
        return warnings
    for target, text in zip(targets, texts, strict=True):
        replace_file(target, text)
    return warnings


def _write_plain(tool: Tool, function: str, targets: list[Path], style: FolderStyle, written: str) -> None:
    """A function that takes and answers anything."""
    plain = replace(tool, input_schema={}, output_schema=None, description="", title="")
    for target, text in zip(targets, style.module(plain, function, written), strict=True):
        replace_file(target, text)


def _entries(tools: Sequence[Tool], style: FolderStyle) -> dict[str, GeneratedModule]:
    """In the server's order; of tools with one name the first counts."""
    functions = style.names([tool.name for tool in tools])
    stems = _file_names(functions, style.stems)
    unique = {tool.name: tool for tool in reversed(tools)}
    return {name: GeneratedModule(functions[name], stems[name], definition_hash(unique[name])) for name in functions}


def _repeated(tools: Sequence[Tool]) -> list[str]:
    names = [tool.name for tool in tools]
    return [name for name, number in Counter(names).items() if number > 1]


def _file_names(functions: Mapping[str, str], reserved: frozenset[str]) -> dict[str, str]:
    """A file per function, of the same name, also where a file system ignores case or reserves device names."""
    given: dict[str, str] = {}
    taken = {*_DEVICES, *reserved}
    for name, function in sorted(functions.items(), key=lambda item: item[1]):
        stem = function
        while stem.casefold() in taken:
            stem += "_"
        taken.add(stem.casefold())
        given[name] = stem
    return given


def _remove_others(folder: Path, wanted: set[str]) -> None:
    for path in folder.iterdir():
        if path.name not in wanted:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
