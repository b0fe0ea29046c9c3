"""Collection of garbage rests while somebody reads, and comes back as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from workbench.gc_pause import pause_gc


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    was = gc.isenabled()
    gc.enable()
    yield
    if not was:
        gc.disable()


def test_it_comes_back_when_the_last_reader_is_done() -> None:
    with pause_gc():
        with pause_gc():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_comes_back_after_a_fault() -> None:
    with pytest.raises(ValueError, match="odd"), pause_gc():
        raise ValueError("odd")
    assert gc.isenabled()


def test_who_turned_it_off_finds_it_off() -> None:
    gc.disable()
    with pause_gc():
        pass
    assert not gc.isenabled()
