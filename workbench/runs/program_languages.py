"""The languages of programs, and what can be said against one before the user is asked."""

from __future__ import annotations

from workbench.errors import WorkbenchError
from workbench.sandbox.deno import deno_backend

PYTHON = "python"
NAMES = {PYTHON: "Python", deno_backend.LANGUAGE: "TypeScript"}


def check_language(language: str, state: str = "") -> None:
    """Refuse a language that there is not, that nothing here runs, or that keeps no variables."""
    if language not in NAMES:
        raise WorkbenchError(f"There is no language {language!r:.60}.", f"Use {' or '.join(NAMES)}.")
    if language == PYTHON:
        return
    if not deno_backend.runtime():
        raise WorkbenchError(deno_backend.MISSING, deno_backend.HINT)
    if state:
        raise WorkbenchError(f"Only programs in {NAMES[PYTHON]} keep a state.", "Leave out session_id.")
