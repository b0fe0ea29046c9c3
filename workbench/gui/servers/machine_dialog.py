"""What this machine and this project have of what the workbench needs, line by line."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from workbench.gui.kit.checks_view import ChecksView, report
from workbench.gui.kit.lists import label
from workbench.gui.shell.context import Context
from workbench.records import Check


class MachineDialog(QDialog):
    """Shows at once, fills when the answers are there."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        unit = context.theme.unit
        self.setWindowTitle("Check this machine")
        self.resize(unit * 170, unit * 120)
        self._words = label("Checking…", "muted")
        self._view = ChecksView(context.theme, "Checks of this machine")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._copy = buttons.addButton("Copy report", QDialogButtonBox.ButtonRole.ActionRole)
        self._copy.setEnabled(False)
        self._copy.clicked.connect(self._copy_report)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        column.addWidget(self._words)
        column.addWidget(self._view, 1)
        column.addWidget(buttons)
        context.tasks.run("check this machine", context.api.diagnose_machine(), self._show)

    def _show(self, checks: tuple[Check, ...]) -> None:
        self._words.hide()
        self._view.show_checks(checks)
        self._copy.setEnabled(True)

    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(report("This machine", self._view.checks()))
