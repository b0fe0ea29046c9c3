"""Each entry point imports only the modules it needs, checked in a fresh interpreter."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.paths import Paths

QT = {"PySide6", "shiboken6", "qasync"}
SDK = {"mcp", "mcp_types", "pydantic"}
SLOW = {"keyring", "pygments"}

WINDOW = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from workbench.gui import app
from workbench.paths import paths_of
qt = QApplication([])
window = app.open_window(qt, paths_of(Path({project!r})))
window.show()
qt.processEvents()
assert window.isVisible()
print(*sys.modules)
"""


CORE = """
import asyncio, sys
from pathlib import Path
from workbench.search import search_index
from workbench.core import Core
from workbench.paths import paths_of
search_index._LATER = 600.0  # a busy machine may well take a second to open
async def open_and_close():
    core = Core(paths_of(Path({project!r})))
    await core.open()
    print(*sys.modules)
    await core.close()
asyncio.run(open_and_close())
"""
NUMBERS = {"numpy", "onnxruntime"}
NETWORK = {"httpx2", "uvicorn", "starlette", "cryptography", "opentelemetry"}


def _roots(told: str) -> set[str]:
    return {name.split(".")[0] for name in told.split()}


@pytest.mark.parametrize(
    "door", ["workbench.core", "workbench.process", "workbench.agent.agent_connection", "workbench.cli.main"]
)
def test_the_core_and_the_doors_for_agents_and_scripts_never_load_qt(door: str, fresh: Callable[[str], str]) -> None:
    loaded = _roots(fresh(f"import sys, {door}; print(*sys.modules)"))
    assert "workbench" in loaded
    assert not loaded & QT


@pytest.mark.parametrize("door", ["workbench.cli.main", "workbench.api.client", "workbench.gui.app"])
def test_a_persons_door_never_loads_the_sdk(door: str, fresh: Callable[[str], str]) -> None:
    assert not _roots(fresh(f"import sys, {door}; print(*sys.modules)")) & SDK


def test_the_first_frame_is_painted_before_anything_slow_is_loaded(fresh: Callable[[str], str], paths: Paths) -> None:
    loaded = _roots(fresh(WINDOW.format(project=str(paths.project))))
    assert "PySide6" in loaded
    assert not loaded & (SDK | SLOW | NUMBERS | NETWORK | {"qasync", "sqlite3", "jsonschema"})


def test_a_core_is_ready_before_anything_slow_is_loaded(fresh: Callable[[str], str], paths: Paths) -> None:
    """The SDK is imported with the first agent or server, numpy with the first prose or when the semantic index is
    built.
    """
    loaded = _roots(fresh(CORE.format(project=str(paths.project))))
    assert "sqlite3" in loaded
    assert loaded & (SDK | SLOW | NUMBERS | NETWORK | {"jsonschema", "yaml"}) == set()


def test_choosing_a_door_loads_no_other(fresh: Callable[[str], str]) -> None:
    loaded = fresh("import sys, workbench.__main__; print(*sys.modules)").split()
    own = {name for name in loaded if name.startswith("workbench")}
    assert own == {"workbench", "workbench.__main__"}


def test_an_agent_that_starts_serve_waits_for_little(fresh: Callable[[str], str]) -> None:
    """`serve` starts the core once these modules are imported, and starting the core takes long enough."""
    door = "from workbench.cli.main import arranger; arranger('serve'); import workbench.api.stdio_bridge"
    loaded = fresh(f"import sys; {door}; print(*sys.modules)").split()
    assert "workbench.api.stdio_bridge" in loaded
    assert not {"asyncio", "logging", "workbench.records", "workbench.settings", "workbench.cli.core_status"} & set(
        loaded
    )


def test_what_runs_inside_the_sandbox_needs_only_the_standard_library(fresh: Callable[[str], str]) -> None:
    told = fresh("import sys; import workbench.sandbox.inside.runner; print(*sys.modules)")
    own = {name for name in told.split() if name.startswith("workbench")}
    assert all(name == "workbench" or name.startswith("workbench.sandbox") for name in own)
    assert not _roots(told) & (QT | SDK | SLOW)
