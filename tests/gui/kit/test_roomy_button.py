"""Buttons drop their texts one by one where their row is narrow, and only as many as necessary."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from workbench.gui.kit.controls import FoldingRow, RoomyButton
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.text import ForeignLabel

TEXTS = ("Open program", "What the model sees", "Record…")


@pytest.fixture
def buttons(theme: Any) -> list[RoomyButton]:
    return [RoomyButton(theme, icon("code"), text) for text in TEXTS]


def shown(owner: QWidget, buttons: list[RoomyButton], width: int) -> list[str]:
    owner.resize(width, owner.height())
    for _ in range(5):
        QApplication.processEvents()
    return [button.text() for button in buttons]


def test_the_first_button_drops_its_text_first_and_gets_it_back(buttons: list[RoomyButton], qtbot: Any) -> None:
    owner, facts = QWidget(), ForeignLabel("facts", elide=True)
    qtbot.addWidget(owner)
    inner = row(None, facts, *buttons, grows=facts)
    column(owner, inner)  # also in a layout inside a layout
    owner.show()
    assert shown(owner, buttons, 900) == list(TEXTS)
    needed = sum(button.sizeHint().width() for button in buttons)
    assert shown(owner, buttons, needed - 30) == ["", *TEXTS[1:]], "the others keep theirs: there is room"
    assert shown(owner, buttons, buttons[2].sizeHint().width() + 90) == ["", "", TEXTS[2]]
    assert shown(owner, buttons, 120) == ["", "", ""]
    assert [button.accessibleName() for button in buttons] == list(TEXTS)
    assert shown(owner, buttons, 900) == list(TEXTS)


def test_a_button_that_is_hidden_leaves_its_room_to_the_others(buttons: list[RoomyButton], qtbot: Any) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    row(owner, *buttons)
    owner.show()
    width = sum(button.sizeHint().width() for button in buttons) - 30
    assert shown(owner, buttons, width)[0] == ""
    buttons[1].hide()
    assert shown(owner, buttons, width)[0] == TEXTS[0]


def test_a_folding_row_has_two_lines_before_a_text_is_dropped(buttons: list[RoomyButton], qtbot: Any) -> None:
    owner = FoldingRow(None, row(None, *buttons[:2], None), row(None, None, buttons[2]), 8)
    qtbot.addWidget(owner)
    owner.show()
    needed = sum(button.sizeHint().width() for button in buttons)
    assert shown(owner, buttons, needed + 60) == list(TEXTS)
    assert buttons[0].y() == buttons[2].y()
    assert shown(owner, buttons, needed - 30) == list(TEXTS)
    assert buttons[0].y() < buttons[2].y()
