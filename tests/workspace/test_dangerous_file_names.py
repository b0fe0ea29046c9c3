"""Files that tools of a person's machine would run are told by their names."""

from __future__ import annotations

import pytest

from workbench.workspace.dangerous_file_names import danger


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
    assert "marked as a program" in danger(path, 0o755)
