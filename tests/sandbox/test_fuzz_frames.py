"""A short run of the fuzzer `benchmarks/fuzz_frames.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


async def test_no_stream_breaks_the_reader_or_a_channel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import fuzz_frames

    faults, frames = await fuzz_frames.fuzz(6_000, seed=4)
    assert faults > 1_000
    assert frames > 1_000
