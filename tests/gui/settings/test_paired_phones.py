"""The dialog Phones: pairing with a code that a camera reads, the paired devices, and revoking one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from workbench.gui.kit.dialogs import Question
from workbench.gui.settings.paired_phones import PairedPhonesDialog, qr_image
from workbench.records import ReviewDevice, ReviewPageState

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


@pytest.fixture
def dialog(window: Any, fake_core: Any, settled: Any) -> Any:
    devices = (
        ReviewDevice("d1", "My phone", "", time.time(), time.time() - 7_200),
        ReviewDevice("d2", "Tablet", "", 0.0),
    )
    fake_core.review_page_state = ReviewPageState("http://localhost:8738", devices)
    window.commands.do("phones.open")
    settled()
    (found,) = window.findChildren(PairedPhonesDialog)
    return found


def test_a_code_is_shown_until_a_device_was_paired(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    QTest.mouseClick(dialog.pair_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.pairing.isVisible)
    assert dialog.code.text() == "CODE234567"
    assert not dialog.picture.pixmap().isNull()
    words = [label.text() for label in dialog.findChildren(QLabel)]
    assert any(text.startswith("This address opens only in browsers of this machine") for text in words)
    dialog.grab().save(str(FOLDER / "phones.png"))
    new = ReviewDevice("d3", "New phone", "", time.time(), time.time())
    state = fake_core.review_page_state
    fake_core.review_page_state = replace(state, devices=(new, *state.devices))
    qtbot.waitUntil(lambda: not dialog.pairing.isVisible())
    assert dialog.list.model.rowCount() == 3


def test_a_device_is_revoked_after_a_question(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    assert not dialog.revoke_button.isEnabled()
    view = dialog.list.view
    place = view.visualRect(dialog.list.model.index(0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseClick(dialog.revoke_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: any(one.isVisible() for one in dialog.findChildren(Question)))
    button = next(one for one in dialog.findChildren(Question) if one.isVisible()).button("Revoke")
    qtbot.waitUntil(button.isEnabled)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.list.model.rowCount() == 1)
    assert [one.id for one in fake_core.review_page_state.devices] == ["d2"]


def test_a_closed_page_is_turned_on_and_pairs_nobody(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.review_page_state = ReviewPageState(fault="The review page cannot use port 8738: in use.")
    qtbot.waitUntil(lambda: dialog.switch_button.text() == "Turn on")
    assert not dialog.pair_button.isEnabled()
    assert "cannot use port" in dialog.where.text()


def test_a_qr_code_is_dark_on_white_with_a_quiet_border() -> None:
    image = qr_image("https://review.example.net/#CODE234567", 200)
    assert image.width() == image.height() <= 200
    assert image.pixelColor(0, 0).lightness() == 255
    scale = image.width() // 37 if image.width() % 37 == 0 else image.width() // 41
    assert image.pixelColor(4 * scale + 1, 4 * scale + 1).lightness() == 0
