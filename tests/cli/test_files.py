"""The workspace from the command line, against a real core."""

from __future__ import annotations

import json

from workbench.settings import Settings
from workbench.workspace.confined_paths import Confined
from workbench.workspace.snapshots import Snapshots, Writer


def test_what_a_run_changed_is_compared_and_taken_back(command, project):
    run, paths = command, project
    paths.workspace.mkdir(exist_ok=True)
    (paths.workspace / "a.txt").write_text("one\ntwo\n")
    before = Snapshots(Confined(paths.workspace), paths.undo, Settings)
    before.begin(Writer("run1", "run", "test agent", "Count"))
    (paths.workspace / "a.txt").write_text("one\n2\n")
    (paths.workspace / "b.txt").write_text("b" * 100_000)
    before.end("run1")
    before.close()
    code, out, _ = run("files", "list")
    assert (code, [line.split()[-1] for line in out.splitlines()]) == (0, ["a.txt", "b.txt"])
    assert run("files", "read", "b.txt")[1] == "b" * 100_000
    assert "2 files  test agent: Count" in run("files", "changes")[1]
    out = run("files", "diff", "run1", "a.txt")[1]
    assert "-two\n+2\n" in out
    assert "b.txt" not in out
    code, out, narrated = run("files", "undo", "run1", "a.txt")
    assert "x a.txt: The earlier version is restored." in out
    assert narrated == "Nothing was undone. With --yes, the changes marked x are undone.\n"
    assert run("files", "undo", "run1", "--yes")[0] == 0
    assert (paths.workspace / "a.txt").read_text() == "one\ntwo\n"
    assert not (paths.workspace / "b.txt").exists()
    newest = json.loads(run("files", "changes", "--json")[1])
    assert [one["kind"] for one in newest] == ["undo", "run"]
    assert run("files", "undo", newest[0]["id"], "a.txt", "--yes")[1].startswith("1 file was restored. ")
    assert "  1 file   you: Count" in run("files", "changes")[1].splitlines()[0]
