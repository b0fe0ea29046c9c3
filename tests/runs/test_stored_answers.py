"""Answers too long for a model are stored completely for the next program, readable by lines, for a limited time."""

from __future__ import annotations

import json
import os
import time

import pytest
from msgspec.structs import replace

from workbench.records import Origin, Proposal, Run, RunState
from workbench.runs.run_finalizer import StoredAnswers
from workbench.settings import Settings
from workbench.workspace.snapshots import Snapshots
from workbench.workspace.workspace_files import WorkspaceFiles

ROWS = json.dumps([{"name": "Ines Novak", "n": n} for n in range(300)])


@pytest.fixture
def settings():
    return [Settings(privacy_results_days=7, privacy_results_mb=1)]


@pytest.fixture
def spills(tmp_path, settings):
    store = WorkspaceFiles(tmp_path, lambda: 100)
    snapshots = Snapshots(store.confined, tmp_path.parent / f"{tmp_path.name}-undo", lambda: settings[0])
    return StoredAnswers(store, snapshots, lambda: settings[0])


def run(name, result=ROWS):
    proposal = Proposal(name, "", "", Origin.AGENT, "s", "an agent", at=0.0)
    return Run(name, proposal, RunState.DONE, result=result)


def there(tmp_path):
    return sorted(path.name for path in (tmp_path / "results").iterdir())


def test_each_value_stands_on_a_line_so_that_the_first_lines_cut_none(spills, tmp_path):
    told = spills.store_answer(run("0123456789ab"))
    assert "read_file('results/0123456789ab.txt').splitlines()" in told
    text = (tmp_path / "results/0123456789ab.txt").read_text()
    assert text.splitlines()[2] == '  "name": "Ines Novak",'
    assert json.loads(text.removeprefix("result = ")) == json.loads(ROWS)


def test_old_answers_go_then_the_oldest_of_too_many_and_nothing_else(spills, tmp_path, settings):
    for name in ("a" * 12, "b" * 12, "c" * 12):
        spills.store_answer(run(name))
    for age, name in enumerate(("c" * 12, "b" * 12, "a" * 12), 1):
        os.utime(tmp_path / f"results/{name}.txt", (at := time.time() - age * 3 * 86_400, at))
    for name in ("mine.txt", "0123.txt"):
        (tmp_path / "results" / name).write_text("x")
        os.utime(tmp_path / "results" / name, (0, 0))
    (tmp_path / "results" / ("d" * 12 + ".txt")).symlink_to(tmp_path / "results/mine.txt")
    spills.delete_old()
    assert there(tmp_path) == ["0123.txt", "b" * 12 + ".txt", "c" * 12 + ".txt", "d" * 12 + ".txt", "mine.txt"]
    spills.store_answer(run("e" * 12, json.dumps("x" * 990_000)))
    assert there(tmp_path) == ["0123.txt", "d" * 12 + ".txt", "e" * 12 + ".txt", "mine.txt"]
    settings[0] = replace(settings[0], privacy_results_days=0)
    assert "not stored" in spills.store_answer(run("f" * 12))
    spills.delete_old()
    assert there(tmp_path) == ["0123.txt", "d" * 12 + ".txt", "mine.txt"]


def test_a_folder_that_leads_elsewhere_is_left_alone(spills, tmp_path):
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    (kept := elsewhere / ("a" * 12 + ".txt")).write_text("x")
    os.utime(kept, (0, 0))
    (tmp_path / "results").symlink_to(elsewhere)
    spills.delete_old()
    assert kept.exists()
    assert "could not be stored" in spills.store_answer(run("b" * 12))
