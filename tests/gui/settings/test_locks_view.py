"""The locks of the sandbox: each with its meaning, and how a missing one comes back."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel

from workbench.gui.settings.isolation import LocksView
from workbench.records import Strength

REDUCED = Strength(
    "reduced",
    "reduced",
    {"namespaces": False, "seccomp": True, "Landlock": True, "inode quota": False},
    fixes={"namespaces": "`sudo sysctl -w user.max_user_namespaces=10000`", "seccomp": "ADVICE"},
)


def words_of(view: LocksView) -> list[str]:
    return [found.text() for found in view.findChildren(QLabel) if found.text()]


def test_a_missing_lock_says_what_it_means_and_the_line_that_brings_it(context: Any, qtbot: Any) -> None:
    view = LocksView(context.theme, REDUCED)
    qtbot.addWidget(view)
    words = words_of(view)
    assert any("their own files" in text and "max_user_namespaces" in text for text in words)
    assert [text for text in words if text in ("yes", "no")] == ["no", "yes", "yes", "no"]
    named = [found.accessibleName() for found in view.findChildren(QLabel)]
    assert any(name.startswith("namespaces: no.") for name in named)
    assert not any("ADVICE" in text for text in words)  # what holds needs none


def test_a_strange_name_is_shown_as_text(context: Any, qtbot: Any) -> None:
    view = LocksView(context.theme, Strength("native", "full", {"<b>new\u202e": True}))
    qtbot.addWidget(view)
    assert not any("\u202e" in text for text in words_of(view))
