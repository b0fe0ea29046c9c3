"""The page of a server's prompts: find one, fill it, see what a model would be told."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.models.offer_rows import OfferEntry
from workbench.gui.server.offer_list import OfferList
from workbench.gui.server.offer_page import OfferPage
from workbench.gui.server.offer_words import prompt_row
from workbench.gui.server.prompt_detail import PromptDetail
from workbench.records import Offers, Prompt, ServerState


class PromptsPage(OfferPage):
    """The list, and the chosen prompt beside it."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._prompts: dict[str, Prompt] = {}
        self._wanted = ""  # the prompt somebody asked for before the list had come
        self.list = OfferList(context.theme, "Prompts", "Find a prompt")
        self.detail = PromptDetail(context, self.server)
        self.split.addWidget(self.list)
        self.split.addWidget(self.detail)
        self.split.setSizes([300, 600])
        self.split.setFocusProxy(self.list)
        self.list.looked.connect(self._look_at)
        self.list.wanted.connect(self._want)
        self.detail.said.connect(self.say)

    def show_item(self, name: str) -> None:
        """Go to a prompt."""
        self._wanted = name
        self._go()

    def run(self) -> bool:
        if self.detail.prompt is None:
            return False
        self.detail.get()
        return True

    async def load(self) -> Offers:
        offers = await self.context.api.offers(self.server)
        self._prompts = {prompt.name: prompt for prompt in offers.prompts}
        self.list.show_entries(
            [
                OfferEntry(name, f"{name}\n{one.title}\n{one.description}".casefold(), partial(prompt_row, one))
                for name, one in self._prompts.items()
            ]
        )
        shown = self.detail.prompt
        if shown is not None and (now := self._prompts.get(shown.name)) is not None and now != shown:
            self.detail.show_prompt(now)
        self._go()
        return offers

    def count(self, offers: Offers) -> int:
        return len(offers.prompts)

    def nothing(self) -> tuple[str, str]:
        words = "Prompts are words for a model that a server keeps ready. Its tools work without them."
        return "This server offers no prompts", words

    def _look_at(self, key: str) -> None:
        if key in self._prompts and self._prompts[key] is not self.detail.prompt:
            self.detail.show_prompt(self._prompts[key])

    def _want(self, key: str) -> None:
        """Fill the blanks first; a prompt without any is fetched at once."""
        self._look_at(key)
        self.detail.take_keyboard()
        if key in self._prompts and not self._prompts[key].arguments:
            self.detail.get()

    def _go(self) -> None:
        if self._wanted and self.list.choose(self._wanted):
            wanted, self._wanted = self._wanted, ""
            self._want(wanted)
