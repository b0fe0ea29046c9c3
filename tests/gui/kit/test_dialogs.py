"""Dialogs fit on the screen, show what went wrong, and do their work once."""

from __future__ import annotations

import asyncio
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

from workbench.errors import WorkbenchError
from workbench.gui.kit.dialogs import Dialog, FormDialog, Question
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.records import Fault


def test_a_dialog_is_never_larger_than_the_screen(theme: Any, qtbot: Any) -> None:
    dialog = Dialog(theme, "Large", "A sentence.")
    qtbot.addWidget(dialog)
    dialog.resize(9_000, 9_000)
    dialog.show()
    room = QGuiApplication.primaryScreen().availableGeometry()
    assert room.contains(dialog.frameGeometry())


def test_a_command_is_shown_in_full_however_its_lines_wrap(theme: Any, qtbot: Any) -> None:
    question = Question(theme, "Start it?", "This command runs:")
    question.show_text(
        "node /home/me/servers/node_modules/@example/server-files/dist/index.js " + "/home/me/d " * 5, "Command"
    )
    qtbot.addWidget(question)
    question.show()
    (box,) = (one for one in question.findChildren(PlainEdit) if one.accessibleName() == "Command")
    qtbot.waitUntil(lambda: box.document().firstBlock().layout().lineCount() > 2)
    assert box.verticalScrollBar().maximum() == 0
    assert question.height() - box.height() < box.fontMetrics().lineSpacing() * 16, "there is no empty room"


def test_a_fault_is_shown_and_the_dialog_stays_until_it_works(context: Any, theme: Any, qtbot: Any) -> None:
    dialog = FormDialog(theme, "Rename")
    qtbot.addWidget(dialog)
    name = QLineEdit()
    dialog.add_row("Name", name, "Letters only.")
    gate = asyncio.Event()
    tries: list[str] = []

    async def rename() -> None:
        tries.append(name.text())
        await gate.wait()
        if name.text() == "1":
            raise WorkbenchError("1 is not a name.", "Use letters.")

    dialog.add_submit("Rename", lambda: dialog.run(context.tasks, "rename", rename(), closes=True))
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    name.setText("1")
    qtbot.keyClick(name, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(tries))
    assert not dialog.button("Rename").isEnabled()
    qtbot.keyClick(name, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    gate.set()
    qtbot.waitUntil(lambda: dialog.fault.isVisible())
    assert dialog.fault.sentence() == "1 is not a name."
    assert tries == ["1"], "it ran once"
    assert name.accessibleName() == "Name"
    name.setText("Ada")
    with qtbot.waitSignal(dialog.accepted):
        qtbot.mouseClick(dialog.button("Rename"), Qt.MouseButton.LeftButton)
    assert tries == ["1", "Ada"]


def test_content_that_is_higher_than_the_screen_scrolls_above_the_buttons(theme: Any, qtbot: Any) -> None:
    dialog = FormDialog(theme, "Many fields")
    fields = [dialog.add_row(f"Field {number}", QLineEdit()) for number in range(60)]
    submit = dialog.add_submit("Save", dialog.accept)
    qtbot.addWidget(dialog)
    dialog.open()
    screen = dialog.screen().availableGeometry()
    assert dialog.frameGeometry().height() <= screen.height()
    assert dialog.rect().contains(submit.geometry())
    assert fields[-1].visibleRegion().isEmpty()
    fields[-2].setFocus()
    qtbot.keyClick(fields[-2], Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: not fields[-1].visibleRegion().isEmpty())
    dialog.show_fault(Fault("It was not saved.", "Try again."))
    dialog.fit_height()
    assert dialog.frameGeometry().height() <= screen.height()
    assert dialog.rect().contains(submit.geometry())


def test_content_that_fits_does_not_scroll(theme: Any, qtbot: Any) -> None:
    dialog = FormDialog(theme, "Some fields", "An introduction that is long enough to be wrapped. " * 6)
    fields = [dialog.add_row(f"Field {number}", QLineEdit()) for number in range(18)]
    dialog.add_submit("Save", dialog.accept)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(lambda: all(field.visibleRegion().boundingRect() == field.rect() for field in fields))
