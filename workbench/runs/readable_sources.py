"""Finds the generated functions and kept skills that a program may read as text, and may print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from workbench.analysis.reading import Reading

MOST_FILES: Final = 4_000
MOST_LETTERS: Final = 8_000_000
_READS: Final = re.compile(
    r"inspect|getsource\w{0,8}|open|readFile\w{0,8}|readTextFile\w{0,8}|read_text|read_bytes|linecache|pydoc|help|__doc__"
)
_LISTS: Final = re.compile(r"listdir|scandir|iterdir|walk|r?glob|pkgutil|readDir\w{0,8}")
_SUFFIXES: Final = frozenset({".py", ".pyi", ".ts", ".js", ".mjs"})
_PACKAGES: Final = frozenset({"servers", "skills"})


def reads_source(reading: Reading) -> bool:
    """Whether a program may read the functions that it imports as text."""
    if not reading.whole:
        return True
    return not _PACKAGES.isdisjoint(reading.words) and any(map(_READS.fullmatch, reading.words))


def source_files(reading: Reading, folders: tuple[Path, ...]) -> Iterator[str]:
    """The texts of the packages in these folders that the program names; of all, where it lists folders."""
    names = reading.words
    lists = not reading.whole or any(map(_LISTS.fullmatch, names))
    letters = files = 0
    for folder in folders:
        for path in sorted(folder.glob("**/*")) if folder.is_dir() else ():
            package = path.relative_to(folder).parts[0].partition(".")[0]
            if path.suffix not in _SUFFIXES or not path.is_file() or (package not in names and not lists):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            letters, files = letters + len(text), files + 1
            if letters > MOST_LETTERS or files > MOST_FILES:
                return
            yield text
