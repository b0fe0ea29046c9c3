"""What isolation this machine gives, line by line as it was probed, and how it could be stronger."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from workbench.gui.icons import pixmap
from workbench.gui.text import visible
from workbench.gui.theme import Theme
from workbench.gui.views import label
from workbench.records import Strength


class StrengthDialog(QDialog):
    """Read only."""

    def __init__(self, theme: Theme, strength: Strength, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Sandbox strength"))
        self.setMinimumWidth(theme.unit * 100)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.unit * 6,) * 4)
        column.setSpacing(theme.unit * 3)
        column.addWidget(label(self._title(strength), "heading"))
        column.addWidget(_wrapped(self.tr("What this machine was found to give when the core started:"), "muted"))
        column.addLayout(self._features(theme, strength))
        if strength.reason:
            column.addWidget(_wrapped(visible(strength.reason), "warning"))
        if strength.hint:
            column.addWidget(_wrapped(visible(strength.hint), "muted"))
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        column.addWidget(close)

    def _title(self, strength: Strength) -> str:
        words = {
            "full": self.tr("Full isolation"),
            "reduced": self.tr("Reduced isolation"),
            "none": self.tr("No isolation"),
        }
        return self.tr("{} ({})").format(words.get(strength.level, strength.level), strength.backend)

    def _features(self, theme: Theme, strength: Strength) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.unit * 3)
        grid.setVerticalSpacing(theme.unit)
        for place, (name, there) in enumerate(strength.features.items()):
            picture = QLabel()
            symbol, tone = ("check", "success") if there else ("close", "danger")
            picture.setPixmap(pixmap(symbol, tone, theme.unit * 4, self.devicePixelRatioF()))
            grid.addWidget(picture, place, 0)
            grid.addWidget(label(visible(name)), place, 1)
            grid.addWidget(
                label(self.tr("yes") if there else self.tr("no"), "muted"), place, 2, Qt.AlignmentFlag.AlignRight
            )
        grid.setColumnStretch(1, 1)
        return grid


def _wrapped(text: str, role: str) -> QLabel:
    made = label(text, role)
    made.setWordWrap(True)
    return made
