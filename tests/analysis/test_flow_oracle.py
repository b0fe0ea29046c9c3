"""A part of `benchmarks/flow_oracle.py`: the data flows that the analysis reports are those that happen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))
    import flow_oracle

    return flow_oracle


def test_reported_flows_are_those_that_happen(oracle: Any) -> None:
    sets = [list(oracle.generated(family, range(700, 725))) for family in ("tuned", "second", "held out")]
    score = oracle.compare([*oracle.written().items(), *(program for programs in sets for program in programs)])
    assert score.happened > 300
    assert score.recall >= 0.98, score
    assert score.precision >= 0.98, score
