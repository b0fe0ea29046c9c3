"""What the rules of the house look at: the checkout, its source files, a fresh interpreter, long functions."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MADE = {  # what tools and runs leave in a checkout
    *(".git", ".venv", "__pycache__", "screenshots"),
    *(".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache"),
}
_long_functions: list[str] = []  # not a fault, but worth a look; printed after the run


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def sources() -> tuple[Path, ...]:
    """Every Python file of the package."""
    return tuple(sorted((ROOT / "workbench").rglob("*.py")))


@pytest.fixture(scope="session")
def tracked() -> tuple[Path, ...]:
    """Every file that is part of the project: what git knows or would add; without git, all that nobody made here."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        return tuple(
            path for path in ROOT.rglob("*") if path.is_file() and not MADE & set(path.relative_to(ROOT).parts)
        )
    command = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    paths = (ROOT / os.fsdecode(name) for name in listed.split(b"\0") if name)
    return tuple(path for path in paths if path.is_file())


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def tree() -> Callable[[Path], ast.Module]:
    """A file as Python reads it; each is read once, as several rules look at all of them."""
    return _tree


@pytest.fixture
def command() -> Callable[..., str]:
    """Run a tool on the checkout; when it objects, the test fails with what it said."""

    def run(*arguments: str, seconds: int = 400) -> str:
        done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False, timeout=seconds)
        if done.returncode != 0:
            pytest.fail(f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}", pytrace=False)
        return done.stdout

    return run


@pytest.fixture
def fresh() -> Callable[[str], str]:
    """Run a program in an interpreter that has imported nothing yet; answers what it printed."""

    def run(program: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def long_functions() -> list[str]:
    """Functions to name in the summary."""
    return _long_functions


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _long_functions:
        terminalreporter.section("functions over 60 lines")
        for line in _long_functions:
            terminalreporter.line(line)
