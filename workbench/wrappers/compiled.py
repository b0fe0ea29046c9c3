"""Compiles the functions that programs call, so that the next program that imports them need not: every program is a
fresh interpreter, and compiling one file takes as long as calling its tool. Python looks by itself whether what is
compiled is of the file as it stands.
"""

from __future__ import annotations

import py_compile
from collections.abc import Iterable
from pathlib import Path

from workbench.identifiers import package_name
from workbench.wrappers.folder import read_index

_BY_CONTENT = py_compile.PycInvalidationMode.CHECKED_HASH  # a time in seconds would miss a quick change


def compile_functions(root: Path, server: str, tools: Iterable[str]) -> None:
    """Those of these tools of a server that have a file; one that cannot be compiled is compiled by who imports it."""
    folder = root / package_name(server)
    known = read_index(folder).get("tools")
    stems = [entry[1] for name in tools if isinstance(known, dict) and isinstance(entry := known.get(name), list)]
    for stem in ("__init__", *map(str, stems)):
        try:
            file = folder / f"{stem}.py"
            said = f"{folder.name}/{file.name}"  # programs can read it: where it is kept here is none of their business
            py_compile.compile(str(file), dfile=said, doraise=True, invalidation_mode=_BY_CONTENT)
        except (py_compile.PyCompileError, OSError):
            continue
