"""A label for foreign sentences that gives way: no word without an end makes the window grow."""

from __future__ import annotations

from PySide6.QtWidgets import QSizePolicy

from workbench.gui.kit.text import ForeignLabel

LONGEST = 1_000  # characters on screen


def yielding(text: str = "", longest: int = LONGEST) -> ForeignLabel:
    """Wrapped at words, as wide as there is room."""
    label = ForeignLabel()
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    label.setText(_cut(text, longest))
    return label


def say(label: ForeignLabel, text: str) -> None:
    """Hidden where there is nothing to say; for a label that stands in its place already."""
    label.setText(_cut(text, LONGEST))
    label.setVisible(bool(text))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
