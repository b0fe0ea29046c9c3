"""One command, several doors, and each loads only itself."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

from workbench import process
from workbench.__main__ import main
from workbench.api import core_launcher
from workbench.cli import main as cli


def test_a_command_gives_its_exit_code(monkeypatch):
    monkeypatch.setattr(cli, "main", lambda arguments: 4 if arguments == ["status"] else 9)
    assert main(["status"]) == 4


def test_core_goes_to_the_process(monkeypatch):
    monkeypatch.setattr(process, "main", lambda arguments: 7 if arguments == ["--project", "x"] else 9)
    assert main(["core", "--project", "x"]) == 7


def test_a_project_opens_the_window(monkeypatch, paths):
    opened, begun = [], []
    window = types.ModuleType("workbench.gui.app")
    window.main = lambda paths: opened.append(paths) or 0
    monkeypatch.setitem(sys.modules, "workbench.gui.app", window)
    monkeypatch.setattr(core_launcher, "launch_ahead", begun.append)
    assert main([str(paths.project)]) == 0
    assert opened == begun == [paths]


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--version"], {"asyncio", "PySide6", "mcp", "sqlite3"}),
        (["serve", "--help"], {"asyncio", "PySide6", "mcp", "sqlite3"}),
        (["status"], {"PySide6", "mcp", "sqlite3", "asyncio"}),
    ],
)
def test_each_door_loads_only_itself(paths, arguments, absent):
    code = (
        "import sys, atexit; atexit.register(lambda: print('LOADED', *sys.modules));"
        "from workbench.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    loaded = done.stdout.rpartition("LOADED")[2].split()
    assert "workbench.cli.main" in loaded
    assert not absent & set(loaded)
