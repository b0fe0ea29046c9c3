"""Names of workspace files."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.workspace.file_names import danger, parts_of


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("a.txt", ["a.txt"]),
        ("./a//b/./c", ["a", "b", "c"]),
        ("a b/ü", ["a b", "ü"]),
        ("...", ["..."]),
        ("-rf", ["-rf"]),
    ],
)
def test_a_relative_path_becomes_its_steps(path: str, parts: list[str]) -> None:
    assert parts_of(path) == parts


def test_a_refusal_shows_a_long_path_shortened() -> None:
    with pytest.raises(WorkbenchError) as caught:
        parts_of("/" + "x" * 5000)
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit",
        "repo/.git/config",
        ".vscode/tasks.json",
        "x/.claude/settings.json",
        "CLAUDE.md",
        ".mcp.json",
        ".envrc",
        ".bashrc",
        ".github/workflows/ci.yml",
        "Makefile",
        "conftest.py",
        "package.json",
        "start.desktop",
        "pytest.ini",
        ".exrc",
        "vite.config.ts",
        ".eslintrc.js",
        "Rakefile",
    ],
)
def test_what_would_be_run_is_told(path):
    assert danger(path).endswith(".")


@pytest.mark.parametrize("path", ["a.csv", "reports/make.txt", "git/hooks/x", "notes.md", "my.claude.txt", "a.py"])
def test_plain_files_are_not(path):
    assert danger(path) == ""
    assert "marked as executable" in danger(path, 0o755)
