"""The wheel contains the files that the program needs besides its code: icons, fonts, starter skills, licences,
commands.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory, root: Path) -> list[str]:
    import subprocess

    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        return wheel.namelist()


def _below(folder: Path, prefix: str, root: Path) -> set[str]:
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {f"{prefix}/{path.relative_to(folder).as_posix()}" for path in files}


def test_resources_and_starter_skills_are_in_the_wheel(names: list[str], root: Path) -> None:
    assert _below(root / "resources", "workbench/resources", root) <= set(names)
    assert _below(root / "skills", "workbench/starter_skills", root) <= set(names)


def test_licences_are_in_the_wheel(names: list[str]) -> None:
    for licence in ("LICENSE", "resources/LICENSES.md"):
        assert any(name.endswith(f".dist-info/licenses/{licence}") for name in names), licence


def test_tests_and_tools_are_not(names: list[str]) -> None:
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"workbench"}


def test_the_installed_command_says_how_it_is_used(command: Callable[..., str]) -> None:
    told = command(sys.executable, "-m", "workbench", "--help")
    assert "mcp-workbench" in told
    assert "serve" in told
