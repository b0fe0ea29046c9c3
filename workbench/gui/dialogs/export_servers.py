"""Writes servers of this project into another app's settings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.dialogs.export_form import ExportForm
from workbench.gui.text import one_line
from workbench.gui.tick_box import TickBox
from workbench.gui.views import label
from workbench.records import ServerState


class ExportServers(QDialog):
    """Servers on the left, the app and the change on the right."""

    def __init__(self, context: Context, chosen: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._chosen = chosen
        self.setWindowTitle("Write servers to another app")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.boxes: dict[str, TickBox] = {}
        self.form = ExportForm(context)
        self._list = QVBoxLayout()
        self._lay_out(context.theme.unit)
        context.tasks.run("servers", context.api.servers(), self._take)

    def _lay_out(self, unit: int) -> None:
        self.resize(unit * 200, unit * 140)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(label(self.windowTitle(), "heading"))
        words = label(
            "You see every line that changes before it is written. A copy of the file is kept beside it.",
            "muted",
        )
        words.setWordWrap(True)
        column.addWidget(words)
        row = QHBoxLayout()
        row.setSpacing(unit * 5)
        row.addWidget(self._servers(unit), 1)
        row.addWidget(self.form, 3)
        column.addLayout(row, 1)
        foot = QHBoxLayout()
        foot.addStretch()
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        foot.addWidget(close)
        column.addLayout(foot)

    def _servers(self, unit: int) -> QWidget:
        inner = QWidget()
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(unit * 2)
        outer = QVBoxLayout(inner)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addLayout(self._list)
        outer.addStretch()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setMinimumWidth(unit * 44)
        area.setWidget(inner)
        return area

    def _take(self, states: tuple[ServerState, ...]) -> None:
        for state in states:
            if state.config.builtin:
                continue
            name = state.config.name
            box = TickBox(self._context.theme, one_line(name, 40))
            box.setAccessibleName(name)
            box.setChecked(name == self._chosen)
            box.toggled.connect(self._changed)
            self.boxes[name] = box
            self._list.addWidget(box)
        if not self.boxes:
            empty = label("This project has no servers of its own yet: add or import some first.", "muted")
            empty.setWordWrap(True)
            self._list.addWidget(empty)
        self._changed()

    def _changed(self) -> None:
        self.form.show_servers(tuple(name for name, box in self.boxes.items() if box.isChecked()))
