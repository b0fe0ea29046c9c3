"""Where a path leads."""

from __future__ import annotations

import pytest

from workbench.analysis.interpreter.effects import PathPlace, certain, place, within
from workbench.analysis.interpreter.values import HOLE


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("workspace/a.csv", PathPlace.WORKSPACE),
        ("./workspace/sub/../a.csv", PathPlace.WORKSPACE),
        ("/bench/workspace/a", PathPlace.WORKSPACE),
        ("/workspace", PathPlace.WORKSPACE),
        (f"workspace/{HOLE}.csv", PathPlace.WORKSPACE),
        ("report.csv", PathPlace.BESIDE),
        ("skills/x.py", PathPlace.BESIDE),
        ("/bench/servers/demo", PathPlace.BESIDE),
        ("/bench", PathPlace.BESIDE),
        ("/bench/../x", PathPlace.OUTSIDE),
        ("workspace2/a", PathPlace.BESIDE),
        ("/tmp/x", PathPlace.SCRATCH),
        ("/tmp/../etc", PathPlace.OUTSIDE),
        ("../a", PathPlace.OUTSIDE),
        ("workspace/../../a", PathPlace.OUTSIDE),
        ("/bench/workspace/../../x", PathPlace.OUTSIDE),
        ("/workspacex/a", PathPlace.OUTSIDE),
        ("/home/me/a", PathPlace.OUTSIDE),
        ("~/notes.txt", PathPlace.OUTSIDE),
        ("C:\\notes.txt", PathPlace.OUTSIDE),
        (f"{HOLE}/../../x", PathPlace.OUTSIDE),
        ("~/.ssh/id_rsa", PathPlace.SENSITIVE),
        ("/etc/passwd", PathPlace.SENSITIVE),
        ("/proc/self/environ", PathPlace.SENSITIVE),
        ("workspace/.env", PathPlace.SENSITIVE),
        ("/var/run/docker.sock", PathPlace.SENSITIVE),
        (f"/home/{HOLE}/.aws/credentials", PathPlace.SENSITIVE),
        (HOLE, PathPlace.UNKNOWN),
        ("", PathPlace.UNKNOWN),
    ],
)
def test_every_kind_of_place(path: str, expected: PathPlace) -> None:
    assert place(path) is expected


def test_workspace_paths_are_shown_alike() -> None:
    assert {within(path) for path in ("workspace/a", "./workspace//a", "/bench/workspace/a", "/workspace/a", "a")} == {
        "workspace/a"
    }
    assert within("workspace") == within("/workspace/") == "the workspace"
    assert within(f"workspace/{HOLE}.csv") == "workspace/….csv"


def test_only_places_the_sandbox_surely_lacks_are_called_refused() -> None:
    assert certain(PathPlace.OUTSIDE, "../a")
    assert certain(PathPlace.SENSITIVE, "/etc/shadow")
    assert not certain(PathPlace.SENSITIVE, "workspace/.env")
    assert not certain(PathPlace.UNKNOWN, HOLE)
