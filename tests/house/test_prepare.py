"""The set-up of `./run` and `./test`: it does nothing twice, and prints a command for what it is not allowed to do
itself.
"""

from __future__ import annotations

import importlib
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PARTS = ("debian", "environment", "qt", "stamp", "trouble")


@pytest.fixture
def parts(root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The modules of the set-up. They are not a package, because they run before anything is installed."""
    monkeypatch.syspath_prepend(str(root / "tools" / "prepare"))
    found: dict[str, ModuleType] = {name: importlib.import_module(name) for name in PARTS}
    yield found
    for name in PARTS:
        sys.modules.pop(name)


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """The files of a checkout that the stamp reads, with an environment that seems to work."""
    shutil.copytree(root / "constraints", tmp_path / "constraints")
    shutil.copy(root / "pyproject.toml", tmp_path)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    return tmp_path


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without root rights on a Debian machine whose sudo asks for a password."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)


def test_an_environment_is_fresh_only_after_it_was_finished(parts: Any, checkout: Path) -> None:
    stamp = parts["stamp"].Stamp(checkout, "run")
    assert not stamp.fresh()
    stamp.write()
    assert stamp.fresh()


@pytest.mark.parametrize("changed", ["constraints/run.txt", "pyproject.toml"])
def test_a_changed_pin_or_project_file_is_installed_again(parts: Any, checkout: Path, changed: str) -> None:
    stamp = parts["stamp"].Stamp(checkout, "run")
    stamp.write()
    with (checkout / changed).open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    assert not stamp.fresh()


def test_what_was_made_for_running_is_not_enough_for_testing(parts: Any, checkout: Path) -> None:
    parts["stamp"].Stamp(checkout, "run").write()
    assert not parts["stamp"].Stamp(checkout, "test").fresh()


def test_a_checkout_that_was_moved_is_set_up_again(parts: Any, checkout: Path, tmp_path_factory: Any) -> None:
    parts["stamp"].Stamp(checkout, "run").write()
    moved = tmp_path_factory.mktemp("moved") / "checkout"
    shutil.move(checkout, moved)
    assert not parts["stamp"].Stamp(moved, "run").fresh()


def test_an_environment_whose_python_is_gone_is_not_fresh(parts: Any, checkout: Path) -> None:
    stamp = parts["stamp"].Stamp(checkout, "run")
    stamp.write()
    (checkout / ".venv/bin/python").unlink()
    assert not stamp.fresh()


def test_whoever_may_not_install_gets_the_one_line_to_run(parts: Any, nobody: None) -> None:
    with pytest.raises(parts["trouble"].Trouble) as told:
        parts["debian"].require(["libegl1", "libgl1"], "Qt needs system libraries that are not here")
    assert "sudo apt-get install libegl1 libgl1" in str(told.value)


def test_missing_programs_of_some_tests_are_named_and_stop_nothing(
    parts: Any, nobody: None, capsys: pytest.CaptureFixture[str]
) -> None:
    parts["debian"].wish({"Xvfb": "xvfb"})
    assert "sudo apt-get install xvfb" in capsys.readouterr().err


def test_qt_can_be_loaded_here_and_nothing_is_missing(parts: Any) -> None:
    python = Path(sys.executable)
    assert parts["qt"].missing_packages(python) == []
    parts["qt"].prove(python)


def test_a_missing_library_is_named_by_its_package(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(parts["qt"].PACKAGES, "libnowhere.so.9", "libnowhere9")
    assert parts["qt"].missing_packages(Path(sys.executable)) == ["libnowhere9"]


def test_a_qt_that_cannot_be_loaded_is_told_with_the_loaders_words(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts["qt"], "LOADED", ("lib/libQt6Nowhere.so.6",))
    with pytest.raises(parts["trouble"].Trouble, match=r"Qt cannot be loaded: .*libQt6Nowhere"):
        parts["qt"].prove(Path(sys.executable))


def test_a_python_that_is_too_old_gets_a_sentence(root: Path, tmp_path: Path) -> None:
    for name in ("python3", "python3.11", "python3.12", "python3.13", "python3.14"):
        old = tmp_path / name
        old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 && exit 0\nexit 1\n')
        old.chmod(0o755)
    for tool in ("sh", "dirname"):
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))
    done = subprocess.run([root / "run"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; this machine has Python 3.9.2" in done.stderr
    assert "sudo apt-get install" in done.stderr


def test_the_whole_suite_runs_beside_itself_on_few_cores_only(parts: Any, root: Path) -> None:
    prepare = runpy.run_path(str(root / "tools" / "prepare" / "__main__.py"))
    spread, runs = prepare["side_by_side"], prepare["test_runs"]
    assert spread(1) == []
    assert spread(2) == ["-n", "4", "--dist", "loadfile", "--no-loadscope-reorder"]
    assert spread(64)[1] == "4"
    assert runs([], 2) == [spread(2)]
    assert runs(["--all"], 2) == [spread(2), [*spread(2), "-m", "slow and not real"]]
    assert runs(["tests/flows", "-x"], 2) == [["tests/flows", "-x"]]
