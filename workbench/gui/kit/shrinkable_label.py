"""A label for foreign text that never makes the window wider, however long its words are."""

from __future__ import annotations

from PySide6.QtWidgets import QSizePolicy

from workbench.gui.kit.text import ForeignLabel

LONGEST = 1_000  # characters on screen


def wrapping_label(text: str = "", longest: int = LONGEST) -> ForeignLabel:
    """A label for foreign text that wraps and never makes the window wider."""
    label = ForeignLabel()
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    label.setText(_cut(text, longest))
    return label


def say(label: ForeignLabel, text: str) -> None:
    """Set the text of a label and hide it if there is none."""
    label.setText(_cut(text, LONGEST))
    label.setVisible(bool(text))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
