"""A filled prompt as a conversation: each message under its role, with its pictures and resources."""

from __future__ import annotations

import base64
import binascii

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.picture import Picture
from workbench.gui.result import ResultView
from workbench.gui.server.offer_words import part_words
from workbench.gui.server.yielding import yielding
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.whole import size_words, whole_size
from workbench.records import Content, Outcome, PromptMessage

_SHOWN = 60  # messages drawn; "Copy as JSON" has all
_LONG = 3_000  # characters; longer text gets a view of its own that scrolls
_LARGEST_PICTURE = 8_000_000  # characters of base64
_WIDEST = 420  # pixels of a picture in a message, in device-independent pixels


class PromptView(QScrollArea):
    """`show_messages`; the keyboard scrolls it."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Messages of the prompt")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_messages(self, messages: tuple[PromptMessage, ...]) -> None:
        page = QWidget()
        unit = self._context.theme.unit
        column = QVBoxLayout(page)
        column.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 3)
        column.setSpacing(unit * 2)
        for message in messages[:_SHOWN]:
            column.addWidget(self._card(message))
        if len(messages) > _SHOWN:
            more = ForeignLabel(f"{len(messages) - _SHOWN} more messages are in the copy as JSON.")
            mark(more, role="muted")
            column.addWidget(more)
        column.addStretch(1)
        self.setWidget(page)

    def _card(self, message: PromptMessage) -> QFrame:
        unit = self._context.theme.unit
        card = QFrame()
        mark(card, kind="card")
        column = QVBoxLayout(card)
        column.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        column.setSpacing(unit)
        role = ForeignLabel(self._role(message.role), elide=True)
        mark(role, role="section")
        column.addWidget(role)
        for part in self._parts(message.content):
            column.addWidget(part)
        return card

    def _role(self, role: str) -> str:
        known = {"user": "User", "assistant": "Assistant"}
        return known.get(role, role or "No role")

    def _parts(self, content: Content) -> list[QWidget]:
        if content.kind == "image" and (picture := self._picture(content)) is not None:
            return [picture]
        parts: list[QWidget] = []
        if content.kind != "text" or not content.text:
            size = f"{size_words(len(content.data) * 3 // 4)}" if content.data else ""
            about = yielding(" · ".join(word for word in (part_words(content), size) if word))
            mark(about, role="muted")
            parts.append(about)
        if content.text:
            parts.append(self._text(content))
        return parts

    def _text(self, content: Content) -> QWidget:
        if len(content.text) <= _LONG and not whole_size([content.text]) and content.kind == "text":
            return yielding(content.text, len(content.text))
        view = ResultView(self._context)
        view.show_outcome(Outcome("", True, (Content("text", content.text, content.mime, uri=content.uri),)))
        view.setFixedHeight(self._context.theme.unit * 70)
        return view

    def _picture(self, content: Content) -> QLabel | None:
        picture = QPixmap()
        try:
            usable = len(content.data) <= _LARGEST_PICTURE and picture.loadFromData(base64.b64decode(content.data))
        except (binascii.Error, ValueError):
            usable = False
        if not usable or whole_size([content.data]):
            return None
        if picture.width() > _WIDEST:
            picture = picture.scaledToWidth(_WIDEST, Qt.TransformationMode.SmoothTransformation)
        shown = Picture()
        shown.setPixmap(picture)
        shown.setFixedHeight(picture.height())
        shown.setAccessibleName(f"Picture, {picture.width()} by {picture.height()} pixels")
        return shown
