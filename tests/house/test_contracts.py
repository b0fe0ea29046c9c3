"""Imports point downwards, style and types hold: the tools that check it are run as tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

Command = Callable[..., str]
BIN = Path(sys.executable).parent


def test_imports_point_downwards(command: Command) -> None:
    told = command(str(BIN / "lint-imports"), "--no-cache")
    assert "0 broken" in told


def test_the_linter_has_no_complaint(command: Command) -> None:
    command(str(BIN / "ruff"), "check", "--no-cache", ".")


def test_the_formatter_would_change_nothing(command: Command) -> None:
    command(str(BIN / "ruff"), "format", "--no-cache", "--check", ".")


def test_the_package_is_fully_typed(command: Command) -> None:
    command(str(BIN / "mypy"), "--strict", "-p", "workbench")


def test_the_tools_are_fully_typed(command: Command, root: Path) -> None:
    command(str(BIN / "mypy"), "--strict", *(str(path) for path in sorted((root / "tools").glob("*.py"))))
    command(str(BIN / "mypy"), "--strict", *(str(path) for path in sorted((root / "tools/prepare").glob("*.py"))))
