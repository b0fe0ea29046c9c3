"""Shows the pictures of a result one by one, fitted or at full size."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QScrollArea

from workbench.gui.kit.controls import Picture
from workbench.gui.kit.lists import Strip, push_button, tool_button
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.results.contents import image_of, size_text
from workbench.gui.results.page import Page
from workbench.records import Content


class PicturePage(Page):
    """Shows one picture at a time."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._blocks: tuple[Content, ...] = ()
        self._at = 0
        self.picture = Picture()
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setWidget(self.picture)
        self._area.setAccessibleName("Result as a picture")
        self.strip = self._make_strip(theme)
        self.set_content(self._area, below=self.strip)

    def show_pictures(self, blocks: tuple[Content, ...]) -> None:
        self._blocks, self._at = blocks, 0
        self._step(0)

    def _make_strip(self, theme: Theme) -> Strip:
        strip = Strip(theme)
        self._facts = ForeignLabel(elide=True)
        mark(self._facts, role="muted")
        self._full = push_button("100 %", kind="chip", tip="Show at full size", checkable=True)
        self._full.toggled.connect(self._resize_picture)
        self._before = tool_button("chevron-left", "Previous picture", theme, partial(self._step, -1))
        self._after = tool_button("chevron-right", "Next picture", theme, partial(self._step, 1))
        save = tool_button("save", "Save picture…", theme, self._save)
        for part in (self._facts, self._before, self._after, self._full, save):
            strip.row.addWidget(part, int(part is self._facts))
        return strip

    def _step(self, step: int, _checked: bool = False) -> None:
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
            self._facts.setText(kind)
            return
        self.picture.setPixmap(QPixmap.fromImage(image))
        self._resize_picture(self._full.isChecked())
        self.picture.setAccessibleName(f"Picture, {image.width()} by {image.height()} pixels, {kind}")
        place = [f"{self._at + 1}/{len(self._blocks)}"] if len(self._blocks) > 1 else []
        self._facts.setText(" · ".join([*place, f"{image.width()} × {image.height()}", kind, size_text(block)]))

    def _resize_picture(self, full: bool) -> None:
        """Resize the picture to the available room, except at full size, where it scrolls."""
        self._area.setWidgetResizable(not full)
        if full:
            self.picture.resize(self.picture.pixmap().deviceIndependentSize().toSize())

    def _save(self) -> None:
        self.save_wanted.emit(self._blocks[self._at])
