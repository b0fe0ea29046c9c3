"""The pinned PySide6 does not lose references to None and True. PySide6 6.12 on Python 3.11 does, until the process
aborts.
"""

from __future__ import annotations

import sys
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLabel

TIMES = 500
SLACK = 50  # allowed deviation of the reference count


class _Bell(QObject):
    rang = Signal()


def test_setting_text_loses_no_reference_to_none(qtbot: Any) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for _ in range(TIMES):
        label.setText("text")
    assert sys.getrefcount(None) > before - SLACK


def test_emitting_loses_no_reference_to_true(qtbot: Any) -> None:
    bell, heard = _Bell(), list[int]()
    bell.rang.connect(lambda: heard.append(1))
    before = sys.getrefcount(True)
    for _ in range(TIMES):
        bell.rang.emit()
    assert len(heard) == TIMES
    assert sys.getrefcount(True) > before - SLACK
