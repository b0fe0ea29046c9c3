"""Programs can import the packages that the user named and their dependencies, and no other packages of the machine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.importable_packages import packages
from workbench.sandbox.program import Program

LIMITS = Limits(seconds=60.0, cpu_seconds=60.0, disk_mb=64)


async def _nobody(what: str, wish: JsonObject) -> JsonValue:
    return None


def test_dependencies_come_along_and_extras_do_not() -> None:
    found = packages("pydantic", "pydantic json")
    seen = {place for place, _ in found.mounts}
    assert {"pydantic", "pydantic_core", "annotated_types", "typing_extensions.py"} <= seen
    assert not {"pytest", "email_validator", "workbench"} & seen
    assert found.installed[0].startswith("pydantic 2.")
    assert (found.preload, found.unknown) == (("pydantic",), ("json",))
    assert any(place.endswith(".dist-info/METADATA") for place in seen)
    assert not any(".." in place or place.endswith((".pth", "RECORD", "direct_url.json")) for place in seen)
    assert "belongs to no package" in found.faults[0].message


@pytest.mark.parametrize("name", ["no-such-package-here", "../../etc", "pandas; rm", "numpyx"])
def test_what_is_not_there_is_said_with_the_way_to_get_it(name: str) -> None:
    found = packages(name, "")
    assert found.mounts == ()
    assert all("pip install" in fault.hint for fault in found.faults)
    assert found.missing


def test_nothing_named_costs_nothing() -> None:
    assert packages("", "") == packages(" ", "")
    assert not packages("", "").faults


@pytest.mark.parametrize("backend", ["native", "bubblewrap"])
@pytest.mark.parametrize("preload", ["", "pydantic"])
async def test_a_program_imports_what_was_named_and_cannot_change_it(
    open_room: Any, preload: str, backend: str
) -> None:
    room = await open_room(backend)
    found = packages("pydantic", preload)
    code = (
        "import sys\nahead = 'pydantic' in sys.modules\nimport pydantic, os\n"
        "def refused(act):\n    try:\n        act()\n    except (OSError, ImportError):\n        return True\n"
        "[ahead, pydantic.__file__, refused(lambda: open('/packages/x', 'w')),"
        " refused(lambda: open(pydantic.__file__, 'a')), refused(lambda: __import__('pytest'))]"
    )
    folders = (room.project / "workspace", room.project / "servers", room.project / "skills")
    for _ in range(2):
        program = Program(code, LIMITS, *folders, packages=found.mounts, preload=found.preload)
        ending = await room.sandbox.run(program, _nobody, lambda stream, text: None)
        assert ending.ok, ending
        assert json.loads(ending.result) == [bool(preload), "/packages/pydantic/__init__.py", True, True, True]
    plain = await room.run("import pydantic")
    assert plain.error_type == "ModuleNotFoundError"


async def test_a_module_that_fails_ahead_fails_in_the_program_and_nowhere_else(native: Any) -> None:
    found = packages("pydantic", "pydantic.no_such_part pydantic")
    folders = (native.project / "workspace", native.project / "servers", native.project / "skills")
    program = Program("import pydantic\n1", LIMITS, *folders, packages=found.mounts, preload=found.preload)
    assert (await native.sandbox.run(program, _nobody, lambda stream, text: None)).ok
