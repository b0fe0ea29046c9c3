"""The middle of an ask's dialog: what is wanted in this kind of question, and what would be sent."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.context import Context
from workbench.records import Ask


class AskBody(QWidget):
    """One kind of question."""

    changed = Signal()
    """What would be sent is different now."""
    done = Signal()
    """The person did what accepting means, in the body itself."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.shown = ask

    def send_word(self) -> str:
        """The word on the button that accepts."""
        return "Send"

    def content(self) -> str:
        """What goes with an acceptance, as JSON text."""
        return ""

    def reason(self) -> str:
        """What goes with a refusal, as JSON text."""
        return ""

    def obstacle(self) -> str:
        """Why it cannot be accepted now, as a sentence; empty when it can."""
        return ""

    def before_sending(self) -> bool:
        """What has to happen first, once a person pressed; False: nothing is sent."""
        return True

    def show_ask(self, ask: Ask) -> None:
        """The question took a step."""
        self.shown = ask
