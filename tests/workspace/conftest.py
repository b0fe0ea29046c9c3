"""A store on an empty folder, with something outside of it that must stay untouched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.workspace.workspace_files import WorkspaceFiles


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    secret = tmp_path / "outside" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("secret")
    yield secret
    assert secret.read_text() == "secret"
    assert [path.name for path in secret.parent.iterdir()] == ["secret.txt"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def store(root: Path) -> WorkspaceFiles:
    return WorkspaceFiles(root, quota_mb=lambda: 2)
