"""The question what the annotations of a server are worth, in the window."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QPushButton, QScrollArea, QWidget

from workbench.events import RunChanged
from workbench.gui.servers.trust_question import TrustDialog, ask_trust
from workbench.gui.shell.banners import Banners
from workbench.gui.shell.navigation import DecideTrust
from workbench.records import RunState, ToolGroup


def press(banner: QWidget, text: str) -> None:
    next(one for one in banner.findChildren(QPushButton) if one.text() == text).click()


@pytest.fixture
def dialog(context: Any, fake_core: Any, complete: Any, qtbot: Any) -> TrustDialog:
    made = TrustDialog(context, complete(fake_core.trust_question("files")))
    qtbot.addWidget(made)
    return made


def test_it_lists_every_tool_with_its_group_and_ticks_only_reading(dialog: TrustDialog) -> None:
    ticks = {group: box.isChecked() for group, box in dialog.boxes.items()}
    assert ticks == {ToolGroup.READS: True, ToolGroup.ADDS: False, ToolGroup.DESTROYS: False}
    rows = {row.tool: row for row in dialog.question.tools}
    assert rows["delete_file"].group is ToolGroup.DESTROYS
    assert "its name says that it destroys" in rows["delete_file"].doubt, "whatever the server says"
    assert dialog.table.model().rowCount() == 3


def test_all_of_it_is_visible_when_it_opens(dialog: TrustDialog, qtbot: Any) -> None:
    dialog.resize(dialog.minimumWidth(), 100)
    dialog.show()
    qtbot.waitUntil(dialog.isVisible)
    content = dialog.findChild(QScrollArea)
    qtbot.waitUntil(lambda: content.verticalScrollBar().maximum() == 0)


def test_its_summary_follows_the_ticks(dialog: TrustDialog) -> None:
    assert dialog.summary.text().startswith("Programs that use only this tool of files run without asking.")
    dialog.boxes[ToolGroup.ADDS].click()
    assert dialog.summary.text().startswith("Programs that use only these 2 tools of files run without asking.")
    dialog.boxes[ToolGroup.READS].click()
    dialog.boxes[ToolGroup.ADDS].click()
    assert dialog.summary.text() == "Every program that uses files asks you."


def test_the_answer_names_what_was_seen_and_cancel_decides_nothing(
    context: Any, fake_core: Any, complete: Any, qtbot: Any
) -> None:
    window = QWidget()
    qtbot.addWidget(window)

    async def answer(button: str, tick: ToolGroup | None = None) -> bool:
        asking = asyncio.ensure_future(ask_trust(context, "files", window))
        while not (found := window.findChildren(TrustDialog)) or not found[-1].isVisible():
            await asyncio.sleep(0.01)
        dialog = found[-1]
        if tick is not None:
            dialog.boxes[tick].click()
        dialog.accept() if button == "Decide" else dialog.button(button).click()
        return await asking

    assert not complete(answer("Cancel"))
    assert not fake_core.rooms_rules.trust.decisions
    assert complete(answer("Decide", ToolGroup.ADDS))
    decision = fake_core.rooms_rules.trust.decisions["files"]
    assert (decision.groups, decision.definitions["add_note"]) == ((ToolGroup.ADDS, ToolGroup.READS), "2")


def test_a_banner_asks_once_a_server_runs_and_can_wait(context: Any, fake_core: Any, complete: Any, qtbot: Any) -> None:
    banners = Banners(context)
    qtbot.addWidget(banners)
    banners.show()
    asked: list[object] = []
    context.messages.requested.connect(asked.append)
    fake_core.undecided = {"files": ("read_file", "add_note", "delete_file")}
    fake_core.bus.listen(context.store.handle)
    complete(fake_core.connect("files"))
    context.store.load()
    banner = banners.trust
    qtbot.waitUntil(banner.isVisible)
    assert banner.sentence() == "You have not decided what programs may do with files."
    press(banner, "Decide…")
    assert asked == [DecideTrust("files")]
    press(banner, "Later")
    qtbot.waitUntil(lambda: not banner.isVisible())


def test_the_banner_also_asks_about_a_server_that_rests_while_a_program_waits_for_it(
    context: Any, fake_core: Any, make: Any, qtbot: Any
) -> None:
    banners = Banners(context)
    qtbot.addWidget(banners)
    banners.show()
    fake_core.undecided = {"files": ("read_file",)}
    context.store.load()
    qtbot.waitUntil(lambda: context.store.permissions is not None)
    assert not banners.trust.isVisible(), "nothing runs or waits"
    run = make.run("w", RunState.WAITING)
    context.store.handle(RunChanged(replace(run, verdict=replace(run.verdict, waits_for_trust=("files",)))))
    qtbot.waitUntil(banners.trust.isVisible)
