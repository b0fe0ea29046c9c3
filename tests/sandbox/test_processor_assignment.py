"""A program gets as many processors as its limit allows, evenly distributed, and cannot get more from inside."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from tests.sandbox.conftest import QUICK
from workbench.sandbox.process.launcher import ProcessorAssignment


def test_the_emptiest_processors_are_taken_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5, 7})
    processors = ProcessorAssignment()
    first = [processors.choose(1) for _ in range(6)]
    assert Counter(next(iter(chosen)) for chosen in first) == {3: 2, 5: 2, 7: 2}
    processors.give_back({5})
    assert processors.choose(1) == {5}
    assert processors.choose(9) == {3, 5, 7}


async def test_a_program_has_its_processors_and_cannot_take_more(room: Any) -> None:
    look = (
        "import os\n"
        "try:\n    os.sched_setaffinity(0, range(os.cpu_count()))\n    widened = True\n"
        "except OSError:\n    widened = False\n"
        "[len(os.sched_getaffinity(0)), widened]"
    )
    assert json.loads((await room.run(look)).result) == [1, False]
    there = len(os.sched_getaffinity(0))
    assert json.loads((await room.run(look, replace(QUICK, cpus=2))).result) == [min(2, there), False]
