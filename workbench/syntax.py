"""Reads a program's text as Python reads it, one text at a time: threads that read beside each other disturb it."""

from __future__ import annotations

import ast
import threading

_ALONE = threading.Lock()
_TRIES = 3


def parse(text: str, name: str = "<unknown>") -> ast.Module:
    """As `ast.parse`, with its faults.

    WORKAROUND(what runs in the middle of ast.parse, on another thread or while garbage is collected, makes it raise
    SystemError, until Python 3.13)
    """
    with _ALONE:
        for _ in range(_TRIES - 1):
            try:
                return ast.parse(text, name)
            except SystemError:
                continue
        return ast.parse(text, name)
