"""Shows the pictures of a result one by one, fitted or at full size."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.kit.controls import Picture
from workbench.gui.kit.lists import Strip, tool_button
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.results.contents import image_of
from workbench.gui.results.page import Page
from workbench.gui.shell.long_text import size_words
from workbench.records import Content


class PicturePage(Page):
    """Shows one picture at a time."""

    save_wanted = Signal(object)
    """Carries the Content to be saved."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._blocks: tuple[Content, ...] = ()
        self._at = 0
        self.picture = Picture()
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setWidget(self.picture)
        self._area.setAccessibleName("Result as a picture")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._area, 1)
        self.strip = self._foot(theme)
        layout.addWidget(self.strip)
        self.setFocusProxy(self._area)

    def show_pictures(self, blocks: tuple[Content, ...]) -> None:
        self._blocks, self._at = blocks, 0
        self._step(0)

    def _foot(self, theme: Theme) -> Strip:
        foot = Strip(theme)
        self._words = ForeignLabel(elide=True)
        mark(self._words, role="muted")
        self._full = QPushButton("100 %")
        self._full.setCheckable(True)
        self._full.setToolTip("Show at full size")
        self._full.toggled.connect(self._size)
        mark(self._full, kind="chip")
        self._before = tool_button("chevron-left", "Previous picture", theme)
        self._before.clicked.connect(self._go_back)
        self._after = tool_button("chevron-right", "Next picture", theme)
        self._after.clicked.connect(self._go_on)
        save = tool_button("save", "Save picture…", theme)
        save.clicked.connect(self._save)
        foot.row.addWidget(self._words, 1)
        for part in (self._before, self._after, self._full, save):
            foot.row.addWidget(part)
        return foot

    def _go_back(self) -> None:
        self._step(-1)

    def _go_on(self) -> None:
        self._step(1)

    def _step(self, step: int) -> None:
        self._at = (self._at + step) % len(self._blocks)
        for button in (self._before, self._after):
            button.setVisible(len(self._blocks) > 1)
        block = self._blocks[self._at]
        image = image_of(block)
        kind = visible(block.mime)[:80]
        self._full.setEnabled(image is not None)
        if image is None:
            self.picture.setPixmap(QPixmap())
            self.picture.setTextFormat(Qt.TextFormat.PlainText)
            self.picture.setText(f"This picture cannot be shown ({kind}). It can be saved.")
            self._words.setText(kind)
            return
        self.picture.setPixmap(QPixmap.fromImage(image))
        self._size(self._full.isChecked())
        words = "Picture, {0} by {1} pixels, {2}"
        self.picture.setAccessibleName(words.format(image.width(), image.height(), kind))
        place = [f"{self._at + 1}/{len(self._blocks)}"] if len(self._blocks) > 1 else []
        size = size_words(len(block.data) * 3 // 4)
        self._words.setText(" · ".join([*place, f"{image.width()} × {image.height()}", kind, size]))

    def _size(self, full: bool) -> None:
        """Resize the picture to the available room, except at full size, where it scrolls."""
        self._area.setWidgetResizable(not full)
        if full:
            self.picture.resize(self.picture.pixmap().deviceIndependentSize().toSize())

    def _save(self) -> None:
        self.save_wanted.emit(self._blocks[self._at])
