"""The strength dialog shows what was probed, every level with its command, and looks again on wish."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from tests.gui.screens.test_screens import shoot
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.settings.isolation import StrengthDialog
from workbench.records import Level


@pytest.fixture
def dialog(window: Any, settled: Any) -> Iterator[StrengthDialog]:
    window.commands.do("core.sandbox")
    settled()
    shown: StrengthDialog = window.findChild(StrengthDialog)
    yield shown
    shown.reject()


def words(dialog: StrengthDialog) -> list[str]:
    return [label.full_text() for label in dialog._levels.findChildren(ForeignLabel)]


def test_each_level_says_what_it_is_or_what_it_lacks(dialog: StrengthDialog) -> None:
    assert words(dialog)[0].startswith("Programs run as locked processes")
    assert "podman is installed, but no image is built yet." in words(dialog)
    assert "Run mcp-workbench sandbox build container." in words(dialog)


def test_the_command_that_builds_a_level_is_copied_as_it_works_here(
    dialog: StrengthDialog, paper: Any, settled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    dialog._again.click()
    settled()
    copies = [button for button in dialog.findChildren(QPushButton) if button.accessibleName().startswith("Copy: ")]
    assert [button.accessibleName() for button in copies] == [
        "Copy: mcp-workbench sandbox build container",
        "Copy: sudo apt install qemu-system-x86 && mcp-workbench sandbox build vm",
    ]
    copies[0].click()
    words = QGuiApplication.clipboard().text()
    assert words.endswith(" sandbox build container")
    assert Path(shlex.split(words)[0]).is_file(), "a virtual environment's commands are not on the PATH"
    copies[1].click()
    assert QGuiApplication.clipboard().text().startswith("sudo apt install qemu-system-x86 && ")


def test_on_a_low_screen_the_words_scroll_and_the_buttons_stay(dialog: StrengthDialog) -> None:
    assert dialog.height() <= dialog.screen().availableSize().height()
    dialog.resize(dialog.width(), 400)
    assert dialog._again.mapTo(dialog, dialog._again.rect().bottomLeft()).y() < 400


def test_what_was_built_meanwhile_is_seen_after_looking_again(dialog: StrengthDialog, paper: Any, settled: Any) -> None:
    built = Level("container", True, "podman", "Containers (podman, rootless) <b>start</b>.")
    paper.level_list = (paper.level_list[0], built, paper.level_list[2])
    dialog._again.click()
    settled()
    assert dialog._again.isEnabled()
    assert "Containers (podman, rootless) <b>start</b>." in words(dialog)
    assert "Run mcp-workbench sandbox build container." not in words(dialog)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_can_be_looked_at(dialog: StrengthDialog, window: Any, colours: str, settled: Any) -> None:
    window.context.theme.choose(colours)
    settled()
    shoot(dialog, f"levels-{colours}")
