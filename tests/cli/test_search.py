"""`mcp-workbench search` says what there is without a core, and refuses in sentences."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.api.core_lock import lock_holder
from workbench.search.semantic.sentence_model import runs_here

pytestmark = pytest.mark.usefixtures("paths")  # a home of its own: what is removed here is nobody's


def search(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "workbench", "search", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_status_says_how_to_have_the_model_and_starts_no_core(paths) -> None:
    said = search("status")
    assert (said.returncode, said.stderr) == (0, "")
    assert "is not built" in said.stdout
    assert "mcp-workbench search build" in said.stdout
    assert lock_holder(paths.lock) == 0


def test_status_as_json_and_removing_what_is_not_there() -> None:
    assert json.loads(search("status", "--json").stdout)["usable"] is False
    assert search("remove").stdout == "There is none.\n"


def test_building_names_what_is_missing(tmp_path: Path) -> None:
    said = search("build", "--from", str(tmp_path / "nowhere.whl"))
    assert said.returncode == 1
    assert ("nowhere.whl cannot be read" if runs_here() else "onnxruntime is not installed") in said.stderr


@pytest.mark.parametrize("words", [(), ("hope",)])
def test_anything_else_is_a_wrong_usage(words: tuple[str, ...]) -> None:
    assert search(*words).returncode == 2
