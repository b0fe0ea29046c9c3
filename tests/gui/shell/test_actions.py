from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

import workbench.gui
from workbench.gui.kit import icons
from workbench.gui.shell.actions import ACTIONS, MENUS


def test_every_action_does_something(window: Any) -> None:
    assert {entry.id for entry in ACTIONS} == window.commands.bound()


def test_no_two_actions_have_the_same_keys_or_name(qapp: Any) -> None:
    keys = Counter(QKeySequence(entry.keys).toString() for entry in ACTIONS if entry.keys)
    assert [key for key, times in keys.items() if times > 1 or not key] == []
    assert max(Counter(entry.id for entry in ACTIONS).values()) == 1
    assert max(Counter(entry.text for entry in ACTIONS).values()) == 1


@pytest.mark.parametrize("entry", ACTIONS, ids=lambda entry: entry.id)
def test_an_action_is_told_in_one_sentence_and_has_a_picture(entry: Any) -> None:
    assert entry.help.endswith(".")
    assert entry.icon in icons.names()


def test_every_action_is_in_one_menu(window: Any) -> None:
    assert [action.text().replace("&", "") for action in window.menuBar().actions()] == [menu.title for menu in MENUS]
    shown = {action for menu in window.menuBar().findChildren(QMenu) for action in menu.actions()}
    assert {window.commands[entry.id] for entry in ACTIONS} <= shown


def test_menus_are_read_in_parts_and_fit_a_low_screen(window: Any) -> None:
    for menu in window.menuBar().findChildren(QMenu):
        entries = menu.actions()
        assert not entries[0].isSeparator()
        assert not entries[-1].isSeparator()
        parts = "".join("|" if entry.isSeparator() else "." for entry in entries).split("|")
        assert all(0 < len(part) <= 12 for part in parts)
        assert menu.sizeHint().height() < 700


def test_every_icon_that_the_window_names_is_there() -> None:
    """Names stand as texts in calls such as `icon("copy")`, `tool_button("copy", …)` or `Word("Done", "check", …)`."""
    places = {"icon": 0, "pixmap": 0, "tool_button": 0, "StateText": 1, "RoomyButton": 1, "EmptyState": 1}
    missing = set()
    for file in sorted(Path(workbench.gui.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if name in places and len(node.args) > places[name]:
                text = node.args[places[name]]
                if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value:
                    missing |= {text.value} - set(icons.names())
    assert missing == set()


def test_sentences_name_menus_that_there_are(qapp: Any) -> None:
    package = Path(workbench.__file__).parent
    texts = [*package.rglob("*.py"), *(package.parent / "docs").glob("*.md"), package.parent / "README.md"]
    named = re.compile(r"in the ([A-Z]\w+) menu|under ([A-Z]\w+) > ")
    found = {name for file in texts for names in named.findall(file.read_text("utf-8")) for name in names if name}
    assert found, "the pattern finds none"
    assert found <= {menu.title for menu in MENUS}


def test_each_menu_opens_by_its_own_letter(window: Any) -> None:
    titles = [action.text() for action in window.menuBar().actions()]
    letters = [title[title.index("&") + 1].lower() for title in titles]
    assert len(set(letters)) == len(titles)
