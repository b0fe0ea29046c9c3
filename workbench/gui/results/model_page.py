"""A result as a model would see it: tokens in place of what is personal, as chips that a person can look behind."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.privacy.token_chips import TokenChips
from workbench.gui.results.page import Page
from workbench.gui.results.text_page import TextPage
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.whole import fetch_whole, whole_size
from workbench.records import ModelView


class ModelPage(Page):
    """Asks the core; nothing is sent anywhere."""

    said = Signal(str)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._asked = ""
        self._shown = ""
        unit = context.theme.unit
        self.words = ForeignLabel()
        self.words.setContentsMargins(unit * 3, unit, unit * 3, unit)
        mark(self.words, role="muted")
        self.text = TextPage(context.theme, "The result as a model sees it")
        self.chips = TokenChips(self.text.edit, context)
        self.chips.said.connect(self.said)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.words)
        column.addWidget(self.text, 1)
        self.setFocusProxy(self.text)

    def show_text(self, text: str) -> None:
        """Real text; what a model would get of it appears in a moment."""
        self._asked, self._shown = text, ""
        self.words.setText("Looking for personal data…")
        self.text.show_text("")
        self._context.tasks.run("see what a model sees", self._ask(text))

    def shown(self) -> str:
        """The masked text, as far as it is known yet."""
        return self._shown

    def seek(self, words: str, step: int) -> str:
        return self.text.seek(words, step)

    async def _ask(self, text: str) -> None:
        try:
            view = await self._context.api.model_view(text, "")
        except WorkbenchError as fault:
            if text == self._asked:
                self.words.setText(f"{fault.message} {fault.hint}".strip())
            return
        seen = [view.text]
        if whole_size(seen):
            seen = await fetch_whole(self._context.fetch, seen)
        if text == self._asked:
            self.chips.show_tokens_of(view.session)
            self.words.setText(self._sentence(view))
            self._shown = seen[0]
            self.text.show_text(self._shown)

    def _sentence(self, view: ModelView) -> str:
        if not view.enabled:
            return "Hiding is turned off, so a model sees all of it. Personal data, Kinds turns it on."
        counts = ", ".join(f"{one.count} {one.kind}" for one in view.counts)
        if not counts:
            return "A model sees all of it: nothing personal was found. Was something missed? Mark it."
        return f"Hidden from models: {counts}. Rest the mouse on a chip, or press F4, to look behind it."
