"""Keeps a folder of generated functions in step with a server's tools: one file each, rewritten only on change.

Files are replaced whole, the package's own `__init__` after the functions it names, and functions of tools that are
gone are removed last: a program that imports meanwhile sees the old or the new, never a half.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.records import JsonValue, Tool
from workbench.wrappers.names import package_name, python_names
from workbench.wrappers.source import wrapper_source

FORMAT = "2"  # raised when the generator writes differently, so that every file is written anew
INDEX = ".index.json"  # what stands in the folder: the server, and each tool's file and definition hash

_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))))

_PACKAGE = """
_here = __import__(__name__, None, None, ("__name__",))
_Module = type(_here)

class _Package(_Module):

    def __setattr__(self, name, value):
        function = _FUNCTIONS.get(name, name)
        if isinstance(value, _Module) and function in __all__:
            value = getattr(value, function)
        super().__setattr__(name, value)

def __getattr__(name):
    function = _ALIASES.get(name, name)
    if function not in __all__:
        raise AttributeError(f"The server {_SERVER!r} has no tool {name!r}; search_tools finds the right name.")
    module = __import__(f"{__name__}.{_FILES.get(function, function)}", None, None, (function,))
    found = getattr(module, function)
    setattr(_here, name, found)
    return found

def __dir__():
    return __all__

_here.__class__ = _Package
"""
"""The fixed end of every package: a function's file is read when its name is first asked for, and a file that was
imported by itself does not hide its function under the same name."""


def write_package(server: str, tools: Sequence[Tool], root: Path) -> tuple[str, ...]:
    """Bring `root/<package>` in step with the tools; returns a warning for each tool that is not quite as wished."""
    folder = root / package_name(server)
    folder.mkdir(parents=True, exist_ok=True)
    before = _index(folder)
    if (owner := before.get("server", server)) != server and folder.name == owner:
        return (f"{server} and {owner} would both be servers.{folder.name}; rename one of them to use both.",)
    unique = {tool.name: tool for tool in reversed(tools)}
    warnings = [f"{server} lists {name} twice; its first definition is used." for name in _repeated(tools)]
    functions = python_names([tool.name for tool in tools])
    files = _file_names(functions)
    entries = {name: [functions[name], files[name], definition_hash(tool)] for name, tool in unique.items()}
    known = before.get("tools", {}) if before.get("format") == FORMAT and before.get("server") == server else {}
    for name, entry in entries.items():
        target = folder / f"{files[name]}.py"
        if known.get(name) != entry or not target.is_file():
            source, warning = _source(unique[name], functions[name])
            _replace(target, source)
            warnings.extend(warning)
    ordered = {name: entries[name] for name in functions}
    _replace(folder / "__init__.py", _package_source(server, ordered))
    _replace(folder / "__init__.pyi", _stub_source(ordered))
    _replace(folder / INDEX, json.dumps({"format": FORMAT, "server": server, "tools": ordered}))
    _remove_others(folder, {f"{name}.py" for name in files.values()} | {"__init__.py", "__init__.pyi", INDEX})
    return tuple(warnings)


def remove_package(server: str, root: Path) -> None:
    """Take a server's functions away, unless another server's stand under the same name."""
    folder = root / package_name(server)
    if _index(folder).get("server", server) == server:
        shutil.rmtree(folder, ignore_errors=True)


def definition_hash(tool: Tool) -> str:
    """The tool's own hash, or one made from what a function depends on."""
    if tool.hash:
        return tool.hash
    whole = [tool.name, tool.title, tool.description, tool.input_schema, tool.output_schema, str(tool.hints)]
    return hashlib.sha256(json.dumps(whole, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()


def _source(tool: Tool, function: str) -> tuple[str, list[str]]:
    """A tool's module. What cannot be written as defined is written without its schemas: callable all the same."""
    try:
        source = wrapper_source(tool, function)
        compile(source, function, "exec")
        return source, []
    except (ValueError, TypeError, RecursionError, SyntaxError, MemoryError, UnicodeError) as fault:
        plain = replace(tool, input_schema={}, output_schema=None, description="", title="")
        reason = f"{type(fault).__name__}: {fault}"[:200]
        return wrapper_source(plain, function), [f"{tool.name} takes anything: its definition is unusable ({reason})."]


def _repeated(tools: Sequence[Tool]) -> list[str]:
    names = [tool.name for tool in tools]
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def _file_names(functions: Mapping[str, str]) -> dict[str, str]:
    """A file per function, of the same name, also where a file system ignores case or reserves device names."""
    given: dict[str, str] = {}
    taken = set(_DEVICES)
    for name, function in sorted(functions.items(), key=lambda item: item[1]):
        stem = function
        while stem.casefold() in taken:
            stem += "_"
        taken.add(stem.casefold())
        given[name] = stem
    return given


def _package_source(server: str, entries: Mapping[str, Sequence[str]]) -> str:
    """The `__init__`: data from `ast`, then the fixed end. Raw names that are identifiers can be imported too."""
    files = {entry[0]: entry[1] for entry in entries.values() if entry[0] != entry[1]}
    aliases = {name: entry[0] for name, entry in entries.items() if name != entry[0] and name.isidentifier()}
    head: list[ast.stmt] = [
        ast.Expr(ast.Constant(f"Functions for the tools of {server!r}; each is read when first asked for.")),
        _constant("_SERVER", server),
        _constant("__all__", tuple(sorted(entry[0] for entry in entries.values()))),
        _constant("_FILES", files),
        _constant("_FUNCTIONS", {file: function for function, file in files.items()}),
        _constant("_ALIASES", aliases),
    ]
    return ast.unparse(ast.fix_missing_locations(ast.Module(head, []))) + "\n" + _PACKAGE


def _stub_source(entries: Mapping[str, Sequence[str]]) -> str:
    """What type checkers and completion read instead of the lazy `__init__`."""
    lines: list[ast.stmt] = [
        ast.ImportFrom(entry[1], [ast.alias(entry[0], entry[0])], level=1) for entry in entries.values()
    ]
    return ast.unparse(ast.fix_missing_locations(ast.Module(lines, []))) + "\n"


def _constant(name: str, value: JsonValue) -> ast.stmt:
    return ast.Assign([ast.Name(name)], ast.parse(repr(value), mode="eval").body, lineno=0)


def _index(folder: Path) -> dict[str, JsonValue]:
    """What was written before; an unreadable index only means that everything is written again."""
    try:
        found = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("tools"), dict) else {}


def _replace(target: Path, text: str) -> None:
    """The whole file or nothing; a file that is already so stays untouched."""
    data = text.encode("utf-8", "backslashreplace")
    if target.is_file() and target.read_bytes() == data:
        return
    handle, name = tempfile.mkstemp(prefix=".new-", dir=target.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.chmod(name, 0o644)
    os.replace(name, target)


def _remove_others(folder: Path, wanted: set[str]) -> None:
    for path in folder.iterdir():
        if path.name not in wanted:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
