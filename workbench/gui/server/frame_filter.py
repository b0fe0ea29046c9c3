"""The strip above a server's messages: which of them to show, and whether to follow the end."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.gui.calm_combo import CalmCombo
from workbench.gui.models.frames import Sieve
from workbench.gui.text import one_line
from workbench.gui.theme import Theme, mark
from workbench.gui.views import Strip, search_box

_PAUSE = 150  # milliseconds without a key before the list is sifted


class FrameFilter(Strip):
    """`sieve()` is what is wished now."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self.changed)
        self.finder = search_box("Search messages", "Filter messages by any words in them")
        self.finder.textChanged.connect(self._pause.start)
        self.direction = self._combo("Direction")
        for text, way in (
            ("Both ways", ""),
            ("To the server", ">"),
            ("From the server", "<!"),
        ):
            self.direction.addItem(text, way)
        self.method = self._combo("Method")
        self.method.addItem("Every method", "")
        self.errors = self._chip("Errors", "Show only errors and what is not JSON-RPC")
        self.quiet = self._chip("Hide noise", "Hide pings and notifications")
        self.row.addWidget(self.finder, 1)
        for part in (self.direction, self.method, self.errors, self.quiet):
            self.row.addWidget(part)

    def sieve(self, found: frozenset[float] = frozenset()) -> Sieve:
        return Sieve(
            tuple(self.finder.text().lower().split()),
            found,
            str(self.direction.currentData()),
            str(self.method.currentData() or ""),
            self.errors.isChecked(),
            self.quiet.isChecked(),
        )

    def clear(self) -> None:
        """Show everything."""
        self.finder.clear()
        for combo in (self.direction, self.method):
            combo.setCurrentIndex(0)
        for chip in (self.errors, self.quiet):
            chip.setChecked(False)

    def offer_methods(self, methods: Sequence[str]) -> None:
        """Methods that were seen; the chosen one stays chosen."""
        known = {self.method.itemData(place) for place in range(self.method.count())}
        for method in methods:
            if method not in known:
                self.method.addItem(one_line(method, 60), method)

    def _combo(self, name: str) -> CalmCombo:
        combo = CalmCombo()
        combo.setAccessibleName(name)
        combo.currentIndexChanged.connect(self._now)
        return combo

    def _chip(self, text: str, tip: str) -> QPushButton:
        chip = QPushButton(text)
        chip.setCheckable(True)
        chip.setToolTip(tip)
        mark(chip, kind="chip")
        chip.toggled.connect(self._now)
        return chip

    def _now(self) -> None:
        self._pause.stop()
        self.changed.emit()
