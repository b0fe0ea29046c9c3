"""The page of a run that puts what it did beside what its text foretold."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QVBoxLayout, QWidget

from workbench.gui.models.observed import ObservedModel
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.records import Run


class Deeds(QWidget):
    """Told when a run is over."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ObservedModel(theme, self)
        self._words = ForeignLabel()
        unit = theme.unit
        self._words.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        mark(self._words, role="muted")
        view = self._view = QTreeView()
        view.setModel(self.model)
        view.setRootIsDecorated(False)
        view.setUniformRowHeights(True)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setAccessibleName("Predicted and observed effects")
        view.setIconSize(QSize(unit * 3, unit * 3))
        header = view.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        letter = self.fontMetrics().averageCharWidth()
        for column, letters in ((1, 20), (2, 22)):
            header.resizeSection(column, letter * letters)
        column_ = QVBoxLayout(self)
        column_.setContentsMargins(0, 0, 0, 0)
        column_.setSpacing(0)
        column_.addWidget(self._words)
        column_.addWidget(view, 1)

    def show_run(self, run: Run | None) -> int:
        """How many effects of it were unforeseen."""
        observed = run.observed if run is not None else ()
        self.model.show_observations(observed)
        surprises = sum(one.unforeseen for one in observed)
        self._view.setVisible(bool(observed))
        self._words.setText(self._sentence(run, surprises))
        return surprises

    def _sentence(self, run: Run | None, surprises: int) -> str:
        if run is None or (not run.observed and not run.ended):
            return "After the run, the observed effects are shown here next to the predicted ones."
        if not run.observed:
            return "No effects were predicted, and none were observed."
        if surprises:
            return "It did what its text does not say; the audit has an entry of it."
        return "It did nothing that its text does not say. Files count only while no other program runs."
