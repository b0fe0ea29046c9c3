"""In a small window the centre keeps its room, and a large one is as it was."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QTabBar

from workbench.errors import WorkbenchError
from workbench.events import RunChanged
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.main_window import MainWindow
from workbench.gui.shell.bridge import Bridge
from workbench.gui.shell.navigation import ShowServer, ShowSkill, ShowTool
from workbench.gui.shell.window_state import Layout
from workbench.records import CallTrace, Fault, Ledger, Observation, Risk, RunState, ServerStatus

RIGHT, LEFT = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.LeftDockWidgetArea


def test_the_runs_go_below_where_it_is_narrow_and_come_back(window: Any, qtbot: Any) -> None:
    runs, audit = window.docks["runs"], window.docks["audit"]
    assert window.dockWidgetArea(runs) == RIGHT
    window.resize(900, 640)
    qtbot.waitUntil(lambda: runs in window.tabifiedDockWidgets(audit))
    assert window.docks["output"].isVisible()
    qtbot.waitUntil(lambda: window.centre.width() > 600)
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: window.dockWidgetArea(runs) == RIGHT)
    assert runs not in window.tabifiedDockWidgets(audit)


def test_the_output_joins_runs_and_audit_and_stands_in_front_in_a_window_that_was_narrow_before_it(
    context: Any, qtbot: Any
) -> None:
    Layout(context.paths).runs_introduced = True
    window = MainWindow(context, Bridge(_nowhere))
    qtbot.addWidget(window, before_close_func=lambda _: None)
    window.resize(900, 640)
    window.show()
    runs, audit = window.docks["runs"], window.docks["audit"]
    qtbot.waitUntil(lambda: runs in window.tabifiedDockWidgets(audit))
    window.make_late_panes()
    output = window.docks["output"]
    qtbot.waitUntil(lambda: {runs, audit} == set(window.tabifiedDockWidgets(output)))
    qtbot.waitUntil(lambda: not output.visibleRegion().isEmpty())
    assert audit.visibleRegion().isEmpty()


async def _nowhere() -> Any:
    raise WorkbenchError("There is no core.")


def test_what_a_person_put_elsewhere_stays_there(window: Any, qtbot: Any) -> None:
    runs = window.docks["runs"]
    window.addDockWidget(LEFT, runs)
    window.resize(900, 640)
    qtbot.waitUntil(lambda: window.width() == 900)
    qtbot.wait(150)
    assert window.dockWidgetArea(runs) == LEFT
    assert not window.layout_file.runs_below


@pytest.mark.parametrize("height", [620, 676, 900])
def test_a_question_about_a_call_is_whole_in_a_low_window(window: Any, qtbot: Any, settled: Any, height: int) -> None:
    window.resize(1022, height)
    window.centre.setCurrentWidget(window.centre.tool)
    window.centre.tool.show_tool("demo", "list_orders")
    settled()
    panel = window.centre.tool.page().call
    question = panel.question
    question.ask(
        "danger",
        "write_file may delete or overwrite data for good: filesystem says so.",
        'It would be called with {"path": "/tmp/a/project/files/new.txt", "content": "content here"}',
        "Call once",
        lambda: None,
        [("Always call this tool", "", lambda: None), ("Trust this server", "", lambda: None)],
    )
    settled()
    buttons = [button for button in question.findChildren(QPushButton) if button.isVisible()]
    assert len(buttons) == 4
    qtbot.waitUntil(lambda: all(button.height() >= button.sizeHint().height() for button in buttons))
    labels = question.findChildren(ForeignLabel)
    qtbot.waitUntil(lambda: all(part.height() >= part.heightForWidth(part.width()) for part in labels))


def test_800_pixels_are_enough_with_a_run_a_program_and_a_verified_audit(
    window: Any, fake_core: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    window.centre.make_all()
    window.centre.editor.open_code("report", "print(1)\n")
    window.centre.setCurrentWidget(window.centre.editor)
    calls = (CallTrace("c1", "demo", "list_orders", "{}", Risk.LOW, "done"),)
    wrote = (Observation("written", "report.csv", None, 1),)
    ledger = Ledger(12_000, 400, 38_000, definitions=11_000)
    seen = {"result": '[{"a": 1}]', "model_view": '"[EMAIL_1.k7q2]"', "calls": calls, "observed": wrote}
    fake_core.run_list["r"] = make.run("r", RunState.DONE, started=1.0, ended=2.0, ledger=ledger, **seen)
    window.output.show_run("r")
    window.commands.do("audit.verify")
    qtbot.waitUntil(lambda: window.output.head.keep.isVisibleTo(window.output))
    settled()
    window.resize(800, 600)
    qtbot.waitUntil(lambda: window.docks["runs"] in window.tabifiedDockWidgets(window.docks["audit"]))
    assert window.width() == 800
    window.docks["output"].come()
    qtbot.waitUntil(lambda: window.output.result.isVisible())
    table = next(one for one in window.output.result.findChildren(QPushButton) if one.text() == "Table")
    assert table.height() >= table.sizeHint().height(), "the ways to look at a result are not squeezed"


def test_a_very_small_window_gives_its_room_to_the_form(window: Any, settled: Any) -> None:
    window.layout_file.runs_introduced = False
    window.reset_layout()
    window.context.go(ShowTool("demo", "list_orders", enter=True))
    settled()
    window.resize(720, 430)  # 1440 × 900 pixels at a scale of 2
    settled()
    panel = window.centre.tool.page().call
    assert window.width() == 720
    assert panel.form.height() > 150
    assert not panel.answer.isVisible()
    assert next(button for button in panel.findChildren(QPushButton) if button.text() == "Run").isVisible()
    panel.run()
    settled()
    assert panel.answer.isVisible()


def test_the_first_run_shows_its_panes_where_there_is_room(context: Any, make: Any, qtbot: Any) -> None:
    window = MainWindow(context, Bridge(_nowhere))
    qtbot.addWidget(window, before_close_func=lambda _: None)
    window.resize(720, 430)
    window.show()
    context.store.handle(RunChanged(make.run("a")))
    assert window.docks["runs"].isHidden(), "the form needs the room"
    window.resize(1200, 800)
    context.store.handle(RunChanged(make.run("a")))
    assert not window.docks["runs"].isHidden()
    assert window.layout_file.runs_introduced


@pytest.mark.parametrize("width", [1022, 1360])
def test_the_servers_keep_their_width_when_a_server_is_selected(
    window: Any, fake_core: Any, settled: Any, width: int
) -> None:
    window.resize(width, 700)
    window.reset_layout()
    window.resize(width, 700)
    settled()
    before = window.docks["servers"].width()
    window.servers.tree.setCurrentIndex(window.servers.model.index(0, 0))
    settled()
    assert window.servers.card.isVisible()
    assert window.docks["servers"].width() == before
    state = fake_core.server_states["demo"]
    fake_core.put(
        replace(state, status=ServerStatus.FAILED, fault=Fault("The command npx was not found.", "Install it."))
    )
    settled()
    assert window.docks["servers"].width() == before


@pytest.mark.parametrize(("points", "size"), [(14, (1024, 650)), (10, (960, 494))])
def test_no_page_and_no_pane_makes_a_window_larger_than_its_screen(
    window: Any, theme: Any, fake_core: Any, settled: Any, make: Any, points: int, size: tuple[int, int]
) -> None:
    skill = fake_core.skill_list["weekly_report"]
    fake_core.skill_list["weekly_report"] = replace(skill, description="Sums up the week for everybody. " * 40)
    window.resize(*size)
    theme.choose("dark", points)
    settled()
    centre = window.centre
    for page in ("server", "tool", "editor", "privacy", "files", "settings"):
        centre.setCurrentWidget(getattr(centre, page))
        settled()
        assert (window.width(), window.height()) == size, page
    window.context.go(ShowServer("demo"))
    window.context.go(ShowSkill("weekly_report"))
    fake_core.put_run(make.run("one"))
    for name, dock in window.docks.items():
        dock.come()
        settled()
        assert (window.width(), window.height()) == size, name


def test_the_panes_at_the_left_have_readable_tabs_with_a_large_font(window: Any, theme: Any, settled: Any) -> None:
    window.resize(1024, 650)
    theme.choose("dark", 14)
    window.docks["files"].come()
    settled()
    bar = next(
        bar
        for bar in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if "Servers" in [bar.tabText(number) for number in range(bar.count())]
    )
    assert bar.usesScrollButtons()
    assert bar.elideMode() is Qt.TextElideMode.ElideNone
    for number in range(bar.count()):
        assert bar.tabRect(number).width() > bar.fontMetrics().horizontalAdvance(bar.tabText(number))
    assert bar.rect().contains(bar.tabRect(bar.currentIndex()).center()), "the tab in front is in sight"


def test_a_maximized_window_is_maximized_again_after_a_restart(window: Any, settled: Any, qtbot: Any) -> None:
    window.showMaximized()
    settled()
    window.close()
    again = MainWindow(window.context, window.bridge)
    qtbot.addWidget(again, before_close_func=lambda _: None)
    again.show()
    qtbot.wait(200)  # longer than the window waits for its frame
    assert again.isMaximized()
    assert again.frameSize() == again.screen().availableGeometry().size()
    again.deleteLater()
