"""The row at the window's top that says something waits: what, how long, and one button. It never takes the keyboard,
because a person may be typing."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from workbench.gui.icons import pixmap
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.gui.views import label, tool_button
from workbench.gui.words import Word


class WaitingBanner(QFrame):
    """Shows one thing that waits; while it can be seen it asks every second to be drawn anew."""

    outdated = Signal()
    put_aside = Signal()

    def __init__(self, theme: Theme, act: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._picture = QLabel()
        self._words = ForeignLabel(elide=True)
        self._risk = label("", "badge")
        self._time = label("", "muted")
        self.later = tool_button("close", "", theme)
        self.later.clicked.connect(self.put_aside)
        mark(act, kind="primary")
        for button in (act, self.later):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self.outdated)
        theme.changed.connect(self.outdated)
        self._lay_out(act)

    def tell(self, picture: Word, words: str, aside: str, risk: Word | None = None) -> None:
        """Icon and tone of the picture, the sentence, what stands beside it, and how risky it is."""
        mark(self, kind="banner", tone=picture.tone)
        self._picture.setPixmap(pixmap(picture.icon, picture.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self._words.setText(words)
        self._time.setText(aside)
        self._risk.setVisible(risk is not None)
        if risk is not None:
            self._risk.setText(risk.text)
            mark(self._risk, tone=risk.tone)
        self._tick.start()

    def rest(self) -> None:
        """Nothing waits."""
        self._tick.stop()

    def words(self) -> str:
        return self._words.full_text()

    def aside(self) -> str:
        """The time that is left, and how many more wait."""
        return self._time.text()

    def _lay_out(self, act: QPushButton) -> None:
        unit = self._theme.unit
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 3, unit + 2, unit * 2, unit + 2)
        row.setSpacing(unit * 2)
        row.addWidget(self._picture)
        row.addWidget(self._words, 1)
        for widget in (self._risk, self._time, act, self.later):
            row.addWidget(widget, alignment=Qt.AlignmentFlag.AlignVCenter)
