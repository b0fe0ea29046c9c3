"""`mcp-workbench sandbox` says what there is, in words and as JSON, without a core."""

from __future__ import annotations

import json
import subprocess
import sys

from workbench.api.core_lock import lock_holder


def sandbox(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "workbench", "sandbox", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_status_lists_the_levels_from_the_weakest_and_starts_no_core(paths):
    said = sandbox("status")
    assert (said.returncode, said.stderr) == (0, "")
    assert [line.split()[0] for line in said.stdout.splitlines() if not line.startswith(" ")] == [
        "process",
        "container",
        "vm",
    ]
    assert lock_holder(paths.lock) == 0


def test_status_as_json_has_every_level_whole():
    levels = json.loads(sandbox("status", "--json").stdout)
    assert [level["name"] for level in levels] == ["process", "container", "vm"]
    assert all(level["sentence"] for level in levels)


def test_a_level_that_is_not_built_is_a_wrong_usage():
    said = sandbox("build", "hope")
    assert said.returncode == 2
    assert "container" in said.stderr
