"""The bounds that the program of a tab runs in."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.calm_combo import CalmCombo
from workbench.gui.context import Context
from workbench.gui.dialogs.question import Question
from workbench.gui.text import plain_tip, visible
from workbench.records import Profiles, RunProfile


class ProfileChoice(CalmCombo):
    """Empty stands for the default; what one allows is in its tip. One of the project may have to be accepted first."""

    chosen = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._known = Profiles()
        self.setAccessibleName("Profile of the run")
        self.setMinimumContentsLength(12)
        self.addItem("Usual bounds", "")
        self.activated.connect(self._tell)

    def refresh(self) -> None:
        """Read which there are; the chosen one stays."""
        self._context.tasks.run("read the profiles", self._read())

    @property
    def profile(self) -> str:
        return str(self.currentData() or "")

    def show_profiles(self, known: Profiles) -> None:
        """Those that there are; one that is not accepted asks when it is chosen."""
        before = self.profile
        self.clear()
        self.addItem("Usual bounds", "")
        self._explain(0, known.default)
        for one in known.all:
            words = visible(one.name) if one.accepted else f"Accept {visible(one.name)}…"
            self.addItem(words, one.name)
            self._explain(self.count() - 1, one.sentence)
        self._known = known
        self.setCurrentIndex(max(0, self.findData(before)))
        self._say()

    async def _read(self) -> None:
        self.show_profiles(await self._context.api.profiles())

    async def _accept(self, one: RunProfile) -> None:
        """A profile of the project that allows more than its base counts after a person read what it allows."""
        words = f"This project's workbench.toml names a profile that allows more than {one.base}."
        question = Question(self._context.theme, "Accept a profile", words, self.window())
        question.show_text(f"{one.name}: {one.sentence}", "What it allows")
        self.setCurrentIndex(0)
        if await question.ask("Accept it"):
            self.show_profiles(await self._context.api.accept_profile(one.sha))
            self.setCurrentIndex(max(0, self.findData(one.name)))
        self._say()
        self.chosen.emit(self.profile)

    def _tell(self, _row: int) -> None:
        if (one := next((one for one in self._known.all if one.name == self.profile), None)) and not one.accepted:
            self._context.tasks.run("accept a profile", self._accept(one))
            return
        self._say()
        self.chosen.emit(self.profile)

    def _explain(self, row: int, words: str) -> None:
        """A project's profile may hold anything, so none of it is taken for HTML."""
        self.setItemData(row, plain_tip(words), Qt.ItemDataRole.ToolTipRole)
        self.setItemData(row, words, Qt.ItemDataRole.AccessibleDescriptionRole)

    def _say(self) -> None:
        words = self.itemData(self.currentIndex(), Qt.ItemDataRole.AccessibleDescriptionRole) or ""
        told = f"The bounds of the run. {words}".strip()
        self.setToolTip(plain_tip(told))
        self.setAccessibleDescription(told)
