"""Formats an exception with the program's own lines, without the frames of the runner.

Uses only the standard library.
"""

from __future__ import annotations

import traceback

_OWN = ("<program", "<skill")
_SKILLS = "/bench/skills/"  # end of the skills folder's path in every backend
_LONGEST = 20_000


def format_failure(fault: BaseException) -> dict[str, str]:
    """Type, message and shortened traceback of an exception."""
    return {"error_type": type(fault).__name__, "message": _sentence(fault), "traceback": _own_lines(fault)}


def _sentence(fault: BaseException) -> str:
    try:
        if isinstance(fault, SyntaxError):
            return f"{fault.msg} (line {fault.lineno})"
        return str(fault)[:_LONGEST]
    except Exception:  # a program's __str__ may raise anything
        return type(fault).__name__


def _own_lines(fault: BaseException) -> str:
    try:
        shown = traceback.TracebackException.from_exception(fault, compact=True)
        _trim(shown)
        return "".join(shown.format())[:_LONGEST]
    except Exception as broken:  # as above
        return f"{type(fault).__name__} (its traceback cannot be shown: {type(broken).__name__})\n"


def _trim(shown: traceback.TracebackException) -> None:
    shown.stack[:] = [frame for frame in shown.stack if frame.filename.startswith(_OWN) or _SKILLS in frame.filename]
    for frame in shown.stack:
        if frame.name == "__program__":
            frame.name = "<module>"
    for other in (shown.__cause__, shown.__context__, *(shown.exceptions or ())):
        if other is not None:
            _trim(other)
