"""The programs of `docs/examples` work, and cost a model less than the calls they make would."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from workbench.paths import Paths
from workbench.records import RunState

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import examples

    yield examples
    sys.modules.pop("examples", None)


async def test_every_example_runs_and_is_told_of(examples, paths: Paths) -> None:
    told = await examples.run_all(paths)
    assert {one.name: one.run.fault for one in told if one.run.state is not RunState.DONE} == {}
    for one in told:
        assert one.run.ledger.actual < one.run.ledger.direct, one.name
    listed = (ROOT / "docs" / "examples" / "README.md").read_text(encoding="utf-8")
    assert [one.name for one in told if f"`{one.name}.py`" not in listed] == []
    assert 0 < len(told) == listed.count(".py` |")
