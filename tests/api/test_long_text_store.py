"""The shelf keeps what was put there last and lets the oldest go."""

from __future__ import annotations

import sys

import pytest

from workbench.api.server import LongTextStore
from workbench.errors import WorkbenchError


def test_the_same_text_is_kept_once_under_the_same_handle():
    shelf = LongTextStore(budget=sys.getsizeof("x" * 100) * 2)
    handles = {shelf.store("x" * 100) for _ in range(10)}
    assert len(handles) == 1
    assert shelf.slice(handles.pop(), 0, 1000) == "x" * 100


def test_the_least_recently_used_text_goes_first():
    shelf = LongTextStore(budget=sys.getsizeof("x" * 100) * 2)
    first, second = shelf.store("1" * 100), shelf.store("2" * 100)
    shelf.slice(first, 0, 1)
    third = shelf.store("3" * 100)
    assert shelf.slice(first, 0, 1) == "1"
    assert shelf.slice(third, 0, 1) == "3"
    with pytest.raises(WorkbenchError, match="no longer kept"):
        shelf.slice(second, 0, 1)


def test_a_text_larger_than_the_shelf_is_still_readable():
    shelf = LongTextStore(budget=10)
    assert shelf.slice(shelf.store("x" * 1000), 990, 100) == "x" * 10


@pytest.mark.parametrize(("offset", "length", "part"), [(-5, 2, "ab"), (0, -1, ""), (4, 10, "ef"), (9, 1, "")])
def test_slices_stay_inside_the_text(offset, length, part):
    shelf = LongTextStore()
    assert shelf.slice(shelf.store("abcdef"), offset, length) == part


def test_a_handle_of_nothing_is_a_fault():
    with pytest.raises(WorkbenchError):
        LongTextStore().resolve("gone", 1, "")
