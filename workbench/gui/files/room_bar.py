"""How full the workspace is, in words and as a bar; what is kept beside it stands in the tip."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.gui.whole import size_words
from workbench.records import FileRoom, KeptFiles

_TIGHT = 0.9  # of what it may hold


class RoomBar(QWidget):
    """Below the tree."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        unit = theme.unit
        self._words = ForeignLabel(elide=True)
        mark(self._words, role="muted")
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("How full the workspace is")
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit, unit * 3, unit * 2)
        column.setSpacing(unit)
        column.addWidget(self._words)
        column.addWidget(self._bar)

    def show_room(self, room: FileRoom, kept: KeptFiles) -> None:
        share = max(room.size / max(1, room.most_size), room.files / max(1, room.most_files))
        self._bar.setValue(min(1000, round(share * 1000)))
        files = "1 file" if room.files == 1 else f"{room.files:,} files"
        words = f"{size_words(room.size)} of {size_words(room.most_size)} · {files}"
        full = "Almost full: delete files, or raise run.disk_mb or workspace.files."
        self._words.setText(f"{words} — {full}" if share >= _TIGHT else words)
        mark(self._words, role="warning" if share >= _TIGHT else "muted")
        undo = f"For undoing: {size_words(kept.size)} of {size_words(kept.most_size)} in {kept.changes} changes."
        cached = f"Kept answers of tools: {kept.cached}, {size_words(kept.cached_size)}."
        self.setToolTip(f"{undo}\n{cached}" if kept.cached else undo)
        self.setAccessibleDescription(self.toolTip())
