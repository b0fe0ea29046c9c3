"""The dialog Sandbox strength: locks, levels with their commands, and checking again."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from tests.gui.screens.test_screens import shoot
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.settings.isolation import IsolationDialog, LevelsView
from workbench.records import Level


@pytest.fixture
def dialog(window: Any, settled: Any) -> Iterator[IsolationDialog]:
    window.commands.do("core.sandbox")
    settled()
    shown: IsolationDialog = window.findChild(IsolationDialog)
    yield shown
    shown.reject()


def words(dialog: IsolationDialog) -> list[str]:
    return [label.full_text() for label in dialog.findChild(LevelsView).findChildren(ForeignLabel)]


def test_each_level_says_what_it_is_or_what_it_lacks(dialog: IsolationDialog) -> None:
    assert words(dialog)[0].startswith("Programs run as locked processes")
    assert "podman is installed, but no image is built yet." in words(dialog)
    assert "Run mcp-workbench sandbox build container." in words(dialog)


def test_the_command_that_builds_a_level_is_copied_as_it_works_here(
    dialog: IsolationDialog,
    window: Any,
    fake_core: Any,
    settled: Any,
    qtbot: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    qtbot.mouseClick(dialog.button("Check again"), Qt.MouseButton.LeftButton)
    settled()
    copies = [button for button in dialog.findChildren(QPushButton) if button.accessibleName().startswith("Copy: ")]
    assert [button.accessibleName() for button in copies] == [
        "Copy: mcp-workbench sandbox build container",
        "Copy: sudo apt install qemu-system-x86 && mcp-workbench sandbox build vm",
    ]
    qtbot.mouseClick(copies[0], Qt.MouseButton.LeftButton)
    words = QGuiApplication.clipboard().text()
    assert words.endswith(" sandbox build container")
    assert Path(shlex.split(words)[0]).is_file(), "a virtual environment's commands are not on the PATH"
    qtbot.mouseClick(copies[1], Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().startswith("sudo apt install qemu-system-x86 && ")
    assert window.status.message() == "Copied the command."


def test_on_a_low_screen_the_levels_scroll_and_the_buttons_stay(
    dialog: IsolationDialog, fake_core: Any, qtbot: Any
) -> None:
    fake_core.level_list = fake_core.level_list * 12
    again = dialog.button("Check again")
    qtbot.mouseClick(again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(words(dialog)) > 24)
    assert dialog.frameGeometry().height() <= dialog.screen().availableGeometry().height()
    assert dialog.rect().contains(again.geometry())


def test_what_was_built_meanwhile_is_seen_after_checking_again(
    dialog: IsolationDialog, fake_core: Any, settled: Any, qtbot: Any
) -> None:
    built = Level("container", True, "podman", "Containers (podman, rootless) <b>start</b>.")
    fake_core.level_list = (fake_core.level_list[0], built, fake_core.level_list[2])
    qtbot.mouseClick(dialog.button("Check again"), Qt.MouseButton.LeftButton)
    settled()
    assert dialog.button("Check again").isEnabled()
    assert "Containers (podman, rootless) <b>start</b>." in words(dialog)
    assert "Run mcp-workbench sandbox build container." not in words(dialog)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_can_be_looked_at(dialog: IsolationDialog, window: Any, colours: str, settled: Any) -> None:
    window.context.theme.choose(colours)
    settled()
    shoot(dialog, f"levels-{colours}")
