"""A filled prompt as a conversation: each message under its role, with its pictures and resources."""

from __future__ import annotations

import asyncio
import base64
import binascii
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import Picture
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.shrinkable_label import say, yielding
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.results.result_view import ResultView
from workbench.gui.servers.offers import OfferEntry, OfferList, OfferPage, figures, part_words, prompt_row
from workbench.gui.servers.template_arguments import Blank, Blanks, BlanksArea
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, size_words, whole_size
from workbench.records import (
    Completion,
    Content,
    Fault,
    Offers,
    Outcome,
    Prompt,
    PromptAnswer,
    PromptMessage,
    ServerState,
)

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


class PromptDetail(QWidget):
    """`show_prompt` opens one; `get` fills it."""

    def __init__(self, context: Context, server: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._server = server
        self._prompt: Prompt | None = None
        self._answer: PromptAnswer | None = None
        self._typed: dict[str, dict[str, str]] = {}  # by prompt
        self._blanks: Blanks | None = None
        self._area: BlanksArea | None = None
        self._asking: asyncio.Future[None] | None = None
        self._build()

    @property
    def prompt(self) -> Prompt | None:
        return self._prompt

    def show_prompt(self, prompt: Prompt) -> None:
        """What was typed into another prompt waits until one comes back to it."""
        if self._area is not None:
            self._form.removeWidget(self._area)
            self._area.hide()
            self._area.deleteLater()
        self._prompt, self._answer = prompt, None
        self._title.setText(prompt.title or prompt.name)
        say(self._description, prompt.description)
        self._blanks = Blanks(
            self._context,
            [Blank(one.name, one.description or one.title, one.required) for one in prompt.arguments],
            self._complete,
        )
        self._blanks.fill(self._typed.get(prompt.name, {}))
        self._blanks.changed.connect(self._remember)
        self._blanks.submitted.connect(self.get)
        self._area = BlanksArea(self._blanks, self._context.theme.unit * 24)
        self._area.setVisible(bool(prompt.arguments))
        self._form.addWidget(self._area)
        self._foot.show()
        self._show_none()

    def get(self) -> None:
        """Have the server fill it; an earlier wish is taken back."""
        if self._prompt is None or self._blanks is None or not self._blanks.complete():
            return
        if self._asking is not None:
            self._asking.cancel()
        self._words.setText("Asking…")
        self._asking = self._context.tasks.run("fill a prompt", self._fetch(self._prompt, self._blanks.values()))

    def take_keyboard(self) -> None:
        blanks = self._blanks if self._prompt is not None and self._prompt.arguments else None
        (blanks or self._get).setFocus(Qt.FocusReason.TabFocusReason)

    async def _fetch(self, prompt: Prompt, values: dict[str, str]) -> None:
        try:
            answer = await self._context.api.get_prompt(self._server, prompt.name, values)
        except WorkbenchError as fault:
            answer = PromptAnswer(prompt.name, fault=Fault(fault.message, fault.hint))
        if prompt is self._prompt:
            self._show(answer)

    def _show(self, answer: PromptAnswer) -> None:
        self._fault.show_fault(answer.fault)
        if answer.fault is not None:
            self._show_none(kept=True)
            return
        self._answer = answer
        self._copy.setEnabled(True)
        number = f"{len(answer.messages)} messages"
        self._words.setText(" · ".join((number, figures(answer.ms, answer.bytes, answer.tokens))))
        self.view.show_messages(answer.messages)
        if answer.messages:
            self._pages.setCurrentWidget(self.view)
        else:
            self._empty.say("No messages", "The server filled the prompt with nothing.")
            self._pages.setCurrentWidget(self._empty)

    def _show_none(self, *, kept: bool = False) -> None:
        if not kept:
            self._fault.show_fault(None)
        self._answer = None
        self._copy.setEnabled(False)
        self._words.setText("")
        words = "Fill in the arguments and press Get. The messages for a model appear here."
        title = "Nothing to show" if kept else "Not filled yet"
        self._empty.say(title, "The reason stands above." if kept else words)
        self._pages.setCurrentWidget(self._empty)

    def _remember(self) -> None:
        if self._prompt is not None and self._blanks is not None:
            self._typed[self._prompt.name] = self._blanks.values()

    async def _complete(self, name: str, typed: str, others: dict[str, str]) -> Completion:
        prompt = self._prompt.name if self._prompt is not None else ""
        return await self._context.api.complete(self._server, "prompt", prompt, name, typed, others)

    def _copy_json(self) -> None:
        if self._answer is not None:
            self._context.tasks.run("copy a prompt", fetch_whole(self._context.fetch, [self._answer.raw]), self._copied)

    def _copied(self, texts: list[str]) -> None:
        QGuiApplication.clipboard().setText(texts[0])
        self._context.say("The messages are in the clipboard as JSON.")

    def _build(self) -> None:
        unit = self._context.theme.unit
        self._title, self._description = ForeignLabel("", elide=True), yielding()
        mark(self._title, role="heading")
        mark(self._description, role="muted")
        head = QVBoxLayout()
        head.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        head.setSpacing(unit)
        head.addWidget(self._title)
        head.addWidget(self._description)
        self._form = QVBoxLayout()
        self._fault = FaultCard(self._context.theme)
        self.view = PromptView(self._context)
        words = "Choose a prompt on the left. Its arguments and messages appear here."
        self._empty = EmptyState(self._context.theme, "message", "No prompt chosen", words)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._form)
        column.addWidget(self._buttons(unit))
        column.addWidget(self._fault)
        column.addWidget(self._pages, 1)

    def _buttons(self, unit: int) -> QWidget:
        self._foot = QWidget()
        row = QHBoxLayout(self._foot)
        row.setContentsMargins(unit * 3, unit, unit * 3, unit)
        row.setSpacing(unit * 2)
        self._get = QPushButton(icon("play", "on_accent"), "Get")
        self._get.setToolTip("Have the server fill the prompt (Ctrl+Enter)")
        mark(self._get, kind="primary")
        self._get.clicked.connect(self.get)
        self._words = ForeignLabel("", elide=True)
        mark(self._words, role="muted")
        self._copy = QPushButton(icon("copy", "muted"), "Copy as JSON")
        mark(self._copy, kind="quiet")
        self._copy.clicked.connect(self._copy_json)
        self._copy.setEnabled(False)
        row.addWidget(self._get)
        row.addWidget(self._words, 1)
        row.addWidget(self._copy)
        self._foot.hide()
        return self._foot


