"""The parts of a result, as the server sent them: all of them as cards, or the pictures one by one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QWidget

from workbench.gui.kit.controls import Picture
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import Strip, push_button, tool_button
from workbench.gui.kit.plain_edit import GrowingText
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.results.contents import bytes_of, image_of, seconds_of, size_text
from workbench.gui.results.page import Page
from workbench.records import Content
from workbench.records.common_types import count_of

_MOST = 60  # parts that get a card; all are in Raw
_SHOWN = 4_000  # characters of a text in its card
_PICTURE = 60  # height of a picture, in units


class PartsPage(Page):
    """Shows a card for each content block of a result."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setAccessibleName("Parts of the result")
        self.set_content(self._area)

    def show_parts(self, blocks: tuple[Content, ...]) -> None:
        unit = self._theme.unit
        parts: list[QWidget] = [self._card(number, block) for number, block in enumerate(blocks[:_MOST], 1)]
        if len(blocks) > _MOST:
            parts.append(ForeignLabel(f"{count_of(len(blocks) - _MOST, 'more part')} in the view Raw."))
        page = QWidget()
        column(page, *parts, None, margins=(unit * 3, unit * 2, unit * 3, unit * 3), spacing=unit * 2)
        self._area.setWidget(page)

    def _card(self, number: int, block: Content) -> QFrame:
        unit = self._theme.unit
        facts = ForeignLabel(_facts(number, block), elide=True)
        mark(facts, role="muted")
        is_web_address = block.uri.startswith(("https://", "http://"))
        buttons = (*((self._opener(block),) if is_web_address else ()), self._saver(number, block))
        parts: list[QWidget] = []
        if block.kind == "image":
            parts.append(self._picture(block))
        elif block.kind == "audio":
            parts.append(ForeignLabel("Sound cannot be played here. Save it and open it in a player."))
        if block.text:
            parts.append(self._text(number, block.text))
        card = QFrame()
        mark(card, kind="card")
        head = row(None, facts, *buttons, spacing=unit * 2, grows=facts)
        column(card, head, *parts, margins=(unit * 3, unit * 2) * 2, spacing=unit)
        return card

    def _opener(self, block: Content) -> QPushButton:
        """A button that names the host of the address before it is opened."""
        host = visible(QUrl(block.uri).host())[:60].replace("&", "&&")
        address = QUrl(block.uri)
        tip = "Open this address in the browser"
        return push_button(f"Open {host}", lambda: QDesktopServices.openUrl(address), kind="quiet", tip=tip)

    def _saver(self, number: int, block: Content) -> QPushButton:
        button = push_button("Save…", partial(self._save, block), kind="quiet")
        button.setAccessibleName(f"Save part {number}")
        return button

    def _save(self, block: Content, _checked: bool = False) -> None:
        self.save_wanted.emit(block)

    def _picture(self, block: Content) -> QLabel:
        """A picture that shrinks to the available room."""
        picture = Picture()
        picture.setTextFormat(Qt.TextFormat.PlainText)
        image = image_of(block)
        if image is None:
            picture.setText("This picture cannot be shown.")
        else:
            picture.setPixmap(QPixmap.fromImage(image))
            picture.setFixedHeight(min(image.height(), self._theme.unit * _PICTURE))
        return picture

    def _text(self, number: int, text: str) -> GrowingText:
        box = GrowingText(least=1, most=14)
        box.setReadOnly(True)
        box.setFont(self._theme.mono())
        box.setAccessibleName(f"Text of part {number}")
        more = f"\n… {count_of(len(text) - _SHOWN, 'more character')} in the view Text"
        box.setPlainText(visible(text[:_SHOWN]) + (more if len(text) > _SHOWN else ""))
        mark(box, kind="code")
        return box


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


def _facts(number: int, block: Content) -> str:
    data = bytes_of(block) if block.kind == "audio" else None
    seconds = seconds_of(data) if data else 0.0
    length = f"{seconds:.1f} s" if seconds else ""
    return " · ".join(
        part for part in (f"{number}", block.kind, block.mime, block.uri, length, size_text(block)) if part
    )
