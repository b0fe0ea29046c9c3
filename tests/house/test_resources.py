"""Icons and fonts: every icon used exists, all icons have one style, and every font has its licence listed."""

from __future__ import annotations

import ast
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFontDatabase
from PySide6.QtSvg import QSvgRenderer

from workbench.paths import resources

ICONS = sorted((resources() / "icons").glob("*.svg"))
PICTURES = {"app"}  # in its own colours


@pytest.mark.parametrize("path", ICONS, ids=lambda path: path.stem)
def test_an_icon_can_be_drawn_and_belongs_to_the_family(path: Path, qapp: Any) -> None:
    text = path.read_text(encoding="utf-8")
    assert QSvgRenderer(QByteArray(text.encode())).isValid()
    if path.stem not in PICTURES:
        head = ElementTree.fromstring(text).attrib
        assert (head["viewBox"], head["stroke"], head["stroke-width"]) == ("0 0 24 24", "currentColor", "1.75")


def test_every_icon_that_the_window_names_has_a_file(root: Path, tree: Callable[[Path], ast.Module]) -> None:
    """Checks calls of icon() and pixmap(), and the actions' table. The window's own tests cover computed names."""
    from workbench.gui.shell.actions import ACTIONS

    named = {action.icon for action in ACTIONS if action.icon}
    for path in (root / "workbench/gui").rglob("*.py"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("icon", "pixmap"):
                named |= {part.value for part in node.args[:1] if isinstance(part, ast.Constant)}
    assert named - {path.stem for path in ICONS} == set()


def test_every_word_for_a_state_has_an_icon_with_a_file(qapp: Any) -> None:
    from workbench.gui.kit import wording as words
    from workbench.records import Risk, RunState, ServerStatus, SkillState

    shown = [
        *map(words.run_word, RunState),
        *map(words.server_word, ServerStatus),
        *map(words.skill_word, SkillState),
        *map(words.risk_word, Risk),
    ]
    assert {word.icon for word in shown} - {path.stem for path in ICONS} == set()


def test_every_font_can_be_loaded_and_its_licence_is_told(qapp: Any) -> None:
    told = (resources() / "LICENSES.md").read_text(encoding="utf-8")
    families = set()
    for path in sorted((resources() / "fonts").iterdir()):
        number = QFontDatabase.addApplicationFont(str(path))
        families.update(QFontDatabase.applicationFontFamilies(number))
        assert f"{path.stem.split('-')[0]}-*" in told
        QFontDatabase.removeApplicationFont(number)
    assert {"Inter", "JetBrains Mono"} <= families
    assert "SIL Open Font License" in told


def test_the_desktop_entry_names_the_command_and_the_metainfo_names_the_entry() -> None:
    entry = (resources() / "mcp-workbench.desktop").read_text(encoding="utf-8")
    assert "\nExec=mcp-workbench %f\n" in entry
    told = ElementTree.parse(resources() / "mcp-workbench.metainfo.xml").getroot()
    assert told.findtext("launchable") == "mcp-workbench.desktop"
