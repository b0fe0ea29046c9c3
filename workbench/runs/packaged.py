"""Which of the packages that the person lets in a program imports: only the process sandbox can show it those."""

from __future__ import annotations

import ast

from workbench.records import Proposal
from workbench.runs.languages import PYTHON
from workbench.sandbox.packages import packages
from workbench.settings import Settings
from workbench.syntax import parse


def packaged(proposal: Proposal, settings: Settings) -> tuple[str, ...]:
    """Modules of `run.packages` that it names in an import; one that it gets by other ways is not there for it."""
    if not settings.run_packages or proposal.language != PYTHON:
        return ()
    tops = {place.split(".")[0].split("/")[0] for place, _ in packages(settings.run_packages, "").places}
    return tuple(sorted(_imported(proposal.code) & tops))


def _imported(code: str) -> set[str]:
    try:
        tree = parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()  # the verdict says what is wrong with it
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.split(".")[0] for name in names if name}
