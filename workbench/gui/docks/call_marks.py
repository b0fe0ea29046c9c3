"""How the last check of a saved call went: each expectation with whether it held; both sides where they differ."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.dialogs.difference import DifferenceDialog
from workbench.gui.models.rows import RowsModel
from workbench.gui.models.saved import mark_rows
from workbench.gui.views import RowsView
from workbench.gui.whole import fetch_whole
from workbench.records import CheckResult, Mark


class CallMarks(QWidget):
    """Hidden until there is something to say."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._result: CheckResult | None = None
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "What was expected, and whether it held", self)
        self.list.setModel(self.model)
        self.list.chosen.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        self.setMinimumHeight(context.theme.unit * 20)
        self.hide()

    def show_result(self, result: CheckResult | None) -> None:
        """The marks of this result; None hides everything."""
        self._result = result
        self.model.show_rows(mark_rows(result) if result else [])
        self.setVisible(result is not None)

    def _choose(self, key: str) -> None:
        if self._result is None or not key.isdigit():
            return
        self._context.tasks.run("show a difference", self._show(self._result.marks[int(key)]))

    async def _show(self, mark: Mark) -> None:
        expected, got = await fetch_whole(self._context.fetch, (mark.expected, mark.got))
        DifferenceDialog(self._context, mark.words, expected, got, self.window()).open()
