"""Functions that are deeds."""

from __future__ import annotations

import importlib

import pytest

from workbench.analysis.tables.callables import CALLABLES
from workbench.analysis.tables.program_actions import ProgramAction
from workbench.records import Risk


@pytest.mark.parametrize(
    ("name", "deed"),
    [
        ("os.system", ProgramAction.PROCESS),
        ("subprocess.run", ProgramAction.PROCESS),
        ("os.spawnv", ProgramAction.PROCESS),
        ("shutil.rmtree", ProgramAction.DELETE),
        ("requests.post", ProgramAction.NETWORK),
        ("pickle.loads", ProgramAction.UNPACK),
        ("builtins.eval", ProgramAction.CODE),
        ("sys._getframe", ProgramAction.INTERNALS),
    ],
)
def test_well_known_functions_are_known(name: str, deed: ProgramAction) -> None:
    assert CALLABLES[name].action is deed


def test_the_command_of_a_spawn_stands_behind_its_mode() -> None:
    assert CALLABLES["os.spawnv"].subject == 1


def test_compiling_alone_is_less_than_running() -> None:
    assert (CALLABLES["builtins.compile"].risk, CALLABLES["builtins.exec"].risk) == (Risk.MEDIUM, Risk.HIGH)


@pytest.mark.parametrize(
    "module", ["os", "shutil", "subprocess", "socket", "tempfile", "sys", "gc", "inspect", "marshal"]
)
def test_names_of_the_standard_library_are_spelt_right(module: str) -> None:
    gone = {
        "os.startfile",
        "os.chflags",
        "os.lchflags",
        "os.lchmod",
        "os.unshare",
        "os.setns",
        "sys._current_exceptions",
    }
    names = [name for name in CALLABLES if name.startswith(f"{module}.") and name.count(".") == 1]
    real = importlib.import_module(module)
    assert [name for name in names if name not in gone and not hasattr(real, name.split(".")[1])] == []
