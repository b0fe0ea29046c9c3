"""Imports point downwards, style and types hold: the tools that check it are run as tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

Command = Callable[..., str]
BIN = Path(sys.executable).parent


def test_imports_point_downwards(command: Command) -> None:
    assert "0 broken" in command(str(BIN / "lint-imports"))


def test_the_linter_has_no_complaint(command: Command) -> None:
    command(str(BIN / "ruff"), "check", ".")


def test_the_formatter_would_change_nothing(command: Command) -> None:
    command(str(BIN / "ruff"), "format", "--check", ".")


def test_the_package_and_the_tools_are_fully_typed(command: Command, root: Path) -> None:
    """One mypy for all, with its cache: a second process would load the same 1,200 files again."""
    tools = [str(path) for folder in ("tools", "tools/prepare") for path in sorted((root / folder).glob("*.py"))]
    command(str(BIN / "mypy"), "--strict", "workbench", *tools)
