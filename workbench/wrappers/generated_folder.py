"""Synchronizes a folder of generated functions with a server's tools: one module per tool, rewritten only on change.

Files are replaced atomically, the package's index after the functions that it names, and functions of removed tools are
deleted last: a program that imports at the same time sees the old package or the new one, never a mixture.
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

INDEX = ".index.json"  # describes the folder: the server, and each tool's function, file and definition hash

_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))))
WRITE_SECONDS = 5.0  # time limit for the functions of one server; later functions are written without types
_UNUSABLE = (ValueError, TypeError, RecursionError, SyntaxError, MemoryError, UnicodeError)


class GeneratedModule(Struct, frozen=True):
    """The generated file of a tool."""

    function: str
    stem: str  # file name without suffix
    hash: str


class FolderStyle(Struct, frozen=True):
    """Rules of one language for a folder of functions."""

    format: str  # changes with the generator's output, so that every file is rewritten
    place: str  # prefix of the folders in a program: "servers."
    endings: tuple[str, ...]  # suffixes of the files of one tool
    names: Callable[[Sequence[str]], dict[str, str]]
    stems: frozenset[str]  # file names that are not used for tools
    module: Callable[[Tool, str, str], tuple[str, ...]]  # (tool, function, time) → one text per suffix
    index_files: Callable[
        [str, Mapping[str, GeneratedModule], str], dict[str, str]
    ]  # (server, entries, time) → text by file name


def write_folder(
    server: str, tools: Sequence[Tool], folder: Path, style: FolderStyle, *, clock: Callable[[], float] = time.monotonic
) -> tuple[str, ...]:
    """Synchronize a folder with the tools. Returns a warning for each tool that could not be written as defined."""
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
                plain[tool.name][2] = ""  # it is written as defined when there is more time
            else:
                warnings.extend(_write_module(tool, entries[tool.name].function, targets, style, written))
    if late:
        warnings.append(
            f"{late} tools accept any arguments: writing the functions took longer than {WRITE_SECONDS:.0f} s."
        )
    index = {"format": style.format, "server": server, "written": written, "tools": plain}
    indexes = {**style.index_files(server, entries, written), INDEX: json.dumps(index)}
    for name, text in indexes.items():
        replace_file(folder / name, text)
    _remove_others(folder, {f"{entry.stem}{end}" for entry in entries.values() for end in style.endings} | {*indexes})
    return tuple(warnings)


def read_index(folder: Path) -> dict[str, JsonValue]:
    """Return the index of the folder. If it is unreadable, everything is written again."""
    try:
        found = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("tools"), dict) else {}


def definition_hash(tool: Tool) -> str:
    """Return the tool's own hash, or a hash over everything that its function depends on."""
    if tool.hash:
        return tool.hash
    whole = [tool.name, tool.title, tool.description, tool.input_schema, tool.output_schema, str(tool.hints)]
    return hashlib.sha256(json.dumps(whole, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()


def replace_file(target: Path, text: str) -> None:
    """Replace a file atomically. A file with the same content is not touched."""
    data = text.encode("utf-8", "backslashreplace")
    if target.is_file() and target.read_bytes() == data:
        return
    write_file(target, data, mode=0o644, durable=False)


def _write_module(tool: Tool, function: str, targets: list[Path], style: FolderStyle, written: str) -> list[str]:
    """Write a tool's files. A tool that cannot be written as defined is written without schemas and stays callable."""
    warnings = []
    try:
        texts = style.module(tool, function, written)
    except _UNUSABLE as fault:
        reason = f"{type(fault).__name__}: {fault}"[:200]
        warnings.append(f"{tool.name} accepts any arguments: its definition is unusable ({reason}).")
        _write_plain(tool, function, targets, style, written)
        return warnings
    for target, text in zip(targets, texts, strict=True):
        replace_file(target, text)
    return warnings


def _write_plain(tool: Tool, function: str, targets: list[Path], style: FolderStyle, written: str) -> None:
    """Write a function that takes and returns anything."""
    plain = replace(tool, input_schema={}, output_schema=None, description="", title="")
    for target, text in zip(targets, style.module(plain, function, written), strict=True):
        replace_file(target, text)


def _entries(tools: Sequence[Tool], style: FolderStyle) -> dict[str, GeneratedModule]:
    """Return entries in the server's order. Of several tools with the same name, the first is used."""
    functions = style.names([tool.name for tool in tools])
    stems = _file_names(functions, style.stems)
    unique = {tool.name: tool for tool in reversed(tools)}
    return {name: GeneratedModule(functions[name], stems[name], definition_hash(unique[name])) for name in functions}


def _repeated(tools: Sequence[Tool]) -> list[str]:
    names = [tool.name for tool in tools]
    return [name for name, number in Counter(names).items() if number > 1]


def _file_names(functions: Mapping[str, str], reserved: frozenset[str]) -> dict[str, str]:
    """Return a unique file name per function, valid on file systems that ignore case or reserve device names."""
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
