from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtGui import QPixmap

from workbench.gui.kit.controls import Picture


def shown(qtbot: Any, width: int, height: int) -> QSize:
    picture = Picture()
    qtbot.addWidget(picture)
    picture.setPixmap(QPixmap(width, height))
    picture.resize(200, 100)
    return picture.drawn().size()


def test_a_wide_picture_shrinks_to_the_pane_and_keeps_its_shape(qtbot: Any) -> None:
    assert shown(qtbot, 800, 200) == QSize(200, 50)


def test_a_tall_picture_shrinks_to_the_height(qtbot: Any) -> None:
    assert shown(qtbot, 100, 400) == QSize(25, 100)


def test_a_small_picture_is_not_blown_up(qtbot: Any) -> None:
    assert shown(qtbot, 3, 2) == QSize(3, 2)
