"""Reads the program that a command was given: a file, or `-` for stdin."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.files import read_plain


@dataclass(frozen=True, slots=True)
class Program:
    """A text that was not looked at yet."""

    name: str
    code: str
    language: str

    @classmethod
    def read(cls, source: str, language: str = "") -> Program:
        """Without a language, the ending of its name says which it is."""
        if source == "-":
            return cls("stdin", sys.stdin.read(), language or "python")
        try:
            code = read_plain(Path(source).expanduser(), "utf-8")
        except (OSError, UnicodeError) as fault:
            words = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
            raise WorkbenchError(f"{source} cannot be read: {words}.") from fault
        name = Path(source).name
        return cls(name, code, language or ("typescript" if name.endswith(".ts") else "python"))
