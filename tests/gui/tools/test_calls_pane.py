"""Calls that stay, in the window: found, opened in their forms, made again, checked, removed and brought back."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QToolButton

from workbench.events import CallsKept
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.rows import ROW
from workbench.gui.shell.navigation import SaveCall, ShowCall
from workbench.gui.tools.calls_pane import HISTORY, SAVED
from workbench.gui.tools.save_call import SaveCallDialog
from workbench.records import Outcome, PastCall, ToolCall

PAGE = "calls/shop/front page.json"


def titles(view: Any) -> list[str]:
    model = view.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


@pytest.fixture
def pane(window: Any, settled: Any) -> Any:
    window.docks["calls"].come()
    settled()
    return window.calls


@pytest.fixture
def wishes(pane: Any) -> list[Any]:
    found: list[Any] = []
    requested = pane.context.messages.requested
    requested.disconnect()  # only the request is looked at here, not what the window does with it
    requested.connect(found.append)
    return found


def test_the_history_is_grouped_by_day_newest_first(pane: Any) -> None:
    pane.show_list(HISTORY)
    listed = titles(pane.history.list.view)
    assert listed[-2:-1] != listed[:1]  # the oldest call has a day of its own
    assert [title for title in listed if "_" in title] == [
        "get_order", "list_orders", "send_email", "list_orders",
    ]  # fmt: skip


def test_typing_searches_and_the_filter_narrows(pane: Any, qtbot: Any) -> None:
    pane.show_list(HISTORY)
    pane.history.list.finder.setText("ord-00001")
    qtbot.waitUntil(lambda: [t for t in titles(pane.history.list.view) if "_" in t] == ["get_order"])
    pane.history.list.finder.setText("no such thing")
    qtbot.waitUntil(lambda: pane.history.empty.isVisible())
    assert pane.history.empty.accessibleName() == "No call matches"
    pane.history.list.finder.clear()
    pane.history.state.setCurrentIndex(2)
    qtbot.waitUntil(lambda: [t for t in titles(pane.history.list.view) if "_" in t] == ["send_email"])


def test_a_call_that_is_made_appears_at_the_top(pane: Any, window: Any, fake_core: Any, qtbot: Any) -> None:
    pane.show_list(HISTORY)
    call = PastCall(9, fake_core.past_list[-1].at + 9_000, "demo", "fresh_call", "{}")
    fake_core.past_list.append(call)
    window.context.store.handle(CallsKept((call,)))
    qtbot.waitUntil(lambda: "fresh_call" in titles(pane.history.list.view))
    assert next(title for title in titles(pane.history.list.view) if "_" in title) == "fresh_call"


def test_a_past_call_opens_in_its_form_or_runs_there(pane: Any, wishes: list[Any], window: Any, qtbot: Any) -> None:
    pane.show_list(HISTORY)
    pane.history.list.select("4")
    window.commands.do("calls.open")
    qtbot.waitUntil(lambda: len(wishes) == 1)
    window.commands.do("calls.again")
    qtbot.waitUntil(lambda: len(wishes) == 2)
    assert wishes == [ShowCall("demo", "get_order", {"order_id": "ORD-00001"}, (), start) for start in (False, True)]


def test_a_past_call_is_saved_or_deleted_after_a_question(
    pane: Any, wishes: list[Any], window: Any, qtbot: Any, press: Any
) -> None:
    pane.show_list(HISTORY)
    pane.history.list.select("4")
    window.commands.do("calls.keep")
    qtbot.waitUntil(lambda: len(wishes) == 1)
    assert isinstance(wishes[0], SaveCall)
    assert (wishes[0].call.tool, wishes[0].outcome.ok) == ("get_order", True)
    texts = [window.commands[name].text() for name in ("calls.keep", "calls.remove")]
    assert texts == ["Save this call…", "Delete from history…"]
    window.commands.do("calls.remove")
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    assert "get_order" in titles(pane.history.list.view)
    press(window.findChild(Question), "Delete")
    qtbot.waitUntil(lambda: "get_order" not in titles(pane.history.list.view))


def test_the_actions_name_the_list_that_they_change(pane: Any, window: Any) -> None:
    for tab, texts in (
        (HISTORY, ["Save this call…", "Delete from history…"]),
        (SAVED, ["Change saved call…", "Delete saved call"]),
    ):
        pane.show_list(tab)
        assert [window.commands[name].text() for name in ("calls.keep", "calls.remove")] == texts
        assert {one.accessibleName() for one in pane.findChildren(QToolButton)} >= set(texts)


def test_clearing_the_history_asks_first(pane: Any, window: Any, fake_core: Any, qtbot: Any, press: Any) -> None:
    pane.show_list(HISTORY)
    window.commands.do("history.clear")
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    assert len(fake_core.past_list) == 4
    press(window.findChild(Question), "Clear history")
    qtbot.waitUntil(lambda: pane.history.empty.isVisible())
    assert pane.history.empty.accessibleName() == "No calls yet"


def test_saved_calls_stand_in_their_collections_and_broken_files_say_where(pane: Any) -> None:
    pane.show_list(SAVED)
    assert titles(pane.saved.list.view) == [
        "Files that cannot be read", "shop/odd.json", "shop", "front page", "mail", "Without a collection", "alone",
    ]  # fmt: skip
    row = pane.saved.list.model.find("broken:calls/shop/odd.json").data(ROW)
    assert row.detail.startswith("line 3")


def test_a_check_marks_the_call_and_shows_what_differs(pane: Any, window: Any, qtbot: Any) -> None:
    pane.show_list(SAVED)
    pane.saved.list.select(PAGE)
    window.commands.do("calls.again")
    qtbot.waitUntil(lambda: pane.saved.list.model.find(PAGE).data(ROW).aside == "1 difference")
    assert pane.saved.marks.isVisible()
    assert titles(pane.saved.marks) == ["succeeds", "equals the saved answer"]
    pane.saved.marks.setCurrentIndex(pane.saved.marks.model().index(1, 0))
    qtbot.keyClick(pane.saved.marks, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.findChild(DifferenceDialog) is not None)
    assert window.findChild(DifferenceDialog).diff.changed_lines() == ('-  "total": 4', '+  "total": 3')


def test_all_are_checked_and_risky_ones_are_left_out(pane: Any, window: Any, qtbot: Any) -> None:
    pane.show_list(SAVED)
    window.commands.do("calls.check")
    qtbot.waitUntil(lambda: len(pane.saved.results) == 3)
    asides = {key: pane.saved.list.model.find(key).data(ROW).aside for key in pane.saved.results}
    assert asides == {PAGE: "1 difference", "calls/shop/mail.json": "not run", "calls/alone.json": "as expected"}
    assert pane.saved.list.model.find("section:shop").data(ROW).aside == "0/2"


def test_a_risky_one_alone_asks(pane: Any, window: Any, qtbot: Any, press: Any) -> None:
    pane.show_list(SAVED)
    pane.saved.list.select("calls/shop/mail.json")
    window.commands.do("calls.again")
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    press(window.findChild(Question), "Call once")
    qtbot.waitUntil(lambda: "calls/shop/mail.json" in pane.saved.results)
    assert pane.saved.results["calls/shop/mail.json"].passed


def test_a_removed_call_comes_back(pane: Any, window: Any, qtbot: Any) -> None:
    pane.show_list(SAVED)
    pane.saved.list.select(PAGE)
    assert not window.commands["calls.undo"].isEnabled()
    window.commands.do("calls.remove")
    qtbot.waitUntil(lambda: "front page" not in titles(pane.saved.list.view))
    qtbot.waitUntil(lambda: window.commands["calls.undo"].isEnabled())
    window.commands.do("calls.undo")
    qtbot.waitUntil(lambda: "front page" in titles(pane.saved.list.view))
    assert not window.commands["calls.undo"].isEnabled()


def test_a_saved_call_opens_in_its_form(pane: Any, window: Any, qtbot: Any) -> None:
    pane.show_list(SAVED)
    pane.saved.list.select(PAGE)
    qtbot.keyClick(pane.saved.list.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.centre.tool.page() is not None)
    qtbot.waitUntil(lambda: window.centre.tool.page().call.form.value() == {"limit": 3})


def test_saving_names_the_call_and_a_taken_name_is_said_in_the_dialog(
    pane: Any, window: Any, fake_core: Any, qtbot: Any
) -> None:
    pane.show_list(SAVED)
    pane.saved.list.select("calls/shop/mail.json")
    window.commands.do("calls.keep")
    qtbot.waitUntil(lambda: window.findChild(SaveCallDialog) is not None)
    dialog = window.findChild(SaveCallDialog)
    dialog.name.setText("front page")
    qtbot.mouseClick(dialog.button("Save"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.fault.isVisible())
    assert "already" in dialog.fault.sentence()
    dialog.name.setText("letter")
    dialog.tags.setText("slow, smoke")
    qtbot.mouseClick(dialog.button("Save"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "letter" in titles(pane.saved.list.view))
    assert fake_core.saved_list["calls/shop/letter.json"].tags == ("slow", "smoke")
    assert "mail" not in titles(pane.saved.list.view)


@pytest.fixture
def form(window: Any, settled: Any) -> Any:
    from workbench.gui.shell.navigation import ShowTool

    window.context.go(ShowTool("demo", "list_orders"))
    settled()
    window.centre.tool.page().call.form.set_value({"limit": 20})
    return window.centre.tool.page().call


def test_the_open_call_is_saved_with_what_it_just_got(form: Any, window: Any, fake_core: Any, qtbot: Any) -> None:
    async def call(call: ToolCall) -> Outcome:
        return Outcome(call.id, True, structured='{"total": 3}')

    fake_core.call = call
    with qtbot.waitSignal(form.finished):
        form.run()
    window.commands.do("tool.save")
    qtbot.waitUntil(lambda: window.findChild(SaveCallDialog) is not None)
    dialog = window.findChild(SaveCallDialog)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is dialog.name)
    assert dialog.name.selectedText() == "list_orders"
    dialog.expect.setCurrentIndex(1)
    window.docks["servers"].come()
    qtbot.mouseClick(dialog.button("Save"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "calls/demo/list_orders.json" in fake_core.saved_list)
    qtbot.waitUntil(lambda: window.status.message() == "Saved as calls/demo/list_orders.json.")
    assert window.calls.visibleRegion().isEmpty(), "saving puts nothing before what the user looks at"
    qtbot.waitUntil(lambda: window.calls.saved.list.model.find("calls/demo/list_orders.json").isValid())
    assert window.status.offer.text().strip() == "Show"
    qtbot.mouseClick(window.status.offer, Qt.MouseButton.LeftButton)
    assert not window.calls.visibleRegion().isEmpty()
    assert window.calls.saved.key() == "calls/demo/list_orders.json"
    kept = fake_core.saved_list["calls/demo/list_orders.json"]
    assert (kept.arguments, kept.kept) == ({"limit": 20}, {"total": 3})


@pytest.mark.parametrize("form_name", ["json-rpc", "curl", "command"])
def test_the_open_call_is_copied_in_other_words(form: Any, settled: Any, form_name: str) -> None:
    form.menu.copy(form_name)
    settled()
    assert QGuiApplication.clipboard().text() == f"{form_name} demo list_orders {{'limit': 20}}"


def test_the_palette_finds_saved_calls(fake_core: Any) -> None:
    from workbench.gui.shell.palette_matches import find_targets, saved_targets
    from workbench.records import SavedCalls

    targets = saved_targets(SavedCalls(tuple(fake_core.saved_list.values())))
    assert find_targets("smoke", targets)[0][1].request == ShowCall("demo", "list_orders", {"limit": 3})


def test_the_history_is_narrowed_to_one_server(pane: Any, qtbot: Any) -> None:
    pane.show_list(HISTORY)
    qtbot.waitUntil(lambda: pane.history.server.findData("files") > 0)
    pane.history.server.setCurrentIndex(pane.history.server.findData("files"))
    qtbot.waitUntil(lambda: pane.history.empty.isVisible())
    pane.history.server.setCurrentIndex(0)
    qtbot.waitUntil(lambda: "get_order" in titles(pane.history.list.view))


def test_recent_calls_of_the_tool_are_in_its_menu(form: Any, qtbot: Any) -> None:
    form.menu.menu().aboutToShow.emit()
    qtbot.waitUntil(lambda: len(form.menu.recent.actions()) == 2)
    assert all("limit" in action.text() for action in form.menu.recent.actions())
    form.menu.recent.actions()[0].trigger()
    qtbot.waitUntil(lambda: form.form.value() == {"limit": 3})
