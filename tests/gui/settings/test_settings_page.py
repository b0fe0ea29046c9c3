"""The page Settings: finding, editing, resetting and checking values, for the user and for the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget

from workbench.events import Noticed, SettingsChanged
from workbench.gui.kit.rows import KEY
from workbench.gui.settings.setting_editors import ChoiceEditor, ListEditor, NumberEditor, SwitchEditor, TextEditor
from workbench.gui.settings.settings_page import GROUPS, SettingsPane, setting_rows
from workbench.gui.shell.context import Message
from workbench.records import SettingValue
from workbench.settings import DEFINITIONS

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


@pytest.fixture
def page(context: Any, fake_core: Any, bus: Any, qtbot: Any) -> SettingsPane:
    bus.listen(context.store.handle)
    page = SettingsPane(context)
    qtbot.addWidget(page)
    page.resize(1100, 700)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    qtbot.waitUntil(lambda: page.list.model.rowCount() > len(DEFINITIONS))
    return page


def keys(page: SettingsPane) -> list[str]:
    found = [str(page.list.model.index(row).data(KEY)) for row in range(page.list.model.rowCount())]
    return [key for key in found if not key.startswith("section:")]


def fact(page: SettingsPane, name: str) -> str:
    return page.detail.facts.value(name)


def changes(fake_core: Any) -> list[tuple[Any, ...]]:
    return [words for name, words in fake_core.asked if name == "change_setting"]


def test_every_setting_is_listed_and_the_search_reads_names_and_descriptions(page: SettingsPane, qtbot: Any) -> None:
    assert keys(page) == list(DEFINITIONS)
    qtbot.keyClicks(page.list.finder, "thread run")
    qtbot.waitUntil(lambda: keys(page) == ["run.pids"])
    qtbot.keyClick(page.list.finder, Qt.Key.Key_Return)
    assert page.detail.editor.hasFocus() or page.detail.editor.focusProxy().hasFocus()
    page.list.finder.setText("nothing like this")
    qtbot.waitUntil(page.list.empty.isVisible)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("window.theme", ChoiceEditor),
        ("run.enabled", SwitchEditor),
        ("run.seconds", NumberEditor),
        ("telemetry.endpoint", TextEditor),
        ("run.packages", ListEditor),
    ],
)
def test_each_type_has_its_editor_with_a_name(page: SettingsPane, name: str, kind: type) -> None:
    page.show_setting(name)
    editor = page.detail.editor
    assert isinstance(editor, kind)
    field = editor.focusProxy()
    assert field.hasFocus()
    interface = QAccessible.queryAccessibleInterface(field)
    assert field.accessibleName() == name  # Qt reads a combo box's value aloud in place of its name
    assert interface.text(QAccessible.Text.Description) == DEFINITIONS[name].description


def test_a_number_is_checked_while_typed_and_saved_with_return(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    page.show_setting("run.memory_mb")
    line = page.detail.editor.line
    assert line.text() == "512"
    line.selectAll()
    qtbot.keyClicks(line, "31")
    assert page.detail.problem.text() == "Enter a whole number: 32 or more."
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert changes(fake_core) == []
    line.selectAll()
    qtbot.keyClicks(line, "1,024")
    assert page.detail.problem.isHidden()
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: fact(page, "In use") == "1,024 MB")
    assert changes(fake_core) == [("run.memory_mb", 1024)]
    assert fact(page, "Comes from") == "Your settings (settings.toml)"
    assert fact(page, "Default") == "512 MB"
    assert fact(page, "Takes effect") == "At once"
    qtbot.keyClick(line, Qt.Key.Key_Up)
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: fact(page, "In use") == "1,025 MB")


def test_leaving_an_editor_saves_and_a_wrong_value_is_not_saved(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    page.show_setting("run.calls")
    line = page.detail.editor.line
    line.selectAll()
    qtbot.keyClicks(line, "no")
    page.list.view.setFocus()
    assert changes(fake_core) == []
    page.show_setting("run.seconds")
    line = page.detail.editor.line
    line.selectAll()
    qtbot.keyClicks(line, "45")
    page.list.finder.setFocus()
    qtbot.waitUntil(lambda: changes(fake_core) == [("run.seconds", 45)])


def test_a_switch_and_a_choice_are_saved_at_once_and_reset(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    page.show_setting("search.learns")
    assert page.detail.scope.isHidden()
    qtbot.keyClick(page.detail.editor.box, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: fact(page, "In use") == "Off")
    assert not fake_core.current_settings.search_learns
    assert page.detail.reset_button.isEnabled()
    qtbot.mouseClick(page.detail.reset_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: fact(page, "In use") == "On")
    assert page.detail.editor.box.isChecked()
    assert not page.detail.reset_button.isEnabled()
    page.show_setting("window.theme")
    qtbot.keyClick(page.detail.editor.combo, Qt.Key.Key_Down)
    page.detail.editor.combo.activated.emit(1)
    qtbot.waitUntil(lambda: fake_core.current_settings.window_theme == "light")


def test_a_project_value_is_written_into_its_file(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    page.show_setting("run.seconds")
    scope = page.detail.scope
    scope.setCurrentIndex(1)
    scope.activated.emit(1)
    assert "A project can set at most 60 seconds." in page.detail.limits.text()
    line = page.detail.editor.line
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "50")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: fact(page, "Comes from") == "This project (workbench.toml)")
    assert changes(fake_core) == [("run.seconds", 50, "project")]
    assert "seconds = 50" in fake_core.settings_files[0].read_text("utf-8")
    assert fact(page, "Project's value") == "50 seconds"


def test_a_list_shows_only_the_entries_of_its_file(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    fake_core.settings_files[0].write_text("[privacy]\nsealed = 'crm.list'\n", "utf-8")
    fake_core.settings_edited()
    page.show_setting("privacy.sealed")
    qtbot.waitUntil(lambda: fact(page, "In use") == "crm.list")
    page.detail.scope.setCurrentIndex(0)
    page.detail.scope.activated.emit(0)
    box = page.detail.editor.box
    assert box.text() == ""
    box.setFocus()
    qtbot.keyClicks(box, "mail")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.keyClicks(box, "notes.*")
    qtbot.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: fact(page, "In use") == "crm.list mail notes.*")
    assert fact(page, "Comes from") == "Your settings and this project"
    assert changes(fake_core) == [("privacy.sealed", "mail notes.*")]


def test_an_edited_file_is_shown_and_typing_is_kept(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    page.show_setting("run.seconds")
    line = page.detail.editor.line
    line.selectAll()
    qtbot.keyClicks(line, "7")
    fake_core.settings_files[1].write_text("[run]\ncalls = 5\nseconds = 'long'\n", "utf-8")
    fake_core.settings_edited()
    qtbot.waitUntil(lambda: "run.seconds must be of type int" in page.detail.notice.text())
    assert line.text() == "7"
    page.changed_only.setChecked(True)
    assert keys(page) == ["run.seconds", "run.calls"]
    assert fact(page, "Your value") == "long"


def test_a_change_that_the_core_refuses_is_shown(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    fake_core.settings_files[1].write_text("[run\n", "utf-8")
    page.show_setting("run.enabled")
    qtbot.keyClick(page.detail.editor.box, Qt.Key.Key_Space)
    qtbot.waitUntil(page.detail.fault.isVisible)
    assert "settings.toml cannot be changed" in page.detail.fault.sentence()


def choose_from_menu(page: SettingsPane, name: str, text: str) -> None:
    """Open the menu of a row by right click and choose an entry."""
    page.list.select(name)
    view = page.list.view
    place = view.visualRect(page.list.model.find(name)).center()
    view.customContextMenuRequested.emit(place)
    menu = next(menu for menu in page.findChildren(QMenu) if menu.isVisible())
    action = next(action for action in menu.actions() if action.text() == text)
    action.trigger()
    menu.close()


def test_the_menu_of_a_row_edits_switches_resets_and_copies(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    said = list[Message]()
    page.context.messages.said.connect(said.append)
    choose_from_menu(page, "history.runs", "Turn off")
    qtbot.waitUntil(lambda: not fake_core.current_settings.history_runs)
    qtbot.waitUntil(lambda: fact(page, "Your value") == "Off")
    choose_from_menu(page, "history.runs", "Reset your value")
    qtbot.waitUntil(lambda: fake_core.current_settings.history_runs)
    choose_from_menu(page, "history.runs", "Copy name")
    assert QApplication.clipboard().text() == "history.runs"
    assert said[-1].text == "Copied history.runs."
    choose_from_menu(page, "run.seconds", "Edit")
    assert page.focusWidget() is page.detail.editor.line


def test_every_group_has_a_title() -> None:
    assert {name.partition(".")[0] for name in DEFINITIONS} == set(GROUPS)


def test_rows_stand_below_the_heading_of_their_group() -> None:
    values = [SettingValue(name, definition.default) for name, definition in DEFINITIONS.items()]
    rows = setting_rows(values, "sandboxes")
    assert [(row.title, row.section) for row in rows] == [
        ("Runs", True),
        ("run.ready", False),
        ("run.preload", False),
    ]


def test_the_window_opens_it_at_a_setting(window: Any, qtbot: Any, settled: Any) -> None:
    from workbench.gui.shell.navigation import ShowSettings

    window.commands["settings.open"].trigger()
    settled()
    page = window.centre.currentWidget()
    assert isinstance(page, SettingsPane)
    assert window.centre.tabText(window.centre.currentIndex()) == "Settings"
    window.context.go(ShowSettings("run.seconds"))
    settled()
    assert page.list.key() == "run.seconds"


def test_theme_and_text_size_apply_to_the_open_window(
    window: Any, fake_core: Any, bus: Any, qtbot: Any, settled: Any
) -> None:
    fake_core.settings_files[1].write_text("[window]\ntheme = 'light'\nfont_size = 14\n", "utf-8")
    fake_core.settings_edited()
    bus.tell(SettingsChanged(("window.theme", "window.font_size")))
    qtbot.waitUntil(lambda: window.context.theme.setting == "light")
    assert QApplication.font().pointSize() == 14


def test_a_fault_that_names_a_setting_leads_to_it(window: Any, qtbot: Any, settled: Any) -> None:
    from workbench.gui.kit.notice import Notice
    from workbench.records import Fault

    card = Notice(window.context.theme)
    qtbot.addWidget(card)
    card.show_fault(Fault("The server took too long.", "Raise server.start_seconds, or look at its log."))
    link = next(button for button in card.findChildren(QPushButton) if button.text().startswith("Open setting"))
    assert link.text() == "Open setting server.start_seconds"
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    settled()
    assert window.centre.currentWidget().list.key() == "server.start_seconds"
    card.show_fault(Fault("my.server.start_seconds failed.", "Try again."))
    assert link.isHidden()


def test_a_banner_that_names_a_setting_leads_to_it(window: Any, qtbot: Any, settled: Any) -> None:
    from workbench.records import Fault

    window.context.store.handle(Noticed(Fault("workbench.toml: run.seconds is ignored.", "The default is used.")))
    (banner,) = window.banners.visible_banners()
    link = next(button for button in banner.findChildren(QPushButton) if button.text() == "Open setting run.seconds")
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    settled()
    assert window.centre.currentWidget().list.key() == "run.seconds"


def test_the_selected_row_stays_visible_when_the_page_becomes_narrow(page: SettingsPane, qtbot: Any) -> None:
    page.show_setting("telemetry.endpoint")
    view = page.list.view

    def is_visible() -> bool:
        return view.viewport().rect().intersects(view.visualRect(view.currentIndex()))

    assert is_visible()
    page.resize(420, 500)
    qtbot.waitUntil(lambda: page.split.orientation() is Qt.Orientation.Vertical and is_visible())


def test_the_default_profile_is_chosen_among_those_that_exist(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    page.show_setting("approval.profile")
    combo = page.detail.editor.combo
    assert [combo.itemText(row) for row in range(combo.count())] == ["read_only", "write_restricted", "execute_full"]
    shown = page.detail.meaning.text()
    assert shown
    assert page.detail.meaning.isVisible()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert page.detail.meaning.text() not in ("", shown)
    combo.activated.emit(combo.currentIndex())
    qtbot.waitUntil(lambda: fake_core.current_settings.approval_profile == "execute_full")
    fake_core.settings_files[1].write_text("[approval]\nprofile = 'gone'\n", "utf-8")
    fake_core.settings_edited()
    qtbot.waitUntil(lambda: page.detail.editor.value() == "gone")


def test_an_address_is_checked_and_says_what_is_sent(page: SettingsPane, fake_core: Any, qtbot: Any) -> None:
    page.show_setting("telemetry.endpoint")
    line = page.detail.editor.line
    assert page.detail.meaning.text() == "Nothing is sent."
    qtbot.keyClicks(line, "localhost:4318")
    assert page.detail.problem.text() == "This must be empty or an HTTP address such as http://127.0.0.1:4318."
    assert page.detail.meaning.isHidden()
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert changes(fake_core) == []
    line.selectAll()
    qtbot.keyClicks(line, "http://127.0.0.1:4318/")
    assert page.detail.meaning.text().startswith(
        "Sent to http://127.0.0.1:4318/v1/traces after each run and call: names"
    )
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: changes(fake_core) == [("telemetry.endpoint", "http://127.0.0.1:4318/")])


@pytest.mark.parametrize(("colours", "width"), [("light", 1100), ("dark", 1100), ("dark", 420)])
def test_it_can_be_looked_at(
    page: SettingsPane, context: Any, fake_core: Any, qtbot: Any, colours: str, width: int
) -> None:
    context.theme.choose(colours)
    fake_core.settings_files[0].write_text("[run]\nseconds = 600\n[cache]\ntools = 'docs'\n", "utf-8")
    fake_core.settings_files[1].write_text("[run]\nmemory_mb = 1024\n", "utf-8")
    fake_core.settings_edited()
    page.show_setting("run.seconds")
    qtbot.waitUntil(lambda: fact(page, "Project's value") == "600 seconds")
    page.resize(width, 700)
    QTest.qWait(100)
    FOLDER.mkdir(exist_ok=True)
    assert page.grab().save(str(FOLDER / f"settings-{colours}-{width}.png"))
    assert all(child.width() <= width for child in page.findChildren(QWidget) if child.isVisible())
