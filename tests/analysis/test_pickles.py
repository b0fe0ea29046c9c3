"""Pickles are read, not unpickled."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.interpreter.text_evaluators import called
from workbench.records import Risk


class _Calls:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("id",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_unpacking_would_call_is_named(protocol: int, rules: Callable[[str], dict[str, Risk]]) -> None:
    data = pickle.dumps(_Calls(), protocol)
    assert list(called(data)) == ["os.system"]
    assert rules(f"import pickle\npickle.loads({data!r})")["code.unpack.calls"] is Risk.CRITICAL


def test_harmless_data_calls_nothing_but_unpacking_stays_risky(rules: Callable[[str], dict[str, Risk]]) -> None:
    found = rules(f"import pickle\npickle.loads({pickle.dumps([1, 'os', 'system'])!r})")
    assert "code.unpack.calls" not in found
    assert found["code.unpack"] is Risk.HIGH


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(data: bytes) -> None:
    assert all("." in name for name in called(data))
