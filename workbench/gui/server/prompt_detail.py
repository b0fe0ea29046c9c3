"""One prompt: its blanks above, the messages it becomes below."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.fault_card import FaultCard
from workbench.gui.icons import icon
from workbench.gui.server.blanks import Blank, Blanks, BlanksArea
from workbench.gui.server.offer_words import figures
from workbench.gui.server.prompt_view import PromptView
from workbench.gui.server.yielding import say, yielding
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState
from workbench.gui.whole import fetch_whole
from workbench.records import Completion, Fault, Prompt, PromptAnswer


class PromptDetail(QWidget):
    """`show_prompt` opens one; `get` fills it."""

    said = Signal(str)

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
        self.said.emit("The messages are in the clipboard as JSON.")

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
