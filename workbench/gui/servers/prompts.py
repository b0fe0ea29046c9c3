"""The page of prompts: a list, the arguments of the selected prompt, and its messages as a conversation."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import Picture
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import ForeignLabel, one_line, visible, wrapping_label
from workbench.gui.kit.theme import mark
from workbench.gui.results.contents import image_of
from workbench.gui.results.result_view import ResultView
from workbench.gui.servers.filtered_list import FilteredModel
from workbench.gui.servers.offers import OfferDetail, OfferPage
from workbench.gui.servers.template_arguments import ArgumentField
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
_WIDEST = 420  # pixels of a picture in a message, in device-independent pixels


class PromptView(QScrollArea):
    """The messages of a prompt, each in a card with its role."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Messages of the prompt")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_messages(self, messages: tuple[PromptMessage, ...]) -> None:
        unit = self._context.theme.unit
        parts: list[QWidget] = [self._card(message) for message in messages[:_MESSAGES_SHOWN]]
        left = len(messages) - len(parts)
        if left or not messages:
            note = f"Copy as JSON includes {count_of(left, 'more message')}."
            parts.append(_muted(note if left else "The server returned a prompt without messages."))
        page = QWidget()
        column(page, *parts, None, margins=(unit * 3, unit * 2, unit * 3, unit * 3), spacing=unit * 2)
        self.setWidget(page)

    def _card(self, message: PromptMessage) -> QFrame:
        unit = self._context.theme.unit
        card = QFrame()
        mark(card, kind="card")
        known = {"user": "User", "assistant": "Assistant"}
        role = ForeignLabel(known.get(message.role, message.role or "No role"), elide=True, role="section")
        margins = (unit * 3, unit * 2, unit * 3, unit * 2)
        column(card, role, *self._parts(message.content), margins=margins, spacing=unit)
        return card

    def _parts(self, content: Content) -> list[QWidget]:
        if content.kind == "image" and (picture := _picture(content)) is not None:
            return [picture]
        parts: list[QWidget] = []
        if content.kind != "text" or not content.text:
            size = size_words(len(content.data) * 3 // 4) if content.data else ""
            about = (one_line(content.uri, 80), one_line(content.mime or content.kind, 60), size)
            parts.append(_muted(" · ".join(text for text in about if text)))
        if content.text:
            parts.append(self._text(content))
        return parts

    def _text(self, content: Content) -> QWidget:
        if len(content.text) <= _LONG and not whole_size([content.text]) and content.kind == "text":
            return wrapping_label(content.text, len(content.text))
        view = ResultView(self._context)
        view.show_outcome(Outcome("", True, (Content("text", content.text, content.mime, uri=content.uri),)))
        view.setFixedHeight(self._context.theme.unit * 70)
        return view


def _muted(text: str) -> QWidget:
    note = wrapping_label(text)
    mark(note, role="muted")
    return note


def _picture(content: Content) -> QWidget | None:
    """The picture; None if it is not complete or of a format that may read files, such as SVG."""
    image = None if whole_size([content.data]) else image_of(content)
    if image is None:
        return None
    picture = QPixmap.fromImage(image)
    if picture.width() > _WIDEST:
        picture = picture.scaledToWidth(_WIDEST, Qt.TransformationMode.SmoothTransformation)
    shown = Picture()
    shown.setPixmap(picture)
    shown.setFixedHeight(picture.height())
    shown.setAccessibleName(f"Picture, {picture.width()} by {picture.height()} pixels")
    return shown


class PromptDetail(OfferDetail[PromptAnswer]):
    """The messages of a prompt for its current arguments."""

    verb, symbol, tooltip = "Get", "play", "Request the messages from the server"
    copy_action, copied = "Copy name", "Copied the name of the prompt."
    nothing_selected = ("No prompt selected", "Select a prompt. Its arguments and messages appear here.")
    not_requested = ("No messages yet", "Fill in the arguments and press Get. The messages appear here.")
    failed = ("No messages", "The server reported the error above.")

    def __init__(self, context: Context, server: str) -> None:
        self.messages = PromptView(context)
        super().__init__(context, server, self.messages)
        self.prompt: Prompt | None = None
        self.copy_json = QPushButton(icon("copy", "muted"), "Copy as JSON")
        mark(self.copy_json, kind="quiet")
        self.copy_json.clicked.connect(self._copy_json)
        self.buttons.addWidget(self.copy_json)

    def show_prompt(self, prompt: Prompt) -> None:
        self.prompt = prompt
        fields = [ArgumentField(one.name, one.description or one.title, one.required) for one in prompt.arguments]
        self.present(prompt.name, prompt.title or prompt.name, prompt.description, fields)

    async def ask_server(self, address: str) -> PromptAnswer:
        name, values = json.loads(address)
        try:
            return await self.context.api.get_prompt(self.server, name, values)
        except WorkbenchError as fault:
            return PromptAnswer(name, fault=Fault(fault.message, fault.hint))

    async def complete(self, argument: str, typed: str, others: dict[str, str]) -> Completion:
        return await self.context.api.complete(self.server, "prompt", self.key, argument, typed, others)

    def make_address(self) -> str:
        return json.dumps([self.key, self.arguments.values()])

    def show_content(self, answer: PromptAnswer) -> str:
        self.messages.show_messages(answer.messages)
        return count_of(len(answer.messages), "message")

    def update_controls(self) -> None:
        answer = self.answer()
        self.copy_json.setEnabled(answer is not None and answer.fault is None)

    def _copy_json(self) -> None:
        if answer := self.answer():
            self.context.tasks.run("copy a prompt", fetch_whole(self.context.fetch, [answer.raw]), self._copy_texts)

    def _copy_texts(self, texts: list[str]) -> None:
        QGuiApplication.clipboard().setText(texts[0])
        self.context.say("Copied the messages as JSON.")


class PromptsPage(OfferPage):
    """The list of prompts beside the selected one."""

    title, search = "Prompts", "Filter prompts"
    no_entries = ("This server has no prompts", "Prompts are prepared messages for a model. Tools work without them.")
    detail: PromptDetail

    def __init__(self, context: Context, state: ServerState) -> None:
        model = FilteredModel[Prompt](
            lambda prompt: prompt.name,
            lambda prompt: f"{prompt.name}\n{prompt.title}\n{prompt.description}",
            prompt_row,
        )
        super().__init__(context, state, model, PromptDetail(context, state.config.name))
        self._prompts: dict[str, Prompt] = {}

    async def fetch(self) -> Offers:
        offers = await self.context.api.offers(self.server)
        self._prompts = {prompt.name: prompt for prompt in offers.prompts}
        self.list.show_entries(self._prompts.values())
        now = self._prompts.get(self.detail.key)
        if now is not None and now != self.detail.prompt:
            self.detail.show_prompt(now)
        return offers

    def show_entry(self, key: str) -> None:
        self.detail.show_prompt(self._prompts[key])


def prompt_row(prompt: Prompt) -> Row:
    return Row(
        key=prompt.name,
        title=one_line(prompt.title or prompt.name, 200),
        detail=one_line(prompt.description or prompt.name, 300),
        aside=count_of(len(prompt.arguments), "argument") if prompt.arguments else "",
        icon="message",
        tip=f"{visible(prompt.name)}\n{visible(prompt.description)}",
    )
