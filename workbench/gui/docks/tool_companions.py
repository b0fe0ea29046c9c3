"""The category of a tool's server, and the tools that often run in one program with it; a press leads there."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from workbench.gui.context import Context
from workbench.gui.text import one_line
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.gui.wishes import FilterServers, ShowTool
from workbench.records import Companion, Tool

_SHOWN = 4


class ToolCompanions(QWidget):
    """Hidden while there is neither; asks the core by itself."""

    wished = Signal(object)
    """Carries one record of `workbench.gui.wishes`."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self._category = ""
        self._companions: tuple[Companion, ...] = ()
        unit = context.theme.unit
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(unit * 3, 0, unit * 3, unit)
        self._row.setSpacing(unit * 3)
        self.hide()
        self.refresh()

    def refresh(self) -> None:
        self._context.tasks.run("read what a tool is used with", self._read())

    def buttons(self) -> list[QPushButton]:
        return self.findChildren(QPushButton)

    async def _read(self) -> None:
        api = self._context.api
        states = {state.config.name: state.config.category for state in await api.servers()}
        found = (await api.companions(self._tool.server, self._tool.name))[:_SHOWN]
        category = states.get(self._tool.server, "")
        if (category, found) != (self._category, self._companions):
            self._category, self._companions = category, found
            self._draw()

    def _draw(self) -> None:
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if self._category:
            self._row.addWidget(label("Category", "muted"))
            button = self._button(self._category, "Show the servers of this category")
            button.clicked.connect(self._show_category)
        if self._companions:
            self._row.addWidget(label("Often used with", "muted"))
        for place, one in enumerate(self._companions):
            name = one.tool if one.server == self._tool.server else f"{one.server} › {one.tool}"
            button = self._button(name, f"Ran in {one.times} programs together with this tool")
            button.setProperty("place", place)
            button.clicked.connect(self._show_companion)
        self._row.addStretch(1)
        self.setVisible(bool(self._category or self._companions))

    def _button(self, words: str, tip: str) -> QPushButton:
        button = QPushButton(one_line(words, 60), self)
        button.setMinimumWidth(self._context.theme.unit * 10)  # a narrow window cuts names, and does not grow
        button.setToolTip(tip)
        mark(button, kind="link")
        self._row.addWidget(button)
        return button

    def _show_category(self) -> None:
        self.wished.emit(FilterServers(self._category))

    def _show_companion(self) -> None:
        one = self._companions[self.sender().property("place")]
        self.wished.emit(ShowTool(one.server, one.tool, enter=True))
