"""The hosts that a waiting program names and no rule opens, to tick for this one run. None is ticked beforehand."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.text import one_line, plain_tip
from workbench.gui.theme import Theme, mark
from workbench.gui.tick_box import TickBox
from workbench.gui.views import label

_SHOWN = 4  # hosts that are seen without scrolling
_LONGEST = 100  # letters of a host that are shown; the tip has all


class HostTicks(QFrame):
    """Hidden where there is nothing to tick."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hosts: tuple[str, ...] = ()
        self.boxes: list[TickBox] = []
        mark(self, kind="strip")
        self._column = QVBoxLayout(self)
        unit = theme.unit
        self._column.setContentsMargins(unit * 4, unit * 2, unit * 4, unit * 2)
        words = "It names hosts that no rule opens. What is not ticked stays closed when you allow it."
        head = label(words, "muted")
        head.setWordWrap(True)
        self._column.addWidget(head)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._column.addWidget(self._area)
        self.hide()

    def show_hosts(self, hosts: tuple[str, ...]) -> None:
        """Another text begins unticked, though it names the same hosts."""
        self._hosts = hosts
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self._theme.unit)
        self.boxes = [self._box(host) for host in hosts]
        for box in self.boxes:
            column.addWidget(box)
        column.addStretch()
        self._area.setWidget(inner)
        line = self.fontMetrics().lineSpacing() + self._theme.unit * 3
        self._area.setFixedHeight(line * min(len(hosts), _SHOWN) + self._theme.unit)
        self.setVisible(bool(hosts))

    def ticked(self) -> tuple[str, ...]:
        return tuple(host for host, box in zip(self._hosts, self.boxes, strict=True) if box.isChecked())

    def _box(self, host: str) -> TickBox:
        box = TickBox(self._theme, f"Allow {one_line(host, _LONGEST)} for this run")
        box.setToolTip(plain_tip(one_line(host, 300)))
        return box
