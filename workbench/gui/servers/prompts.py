"""The page of prompts: a list, the arguments of the selected prompt, and its messages as a conversation."""

from __future__ import annotations

import asyncio
import base64
import binascii
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QPixmap
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
from workbench.gui.servers.offers import OfferEntry, OfferList, OfferPage, content_text, cost_text, prompt_row
from workbench.gui.servers.template_arguments import ArgumentField, ArgumentsArea, ArgumentsForm
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
from workbench.records.common_types import count_of

_MESSAGES_SHOWN = 60  # "Copy as JSON" copies all
_LONG = 3_000  # characters; longer text gets a scrolling view of its own
_LARGEST_PICTURE = 8_000_000  # characters of base64
_WIDEST = 420  # pixels of a picture in a message, in device-independent pixels


class PromptView(QScrollArea):
    """The messages of a prompt, each in a card with its role."""

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
        for message in messages[:_MESSAGES_SHOWN]:
            column.addWidget(self._card(message))
        if len(messages) > _MESSAGES_SHOWN:
            more = ForeignLabel(f"Copy as JSON includes {count_of(len(messages) - _MESSAGES_SHOWN, 'more message')}.")
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
            size = size_words(len(content.data) * 3 // 4) if content.data else ""
            about = yielding(" · ".join(text for text in (content_text(content), size) if text))
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
            valid = len(content.data) <= _LARGEST_PICTURE and picture.loadFromData(base64.b64decode(content.data))
        except (binascii.Error, ValueError):
            valid = False
        if not valid or whole_size([content.data]):
            return None
        if picture.width() > _WIDEST:
            picture = picture.scaledToWidth(_WIDEST, Qt.TransformationMode.SmoothTransformation)
        shown = Picture()
        shown.setPixmap(picture)
        shown.setFixedHeight(picture.height())
        shown.setAccessibleName(f"Picture, {picture.width()} by {picture.height()} pixels")
        return shown


class PromptDetail(QWidget):
    """The form and messages of one prompt."""

    def __init__(self, context: Context, server: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._server = server
        self._prompt: Prompt | None = None
        self._answer: PromptAnswer | None = None
        self._values: dict[str, dict[str, str]] = {}  # by prompt
        self.arguments: ArgumentsForm | None = None
        self._area: ArgumentsArea | None = None
        self._request: asyncio.Future[None] | None = None
        self._build()

    @property
    def prompt(self) -> Prompt | None:
        return self._prompt

    def show_prompt(self, prompt: Prompt) -> None:
        """Open a prompt; its arguments are as the user left them."""
        if self._area is not None:
            self._form.removeWidget(self._area)
            self._area.hide()
            self._area.deleteLater()
        self._prompt, self._answer = prompt, None
        self.title.setText(prompt.title or prompt.name)
        say(self._description, prompt.description)
        self.arguments = ArgumentsForm(
            self._context,
            [
                ArgumentField(argument.name, argument.description or argument.title, argument.required)
                for argument in prompt.arguments
            ],
            self._complete,
        )
        self.arguments.fill(self._values.get(prompt.name, {}))
        self.arguments.changed.connect(self._remember)
        self.arguments.submitted.connect(self.get)
        self._area = ArgumentsArea(self.arguments, self._context.theme.unit * 24)
        self._area.setVisible(bool(prompt.arguments))
        self._form.addWidget(self._area)
        self._foot.show()
        self._show_nothing()

    def get(self) -> None:
        """Request the messages from the server; cancels an earlier request."""
        if self._prompt is None or self.arguments is None or not self.arguments.validate():
            return
        if self._request is not None:
            self._request.cancel()
        self.summary.setText("Waiting for the server…")
        self._request = self._context.tasks.run("get a prompt", self._fetch(self._prompt, self.arguments.values()))

    def focus_arguments(self) -> None:
        form = self.arguments if self._prompt is not None and self._prompt.arguments else None
        (form or self._get).setFocus(Qt.FocusReason.TabFocusReason)

    async def _fetch(self, prompt: Prompt, values: dict[str, str]) -> None:
        try:
            answer = await self._context.api.get_prompt(self._server, prompt.name, values)
        except WorkbenchError as fault:
            answer = PromptAnswer(prompt.name, fault=Fault(fault.message, fault.hint))
        if prompt is self._prompt:
            self._show(answer)

    def _show(self, answer: PromptAnswer) -> None:
        self.fault.show_fault(answer.fault)
        if answer.fault is not None:
            self._show_nothing(failed=True)
            return
        self._answer = answer
        self.copy.setEnabled(True)
        number = count_of(len(answer.messages), "message")
        self.summary.setText(f"{number} · {cost_text(answer.ms, answer.bytes, answer.tokens)}")
        self.view.show_messages(answer.messages)
        if answer.messages:
            self._pages.setCurrentWidget(self.view)
        else:
            self._empty.say("No messages", "The server returned a prompt without messages.")
            self._pages.setCurrentWidget(self._empty)

    def _show_nothing(self, *, failed: bool = False) -> None:
        if not failed:
            self.fault.show_fault(None)
        self._answer = None
        self.copy.setEnabled(False)
        self.summary.setText("")
        if failed:
            self._empty.say("No messages", "The server reported the error above.")
        else:
            self._empty.say("No messages yet", "Fill in the arguments and press Get. The messages appear here.")
        self._pages.setCurrentWidget(self._empty)

    def _remember(self) -> None:
        if self._prompt is not None and self.arguments is not None:
            self._values[self._prompt.name] = self.arguments.values()

    async def _complete(self, name: str, typed: str, others: dict[str, str]) -> Completion:
        prompt = self._prompt.name if self._prompt is not None else ""
        return await self._context.api.complete(self._server, "prompt", prompt, name, typed, others)

    def _copy_json(self) -> None:
        if self._answer is not None:
            self._context.tasks.run("copy a prompt", fetch_whole(self._context.fetch, [self._answer.raw]), self._copied)

    def _copied(self, texts: list[str]) -> None:
        QGuiApplication.clipboard().setText(texts[0])
        self._context.say("Copied the messages as JSON.")

    def _build(self) -> None:
        unit = self._context.theme.unit
        self.title, self._description = ForeignLabel("", elide=True), yielding()
        mark(self.title, role="heading")
        mark(self._description, role="muted")
        head = QVBoxLayout()
        head.setContentsMargins(unit * 3, unit * 2, unit * 3, unit)
        head.setSpacing(unit)
        head.addWidget(self.title)
        head.addWidget(self._description)
        self._form = QVBoxLayout()
        self.fault = FaultCard(self._context.theme)
        self.view = PromptView(self._context)
        sentence = "Select a prompt. Its arguments and messages appear here."
        self._empty = EmptyState(self._context.theme, "message", "No prompt selected", sentence)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._form)
        column.addWidget(self._buttons(unit))
        column.addWidget(self.fault)
        column.addWidget(self._pages, 1)

    def _buttons(self, unit: int) -> QWidget:
        self._foot = QWidget()
        row = QHBoxLayout(self._foot)
        row.setContentsMargins(unit * 3, unit, unit * 3, unit)
        row.setSpacing(unit * 2)
        self._get = QPushButton(icon("play", "on_accent"), "Get")
        self._get.setToolTip("Request the messages from the server (Ctrl+Enter)")
        mark(self._get, kind="primary")
        self._get.clicked.connect(self.get)
        self.summary = ForeignLabel("", elide=True)
        mark(self.summary, role="muted")
        self.copy = QPushButton(icon("copy", "muted"), "Copy as JSON")
        mark(self.copy, kind="quiet")
        self.copy.clicked.connect(self._copy_json)
        self.copy.setEnabled(False)
        row.addWidget(self._get)
        row.addWidget(self.summary, 1)
        row.addWidget(self.copy)
        self._foot.hide()
        return self._foot


class PromptsPage(OfferPage):
    """The list of prompts beside the selected one."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._prompts: dict[str, Prompt] = {}
        self._wanted = ""  # the prompt to open once the list is loaded
        self.list = OfferList(context.theme, "Prompts", "Filter prompts")
        self.detail = PromptDetail(context, self.server)
        self.split.addWidget(self.list)
        self.split.addWidget(self.detail)
        self.split.setFocusProxy(self.list)
        self.list.selected.connect(self._show_entry)
        self.list.opened.connect(self._open_entry)
        get, copy_name = QAction(icon("play"), "Get", self), QAction(icon("copy"), "Copy name", self)
        get.triggered.connect(self._open_selected)
        copy_name.triggered.connect(self._copy_name)
        self.list.add_menu_actions(get, copy_name)

    def show_item(self, name: str) -> None:
        """Go to a prompt."""
        self._wanted = name
        self._open_wanted()

    def run(self) -> bool:
        if self.detail.prompt is None:
            return False
        self.detail.get()
        return True

    async def fetch(self) -> Offers:
        offers = await self.context.api.offers(self.server)
        self._prompts = {prompt.name: prompt for prompt in offers.prompts}
        self.list.show_entries(
            [
                OfferEntry(
                    name, f"{name}\n{prompt.title}\n{prompt.description}".casefold(), partial(prompt_row, prompt)
                )
                for name, prompt in self._prompts.items()
            ]
        )
        shown = self.detail.prompt
        if shown is not None and (now := self._prompts.get(shown.name)) is not None and now != shown:
            self.detail.show_prompt(now)
        self._open_wanted()
        return offers

    def count(self, offers: Offers) -> int:
        return len(offers.prompts)

    def describe_empty(self) -> tuple[str, str]:
        return "This server has no prompts", "Prompts are prepared messages for a model. Tools work without them."

    def _show_entry(self, key: str) -> None:
        if key in self._prompts and self._prompts[key] is not self.detail.prompt:
            self.detail.show_prompt(self._prompts[key])

    def _open_entry(self, key: str) -> None:
        """Focus the arguments; a prompt without arguments is requested at once."""
        self._show_entry(key)
        self.detail.focus_arguments()
        if key in self._prompts and not self._prompts[key].arguments:
            self.detail.get()

    def _open_selected(self) -> None:
        if key := self.list.view.key():
            self._open_entry(key)

    def _copy_name(self) -> None:
        if key := self.list.view.key():
            QGuiApplication.clipboard().setText(key)
            self.context.say("Copied the name of the prompt.")

    def _open_wanted(self) -> None:
        if self._wanted and self.list.select(self._wanted):
            wanted, self._wanted = self._wanted, ""
            self._open_entry(wanted)
