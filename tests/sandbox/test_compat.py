"""The compatibility snippets give the same results in the sandbox as outside, or an error with a clear message.

Each part runs in one REPL session, which is fast; `benchmarks/compat.py` uses a new sandbox for each snippet.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.importable_packages import packages
from workbench.sandbox.program import Program

_spec = importlib.util.spec_from_file_location("compat_probes", Path(__file__).parent / "compat" / "probes.py")
assert _spec is not None
assert _spec.loader is not None
_module: Any = importlib.util.module_from_spec(_spec)
sys.modules["compat_probes"] = _module  # dataclasses look up the module by its name
_spec.loader.exec_module(_module)
probes = _module.probes

LIMITS = Limits(seconds=60.0, cpu_seconds=60.0, disk_mb=64)
NAMES = "numpy pandas matplotlib pydantic"


async def _nobody(what: str, wish: JsonObject) -> JsonValue:
    return None


def test_there_are_enough_of_them() -> None:
    assert len(probes("standard")) + len(probes("packages")) >= 85
    assert len({probe.name for part in ("standard", "packages", "refused") for probe in probes(part)}) >= 95


@pytest.mark.parametrize("backend", ["native", "bubblewrap"])
@pytest.mark.parametrize("part", ["standard", "packages", "refused"])
async def test_snippets_answer_as_they_should(open_room: Any, part: str, backend: str) -> None:
    room = await open_room(backend)
    chosen = packages(NAMES if part == "packages" else "", "")
    if chosen.missing:
        pytest.skip(f"{', '.join(chosen.missing)} is not installed (the extra `data`)")
    folders = (room.project / "workspace", room.project / "servers", room.project / "skills")
    kept = await room.sandbox.keep(Program("", LIMITS, *folders, packages=chosen.mounts))
    wrong = []
    for probe in probes(part):
        ending = await kept.run(Program(probe.code, LIMITS, *folders), _nobody, lambda stream, text: None)
        if not probe.fits(ending.result, ending.error_type):
            wrong.append((probe.name, ending.result, ending.error_type, ending.message))
    await kept.end("the test is over")
    assert wrong == []
