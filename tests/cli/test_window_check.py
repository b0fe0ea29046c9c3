"""A window that would abort is refused with a sentence."""

from __future__ import annotations

import pytest

from workbench.cli.main import check_window
from workbench.errors import WorkbenchError


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_any_kind_of_display_will_do(name):
    check_window({name: "x"}, (3, 11), "6.11.3")


@pytest.mark.parametrize(
    ("python", "qt", "words"),
    [((3, 11), "6.12.0", "crashes on Python 3.11"), ((3, 11), "7.0", "crashes"), ((3, 12), "", "not installed")],
)
def test_a_qt_that_cannot_work_is_refused(python, qt, words):
    with pytest.raises(WorkbenchError, match=words):
        check_window({"DISPLAY": ":0"}, python, qt)


@pytest.mark.parametrize(
    ("python", "qt"), [((3, 11), "6.11.3"), ((3, 11), "6.10"), ((3, 12), "6.12.0"), ((3, 14), "6.13")]
)
def test_a_qt_that_works_is_let_through(python, qt):
    check_window({"DISPLAY": ":0"}, python, qt)
