"""Where a path leads."""

from __future__ import annotations

import pytest

from workbench.policy.effects import Place, certain, place, within
from workbench.policy.value import HOLE


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("workspace/a.csv", Place.WORKSPACE),
        ("./workspace/sub/../a.csv", Place.WORKSPACE),
        ("/bench/workspace/a", Place.WORKSPACE),
        ("/workspace", Place.WORKSPACE),
        (f"workspace/{HOLE}.csv", Place.WORKSPACE),
        ("report.csv", Place.BESIDE),
        ("skills/x.py", Place.BESIDE),
        ("/bench/servers/demo", Place.BESIDE),
        ("/bench", Place.BESIDE),
        ("/bench/../x", Place.OUTSIDE),
        ("workspace2/a", Place.BESIDE),
        ("/tmp/x", Place.SCRATCH),
        ("/tmp/../etc", Place.OUTSIDE),
        ("../a", Place.OUTSIDE),
        ("workspace/../../a", Place.OUTSIDE),
        ("/bench/workspace/../../x", Place.OUTSIDE),
        ("/workspacex/a", Place.OUTSIDE),
        ("/home/me/a", Place.OUTSIDE),
        ("~/notes.txt", Place.OUTSIDE),
        ("C:\\notes.txt", Place.OUTSIDE),
        (f"{HOLE}/../../x", Place.OUTSIDE),
        ("~/.ssh/id_rsa", Place.SENSITIVE),
        ("/etc/passwd", Place.SENSITIVE),
        ("/proc/self/environ", Place.SENSITIVE),
        ("workspace/.env", Place.SENSITIVE),
        ("/var/run/docker.sock", Place.SENSITIVE),
        (f"/home/{HOLE}/.aws/credentials", Place.SENSITIVE),
        (HOLE, Place.UNKNOWN),
        ("", Place.UNKNOWN),
    ],
)
def test_every_kind_of_place(path: str, expected: Place) -> None:
    assert place(path) is expected


def test_workspace_paths_are_shown_alike() -> None:
    assert {within(path) for path in ("workspace/a", "./workspace//a", "/bench/workspace/a", "/workspace/a", "a")} == {
        "workspace/a"
    }
    assert within("workspace") == within("/workspace/") == "the workspace"
    assert within(f"workspace/{HOLE}.csv") == "workspace/….csv"


def test_only_places_the_sandbox_surely_lacks_are_called_refused() -> None:
    assert certain(Place.OUTSIDE, "../a")
    assert certain(Place.SENSITIVE, "/etc/shadow")
    assert not certain(Place.SENSITIVE, "workspace/.env")
    assert not certain(Place.UNKNOWN, HOLE)
