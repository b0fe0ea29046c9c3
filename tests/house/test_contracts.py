"""Import contracts, style and types: the tools that check them are run as tests."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from importlib.util import find_spec
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
    """Run mypy once for all packages, with its cache, because a second process would load the same 1,200 files
    again.
    """
    tools = [str(path) for folder in ("tools", "tools/prepare") for path in sorted((root / folder).glob("*.py"))]
    command(str(BIN / "mypy"), "--strict", "workbench", *tools)


def test_benchmarks_and_examples_import_names_that_exist(root: Path) -> None:
    """Check names imported by benchmarks and examples. mypy reads the package and the tools only, and most benchmarks
    run in no test.
    """
    missing = []
    for path in sorted((*root.glob("benchmarks/**/*.py"), *root.glob("docs/**/*.py"), *root.glob("tools/**/*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "workbench":
                names = [(node.module or "", alias.name) for alias in node.names]
                missing += [f"{path.name}:{node.lineno}: {name}" for name in names if not _exists(*name)]
    assert missing == []


def _exists(module: str, name: str) -> bool:
    return hasattr(importlib.import_module(module), name) or find_spec(f"{module}.{name}") is not None
