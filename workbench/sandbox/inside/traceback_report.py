"""Reports an exception with the program's own lines, without the frames of the runner. Standard library only."""

from __future__ import annotations

import traceback

_OWN = ("<program", "<skill")
_SKILLS = "/bench/skills/"  # the end of the folder's path in every backend
_LONGEST = 20_000


def format_failure(fault: BaseException) -> dict[str, str]:
    """The kind, the sentence and the shortened traceback of a failure."""
    return {"error_type": type(fault).__name__, "message": _sentence(fault), "traceback": _own_lines(fault)}


def _sentence(fault: BaseException) -> str:
    try:
        if isinstance(fault, SyntaxError):
            return f"{fault.msg} (line {fault.lineno})"
        return str(fault)[:_LONGEST]
    except Exception:  # a program's own __str__ may do anything
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
