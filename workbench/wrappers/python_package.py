"""Writes a server's tools as a Python package that loads one file per imported function, and compiles functions.

Functions that programs call are compiled in advance: every program runs in a new interpreter, and compiling one file
takes as long as calling its tool.
"""

from __future__ import annotations

import ast
import py_compile
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from workbench.identifiers import package_name, python_names
from workbench.records import JsonValue, Tool
from workbench.wrappers.generated_folder import INDEX, FolderStyle, GeneratedModule, read_index, write_folder
from workbench.wrappers.python_source import wrapper_and_stub

__all__ = ["INDEX", "remove_package", "write_package"]

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
"""Fixed end of every package.

A function's file is loaded when its name is first used. A file that was imported directly does not hide its function of
the same name.
"""


def write_package(server: str, tools: Sequence[Tool], root: Path) -> tuple[str, ...]:
    """Synchronize `root/<package>` with the tools.

    Returns a warning for each tool that could not be written as defined."""
    return write_folder(server, tools, root / package_name(server), PYTHON)


def remove_package(server: str, root: Path) -> None:
    """Delete a server's functions, unless the package of that name belongs to another server."""
    folder = root / package_name(server)
    if read_index(folder).get("server", server) == server:
        shutil.rmtree(folder, ignore_errors=True)


def _module(tool: Tool, function: str, written: str) -> tuple[str, ...]:
    source, stub = wrapper_and_stub(tool, function)
    compile(source, function, "exec")
    return source, stub


def _index_files(server: str, entries: Mapping[str, GeneratedModule], written: str) -> dict[str, str]:
    return {"__init__.py": _package_source(server, entries), "__init__.pyi": _stub_source(entries)}


def _package_source(server: str, entries: Mapping[str, GeneratedModule]) -> str:
    """Return the source of `__init__`: data made with `ast`, then the fixed end.

    Original names that are identifiers can be imported, too."""
    files = {entry.function: entry.stem for entry in entries.values() if entry.function != entry.stem}
    aliases = {
        name: entry.function for name, entry in entries.items() if name != entry.function and name.isidentifier()
    }
    head: list[ast.stmt] = [
        ast.Expr(ast.Constant(f"Functions for the tools of {server!r}; each is read when first asked for.")),
        _constant("_SERVER", server),
        _constant("__all__", tuple(sorted(entry.function for entry in entries.values()))),
        _constant("_FILES", files),
        _constant("_FUNCTIONS", {file: function for function, file in files.items()}),
        _constant("_ALIASES", aliases),
    ]
    return ast.unparse(ast.fix_missing_locations(ast.Module(head, []))) + "\n" + _PACKAGE


def _stub_source(entries: Mapping[str, GeneratedModule]) -> str:
    """Return the stub that type checkers and completion read instead of the lazy `__init__`."""
    lines: list[ast.stmt] = [
        ast.ImportFrom(entry.stem, [ast.alias(entry.function, entry.function)], level=1) for entry in entries.values()
    ]
    return ast.unparse(ast.fix_missing_locations(ast.Module(lines, []))) + "\n"


def _constant(name: str, value: JsonValue) -> ast.stmt:
    return ast.Assign([ast.Name(name)], ast.parse(repr(value), mode="eval").body, lineno=0)


PYTHON = FolderStyle("6", "servers.", (".py", ".pyi"), python_names, frozenset(), _module, _index_files)


_BY_CONTENT = py_compile.PycInvalidationMode.CHECKED_HASH  # a modification time in seconds would miss a quick change


def compile_functions(root: Path, server: str, tools: Iterable[str]) -> None:
    """Compile the functions of these tools that have a file.

    A file that cannot be compiled here is compiled by the program that imports it."""
    folder = root / package_name(server)
    known = read_index(folder).get("tools")
    stems = [entry[1] for name in tools if isinstance(known, dict) and isinstance(entry := known.get(name), list)]
    for stem in ("__init__", *map(str, stems)):
        try:
            file = folder / f"{stem}.py"
            said = f"{folder.name}/{file.name}"  # programs can read this name, so it must not contain the full path
            py_compile.compile(str(file), dfile=said, doraise=True, invalidation_mode=_BY_CONTENT)
        except (py_compile.PyCompileError, OSError):
            continue
