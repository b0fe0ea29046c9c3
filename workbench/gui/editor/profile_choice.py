"""The bounds that the program of a tab runs in."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.calm_combo import CalmCombo
from workbench.gui.context import Context
from workbench.gui.text import visible
from workbench.records import Profiles


class ProfileChoice(CalmCombo):
    """Empty stands for the default; what one allows is in its tip."""

    chosen = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setAccessibleName(self.tr("Profile of the run"))
        self.setMinimumContentsLength(12)
        self.addItem(self.tr("Usual bounds"), "")
        self.activated.connect(self._tell)

    def refresh(self) -> None:
        """Read which there are; the chosen one stays."""
        self._context.tasks.run("read the profiles", self._read())

    @property
    def profile(self) -> str:
        return str(self.currentData() or "")

    def show_profiles(self, known: Profiles) -> None:
        """One that nobody accepted is not offered."""
        before = self.profile
        self.clear()
        self.addItem(self.tr("Usual bounds"), "")
        self.setItemData(0, known.default, Qt.ItemDataRole.ToolTipRole)
        for one in known.all:
            if one.accepted:
                self.addItem(visible(one.name), one.name)
                self.setItemData(self.count() - 1, one.sentence, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(max(0, self.findData(before)))
        self._say()

    async def _read(self) -> None:
        self.show_profiles(await self._context.questions.profiles())

    def _tell(self, _row: int) -> None:
        self._say()
        self.chosen.emit(self.profile)

    def _say(self) -> None:
        words = self.itemData(self.currentIndex(), Qt.ItemDataRole.ToolTipRole) or ""
        self.setToolTip(self.tr("The bounds of the run. {}").format(words).strip())