class PromptsPage(OfferPage):
    """The list, and the chosen prompt beside it."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._prompts: dict[str, Prompt] = {}
        self._wanted = ""  # the prompt somebody asked for before the list had come
        self.list = OfferList(context.theme, "Prompts", "Find a prompt")
        self.detail = PromptDetail(context, self.server)
        self.split.addWidget(self.list)
        self.split.addWidget(self.detail)
        self.split.setSizes([300, 600])
        self.split.setFocusProxy(self.list)
        self.list.looked.connect(self._look_at)
        self.list.wanted.connect(self._want)

    def show_item(self, name: str) -> None:
        """Go to a prompt."""
        self._wanted = name
        self._go()

    def run(self) -> bool:
        if self.detail.prompt is None:
            return False
        self.detail.get()
        return True

    async def load(self) -> Offers:
        offers = await self.context.api.offers(self.server)
        self._prompts = {prompt.name: prompt for prompt in offers.prompts}
        self.list.show_entries(
            [
                OfferEntry(name, f"{name}\n{one.title}\n{one.description}".casefold(), partial(prompt_row, one))
                for name, one in self._prompts.items()
            ]
        )
        shown = self.detail.prompt
        if shown is not None and (now := self._prompts.get(shown.name)) is not None and now != shown:
            self.detail.show_prompt(now)
        self._go()
        return offers

    def count(self, offers: Offers) -> int:
        return len(offers.prompts)

    def nothing(self) -> tuple[str, str]:
        words = "Prompts are words for a model that a server keeps ready. Its tools work without them."
        return "This server offers no prompts", words

    def _look_at(self, key: str) -> None:
        if key in self._prompts and self._prompts[key] is not self.detail.prompt:
            self.detail.show_prompt(self._prompts[key])

    def _want(self, key: str) -> None:
        """Fill the blanks first; a prompt without any is fetched at once."""
        self._look_at(key)
        self.detail.take_keyboard()
        if key in self._prompts and not self._prompts[key].arguments:
            self.detail.get()

    def _go(self) -> None:
        if self._wanted and self.list.choose(self._wanted):
            wanted, self._wanted = self._wanted, ""
            self._want(wanted)
