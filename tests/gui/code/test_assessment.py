"""The strip that says how a program is judged."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel

from workbench.gui.code.assessment import AssessmentStrip
from workbench.records import Gate, Risk, Verdict


def test_the_badge_keeps_its_height_beside_a_sentence_of_several_lines(theme: Any, qtbot: Any) -> None:
    strip = AssessmentStrip(theme)
    qtbot.addWidget(strip)
    strip.resize(360, 120)
    strip.show_verdict(Verdict("a" * 64, Risk.HIGH, Gate.ASK, "Sends the e-mail addresses of all customers. " * 4))
    strip.show()
    badge = next(label for label in strip.findChildren(QLabel) if label.text() == "High risk")
    assert strip.height() > badge.sizeHint().height() * 3
    assert badge.height() == badge.sizeHint().height()
